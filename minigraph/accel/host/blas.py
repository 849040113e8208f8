"""What multiplies numpy's matrices, and on how many threads.

OpenBLAS divides every product above ``MIN_THREADED_MACS`` multiplications among its threads, which wait for each other
by spinning. Up to ``MAX_ONE_THREAD_MACS`` multiplications that gains little on an idle machine, and where another
process keeps a core busy each product waits until the scheduler lets both threads run: milliseconds instead of
microseconds. So products of that size are made on one thread, by everybody who computes: BLAS may add in another order
on several.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np


def processors() -> int:
    """How many processors this process may use."""
    usable: Any = getattr(os, "sched_getaffinity", None)
    return len(usable(0)) if usable else os.cpu_count() or 1


@cache
def blas_name() -> str:
    """What numpy was built with, such as ``scipy-openblas``; nothing if it does not say."""
    built: Any = np.show_config(mode="dicts")
    return str(built.get("Build Dependencies", {}).get("blas", {}).get("name", ""))


class Pool(NamedTuple):
    """How many threads numpy's BLAS uses, and what changes that; both hold Python's lock, for they only look or set."""

    threads: Callable[[], int]
    use: Callable[[int], object]


@cache
def pool() -> Pool | None:
    """The threads of the OpenBLAS that came with numpy; ``None`` if there is another BLAS, or nothing to ask.

    The library is found by numpy's own module, which is linked with it.
    """
    core: Any = getattr(np, "_core", None) or np.core  # its names since numpy 2, and before
    try:
        library: Any = ctypes.PyDLL(core._multiarray_umath.__file__)
    except (AttributeError, OSError):
        return None
    for name in ("scipy_openblas_{}_num_threads64_", "scipy_openblas_{}_num_threads", "openblas_{}_num_threads64_"):
        use, threads = (getattr(library, name.format(verb), None) for verb in ("set", "get"))
        if use and threads:
            return Pool(threads, use)
    return None


def on_one_thread(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function, BLAS computing on one thread meanwhile; the function itself where nobody can change that.

    That takes half a microsecond. The number is the process's: products of other threads of Python may be made on one
    thread meanwhile, and whoever changes the number in another thread meanwhile may see it changed back. There is no
    ``__wrapped__``, for a compiled program would call that.
    """
    found = pool()
    if found is None:
        return function
    threads, use = found

    def run(*given: Any, **named: Any) -> Any:
        before = threads()
        if before < 2:
            return function(*given, **named)
        use(1)
        try:
            return function(*given, **named)
        finally:
            use(before)

    return run
