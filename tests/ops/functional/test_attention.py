"""Attention against its formula in numpy, in both modes, with gradients."""

import numpy as np
import pytest

from minigraph import Tensor, ops, set_seed
from minigraph.core.errors import ShapeError, UsageError
from tests.ops.functional.ways import both_ways, check_slope

RANDOM = np.random.default_rng(12)
Q, K, V = (RANDOM.standard_normal(shape) for shape in ((2, 3, 4), (2, 5, 4), (2, 5, 6)))
SEEN = RANDOM.random((3, 5)) > 0.3
SEEN[:, 0] = True


def attended(scores):
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    return weights / weights.sum(-1, keepdims=True) @ V


SCORES = Q @ K.swapaxes(1, 2)
WAYS = [
    ({}, SCORES / 2),
    ({"scale": 0.3}, SCORES * 0.3),
    ({"attn_mask": Tensor(SEEN)}, np.where(SEEN, SCORES / 2, -np.inf)),
    ({"attn_mask": Tensor(SEEN * 2.0)}, SCORES / 2 + SEEN * 2),
    ({"is_causal": True}, np.where(np.tri(3, 5) > 0, SCORES / 2, -np.inf)),
]


@pytest.mark.parametrize(("options", "scores"), WAYS)
def test_values_and_slopes(options, scores):
    call = lambda q, k, v: ops.scaled_dot_product_attention(q, k, v, **options)  # noqa: E731 - named for its two uses
    np.testing.assert_allclose(both_ways(call, Tensor(Q), Tensor(K), Tensor(V)), attended(scores), rtol=1e-9)
    check_slope(call, Q[:1], K[:1], V[:1])


def test_weights_are_dropped():
    set_seed(1)
    ones = [Tensor(np.ones(x.shape)) for x in (Q, K, V)]
    found = ops.scaled_dot_product_attention(*ones, dropout_p=0.5).asnumpy()
    assert set(np.round(found * 5 / 2).ravel()) <= set(range(6))
    assert len(set(found.ravel())) > 1


def test_refusals():
    with pytest.raises(ShapeError, match=r"needs Q\[\.\.\.,L,d\], K"):
        ops.scaled_dot_product_attention(Tensor(Q), Tensor(V), Tensor(V))
    with pytest.raises(UsageError, match="is_causal is a mask of its own"):
        ops.scaled_dot_product_attention(Tensor(Q), Tensor(K), Tensor(V), Tensor(SEEN), is_causal=True)
