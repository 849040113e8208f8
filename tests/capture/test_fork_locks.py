import logging
import os
import sys
import threading
import time
from concurrent.futures import thread
from importlib import import_module

import pytest

from minigraph.capture import fork_locks
from minigraph.capture.fork_locks import FORK_LOCKS, capture_lock
from minigraph.core.scope_guard import LOCKS
from tests.inspection import fork_while_held, run_program

needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")


class _Nested:
    """Takes an outer lock, and at the end, for a moment, an inner one; ``waited`` if it could not."""

    def __init__(self, outer, inner):
        self.outer, self.inner, self.waited = outer, inner, False

    def __enter__(self):
        self.outer.acquire()

    def __exit__(self, *error):
        self.waited = not self.inner.acquire(timeout=10)
        if not self.waited:
            self.inner.release()
        self.outer.release()


@needs_fork
@pytest.mark.parametrize("inner", [*FORK_LOCKS[:-1], *LOCKS, logging._lock, thread._global_shutdown_lock])
def test_a_fork_takes_locks_in_the_order_of_threads_that_hold_several(inner):
    nested = _Nested(capture_lock, inner)
    assert fork_while_held(nested, dict) == 0 and not nested.waited


class _Import:
    """Imports a module in another thread; entered while it is being imported."""

    def __init__(self, name):
        self.thread = threading.Thread(target=import_module, args=[name])
        self.name = name

    def __enter__(self):
        self.thread.start()
        while self.name not in sys.modules:
            time.sleep(0.001)

    def __exit__(self, *error):
        self.thread.join()


@pytest.fixture
def modules(tmp_path, monkeypatch):
    """``viz.slow0`` to ``viz.slow2``, each of which imports the next one."""
    for k in range(3):
        following = f"import viz.slow{k + 1}" if k < 2 else ""
        text = f"import time; time.sleep(0.2)\n{following}\ntime.sleep(0.1); done = True"
        (tmp_path / f"slow{k}.py").write_text(text)
    monkeypatch.setattr("viz.__path__", [str(tmp_path)])
    yield
    for k in range(3):
        sys.modules.pop(f"viz.slow{k}", None)


def import_everything():
    assert all(import_module(f"viz.slow{k}").done for k in range(3))


@needs_fork
def test_a_fork_waits_until_another_thread_has_imported_a_module(modules):
    assert fork_while_held(_Import("viz.slow0"), import_everything) == 0


@needs_fork
@pytest.mark.parametrize("name", ["viz.slow2", "viz.slow0"])
def test_an_import_that_began_after_the_wait_is_repeated_in_the_child(name, modules, monkeypatch):
    """Nothing keeps another thread from an import until the process is forked."""
    monkeypatch.setattr(fork_locks, "_await_import", lambda name: None)
    assert fork_while_held(_Import(name), import_everything) == 0


@needs_fork
def test_a_package_of_another_is_imported_again_as_a_whole(tmp_path, monkeypatch):
    """As ``networkx``, which cannot go on with half of its modules."""
    monkeypatch.setattr(fork_locks, "PACKAGES", ("halfway",))
    monkeypatch.setattr(fork_locks, "_await_import", lambda name: None)
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "halfway").mkdir()
    text = "from halfway import part\nimport time; time.sleep(0.3); done = part"
    (tmp_path / "halfway" / "__init__.py").write_text(text)
    (tmp_path / "halfway" / "part.py").write_text("")

    def import_again():
        first = sys.modules.get("halfway.part")
        assert import_module("halfway").done is sys.modules["halfway.part"] is not first

    try:
        assert fork_while_held(_Import("halfway"), import_again) == 0
    finally:
        for name in ("halfway", "halfway.part"):
            sys.modules.pop(name, None)


WITHOUT_PRIVATE_NAMES = """
import importlib, os, types
import numpy as np
names = {{name: value for name, value in vars(importlib._bootstrap).items() if name not in {names!r}}}
importlib._bootstrap = types.SimpleNamespace(**names)
from minigraph import Tensor, jit
assert jit(lambda x: x * 2.0)(Tensor(np.ones(2))).shape == (2,)
child = os.fork()
if child == 0:
    jit(lambda x: x * 3.0)(Tensor(np.ones(2)))
    os._exit(0)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


@needs_fork
@pytest.mark.parametrize("names", [["_lock_unlock_module"], ["_lock_unlock_module", "_module_locks"]])
def test_a_python_without_these_private_names_forks_without_waiting(names):
    assert run_program(WITHOUT_PRIVATE_NAMES.format(names=names)) == "0"
