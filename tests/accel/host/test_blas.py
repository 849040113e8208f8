"""What is known of numpy's BLAS."""

import numpy as np
import pytest

from minigraph.accel.host import blas
from tests.tables import cases


@cases(({"Build Dependencies": {"blas": {"name": "openblas64"}}}, "openblas64"), ({}, ""))
def test_what_numpy_was_built_with(monkeypatch, built, name):
    monkeypatch.setattr(np, "show_config", lambda mode: built)
    assert blas.blas_name.__wrapped__() == name


class Threads:
    """A BLAS whose number of threads somebody looks at and changes."""

    def __init__(self, count):
        self.count, self.changes = count, []

    def use(self, count):
        self.count = count
        self.changes.append(count)

    def pool(self):
        return blas.Pool(lambda: self.count, self.use)


@cases((4, [1, 4]), (1, []))
def test_a_function_has_one_thread_and_leaves_the_number_as_it_was(monkeypatch, before, changes):
    threads = Threads(before)
    monkeypatch.setattr(blas, "pool", threads.pool)
    assert blas.on_one_thread(lambda *given, by: (threads.count, given, by))(1, 2, by=3) == (1, (1, 2), 3)
    assert (threads.count, threads.changes) == (before, changes)
    assert not hasattr(blas.on_one_thread(len), "__wrapped__"), "a compiled program would call that"


def test_what_a_function_raises_leaves_the_number_as_it_was(monkeypatch):
    threads = Threads(2)
    monkeypatch.setattr(blas, "pool", threads.pool)
    with pytest.raises(ZeroDivisionError):
        blas.on_one_thread(lambda: 1 / 0)()
    assert threads.changes == [1, 2]


def test_a_function_stays_as_it_is_where_nobody_can_change_the_number_and_this_machine_can_be_asked(monkeypatch):
    assert blas.processors() >= 1
    monkeypatch.setattr(blas, "pool", lambda: None)
    assert blas.on_one_thread(max) is max


@pytest.mark.parametrize("file", ["no/such/file", blas.ctypes.__file__])
def test_a_blas_without_numbers_has_no_pool(monkeypatch, file):
    core = getattr(np, "_core", None) or np.core
    monkeypatch.setattr(core, "_multiarray_umath", type("Core", (), {"__file__": file}))
    assert blas.pool.__wrapped__() is None


def test_the_threads_of_this_numpy_can_be_changed():
    found = blas.pool()
    if found is None:
        pytest.skip("numpy came without OpenBLAS")
    before = found.threads()
    try:
        found.use(1)
        assert found.threads() == 1
    finally:
        found.use(before)
    assert found.threads() == before
