"""Compiled programs with numpy kernels, and with numba kernels if numba is installed."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import Any

import minigraph as ms
from benchmarks.measuring.harness import Contender, Seconds, time_calls
from minigraph.accel.loops.numba_kernels import is_numba_available

Fn = Callable[..., Any]
WARM_UP_SECONDS = 1.0  # enough to compile the kernels in the background
BACKENDS = {"minigraph jit": "numpy", "minigraph jit, numba": "numba"}


def backends() -> dict[str, str]:
    """The kernel backends that are installed, by the contender's name."""
    return {name: backend for name, backend in BACKENDS.items() if backend == "numpy" or is_numba_available()}


def call_with_backend(backend: str, run: Fn, *arguments: Any) -> Any:
    """Call a compiled function with a kernel backend."""
    previous = ms.get_context("kernel_backend")
    ms.set_context(kernel_backend=backend)
    try:
        return run(*arguments)
    finally:
        ms.set_context(kernel_backend=previous)


def warm_up(run: Callable[[], Any], seconds: float) -> None:
    """Call a function for ``seconds``, but at least once."""
    deadline = time.perf_counter() + seconds
    run()
    while time.perf_counter() < deadline:
        run()


def numba_contenders(run: Callable[[], Any]) -> list[Contender]:
    """The contender with numba's kernels, if numba is installed; the backend is switched once per timed block."""
    numba_backends = [(name, backend) for name, backend in backends().items() if backend != "numpy"]
    for _, backend in numba_backends:
        call_with_backend(backend, warm_up, run, WARM_UP_SECONDS)

    def time_block(backend: str, count: int) -> Seconds:
        seconds: Seconds = call_with_backend(backend, time_calls, run, count)
        return seconds

    return [
        Contender(name, partial(call_with_backend, backend, run), timer=partial(time_block, backend))
        for name, backend in numba_backends
    ]
