"""Primitives of ordering, printing and identities."""

from __future__ import annotations

from collections.abc import Sequence

from minigraph.core.tensor import Tensor
from minigraph.operators import effects
from minigraph.ops import functional as F
from minigraph.ops.primitive import primitive

__all__ = ["Depend", "IdentityN", "Print"]


def _identities(x: Sequence[Tensor]) -> tuple[Tensor, ...]:
    """The tensors of a tuple."""
    return tuple(map(F.identity, x))


IdentityN = primitive("IdentityN", _identities)
Depend, Print = primitive("Depend", F.depend, effects.DEPEND), primitive("Print", F.print_, effects.PRINT)
