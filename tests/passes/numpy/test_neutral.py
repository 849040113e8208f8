"""Products with one are removed if that is not observable."""

import numpy as np
import pytest

from minigraph import Parameter, Tensor, grad, interpret, jit, ops, trace
from passes import as_pipeline

SPECIAL = [0.0, -0.0, 1.5, np.inf, -np.inf, np.nan]
X = Tensor(np.array([SPECIAL, SPECIAL[::-1]], np.float32))
W = Tensor(np.array(SPECIAL, np.float32))


def ones(*shape):
    """A constant tensor of ones."""
    return Tensor(np.ones(shape, np.float32))


SPARED = {
    "ones": lambda x: (ones(2, 6) * x).tanh(),
    "repeated ones": lambda x: (x * ones(1).broadcast_to(2, 6)).tanh(),
    "of a product": lambda x: (x.exp() * ones(2, 6)).tanh(),
    "twice": lambda x: (x * ones(2, 6) * ones(6)).tanh(),
    "a gradient": lambda x: grad(lambda x: ops.tanh(x * x.T.T).sum())(x),
    "of what lies otherwise": lambda x: (x.T * ones(6, 2)).tanh(),
    "of what was computed, for a product": lambda x: (x.exp() * ones(2, 6)) @ x.T,
}
COMPUTED = {
    "for the caller": lambda x: x * ones(2, 6),
    "for the caller, seen through": lambda x: (x * ones(2, 6)).reshape(3, 4),
    "of another shape": lambda x: (x[0] * ones(2, 6)).tanh(),
    "a copy of what lies otherwise": lambda x: (x.T * ones(6, 2)) @ x,
    "not all ones": lambda x: (x * Tensor(np.array([1, 1, 1, 1, 1, 2], np.float32))).tanh(),
}


def graphs(fn):
    """The graph of a function, before and after the passes."""
    graph = trace(fn, X)
    as_pipeline("constant_fold").run(graph)
    after = graph.clone()
    as_pipeline("neutral,dce").run(after)
    return graph, after


def products(graph):
    """How many products a graph has."""
    return sum(str(graph.op(node)) == "mul" for node in graph)


@pytest.mark.parametrize("what", SPARED)
def test_products_with_one_are_removed(what):
    before, after = map(products, graphs(SPARED[what]))
    assert after == before - (2 if what == "twice" else 1)


@pytest.mark.parametrize("what", COMPUTED)
def test_other_products_are_kept(what):
    before, after = map(products, graphs(COMPUTED[what]))
    assert after == before == 1


@pytest.mark.parametrize("what", [*SPARED, *COMPUTED])
@pytest.mark.parametrize("fortran_order", [False, True])
def test_the_bits_are_those_of_eager_mode(what, fortran_order):
    fn = {**SPARED, **COMPUTED}[what]
    x = Tensor(np.asfortranarray(X.asnumpy())) if fortran_order else X
    want = fn(x).asnumpy()
    for found in (interpret(graphs(fn)[1], x)[0], jit(fn)(x), jit(fn, pipeline=())(x)):
        assert found.asnumpy().tobytes() == want.tobytes()
        assert not np.shares_memory(found.asnumpy(), x.asnumpy())


def test_a_returned_parameter_is_kept():
    weight = Parameter(W, name="w")

    @jit
    def fn(x):
        seen = (weight * ones(6)).exp()
        ops.assign(weight, x[0])
        return seen + weight

    want = np.exp(W.asnumpy()) + X.asnumpy()[0]
    assert fn(X).asnumpy().tobytes() == want.tobytes()
    assert weight.asnumpy().tobytes() == X.asnumpy()[0].tobytes()
