"""A pool of worker processes that end with their parent and do not rerun the caller's script."""

from __future__ import annotations

import os
import sys
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import parent_process
from multiprocessing.context import SpawnContext, SpawnProcess
from signal import SIG_IGN, SIGINT, signal
from threading import Lock, Thread
from types import ModuleType

_main_module_lock = Lock()


class _Worker(SpawnProcess):
    """A process that does not rerun the caller's script, as ``multiprocessing`` does by default.

    Its tasks refer to nothing in that script. So a script needs no ``__main__`` guard, and builds its model only once.
    """

    def start(self) -> None:
        with _main_module_lock:  # two threads may start processes at once
            script = sys.modules["__main__"]
            sys.modules["__main__"] = ModuleType("__main__")
            try:
                super().start()
            finally:
                sys.modules["__main__"] = script


class _Context(SpawnContext):
    Process = _Worker


def make_process_pool(workers: int | None = None) -> ProcessPoolExecutor:
    """A pool of fresh processes (``None``: one per processor), which inherit no threads, locks or memory.

    Raises what the platform raises where it has no processes, or no threads, which serve the pool.
    """
    Thread(target=int).start()  # a pool would start its thread after its processes, and leave them behind
    return ProcessPoolExecutor(workers, mp_context=_Context(), initializer=_initialize_worker)


def _initialize_worker() -> None:
    """Ignore Ctrl-C, which the parent handles, and exit when the parent ends."""
    signal(SIGINT, SIG_IGN)
    Thread(target=_exit_with_parent, daemon=True).start()


def _exit_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
