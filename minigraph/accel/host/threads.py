"""Data parallelism with Python threads: numpy releases the GIL while it computes."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextvars import copy_context
from functools import cache
from typing import TYPE_CHECKING

from minigraph.accel.host.blas import usable_cpu_count
from minigraph.core.context import get_context, resolve
from minigraph.core.machine import MIN_THREADED_BYTES

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor

THREAD_POOL = "concurrent.futures:ThreadPoolExecutor"  # late-bound: importing it imports all of logging


def thread_count(nbytes: int, tiles: int) -> int:
    """The number of threads for a loop over ``tiles`` tiles that writes ``nbytes`` bytes.

    At most the processors that this process may use, and the context's ``runtime_num_threads``.

    >>> thread_count(1000, 8)
    1
    """
    max_threads = min(usable_cpu_count(), get_context("runtime_num_threads"), tiles)
    return max(1, max_threads) if nbytes >= MIN_THREADED_BYTES else 1


def even_slices(count: int, threads: int) -> list[slice]:
    """``count`` rows in one slice for each thread, of lengths that differ by at most one.

    >>> even_slices(5, 2)
    [slice(0, 2, None), slice(2, 5, None)]
    """
    return [slice(count * k // threads, count * (k + 1) // threads) for k in range(threads)]


def run_parallel(task: Callable[..., None], *arguments: tuple[object, ...]) -> None:
    """``task(*args)`` for each tuple of arguments in parallel, the first on this thread; raises the first error.

    >>> results = []
    >>> run_parallel(results.append, (1,), (2,))
    >>> sorted(results)
    [1, 2]

    Where threads cannot be started, as in a browser, all tasks run on this one.
    """
    if len(arguments) > 1 and not _can_start_threads():
        for args in arguments:
            task(*args)
        return
    others = [_thread_pool().submit(copy_context().run, task, *args) for args in arguments[1:]]
    try:
        task(*arguments[0])
    finally:
        errors = [other.exception() for other in others]
    for error in filter(None, errors):
        raise error


@cache
def _thread_pool() -> ThreadPoolExecutor:
    pool: ThreadPoolExecutor = resolve(THREAD_POOL)(usable_cpu_count(), "minigraph")
    return pool


@cache
def _can_start_threads() -> bool:
    try:
        _thread_pool().submit(int)
    except RuntimeError:
        _thread_pool.cache_clear()
        return False
    return True


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_thread_pool.cache_clear)  # threads do not survive a fork
