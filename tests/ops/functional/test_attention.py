"""Attention against its formula in numpy, in both modes, with gradients."""

from functools import partial

import numpy as np

from minigraph import Tensor, errors, ops, set_seed
from tests.ops.functional.checks import check_function
from tests.tables import cases, error_cases

RANDOM = np.random.default_rng(12)
Q, K, V = (RANDOM.standard_normal(shape) for shape in ((2, 3, 4), (2, 5, 4), (2, 5, 6)))
VISIBLE = RANDOM.random((3, 5)) > 0.3
VISIBLE[:, 0] = True


def attention(scores):
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    return weights / weights.sum(-1, keepdims=True) @ V


SCORES = Q @ K.swapaxes(1, 2)
OPTIONS = [
    ({}, SCORES / 2),
    ({"scale": 0.3}, SCORES * 0.3),
    ({"attn_mask": Tensor(VISIBLE)}, np.where(VISIBLE, SCORES / 2, -np.inf)),
    ({"attn_mask": Tensor(VISIBLE * 2.0)}, SCORES / 2 + VISIBLE * 2),
    ({"is_causal": True}, np.where(np.tri(3, 5) > 0, SCORES / 2, -np.inf)),
]


@cases(*OPTIONS)
def test_values_and_gradients(options, scores):
    call = partial(ops.scaled_dot_product_attention, **options)
    check_function(call, attention(scores), Q, K, V, gradient_at=(Q[:1], K[:1], V[:1]))


def test_dropout_of_weights():
    set_seed(1)
    ones = [Tensor(np.ones(x.shape)) for x in (Q, K, V)]
    result = ops.scaled_dot_product_attention(*ones, dropout_p=0.5).asnumpy()
    assert set(np.round(result * 5 / 2).ravel()) <= set(range(6))
    assert len(set(result.ravel())) > 1


MASKED = {"attn_mask": Tensor(VISIBLE), "is_causal": True}


test_errors = error_cases(
    ([Q, V, V], {}, errors.ShapeError, r"needs Q\[\.\.\.,L,d\], K"),
    ([Q, K, V], MASKED, errors.UsageError, "is_causal sets a mask of its own"),
    by=lambda arrays, options: ops.scaled_dot_product_attention(*map(Tensor, arrays), **options),
)
