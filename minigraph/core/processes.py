"""Executors: a pool of worker processes, where the platform has processes, and a serial one."""

from __future__ import annotations

from concurrent.futures import Executor, Future
from typing import Any

from minigraph.core.aliases import Function
from minigraph.core.lazy import resolve
from minigraph.core.scope_guard import reraise_handler_error

WORKERS = "minigraph.core.worker_processes:make_process_pool"  # late-bound: a browser's Python has no processes
# Raised where a platform lacks the module, semaphores, the permission, or threads.
NO_PROCESSES = (ImportError, OSError, RuntimeError)


class SerialExecutor(Executor):
    """Runs each call immediately, in this thread.

    >>> SerialExecutor().submit(pow, 2, 3).result()
    8
    """

    def submit(self, fn: Function, /, *args: object, **kwargs: object) -> Future[Any]:
        """Run the call; returns a future that is done. A deadline is raised: it is the caller's."""
        future: Future[Any] = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as error:
            reraise_handler_error(error)
            future.set_exception(error)
        return future


def process_pool(workers: int | None = None) -> Executor:
    """A pool of fresh processes (``None``: one per processor), which inherit no threads, locks or memory.

    A ``SerialExecutor`` where the platform has no processes or allows none.
    """
    try:
        pool: Executor = resolve(WORKERS)(workers)
    except NO_PROCESSES as error:
        reraise_handler_error(error)
        return SerialExecutor()
    return pool
