"""Locks that are held while much happens: imports, log messages, the use of other locks.

A fork takes locks in the order in which a thread does that holds several. Otherwise each could wait for the other. It
takes these first, then waits for imports, then takes those of Python's modules, then those of ``core.scope_guard``.
"""

from __future__ import annotations

import concurrent.futures.thread  # noqa: F401 - registers its lock and that of ``logging`` before these
import importlib
import os
from threading import RLock
from typing import Any

from minigraph.core.scope_guard import hold_while_forking

_bootstrap: Any = importlib._bootstrap
PACKAGES = ("minigraph", "passes", "viz", "networkx", "numba")  # imported late, by a thread that compiles

FORK_LOCKS = kernel_lock, page_lock, capture_lock = [RLock() for _ in range(3)]  # a thread takes the last of them first


def _await_imports() -> None:
    """Wait until no other thread is importing a module that the child process would wait for, for good."""
    for name in [*_bootstrap._module_locks]:
        if name.partition(".")[0] in PACKAGES:
            _bootstrap._lock_unlock_module(name)  # does nothing if this thread is importing it


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_await_imports)
hold_while_forking(FORK_LOCKS)
