"""Numpy's BLAS and its threads: small products run on one thread.

OpenBLAS divides every product above ``MIN_THREADED_MACS`` multiply-accumulates among its threads, which wait for each
other by spinning. Up to ``MAX_ONE_THREAD_MACS`` that gains little on an idle machine. Where another process keeps a
core busy, each product waits until the scheduler runs both threads: milliseconds instead of microseconds. Products of
that size therefore run on one thread, in eager mode as in programs, because with several threads BLAS may sum in
another order.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from minigraph.core.aliases import Function
from minigraph.core.scope_guard import reraise_handler_error

try:  # not every Python has it: it needs libffi
    import ctypes
except ImportError:
    ctypes = None  # type: ignore[assignment]


def usable_cpu_count() -> int:
    """The number of processors that this process may use."""
    affinity: Any = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity else os.cpu_count() or 1


@cache
def blas_name() -> str:
    """The BLAS that numpy was built with, such as ``scipy-openblas``; "" if it is not recorded."""
    config: Any = np.show_config(mode="dicts")
    return str(config.get("Build Dependencies", {}).get("blas", {}).get("name", ""))


class BlasThreads(NamedTuple):
    """How many threads numpy's BLAS uses: a getter and a setter, short calls that hold the GIL."""

    get: Callable[[], int]
    set: Callable[[int], object]


@cache
def blas_threads() -> BlasThreads | None:
    """The thread count of the OpenBLAS that came with numpy; ``None`` for another BLAS, or one without these functions.

    The library is found through numpy's own extension module, which is linked with it.
    """
    if ctypes is None:
        return None
    core: Any = getattr(np, "_core", None) or np.core  # its names since numpy 2, and before
    try:
        library: Any = ctypes.PyDLL(core._multiarray_umath.__file__)
    except (AttributeError, OSError) as error:
        reraise_handler_error(error)
        return None
    for name in ("scipy_openblas_{}_num_threads64_", "scipy_openblas_{}_num_threads", "openblas_{}_num_threads64_"):
        setter, getter = (getattr(library, name.format(verb), None) for verb in ("set", "get"))
        if setter and getter:
            return BlasThreads(getter, setter)
    return None


def single_threaded_blas(function: Function) -> Function:
    """The function with BLAS limited to one thread; the function itself where the thread count cannot be set.

    That takes half a microsecond. The thread count belongs to the process: products of other Python threads may run on
    one thread meanwhile, and a change made by another thread meanwhile may be undone. There is no ``__wrapped__``,
    because a compiled program would call that.
    """
    threads = blas_threads()
    if threads is None:
        return function
    get, set_to = threads

    def run(*args: object, **kwargs: object) -> Any:
        before = get()
        if before < 2:
            return function(*args, **kwargs)
        try:
            set_to(1)  # inside of the block: Ctrl-C may be raised when it returns
            return function(*args, **kwargs)
        finally:
            set_to(before)

    return run
