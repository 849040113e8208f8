"""Scaled dot-product attention."""

from __future__ import annotations

import math

import numpy as np

from minigraph.core.errors import ShapeError, UsageError
from minigraph.core.tensor import Tensor
from minigraph.ops.functional.activation import softmax
from minigraph.ops.functional.indexing import where
from minigraph.ops.functional.matrix_products import matmul
from minigraph.ops.functional.random import dropout

__all__ = ["scaled_dot_product_attention"]


def scaled_dot_product_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_mask: Tensor | None = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    scale: float | None = None,
) -> Tensor:
    """softmax(Q K^T scale + mask) V of Q [..., L, d], K [..., S, d], V [..., S, e] (Vaswani et al. 2017, eq. 1).

    ``attn_mask`` is added to the scores or, if Bool, marks the keys that a query attends to; ``is_causal`` masks all
    later keys. ``scale`` is 1 / sqrt(d) by default; ``dropout_p`` is the probability of dropping a weight.

    >>> from minigraph.ops import ones
    >>> print(scaled_dot_product_attention(ones((2, 4)), ones((2, 4)), Tensor([[1.0], [3.0]]), is_causal=True))
    [[1.]
     [2.]]
    """
    if min(x.ndim for x in (query, key, value)) < 2 or query.shape[-1] != key.shape[-1]:
        shapes = " and ".join(str(list(x.shape)) for x in (query, key, value))
        raise ShapeError(f"scaled_dot_product_attention: needs Q[...,L,d], K[...,S,d] and V[...,S,e], got {shapes}")
    if is_causal and attn_mask is not None:
        raise UsageError("scaled_dot_product_attention: is_causal sets a mask of its own; leave out attn_mask")
    if is_causal:
        attn_mask = Tensor(np.tri(query.shape[-2], key.shape[-2], dtype=bool))
    scores = matmul(query * (1 / math.sqrt(query.shape[-1]) if scale is None else scale), key.swapaxes(-1, -2))
    if attn_mask is not None:
        scores = where(attn_mask, scores, float("-inf")) if attn_mask.dtype.kind == "b" else scores + attn_mask
    return matmul(dropout(softmax(scores, -1), dropout_p, dropout_p > 0), value)
