import logging
import os
import sys
import threading
import time
from concurrent.futures import thread
from importlib import import_module

import pytest

from minigraph.capture.fork_locks import FORK_LOCKS, capture_lock
from minigraph.core.scope_guard import LOCKS
from tests.inspection import fork_while_held

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


@needs_fork
def test_a_fork_waits_until_another_thread_has_imported_a_module(tmp_path, monkeypatch):
    (tmp_path / "slow.py").write_text("import time; time.sleep(0.3)")
    monkeypatch.setattr("viz.__path__", [str(tmp_path)])

    class Import:
        def __enter__(self):
            self.thread = threading.Thread(target=import_module, args=["viz.slow"])
            self.thread.start()
            while "viz.slow" not in sys.modules:
                time.sleep(0.001)

        def __exit__(self, *error):
            self.thread.join()

    try:
        assert fork_while_held(Import(), lambda: import_module("viz.slow")) == 0
    finally:
        sys.modules.pop("viz.slow", None)
