"""Primitives that scatter updates into new tensors, and reduce segments."""

from __future__ import annotations

from typing import Any

from minigraph.core.tensor import Tensor
from minigraph.ops import functional as F
from minigraph.ops.primitive import REQUIRED, primitive
from minigraph.ops.tensor_methods import indexing

__all__ = [
    "FillDiagonal", "InplaceAdd", "InplaceIndexAdd", "InplaceSub", "InplaceUpdateV2", "MaskedScatter", "ScatterNd",
    "SparseToDense", "TensorScatterElements",
]  # fmt: skip


ScatterNd, SparseToDense = (primitive(name, F.scatter_nd) for name in ("ScatterNd", "SparseToDense"))


def _inplace_update(x: Tensor, indices: Any, v: Tensor) -> Tensor:
    """Rows replaced by the rows of ``v``."""
    return F.inplace_update(x, v, indices)


def _fill_diagonal(x: Tensor, *, fill_value: float, wrap: bool) -> Tensor:
    """A copy with a number on the diagonal."""
    return indexing.fill_diagonal(x, fill_value, wrap)


def _masked_scatter(x: Tensor, mask: Tensor, updates: Tensor) -> Tensor:
    """A copy with the elements of ``updates``, in order, where the mask holds."""
    return indexing.masked_scatter(x, mask, updates)


InplaceAdd = primitive("InplaceAdd", F.inplace_add, indices=REQUIRED)
InplaceSub = primitive("InplaceSub", F.inplace_sub, indices=REQUIRED)
InplaceIndexAdd = primitive("InplaceIndexAdd", F.inplace_index_add, axis=REQUIRED)
InplaceUpdateV2 = primitive("InplaceUpdateV2", _inplace_update)
TensorScatterElements = primitive("TensorScatterElements", F.tensor_scatter_elements, axis=0, reduction="none")
FillDiagonal = primitive("FillDiagonal", _fill_diagonal, fill_value=REQUIRED, wrap=False)
MaskedScatter = primitive("MaskedScatter", _masked_scatter)
