"""Primitives of diagonals and triangular matrices."""

from __future__ import annotations

import math

from minigraph.core.tensor import Tensor
from minigraph.core.types import int32
from minigraph.ops import functional as F
from minigraph.ops.primitive import REQUIRED, primitive

__all__ = ["DiagPart", "MatrixDiagPartV3", "MatrixDiagV3", "Tril", "TrilIndices", "Triu", "TriuIndices"]

Tril, Triu = primitive("Tril", F.tril, diagonal=0), primitive("Triu", F.triu, diagonal=0)


def _diagonal_part(x: Tensor) -> Tensor:
    """The diagonal ``x[*index, *index]`` of a tensor of shape ``(*shape, *shape)``; the result has shape ``shape``."""
    shape = x.shape[: x.ndim // 2]
    return F.diagonal(F.reshape(x, (math.prod(shape), -1))).reshape(shape)


def _matrix_diag(
    x: Tensor, k: Tensor, num_rows: Tensor, num_cols: Tensor, padding_value: Tensor, *, align: str
) -> Tensor:
    """A batch of matrices with the diagonals ``x`` at the offsets ``k``, and ``padding_value`` elsewhere."""
    return F.matrix_diag(x, k, int(num_rows.asnumpy()), int(num_cols.asnumpy()), padding_value, align)


DiagPart = primitive("DiagPart", _diagonal_part)
TrilIndices, TriuIndices = (
    primitive(name, function, row=REQUIRED, col=REQUIRED, offset=0, dtype=int32)
    for name, function in (("TrilIndices", F.tril_indices), ("TriuIndices", F.triu_indices))
)
MatrixDiagV3 = primitive("MatrixDiagV3", _matrix_diag, align="RIGHT_LEFT")
MatrixDiagPartV3 = primitive("MatrixDiagPartV3", F.matrix_diag_part, align="RIGHT_LEFT")
