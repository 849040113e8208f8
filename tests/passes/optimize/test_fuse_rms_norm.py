"""All forms of RMS norm become one node with the same bits."""

import numpy as np

from minigraph import Tensor, jit, nn, ops
from minigraph.core.op import apply
from minigraph.npu import cycles
from tests.passes.small_graphs import fused_names
from tests.tables import cases, results

X = Tensor(np.random.default_rng(0).normal(size=(8, 32)).astype(np.float32))
G = Tensor(np.linspace(0.5, 2, 32).astype(np.float32))


def mean_square(x):
    """Of each row."""
    return ops.square(x).mean(-1, keepdims=True)


@cases(
    (lambda x, g: x * ops.rsqrt(mean_square(x) + 1e-6) * g, "RmsNorm"),
    (lambda x, g: g * (x / ops.sqrt(1e-6 + mean_square(x))), "RmsNorm"),
    (lambda x, g: x * ops.rsqrt((x * x).mean(-1, keepdims=True) + 1e-6) * g, "RmsNorm"),
    (lambda x, g: x * ops.rsqrt((x**2).mean(-1, keepdims=True) + 1e-6), "RmsRows"),
    (lambda x, g: apply("normalize", x, axis=-1, eps=1e-5) * g + g, "AffineNorm"),
    (lambda x, g: nn.GroupNorm(4, 32)(x.reshape((8, 32, 1, 1))).reshape(x.shape) * g, "AffineNorm"),
)
def test_it_is_one_node_with_the_same_bits(fn, name):
    fused, plain = jit(fn, pipeline="fuse_rms_norm,dce"), jit(fn, pipeline="dce")
    assert fused_names(fused.graph(X, G)) == [name]
    assert fused(X, G).asnumpy().tobytes() == plain(X, G).asnumpy().tobytes()
    assert cycles(fused.graph(X, G)) < cycles(plain.graph(X, G))


test_what_is_no_norm_stays = results(
    lambda fn: fused_names(jit(fn, pipeline="fuse_rms_norm").graph(X, G)),
    (lambda x, g: x * ops.rsqrt(mean_square(x) + g), []),
    (lambda x, g: x * ops.rsqrt(mean_square(g) + 1e-6), []),
    (lambda x, g: (lambda m: (x * ops.rsqrt(m + 1e-6), m))(mean_square(x)), []),
    (lambda x, g: apply("normalize", x, axis=-1, eps=1e-5) + x.reshape((8, 1, 32)), []),
)
