"""Primitives of elementary functions."""

from __future__ import annotations

from minigraph.core.tensor import Tensor
from minigraph.ops import functional as F
from minigraph.ops.primitive import primitive

__all__ = ["Logit"]


def _logit(input: Tensor, *, eps: float) -> Tensor:
    """log(x / (1 - x)), with x clamped to [eps, 1 - eps] unless eps is negative."""
    return F.logit(input, None if eps < 0 else eps)


Logit = primitive("Logit", _logit, eps=-1.0)
