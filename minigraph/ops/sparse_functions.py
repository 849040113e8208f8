"""Functions of sparse tensors under MindSpore's names; those of the values alone are rows of a table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any

import numpy as np

from minigraph.core.errors import ArgTypeError
from minigraph.core.tensor import Tensor
from minigraph.core.types import DType
from minigraph.ops import functional
from minigraph.ops.sparse_tensors import COOTensor, CSRTensor, RowTensor, SparseBase, dense_to_coo, dense_to_csr


def csr_softmax(logits: CSRTensor, dtype: DType) -> CSRTensor:
    """The softmax of the stored values of each row; raises ``TypeError`` for other tensors."""
    if not isinstance(logits, CSRTensor):
        raise ArgTypeError("For functional operator sparse_matrix_softmax, logits must be type of CSRTensor.")
    rows, height = logits.rows, logits.shape[0]
    largest = functional.gather(functional.unsorted_segment_max(logits.values, rows, height), rows, 0)
    powers = functional.exp(logits.values - largest)
    sums = functional.gather(functional.unsorted_segment_sum(powers, rows, height), rows, 0)
    return logits.with_values(functional.cast(powers / sums, dtype))


def coo_concat(sp_input: Sequence[COOTensor], concat_dim: int = 0) -> COOTensor:
    """Sparse tensors joined along an axis."""
    offset, positions = 0, []
    for part in sp_input:
        shift = [offset if axis == concat_dim else 0 for axis in range(part.ndim)]
        positions.append(part.indices + Tensor(shift, part.indices.dtype))
        offset += part.shape[concat_dim]
    shape = tuple(offset if axis == concat_dim else size for axis, size in enumerate(sp_input[0].shape))
    values = functional.concat([part.values for part in sp_input])
    order = np.lexsort(functional.concat(positions).asnumpy().T[::-1])
    return COOTensor(functional.concat(positions)[Tensor(order)], values[Tensor(order)], shape)


def coalesce(x_indices: Tensor, x_values: Tensor, x_shape: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Sorted positions [rank, n], each once, their added values, and the shape."""
    joined = COOTensor(x_indices.T, x_values, x_shape.asnumpy().tolist()).coalesce()
    return joined.indices.T, joined.values, x_shape


ELEMENTWISE = """
    abs acos acosh asin asinh atan atanh ceil cos cosh exp expm1 floor inv isfinite isinf isnan log log1p neg relu relu6
    round sigmoid sin sinh softsign sqrt square tan tanh
"""


def _add_type_check(name: str, kind: type, function: Callable[..., Any]) -> Callable[..., Any]:
    """The function, which raises ``TypeError`` for a first operand of another kind."""

    @wraps(function)
    def call(x: Any, *args: Any, **named: Any) -> Any:
        if not isinstance(x, kind):
            raise ArgTypeError(f"For functional operator {name}, input argument must be a {kind.__name__}.")
        return function(x, *args, **named)

    call.__name__ = name
    return call


def _apply_to_values(name: str) -> Callable[[SparseBase], SparseBase]:
    """A function of the stored values."""
    function = getattr(functional, {"inv": "reciprocal"}.get(name, name))

    def apply(x: SparseBase) -> SparseBase:
        return x.with_values(function(x.values))

    apply.__doc__ = f"``ops.{name}`` of the values of a sparse tensor."
    return apply


def _part(name: str) -> Callable[[SparseBase], Any]:
    """A function that returns one part of a sparse tensor."""

    def part(x: SparseBase) -> Any:
        return getattr(x, name)

    part.__doc__ = f"The part ``{name}`` of a sparse tensor."
    return part


# name -> method of the first operand
METHODS: dict[str, Any] = {
    "coo_add": COOTensor.add, "csr_add": CSRTensor.add, "csr_div": CSRTensor.__truediv__, "csr_mul": CSRTensor.__mul__,
    "csr_mv": CSRTensor.mv, "csr_mm": CSRTensor.mm, "csr_reduce_sum": CSRTensor.sum, "csr_to_coo": CSRTensor.to_coo,
    "csr_to_dense": CSRTensor.to_dense,
}  # fmt: skip
FORMATS: dict[str, type[SparseBase]] = {"coo": COOTensor, "csr": CSRTensor, "row": RowTensor}
_rows: dict[str, tuple[type, Callable[..., Any]]] = {
    f"{kind}_{name}": (FORMATS[kind], _apply_to_values(name)) for name in ELEMENTWISE.split() for kind in ("coo", "csr")
}
_rows |= {name: (FORMATS[name[:3]], method) for name, method in METHODS.items()}
for _kind, _owner in FORMATS.items():
    _rows |= {f"{_kind}_tensor_get_{part}": (_owner, _part(part)) for part in _owner.parts}
    _rows[f"{_kind}_tensor_get_dense_shape"] = (_owner, _part("shape"))
FUNCTIONS: dict[str, Any] = {name: _add_type_check(name, *row) for name, row in _rows.items()} | {
    "dense_to_sparse_coo": dense_to_coo, "dense_to_sparse_csr": dense_to_csr, "make_coo_tensor": COOTensor,
    "make_csr_tensor": CSRTensor, "make_row_tensor": RowTensor, "make_row_tensor_inner": RowTensor,
    "make_sparse_tensor": COOTensor,
}  # fmt: skip
globals().update(FUNCTIONS)
__all__ = ["coalesce", "coo_concat", "csr_softmax", *FUNCTIONS]  # noqa: PLE0604 - strings of a table
