"""Primitives of diagonals and triangular matrices."""

from __future__ import annotations

import math

from minigraph.core.tensor import Tensor
from minigraph.core.types import int32
from minigraph.ops import functional as F
from minigraph.ops.primitive import REQUIRED, primitive

__all__ = [
    "DiagPart",
    "MatrixDiagPartV3",
    "MatrixDiagV3",
    "MatrixSetDiagV3",
    "Tril",
    "TrilIndices",
    "Triu",
    "TriuIndices",
]

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


def _matrix_set_diag(x: Tensor, diagonal: Tensor, k: Tensor, *, align: str) -> Tensor:
    """Matrices with the diagonals at the offsets k, or from the first to the second k, replaced.

    Rows of ``diagonal`` begin with the last offset; ``align`` says at which end those above and below the main one are
    padded.
    """
    first, last = (k.tolist() * 2)[:2] if k.ndim else (int(k.asnumpy()),) * 2
    above, below = align.split("_")
    rows, columns = x.shape[-2:]
    for offset in range(first, last + 1):
        part = diagonal if first == last else diagonal[..., last - offset, :]
        length = min(rows + min(offset, 0), columns - max(offset, 0))
        skipped = part.shape[-1] - length if (above if offset >= 0 else below) == "RIGHT" else 0
        x = F.matrix_set_diag(x, part[..., skipped : skipped + length], offset)
    return x


MatrixSetDiagV3 = primitive("MatrixSetDiagV3", _matrix_set_diag, align="RIGHT_LEFT")
