"""Executors a sweep brings along: processes that end with their parent, and none at all."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from multiprocessing import get_context, parent_process
from signal import SIG_IGN, SIGINT, signal
from threading import Thread
from typing import Any


class Serial(Executor):
    """Calls run at once, in this thread.

    >>> Serial().submit(pow, 2, 3).result()
    8
    """

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """A future that is done."""
        future: Future[Any] = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as error:
            future.set_exception(error)
        return future


def processes(workers: int | None = None) -> ProcessPoolExecutor:
    """Fresh processes (``None``: one per processor), which inherit no threads, locks or memory of this one."""
    return ProcessPoolExecutor(workers, mp_context=get_context("spawn"), initializer=_serve)


def _serve() -> None:
    """Leave Ctrl-C to the parent, and leave with the parent, however that ends."""
    signal(SIGINT, SIG_IGN)
    Thread(target=_leave_with_parent, daemon=True).start()


def _leave_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
