"""Long sums as one reduction: which sums, in which order, bit for bit."""

from collections import Counter

import numpy as np
import pytest

from minigraph import Tensor, grad, interpret, ops, trace
from minigraph.core.types import float16
from passes import as_pipeline
from passes.numpy.batch_sums import _StackBuilder
from tests.tables import cases

RNG = np.random.default_rng(0)
X, W, B = (Tensor(RNG.normal(size=(4, 4)).astype(np.float32)) for _ in range(3))


def loop(iterations=12):
    """The gradient of a loop whose iterations read the same weight and bias."""

    def fn(x, w, b):
        for _ in range(iterations):
            x = x * w + b
        return (x * x).sum()

    return grad(fn, (0, 1, 2))


def total(*terms):
    first, *rest = terms
    for term in rest:
        first = first + term
    return first


def operator_counts(fn, *args, pipeline="batch_sums,dce"):
    """The count of each operator after the pass, which keeps every bit."""
    graph = trace(fn, *args)
    before = interpret(graph, *args)
    as_pipeline(pipeline).run(graph)
    for result, expected in zip(interpret(graph, *args), before, strict=True):
        assert result.asnumpy().tobytes() == expected.asnumpy().tobytes()
    return operators(graph)


def operators(graph):
    """The count of each operator in a graph."""
    return Counter(graph.op(node).name for node in graph if not graph.op(node).is_leaf)


def test_gradients_of_loop_operands_are_two_sums():
    counts = operator_counts(loop(), X, W, B, pipeline="default,unfuse,canonicalize,batch_sums,dce")
    assert (counts["sum_rows"], counts["stack"], counts["add"]) == (2, 2, 13)
    assert counts["mul"] == 12 + 12 + 1, "forwards, backwards, and one for all products"


def test_part_of_a_stack_is_a_slice():
    def fn(x):
        terms = [(x * float(k)).tanh() for k in range(12)]
        return total(*terms), total(*(term.exp() for term in terms[2:11]))

    counts = operator_counts(fn, X)
    assert (counts["stack"], counts["index"], counts["exp"], counts["sum_rows"]) == (1, 1, 1, 2)


def test_single_terms_are_summed_with_products():
    def fn(x, w):
        terms = [ops.tanh(x * float(k)) for k in range(9)]
        return total(x, *(term * w for term in terms), w), terms

    counts = operator_counts(fn, X, W)
    assert (counts["concat"], counts["stack"], counts["mul"], counts["sum_rows"]) == (1, 3, 9 + 1, 1)


@cases(
    pytest.param(lambda x: total(*(x.tanh() + k for k in map(float, range(7)))), (X,), id="few"),
    pytest.param(lambda x: total(*(x.sum() * k for k in map(float, range(9)))), (X,), id="single numbers"),
    pytest.param(lambda x: total(*(x * k for k in range(9))), (Tensor(np.ones((4, 4), int)),), id="integers"),
    pytest.param(lambda x: total(*(x * float(k) for k in range(9))), (Tensor(np.ones((40, 40))),), id="large"),
)
def test_others_stay(fn, args):
    assert not operator_counts(fn, *args)["stack"]


def test_sums_of_sums():
    def fn(x):
        inner = total(*(ops.tanh(x * float(k)) for k in range(9)))
        return total(*(ops.exp(x * float(k)) for k in range(9)), inner), inner * 2.0

    counts = operator_counts(fn, X)
    assert (counts["sum_rows"], counts["add"]) == (2, 0)


@pytest.mark.parametrize("special", [-0.0, np.inf, np.nan])
def test_special_numbers_stay(special):
    x = Tensor(np.full((2, 3), special, np.float32))
    operator_counts(lambda x: total(*(x * k for k in (1.0, -1.0) * 5)), x)
    operator_counts(lambda x: total(*(x for _ in range(9))), x.astype(float16))


def test_the_time_is_linear_in_the_number_of_terms(monkeypatch):
    comparisons, compare = Counter(), _StackBuilder._is_same_operation

    def counted(builder, *operands):
        comparisons["now"] += 1
        return compare(builder, *operands)

    monkeypatch.setattr(_StackBuilder, "_is_same_operation", counted)
    for count in (100, 400):
        terms = [Tensor(np.full((2, 2), k, np.float32)) for k in range(count)]
        operator_counts(lambda *xs: total(*(x * k for k, x in enumerate(xs, 2))), *terms)
        assert count <= comparisons.pop("now") < 4 * count
