"""Sparse tensors: ``COOTensor`` (positions and values), ``CSRTensor`` (rows, columns and values), ``RowTensor``.

They are structures of dense tensors, so they pass through ``jit`` and gradients as tuples do.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Self

import numpy as np

from minigraph.core.aliases import TensorLike
from minigraph.core.errors import ArgTypeError, ArgValueError
from minigraph.core.tensor import Tensor
from minigraph.core.types import DType
from minigraph.ops import functional

Shape = tuple[int, ...]


class SparseBase:
    """The base class: tensors by name, the last one ``values``, and the dense ``shape``."""

    parts: tuple[str, ...] = ()

    def __init__(self, *parts: Any, shape: Sequence[int]) -> None:
        if not all(isinstance(part, Tensor) for part in parts):
            kinds = ", ".join(type(part).__name__ for part in parts)
            raise ArgTypeError(f"{type(self).__name__}: expected tensors {', '.join(self.parts)}, got {kinds}")
        self.__dict__.update(zip(self.parts, parts, strict=True), shape=tuple(shape))

    values: Tensor
    shape: Shape

    def tree_flatten(self) -> tuple[Callable[[Sequence[Any]], Self], list[Tensor]]:
        """A constructor from new parts, and the parts: the structure for ``jit`` and gradients."""
        return lambda parts: type(self)(*parts, shape=self.shape), [getattr(self, name) for name in self.parts]

    def with_values(self, values: Tensor) -> Self:
        """The sparse tensor with other values at the same positions."""
        return type(self)(*(getattr(self, name) for name in self.parts[:-1]), values, shape=self.shape)

    @property
    def dtype(self) -> DType:
        """The dtype of the values."""
        return self.values.dtype

    @property
    def size(self) -> int:
        """The number of stored values."""
        return self.values.size

    @property
    def itemsize(self) -> int:
        """The bytes of one value."""
        return self.values.itemsize

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self.shape)

    def astype(self, dtype: DType) -> Self:
        """The values cast to a dtype."""
        return self.with_values(self.values.astype(dtype))

    def abs(self) -> Self:
        """The absolute values."""
        return self.with_values(self.values.abs())

    def to_tuple(self) -> tuple[Any, ...]:
        """The tensors, and the shape."""
        return *(getattr(self, name) for name in self.parts), self.shape

    def __neg__(self) -> Self:
        return self.with_values(-self.values)

    def __repr__(self) -> str:
        parts = ", ".join(f"{name}={_strip_commas(getattr(self, name))}" for name in self.parts)
        return f"{type(self).__name__}(shape={list(self.shape)}, dtype={self.dtype}, {parts})"


def _strip_commas(tensor: Tensor) -> str:
    head, _, numbers = repr(tensor).partition("value=")
    return f"{head}value={numbers.replace(',', '').removeprefix(' ')}"


class COOTensor(SparseBase):
    """A sparse tensor: ``indices`` [n, rank], ``values`` [n] and a dense ``shape``.

    >>> x = COOTensor(Tensor([[0, 1], [1, 2]]), Tensor([1.0, 2.0]), (2, 3))
    >>> print(x.to_dense())
    [[0. 1. 0.]
     [0. 0. 2.]]
    """

    parts = ("indices", "values")
    indices: Tensor

    def __init__(self, indices: Tensor, values: Tensor, shape: Sequence[int]) -> None:
        super().__init__(indices, values, shape=shape)
        if indices.ndim != 2 or indices.shape != (values.shape[0], len(shape)) or values.ndim != 1:
            shapes = f"indices {list(indices.shape)}, values {list(values.shape)} and shape {tuple(shape)}"
            raise ArgValueError(f"For COOTensor, indices are [n, rank] and values [n], but got {shapes}")

    def to_dense(self) -> Tensor:
        """The dense tensor; values at equal positions are added."""
        zeros = functional.zeros(self.shape, self.dtype)
        return functional.tensor_scatter_add(zeros, self.indices, self.values)

    def coalesce(self) -> COOTensor:
        """Sorted positions, each once; values at equal positions are added."""
        distinct, inverse = np.unique(self.indices.asnumpy(), axis=0, return_inverse=True)
        values = functional.unsorted_segment_sum(self.values, Tensor(inverse.reshape(-1)), len(distinct))
        return COOTensor(Tensor(distinct), values, self.shape)

    def to_csr(self) -> CSRTensor:
        """The matrix by rows."""
        rows = functional.cast(self.indices[:, 0], self.indices.dtype)
        return CSRTensor(coo2csr(rows, self.shape[0]), self.indices[:, 1], self.values, self.shape)

    def add(self, other: COOTensor, thresh: Any = 0.0) -> COOTensor:
        """The sum, without values whose magnitude is below ``thresh``."""
        both = COOTensor(
            functional.concat((self.indices, other.indices)), functional.concat((self.values, other.values)), self.shape
        ).coalesce()
        positions = Tensor(np.flatnonzero(np.abs(both.values.asnumpy()) >= float(thresh)))
        return COOTensor(both.indices[positions], both.values[positions], self.shape)

    def __add__(self, other: Any) -> Any:
        return self.add(other) if isinstance(other, COOTensor) else other + self.to_dense()

    def __mul__(self, other: Any) -> Any:
        return self.with_values(self.values * functional.gather_nd(other, self.indices))


SparseTensor = COOTensor  # MindSpore's older name


class CSRTensor(SparseBase):
    """A sparse matrix by rows: row i has the columns ``indices`` and ``values`` from ``indptr[i]`` to ``indptr[i+1]``.

    >>> x = CSRTensor(Tensor([0, 1, 2]), Tensor([1, 2]), Tensor([1.0, 2.0]), (2, 3))
    >>> print(x.mv(Tensor([[1.0], [10.0], [100.0]])))
    [[ 10.]
     [200.]]
    """

    parts = ("indptr", "indices", "values")
    indptr: Tensor
    indices: Tensor

    def __init__(self, indptr: Tensor, indices: Tensor, values: Tensor, shape: Sequence[int]) -> None:
        super().__init__(indptr, indices, values, shape=shape)
        if indptr.shape != (shape[0] + 1,) or indices.shape != (values.shape[0],):
            shapes = f"indptr {list(indptr.shape)}, indices {list(indices.shape)}, values {list(values.shape)}"
            raise ArgValueError(
                f"For CSRTensor, indptr has one element more than the {shape[0]} rows, but got {shapes}"
            )

    @property
    def rows(self) -> Tensor:
        """The row of every value."""
        return csr2coo(self.indptr, self.size)

    def to_coo(self) -> COOTensor:
        """The matrix by positions."""
        return COOTensor(functional.stack((self.rows, self.indices), 1), self.values, self.shape)

    def to_dense(self) -> Tensor:
        """The dense matrix."""
        return self.to_coo().to_dense()

    def mm(self, dense: Tensor) -> Tensor:
        """The product with a dense matrix."""
        products = functional.expand_dims(self.values, 1) * functional.gather(dense, self.indices, 0)
        return functional.unsorted_segment_sum(products, self.rows, self.shape[0])

    mv = mm

    def sum(self, axis: int) -> Tensor:
        """The sums of the rows [n, 1] (axis 1), or of the columns [1, m] (axis 0)."""
        by_row = axis in (1, -1)
        positions = self.rows if by_row else self.indices
        sums = functional.unsorted_segment_sum(self.values, positions, self.shape[0 if by_row else 1])
        return functional.expand_dims(sums, 1 if by_row else 0)

    def add(self, other: CSRTensor, alpha: TensorLike = 1.0, beta: TensorLike = 1.0) -> CSRTensor:
        """alpha self + beta other, with the columns of both."""
        both = self.with_values(self.values * alpha).to_coo().add(other.with_values(other.values * beta).to_coo())
        indptr = functional.cast(coo2csr(both.indices[:, 0], self.shape[0]), self.indptr.dtype)
        return CSRTensor(indptr, both.indices[:, 1], both.values, self.shape)

    def __add__(self, other: CSRTensor) -> CSRTensor:
        return self.add(other)

    def __sub__(self, other: CSRTensor) -> CSRTensor:
        return self.add(other, 1.0, -1.0)

    def __mul__(self, other: TensorLike) -> CSRTensor:
        return self.with_values(self.values * self._operand_values(other))

    def __truediv__(self, other: TensorLike) -> CSRTensor:
        return self.with_values(self.values / self._operand_values(other))

    def _operand_values(self, other: TensorLike) -> TensorLike:
        """A number, or the elements of a dense matrix (or one that broadcasts) at the positions of the values."""
        if not isinstance(other, Tensor) or other.ndim == 0:
            return other
        return csr_gather(self.indptr, self.indices, functional.broadcast_to(other, self.shape), self.shape)


class RowTensor(SparseBase):
    """Rows ``values`` [n, ...] at ``indices`` [n] of a tensor of a dense ``shape``: gradients of embeddings."""

    parts = ("indices", "values")

    def __init__(self, indices: Tensor, values: Tensor, shape: Sequence[int]) -> None:
        super().__init__(indices, values, shape=shape)

    @property
    def dense_shape(self) -> Shape:
        """The dense shape."""
        return self.shape


# ---- positions -------------------------------------------------------------------------------------


def csr2coo(indptr: Tensor, nnz: int) -> Tensor:
    """The row of each of ``nnz`` values.

    >>> print(csr2coo(Tensor([0, 1, 3]), 3))
    [0 1 1]
    """
    positions = functional.cast(functional.arange(nnz), indptr.dtype)
    return functional.cast(functional.searchsorted(indptr, positions, right=True) - 1, indptr.dtype)


def coo2csr(rows: Tensor, height: int) -> Tensor:
    """The first position of each row and, at the end, the number of values; ``rows`` are sorted.

    >>> print(coo2csr(Tensor([0, 1, 1]), 2))
    [0 1 3]
    """
    heights = functional.cast(functional.arange(height + 1), rows.dtype)
    return functional.cast(functional.searchsorted(rows, heights), rows.dtype)


def csr_gather(indptr: Tensor, indices: Tensor, dense: Tensor, shape: Sequence[int]) -> Tensor:
    """The elements of a dense matrix at the positions of a sparse one."""
    positions = functional.stack((csr2coo(indptr, indices.shape[0]), indices), 1)
    return functional.gather_nd(dense, positions)


def dense_to_coo(x: Tensor) -> COOTensor:
    """The elements of a dense tensor that are not 0, as ``COOTensor``."""
    positions = Tensor(np.argwhere(x.asnumpy()).astype(np.int32))
    return COOTensor(positions, functional.gather_nd(x, positions), x.shape)


def dense_to_csr(x: Tensor) -> CSRTensor:
    """The elements of a dense matrix that are not 0, as ``CSRTensor``."""
    return dense_to_coo(x).to_csr()


for _name, _conversion in (("to_coo", dense_to_coo), ("to_csr", dense_to_csr)):
    setattr(Tensor, _name, _conversion)

__all__ = [
    "COOTensor", "CSRTensor", "RowTensor", "SparseTensor", "coo2csr", "csr2coo", "csr_gather", "dense_to_coo",
    "dense_to_csr",
]  # fmt: skip
