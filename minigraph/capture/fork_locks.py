"""Locks that are held while much happens: imports, log messages, the use of other locks.

A fork takes locks in the order in which a thread does that holds several. Otherwise each could wait for the other. It
takes these first, then waits for imports, then takes those of Python's modules, then those of ``core.scope_guard``.
An import that begins after that is forgotten in the child process, which has no thread that would end it.
"""

from __future__ import annotations

import concurrent.futures.thread  # noqa: F401 - registers its lock and that of ``logging`` before these
import importlib
import os
import sys
from threading import RLock, get_ident
from typing import Any

from minigraph.core.scope_guard import hold_while_forking

# Python has no public names for this; where these are missing, a fork does not wait
_bootstrap = getattr(importlib, "_bootstrap", None)
_import_locks: dict[str, Any] = getattr(_bootstrap, "_module_locks", {})
_await_import: Any = getattr(_bootstrap, "_lock_unlock_module", None)
PACKAGES = ("minigraph", "passes", "viz", "networkx", "numba")  # imported late, by a thread that compiles

FORK_LOCKS = kernel_lock, page_lock, capture_lock = [RLock() for _ in range(3)]  # a thread takes the last of them first


def _importing_threads() -> dict[str, int | None]:
    """The modules that have locks: the other thread that is importing it, or ``None``."""
    locks = {name: reference() for name, reference in [*_import_locks.items()]}
    owners = {name: getattr(lock, "owner", None) for name, lock in locks.items()}
    return {name: owner for name, owner in owners.items() if owner != get_ident()}


def _of_packages(threads: dict[str, int | None]) -> dict[str, int]:
    """The modules of ``PACKAGES`` that another thread is importing."""
    return {name: owner for name, owner in threads.items() if owner and name.partition(".")[0] in PACKAGES}


def _await_imports() -> None:
    """Wait until no other thread is importing a module that the child process would wait for, for good.

    Each is awaited once: its thread may wait for a module that this one is importing.
    """
    awaited = set[str]()
    while names := _of_packages(_importing_threads()).keys() - awaited:
        awaited |= names
        for name in names:
            _await_import(name)


def _forget_imports() -> None:
    """In a child process: import again what the parent's threads were importing along with modules of ``PACKAGES``."""
    threads = _importing_threads()
    gone = {None, *_of_packages(threads).values()}  # None: one may have been about to take the lock
    for name in [name for name, owner in threads.items() if owner in gone]:
        _import_locks.pop(name, None)
        if _is_unfinished(name):
            _forget(name)


def _is_unfinished(name: str) -> bool:
    return getattr(getattr(sys.modules.get(name), "__spec__", None), "_initializing", False)


def _forget(name: str) -> None:
    """Forget a module, and of another's package all modules: it may not go on with half of them."""
    is_package = "." not in name and name not in ("minigraph", "passes", "viz")
    for other in [*sys.modules]:
        if other == name or (is_package and other.startswith(f"{name}.")):
            del sys.modules[other]


if hasattr(os, "register_at_fork") and _await_import is not None:
    os.register_at_fork(before=_await_imports, after_in_child=_forget_imports)
hold_while_forking(FORK_LOCKS)
