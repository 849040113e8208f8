"""Algebra that changes rounding: results, and expressions that stay unchanged."""

import numpy as np
import pytest

from minigraph import Tensor, int32, interpret, ops, trace
from minigraph.core.op import apply
from minigraph.npu import cycles
from passes import PASSES, S, as_pipeline, rule
from passes.optimize.algebra_inexact import RELATIVE_TOLERANCE, RULES
from tests.passes.comparison import changes
from tests.passes.small_graphs import names

RNG = np.random.default_rng(0)
X, Y = (Tensor(RNG.uniform(0.5, 2, size=(3, 4)).astype(np.float32)) for _ in range(2))
KERNEL, ROW = (Tensor(np.full(shape, 1.5, np.float32)) for shape in ((2, 1, 2, 2), (2,)))

EXPRESSIONS = {
    "add_add": (lambda x, y: (0.1 + x) + 0.3, ["add"]),
    "mul_mul": (lambda x, y: 0.5 * (x * 0.3), ["mul"]),
    "div_number": (lambda x, y: x / 3.0, ["mul"]),
    "factor": (lambda x, y: y * 0.3 + 0.3 * x, ["add", "mul"]),
    "exp_exp": (lambda x, y: ops.exp(x) * ops.exp(y), ["add", "exp"]),
    "log_exp": (lambda x, y: ops.log(ops.exp(x)) + y, ["add"]),
    "pow_two": (lambda x, y: x**2, ["square"]),
    "pow_three": (lambda x, y: x**3, ["mul", "mul"]),
    "times_rsqrt": (lambda x, y: ops.rsqrt(y) * x, ["div", "sqrt"]),
    "sum_of_negs": (lambda x, y: (-x).sum(0), ["neg", "sum"]),
    "fold_batch_norm": (
        lambda x, y: apply("batch_norm", apply("conv2d", x.reshape((1, 1, 3, 4)), KERNEL), *[ROW] * 4),
        ["add", "conv2d", "reshape"],
    ),
}


def test_every_rule_has_a_case():
    assert list(EXPRESSIONS) == [rule.name for rule in RULES]
    assert all(not rule.exact and rule.tol == RELATIVE_TOLERANCE for rule in RULES)
    assert PASSES["algebra_inexact"].tol == RELATIVE_TOLERANCE


@pytest.mark.parametrize(("expression", "operators"), EXPRESSIONS.values(), ids=EXPRESSIONS)
def test_rewritten_programs_stay_within_the_tolerance(expression, operators):
    graph = trace(expression, X, Y)
    before = interpret(graph, X, Y)[0].array
    as_pipeline("cse,algebra_inexact,constant_fold,dce").run(graph)
    assert sorted(names(graph)) == operators
    assert np.allclose(interpret(graph, X, Y)[0].array, before, rtol=RELATIVE_TOLERANCE)


UNCHANGED = [
    lambda x, y: (x + y) + 0.3,
    lambda x, y: x / 4.0,
    lambda x, y: x / 0.0,
    lambda x, y: x * x.sum() + y.sum(0) * x.sum(),
    lambda x, y: (x.astype(int32) + 1) + 2,
]


@pytest.mark.parametrize("expression", UNCHANGED)
def test_other_expressions_stay_unchanged(expression):
    assert not changes("algebra_inexact", expression, X, Y)


def test_a_captured_attribute_may_be_a_number_of_the_replacement():
    @rule(once=True)
    def shift_softmax(x):
        return apply("softmax", x, axis=S.at), apply("softmax", x + S.at, axis=S.at) - S(lambda m: len(m.x.shape))

    graph = trace(lambda x: apply("softmax", x, axis=1), Tensor(np.zeros((2, 3), np.float32)))
    as_pipeline([shift_softmax]).run(graph)
    numbers = [graph.attrs(node)["value"].array.item() for node in graph if graph.op(node).role == "const"]
    assert numbers == [1.0, 2.0]


@pytest.mark.parametrize("window", [{}, {"stride": 2, "padding": 1}, {"dilation": 2}])
def test_a_batch_norm_is_folded_into_the_kernel_of_its_convolution(window):
    rng = np.random.default_rng(0)
    image, kernel, *statistics = (
        Tensor(rng.uniform(0.5, 2, shape).astype(np.float32)) for shape in ((2, 3, 7, 7), (4, 3, 3, 3), *[(4,)] * 4)
    )

    def net(x):
        return apply("relu", apply("batch_norm", apply("conv2d", x, kernel, **window), *statistics, eps=1e-3))

    graph = trace(net, image)
    before = cycles(graph)
    as_pipeline("algebra_inexact,constant_fold,dce,fuse_conv_bn_relu").run(graph, validate=True)
    (fused,) = (node for node in graph if not graph.op(node).is_leaf)
    assert graph.attrs(fused)["name"] == "ConvBiasRelu" and cycles(graph) < before
    assert np.allclose(interpret(graph, image)[0].array, net(image).array, rtol=1e-5)
