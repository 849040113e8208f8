"""Forms that round differently: recognised only by the inexact pass, within its tolerance."""

import numpy as np

from minigraph import Tensor, interpret, ops, trace
from passes import PASSES, as_pipeline
from passes.optimize.recognize_inexact import RELATIVE_TOLERANCE, RULES
from tests.passes.comparison import assert_near, changes
from tests.passes.small_graphs import names
from tests.tables import cases

X = Tensor(np.random.default_rng(0).normal(size=(4, 5)).astype(np.float32))


def by_rsqrt(x):
    """Rows of mean 0 and variance 1."""
    centered = x - x.mean(-1, keepdims=True)
    return centered * ops.rsqrt((centered * centered).mean(-1, keepdims=True) + 1e-5)


def softmax_without_shift(x):
    """softmax without subtraction of the maximum."""
    powers = ops.exp(x)
    return powers / powers.sum(-1, keepdims=True)


@cases(
    ("gelu", lambda x: 0.5 * x * (1 + ops.erf(x / 2**0.5))),
    ("gelu", lambda x: x * 0.5 * (1 + ops.erf(x * 0.5**0.5))),
    ("gelu", lambda x: x * (1 + ops.erf(x / 2**0.5)) * 0.5),
    ("gelu", lambda x: 0.5 * x * (1 + ops.tanh(0.7978845608028654 * (x + 0.044715 * x**3)))),
    ("gelu", lambda x: 0.5 * x * (1 + ops.tanh((2 / np.pi) ** 0.5 * (x + 0.044715 * (x * (x * x)))))),
    ("softmax", softmax_without_shift),
    ("log_softmax", lambda x: ops.log(ops.softmax(x, -1))),
    ("log_softmax", lambda x: x - ops.logsumexp(x, -1, True)),
    ("normalize", by_rsqrt),
)
def test_it_is_one_node_within_the_tolerance_and_the_pass_that_keeps_bits_leaves_it_alone(name, expression):
    graph = trace(expression, X)
    before = interpret(graph, X)
    as_pipeline("recognize_inexact,dce").run(graph)
    assert names(graph) == [name]
    assert_near(interpret(graph, X), before, rtol=RELATIVE_TOLERANCE, atol=RELATIVE_TOLERANCE)
    assert not changes("recognize", expression, X)


def test_overflows_become_finite():
    large = Tensor(np.array([[100.0, 99.0]], np.float32))
    graph = trace(softmax_without_shift, large)
    assert np.isnan(interpret(graph, large)[0].array).any()
    as_pipeline("recognize_inexact").run(graph)
    assert np.allclose(interpret(graph, large)[0].array, [[0.7310586, 0.26894143]])


def test_the_pass_and_its_rules_have_a_tolerance():
    assert PASSES["recognize_inexact"].tol == RELATIVE_TOLERANCE and PASSES["recognize"].tol == 0
    assert all(not rule.exact and rule.tol == RELATIVE_TOLERANCE for rule in RULES)
