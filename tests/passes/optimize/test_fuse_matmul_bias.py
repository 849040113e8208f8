"""Dense layers as users write them, forward and backward."""

import numpy as np

from minigraph import Tensor, grad, jit, ops
from passes.optimize.fuse_matmul_bias import RULES
from tests.passes.comparison import bits_of, optimize_exactly
from tests.passes.small_graphs import fused_names, labels
from tests.tables import cases

ARGS = [Tensor(np.random.default_rng(0).normal(size=s).astype(np.float32)) for s in ((2, 3), (3, 4), (4,))]


@cases(
    (lambda x, w, b: ops.relu(x @ w + b), "MatMulBiasRelu"),
    (lambda x, w, b: ops.relu(b + x @ w), "MatMulBiasRelu"),
    (lambda x, w, b: ops.gelu(x @ w + b), "MatMulBiasGelu"),
    (lambda x, w, b: ops.tanh(x @ w + b), "MatMulBiasTanh"),
    (lambda x, w, b: ops.sigmoid(x @ w + b), "MatMulBiasSigmoid"),
    (lambda x, w, b: ops.exp(x @ w + b), "MatMulBias"),
    (lambda x, w, b: x @ w + b, "MatMulBias"),
)
def test_every_form_is_one_fused_node_with_the_same_bits_and_gradients(fn, name):
    assert fused_names(optimize_exactly("fuse_matmul_bias", fn, *ARGS)) == [name]
    fused = jit(fn, pipeline="fuse_matmul_bias")
    assert bits_of(grad(fused, (0, 1, 2))(*ARGS)) == bits_of(grad(fn, (0, 1, 2))(*ARGS))


def test_longer_rules_come_first_in_the_table():
    assert [rule.size for rule in RULES] == sorted((rule.size for rule in RULES), reverse=True)


@cases(
    *((shape, ["matmul", "add"]) for shape in ((2, 4), (2, 1), (5, 2, 4), (3, 1, 4))),  # more than a row
    *((shape, ["MatMulBias"]) for shape in ((4,), (1, 4), (1,), ())),
)
def test_a_row_or_a_number_is_a_bias(shape, operators):
    graph = jit(lambda x, w, b: x @ w + b, pipeline="fuse_matmul_bias").graph(*ARGS[:2], Tensor(np.ones(shape, "f4")))
    assert labels(graph) == operators


def test_a_product_that_the_bias_makes_wider_stays():
    fn = jit(lambda x, w, b: x @ w + b, pipeline="fuse_matmul_bias")
    assert not fused_names(fn.graph(ARGS[0], ARGS[1][:, :1], ARGS[2]))
