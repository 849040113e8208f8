"""A jitted function's cache is bounded, and a warning names a function that is recompiled again and again."""

import copy
import warnings

import numpy as np
import pytest

import minigraph as ms
from minigraph import Tensor, grad, jit, nn, value_and_grad
from minigraph.compilation import OpByOpWarning, RecompileWarning
from minigraph.compilation import entry_table as table

X = Tensor([1.0, 2.0])
COUNT = [0]


@pytest.fixture
def small_cache(monkeypatch):
    """At most 3 keys, and 2 entries for each."""
    monkeypatch.setattr(table, "MAX_KEYS", 3)
    monkeypatch.setattr(table, "MAX_ENTRIES_PER_KEY", 2)


def cached_sizes(fn):
    """The sizes of the first argument that have entries, least recently used first."""
    return [key[0][0][0][0] for key in fn._entries.keys()]  # noqa: SIM118


@pytest.mark.parametrize("accel", [True, False])
def test_the_least_recently_used_shape_is_evicted(small_cache, accel):
    ms.set_context(accel=accel)
    fn = jit(lambda x: x * 2.0)
    for size in (1, 2, 3, 1, 1, 4, 5, 1):
        assert fn(Tensor([1.0] * size)).tolist() == [2.0] * size
    assert cached_sizes(fn) == [1, 4, 5]
    assert fn.cache_info()[:3] == (3, 5, 3)
    fn(Tensor([1.0, 1.0]))
    assert (fn.cache_info().misses, cached_sizes(fn)) == (6, [1, 5, 2])


def test_entries_that_differ_in_guards_are_bounded_for_each_key(small_cache):
    fn = jit(lambda x: x * COUNT[0])
    for COUNT[0] in range(5):
        fn(X)
    assert len(fn._entries) == 2


@pytest.mark.filterwarnings("ignore::minigraph.compilation.OpByOpWarning")
def test_calls_that_no_graph_can_represent_are_bounded_and_keep_no_tensors(small_cache):
    fn = jit(lambda x: x.sum() if x.sum() > 0 else x)
    for size in range(2, 8):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", OpByOpWarning)
            fn(Tensor([1.0] * size))
    assert len(fn._entries.uncompilable) == 3
    assert all(fallback.error.__traceback__ is None for fallback in fn._entries.uncompilable.values())


def test_the_reasons_of_the_newest_compilations_are_kept(monkeypatch):
    monkeypatch.setattr(table, "WARN_AFTER", 0)
    fn = jit(lambda x: x)
    assert fn._entries._reasons.maxlen == table.MAX_REASONS
    assert len(copy.copy(fn)._entries) == 0


class Net(nn.Cell):
    """A Cell with two arguments."""

    @jit
    def construct(self, x, scale):
        return x * scale


def scale_pair(batch, *, gain=1.0):
    return batch[0] * batch[1] * gain


class Counter(nn.Cell):
    """A Cell that reads an attribute that is another one at every call."""

    def call(self, k):
        self.count = k
        return self(X)

    @jit
    def construct(self, x):
        return x * self.count


def product(x):
    return (x * x).sum()


def ones(size):
    return Tensor(np.ones(size, np.float32))


RECOMPILING_CALLS = [
    (jit(lambda x, w: x * w[0]), lambda fn, k: fn(ones(k), X), "for 32 shapes of argument 'x' in `"),
    (jit(lambda x, w: x[0] * w), lambda fn, k: fn(X, ones(k)), "pad 'w' to a few shapes"),
    (jit(scale_pair), lambda fn, k: fn([ones(k), ones(1)]), "argument 'batch'"),
    (jit(scale_pair), lambda fn, k: fn([X, X], gain=k), "for 32 values of argument 'gain'"),
    (jit(scale_pair), lambda fn, k: fn([X, X], gain=float(k)), "pass a Tensor"),
    (jit(lambda *tensors: tensors[0] + tensors[1]), lambda fn, k: fn(X[0], ones(k)), "argument 'tensors[1]'"),
    (jit(lambda *tensors: sum(tensors)), lambda fn, k: fn(*[X] * k), "for 32 numbers of arguments in `"),
    (jit(lambda x, mode: x * len(mode)), lambda fn, k: fn(X, "a" * k), "pass the same 'mode' at every call"),
    (jit(lambda x, function: function(x)), lambda fn, k: fn(X, lambda x: x), "32 values of argument 'function'"),
    (jit(lambda x, parts: x * len(parts)), lambda fn, k: fn(X, [1.0] * k), "for 32 structures of argument 'parts'"),
    (jit(grad(product)), lambda fn, k: fn(ones(k)), "jit 'grad(product)': compiled 32 times, for 32 shapes"),
    (jit(value_and_grad(product)), lambda fn, k: fn(ones(k)), "argument 'x'"),
    (jit(grad(grad(product))), lambda fn, k: fn(ones(k)), "argument 'x'"),
    (Counter(), lambda fn, k: fn.call(k), "the last time: 'count' changed"),
    (Net(), lambda fn, k: fn(ones(k), 2.0), "'Net.construct': compiled 32 times, for 32 shapes of argument 'x'"),
    (jit(lambda x: x * COUNT[0]), lambda fn, k: fn(X), "the last time: the contents of 'COUNT' changed"),
]


@pytest.mark.parametrize(("fn", "call", "message"), RECOMPILING_CALLS)
def test_one_warning_names_the_function_the_argument_and_the_remedy(fn, call, message):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for k in range(1, 37):
            COUNT[0] = k
            call(fn, k)
    assert [warning.category for warning in caught] == [RecompileWarning]
    assert message in str(caught[0].message)
    assert "compiled 32 times" in str(caught[0].message)
    assert str(caught[0].message).count("\n") <= 2
    assert caught[0].filename == __file__


def test_few_shapes_need_no_warning():
    fn = jit(lambda x: x + 1)
    for k in range(200):
        fn(ones(1 + k % 31))
    assert fn.cache_info()[:3] == (169, 31, 31)
