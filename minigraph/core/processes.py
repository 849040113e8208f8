"""Executors: processes that end with their parent and do not run the caller's script again, and none at all."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from multiprocessing import parent_process
from multiprocessing.context import SpawnContext, SpawnProcess
from signal import SIG_IGN, SIGINT, signal
from threading import Lock, Thread
from types import ModuleType
from typing import Any

_script_put_away = Lock()


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


class _Worker(SpawnProcess):
    """A process that does not run the caller's script again, as ``multiprocessing`` would have it do.

    What it gets names nothing of that script, so a script needs no guard, and a model in it is not built again.
    """

    def start(self) -> None:
        with _script_put_away:  # two sweeps may start processes at once
            script = sys.modules["__main__"]
            sys.modules["__main__"] = ModuleType("__main__")
            try:
                super().start()
            finally:
                sys.modules["__main__"] = script


class _Context(SpawnContext):
    Process = _Worker


def processes(workers: int | None = None) -> ProcessPoolExecutor:
    """Fresh processes (``None``: one per processor), which inherit no threads, locks or memory of this one."""
    return ProcessPoolExecutor(workers, mp_context=_Context(), initializer=_serve)


def _serve() -> None:
    """Leave Ctrl-C to the parent, and leave with the parent, however that ends."""
    signal(SIGINT, SIG_IGN)
    Thread(target=_leave_with_parent, daemon=True).start()


def _leave_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
