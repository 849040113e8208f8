"""Copies by ``copy`` and ``pickle``: what they share, and what passes through them, in eager mode and in graphs."""

import copy
import pickle
import warnings

import numpy as np
import pytest

import minigraph as ms
from minigraph import Parameter, Tensor
from minigraph.compilation import OpByOpWarning
from minigraph.core.tensor.copying import UNCOPIED_SLOTS, copy_of, state_of

DECORATIONS = [lambda f: f, ms.jit(fullgraph=True), ms.jit(capture_mode="trace", fullgraph=True)]
decorations = pytest.mark.parametrize("decorate", DECORATIONS, ids=["eager", "ast", "trace"])
COPIES = (copy.copy, copy.deepcopy, lambda x: copy.deepcopy({"x": [x]})["x"][0], lambda x: copy.copy(x * 1.0))


@decorations
@pytest.mark.parametrize("copied", COPIES)
def test_a_copy_passes_its_gradient_on(copied, decorate):
    """As ``copy.deepcopy`` does in MindSpore's PyNative mode."""
    x = Tensor(np.array([1.0, 2.0], np.float32))
    cubes = decorate(lambda x: (copied(x) ** 3).sum())
    assert ms.grad(cubes)(x).tolist() == [3.0, 12.0]
    assert ms.grad(lambda x: ms.grad(cubes)(x).sum())(x).tolist() == [6.0, 12.0]


@decorations
def test_what_is_one_object_is_one_in_a_deep_copy(decorate):
    def write(x):
        first, second = copy.deepcopy([x, x])
        first[0] = 7.0
        return second, x

    assert [out.tolist() for out in decorate(write)(Tensor([1.0, 2.0]))] == [[7.0, 2.0], [1.0, 2.0]]


@decorations
def test_a_deep_copy_of_state_follows_it(decorate):
    table = {"k": [2.0]}
    step = decorate(lambda x: x * copy.deepcopy(table)["k"][0])
    assert step(Tensor([1.0])).tolist() == [2.0]
    table["k"][0] = 5.0
    assert step(Tensor([1.0])).tolist() == [5.0]


@pytest.mark.parametrize("mode", ["ast", "trace"])
def test_a_copy_of_a_parameter_is_another_at_each_call(mode):
    weight = Parameter(Tensor([2.0]), name="w")
    step = ms.jit(lambda x: (copy.deepcopy(weight), x + 1.0), capture_mode=mode)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        first, second = (step(Tensor([1.0]))[0] for _ in range(2))
    assert [type(parameter) for parameter in (first, second)] == [Parameter] * 2
    assert len({id(first), id(second), id(weight)}) == 3
    (warning,) = [warning for warning in caught if issubclass(warning.category, OpByOpWarning)]
    assert "copy: a graph cannot create a Parameter in `copy.deepcopy(weight)` (test_copying.py" in str(warning.message)


class Named(Tensor):
    pass


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))])
def test_a_copy_of_a_subclass_has_its_attributes(copied):
    named = Named([1.0, 2.0])
    named.tags, named.own = ["a"], named
    two = copied(named)
    assert (type(two), two.tags, two.tolist()) == (Named, ["a"], [1.0, 2.0])
    assert (two.tags is named.tags, two.own is two) == ((True, False) if copied is copy.copy else (False, True))


def test_the_state_has_no_views_and_a_deep_copy_knows_itself():
    x = Tensor([[1.0], [2.0]])
    table, slots = state_of(x[0])
    assert (table, sorted(slots), {*slots} & {*UNCOPIED_SLOTS}) == (None, ["array", "array_layout"], {"array_layout"})
    memo = {}
    named = Named([1.0])
    assert copy_of(named, memo) is memo[id(named)]
