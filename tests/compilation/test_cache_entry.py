"""Cache entries: which guard failed, and simulated costs."""

import pytest

import minigraph as ms
from minigraph import Tensor, jit
from minigraph.compilation.cache_entry import NOT_HANDLED, CacheInfo

X = Tensor([1.0, 2.0])
SCALE = [2.0]


def test_an_entry_names_the_guard_that_failed():
    fn = jit(lambda x: x * SCALE[0])
    fn(X)
    entry = fn._newest
    assert all(guard.holds for guard in entry.guards)
    SCALE[0] = 3.0
    assert entry.failed_guard == "the contents of 'SCALE' changed"
    assert not entry.holds


def test_without_a_fast_path_every_call_is_looked_up_by_key():
    ms.set_context(accel=False)
    fn = jit(lambda x, scale=1: x * SCALE[0] * scale)
    for given in (X, Tensor([1.0]), X):
        assert fn(given).tolist() == (given * SCALE[0]).tolist()
    assert fn._latest.answers((X,)) is NOT_HANDLED
    assert fn.cache_info()[:2] == (1, 2)
    SCALE[0] += 1.0
    assert fn(X).tolist() == (X * SCALE[0]).tolist()
    assert fn.cache_info().reasons[-1].startswith("the contents of 'SCALE' changed")


def test_counts_reasons_and_entries():
    fn = jit(lambda x: x * 2.0)
    fn(X), fn(X), fn(Tensor([1.0]))
    assert fn.cache_info() == CacheInfo(1, 2, 2, ("first call (f32[2])", "new shapes (f32[1])"))
    assert fn._newest.report_on(ms.get_context("chip")) is fn._newest.report_on(ms.get_context("chip"))
    first = fn._latest
    ms.set_context(pipeline=())
    fn(Tensor([1.0]))
    assert fn._latest is not first, "another pipeline is another entry"


def test_the_source_belongs_to_the_newest_program():
    fn = jit(lambda x: x.tanh())
    with pytest.raises(ValueError, match=r"there is no program yet in .*; call it first"):
        _ = fn.source
    fn(X)
    assert "tanh(v0)" in fn.source
    assert fn.source == fn.program(X).source
