"""Products with one are not computed, where nobody can tell."""

import numpy as np
import pytest

from minigraph import Parameter, Tensor, grad, jit, ops, trace
from minigraph.run.plan import planned

SPECIAL = [0.0, -0.0, 1.5, np.inf, -np.inf, np.nan]
X = Tensor(np.array([SPECIAL, SPECIAL[::-1]], np.float32))
W = Tensor(np.array(SPECIAL, np.float32))


def ones(*shape):
    return Tensor(np.ones(shape, np.float32))


SPARED = {
    "ones": lambda x: (ones(2, 6) * x).tanh(),
    "repeated ones": lambda x: (x * ones(1).broadcast_to(2, 6)).tanh(),
    "of a product": lambda x: (x.exp() * ones(2, 6)).tanh(),
    "twice": lambda x: (x * ones(2, 6) * ones(6)).tanh(),
    "a gradient": lambda x: grad(lambda x: ops.tanh(x * x).sum())(x),
    "read by columns": lambda x: (x * ones(2, 6)).T.tanh(),
}
COMPUTED = {
    "for the caller": lambda x: x * ones(2, 6),
    "for the caller, seen through": lambda x: (x * ones(2, 6)).reshape(3, 4),
    "of another shape": lambda x: (x[0] * ones(2, 6)).tanh(),
    "of what lies otherwise": lambda x: (x.T * ones(6, 2)).tanh(),
    "of a constant": lambda x: (ones(2, 6) * Tensor(X.array)).tanh(),
    "not all ones": lambda x: (x * Tensor(np.array([1, 1, 1, 1, 1, 2], np.float32))).tanh(),
}


def products(fn):
    """How many products a graph has, and how many its program computes."""
    graph = trace(fn, X)
    made = sum(graph.op(node).name == "mul" for node in graph.topological())
    return made, sum(step.op.name == "mul" for step in planned(graph).steps)


@pytest.mark.parametrize("what", SPARED)
def test_products_with_one_are_spared(what):
    made, computed = products(SPARED[what])
    assert computed == made - (2 if what == "twice" else 1)


@pytest.mark.parametrize("what", COMPUTED)
def test_others_are_computed(what):
    made, computed = products(COMPUTED[what])
    assert computed == made == 1


@pytest.mark.parametrize("what", [*SPARED, *COMPUTED])
@pytest.mark.parametrize("turned", [False, True])
def test_the_bits_are_those_of_eager_mode(what, turned):
    fn = {**SPARED, **COMPUTED}[what]
    x = Tensor(np.asfortranarray(X.array)) if turned else X
    found = jit(fn, pipeline=())(x)
    assert found.array.tobytes() == fn(x).array.tobytes()
    assert not np.shares_memory(found.array, x.array)


def test_a_parameter_that_is_given_back_is_no_part_of_it():
    weight = Parameter(W, name="w")

    @jit
    def fn(x):
        seen = (weight * ones(6)).exp()
        ops.assign(weight, x[0])
        return seen + weight

    want = np.exp(W.array) + X.array[0]
    assert fn(X).array.tobytes() == want.tobytes()
    assert weight.array.tobytes() == X.array[0].tobytes()
