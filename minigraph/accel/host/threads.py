"""Pieces of one computation side by side on threads: numpy lets others run while it computes."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextvars import copy_context
from functools import cache
from typing import TYPE_CHECKING, Any

from minigraph.accel.host.blas import processors
from minigraph.core.context import get_context, resolve
from minigraph.core.machine import MIN_THREADED_BYTES

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor

POOL = "concurrent.futures:ThreadPoolExecutor"  # late-bound: it brings all of logging


def threads_for(nbytes: int, pieces: int) -> int:
    """How many threads share a loop of so many pieces that writes so many bytes.

    Never more than processors that this process may use, and than the context's ``runtime_num_threads``.

    >>> threads_for(1000, 8)
    1
    """
    return max(1, min(processors(), get_context("runtime_num_threads"), pieces)) if nbytes >= MIN_THREADED_BYTES else 1


def shares_of(count: int, threads: int) -> list[slice]:
    """So many rows in as many parts as there are threads, one as long as the others.

    >>> shares_of(5, 2)
    [slice(0, 2, None), slice(2, 5, None)]
    """
    return [slice(count * k // threads, count * (k + 1) // threads) for k in range(threads)]


def side_by_side(part: Callable[..., None], *works: tuple[Any, ...]) -> None:
    """``part(*work)`` for each work at the same time, the first one on this thread; raises what one of them raises.

    >>> found = []
    >>> side_by_side(found.append, (1,), (2,))
    >>> sorted(found)
    [1, 2]
    """
    others = [_pool().submit(copy_context().run, part, *work) for work in works[1:]]
    try:
        part(*works[0])
    finally:
        errors = [other.exception() for other in others]
    for error in filter(None, errors):
        raise error


@cache
def _pool() -> ThreadPoolExecutor:
    pool: ThreadPoolExecutor = resolve(POOL)(processors(), "minigraph")
    return pool


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_pool.cache_clear)  # threads stay behind in the parent
