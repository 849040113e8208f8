"""Convolution blocks as users write them."""

import numpy as np

from minigraph import Tensor
from minigraph.core.op import apply
from passes.optimize.fuse_conv_bn_relu import RULES
from tests.passes.comparison import optimize_exactly
from tests.passes.small_graphs import fused_names
from tests.tables import results

rng = np.random.default_rng(0)
SHAPES = ((2, 3, 6, 6), (4, 3, 3, 3), (4,), (4,), (4,), (4,))
ARGS = [Tensor(np.abs(rng.normal(size=shape)).astype(np.float32) + 0.1) for shape in SHAPES]


def block(x, w, *statistics):
    """Strided convolution and batch norm."""
    return apply("batch_norm", apply("conv2d", x, w, stride=2, padding=1), *statistics, eps=1e-3)


def with_bias(x, w, b, *rest):
    """Convolution and a bias over channels."""
    return apply("reshape", b, shape=(1, 4, 1, 1)) + apply("conv2d", x, w)


test_every_block_is_one_fused_node_with_the_same_bits = results(
    lambda fn: fused_names(optimize_exactly("default", fn, *ARGS)),
    (lambda *args: apply("relu", block(*args)), ["ConvBatchNormRelu"]),
    (block, ["ConvBatchNorm"]),
    (lambda *args: apply("relu", with_bias(*args)), ["ConvBiasRelu"]),
    (with_bias, ["ConvBias"]),
    (lambda x, w, *rest: apply("relu", apply("conv2d", x, w)), ["ConvRelu"]),
)


def test_longer_rules_come_first_within_each_family():
    assert [rule.name for rule in RULES] == [
        "ConvBatchNormRelu", "ConvBatchNorm", "ConvBiasRelu", "ConvBias", "ConvRelu",
    ]  # fmt: skip
    assert [rule.size for rule in RULES] == [3, 2, 3, 2, 2]
