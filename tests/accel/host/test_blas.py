"""Numpy's BLAS and its thread count."""

import numpy as np
import pytest

from minigraph.accel.host import blas
from tests.tables import cases


@cases(({"Build Dependencies": {"blas": {"name": "openblas64"}}}, "openblas64"), ({}, ""))
def test_the_name_is_read_from_numpys_build_configuration(monkeypatch, config, name):
    monkeypatch.setattr(np, "show_config", lambda mode: config)
    assert blas.blas_name.__wrapped__() == name


class Threads:
    """A BLAS that records changes of its thread count."""

    def __init__(self, count):
        self.count, self.changes = count, []

    def use(self, count):
        self.count = count
        self.changes.append(count)

    def blas_threads(self):
        return blas.BlasThreads(lambda: self.count, self.use)


@cases((4, [1, 4]), (1, []))
def test_a_function_runs_on_one_thread_and_the_count_is_restored(monkeypatch, before, changes):
    threads = Threads(before)
    monkeypatch.setattr(blas, "blas_threads", threads.blas_threads)
    assert blas.single_threaded_blas(lambda *args, by: (threads.count, args, by))(1, 2, by=3) == (1, (1, 2), 3)
    assert (threads.count, threads.changes) == (before, changes)
    assert not hasattr(blas.single_threaded_blas(len), "__wrapped__"), "a compiled program would call that"


def test_the_count_is_restored_after_an_error(monkeypatch):
    threads = Threads(2)
    monkeypatch.setattr(blas, "blas_threads", threads.blas_threads)
    with pytest.raises(ZeroDivisionError):
        blas.single_threaded_blas(lambda: 1 / 0)()
    assert threads.changes == [1, 2]


def test_a_function_is_unchanged_where_the_count_cannot_be_set(monkeypatch):
    assert blas.usable_cpu_count() >= 1
    monkeypatch.setattr(blas, "blas_threads", lambda: None)
    assert blas.single_threaded_blas(max) is max


@pytest.mark.parametrize("file", ["no/such/file", blas.ctypes.__file__])
def test_a_library_without_these_functions_has_no_thread_count(monkeypatch, file):
    core = getattr(np, "_core", None) or np.core
    monkeypatch.setattr(core, "_multiarray_umath", type("Core", (), {"__file__": file}))
    assert blas.blas_threads.__wrapped__() is None


def test_the_thread_count_of_this_numpy_can_be_set():
    threads = blas.blas_threads()
    if threads is None:
        pytest.skip("numpy came without OpenBLAS")
    before = threads.get()
    try:
        threads.set(1)
        assert threads.get() == 1
    finally:
        threads.set(before)
    assert threads.get() == before
