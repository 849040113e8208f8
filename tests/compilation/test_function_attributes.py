"""Attributes of a jitted function are those of the function, and state as in eager mode."""

import copy
import pickle

import pytest

from minigraph import Tensor, jit
from tests.same_as_eager import INPUTS, description

OPTIONS = [{}, {"capture_mode": "trace"}]


def counted(wrap):
    @wrap
    def f(x):
        f.calls = getattr(f, "calls", 0) + 1
        return x * f.calls

    return f


def logged(wrap):
    @wrap
    def f(x):
        f.log.append(len(f.log))
        return x * len(f.log)

    f.log = []
    return f


def changed_by_the_caller(wrap):
    @wrap
    def g(x):
        return x + 1

    @wrap
    def f(x):
        return g(x) * g.scale * len(f.__name__)

    def call(x):
        result = f(x)
        g.scale, f.__name__ = g.scale + 1, f.__name__ + "f"
        return result

    g.scale = 1.0
    return call


def of_a_method(wrap):
    class Counted:
        @wrap
        def method(self, x):
            return x * Counted.method.scale

    Counted.method.scale = 2.0

    def call(x):
        result = Counted().method(x)
        Counted.method.scale += 1
        return result

    return call


@pytest.mark.filterwarnings("ignore::minigraph.compilation.OpByOpWarning")
@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("make", [counted, logged, changed_by_the_caller, of_a_method])
def test_attributes_are_read_and_set_at_every_call(make, options):
    eager, compiled = make(lambda fn: fn), make(lambda fn: jit(fn, **options))
    for values in INPUTS:
        assert description(compiled(Tensor(values))) == description(eager(Tensor(values)))


def test_they_belong_to_the_function():
    def double(x):
        return x * 2

    double.before = 1
    compiled = jit(double)
    compiled.after = 2
    assert (compiled.before, double.after) == (1, 2)
    del compiled.before
    assert not hasattr(double, "before") and not hasattr(compiled, "before")
    with pytest.raises(AttributeError, match="'function' object has no attribute 'other'"):
        _ = compiled.other
    compiled.__doc__ = "A text."
    assert double.__doc__ == "A text."
    compiled.last_report = None
    assert not hasattr(double, "last_report")


def test_copies_and_pickles():
    compiled = jit(of_this_module)
    compiled.note = "n"
    assert pickle.loads(pickle.dumps(copy.copy(compiled))).note == "n"
    del compiled.note


def of_this_module(x):
    return x + 1
