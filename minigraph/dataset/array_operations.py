"""Operations for ``map`` on arrays: joining, padding, masks, slices."""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from typing import Any

import numpy as np

from minigraph.core.errors import ArgRuntimeError, ArgTypeError
from minigraph.core.types import DType, bool_
from minigraph.dataset.arguments import Operation, check_callables
from minigraph.dataset.operation_table import OperationTable, RandomArrayOperation, operation_classes


class Relational(IntEnum):
    """Comparisons of ``Mask``."""

    EQ = 0
    NE = 1
    LT = 2
    LE = 3
    GT = 4
    GE = 5


COMPARISONS = {
    Relational.EQ: np.equal, Relational.NE: np.not_equal, Relational.LT: np.less, Relational.LE: np.less_equal,
    Relational.GT: np.greater, Relational.GE: np.greater_equal,
}  # fmt: skip


def concatenate(*arrays: np.ndarray, axis: int, prepend: Any, append: Any) -> np.ndarray:
    """Arrays joined along an axis, after ``prepend`` and before ``append``."""
    parts = [*([] if prepend is None else [prepend]), *arrays, *([] if append is None else [append])]
    return np.concatenate(parts, axis)


def duplicate(array: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The array twice, for two columns."""
    return array, array


def fill(array: np.ndarray, fill_value: object) -> np.ndarray:
    """An array of this shape and dtype, filled with a value."""
    return np.full_like(array, fill_value)


def mask(array: np.ndarray, operator: Relational, constant: Any, dtype: DType) -> np.ndarray:
    """The comparison of the elements with a constant, in a dtype."""
    result: np.ndarray = COMPARISONS[operator](array, constant)
    return result.astype(dtype.numpy)


def pad_end(array: np.ndarray, pad_shape: Sequence[int | None], pad_value: object) -> np.ndarray:
    """The array cut or padded at the end of its axes to a shape; ``None`` keeps the size of an axis."""
    if len(pad_shape) != array.ndim:
        text = f"PadEnd: pad_shape {list(pad_shape)} has another length than the shape {list(array.shape)} of the array"
        raise ArgRuntimeError(f"{text}; give one size per axis")
    sizes = [old if new is None else new for old, new in zip(array.shape, pad_shape, strict=True)]
    value = ("" if array.dtype.kind in "US" else 0) if pad_value is None else pad_value
    result = np.full(sizes, value, array.dtype)
    common = tuple(slice(min(old, new)) for old, new in zip(array.shape, sizes, strict=True))
    result[common] = array[common]
    return result


def apply_in_random_order(rng: np.random.Generator, *values: object, transforms: Sequence[Operation]) -> Any:
    """The result of applying all operations of a list in random order."""
    for index in rng.permutation(len(transforms)):
        result = transforms[int(index)](*values)
        values = result if isinstance(result, tuple) else (result,)
    return values if len(values) > 1 else values[0]


def take_slice(array: np.ndarray, slices: tuple[Any, ...]) -> np.ndarray:
    """Elements by one slice, index, list of indices, ``...`` or ``None`` (all) per axis."""
    for axis, part in enumerate(slices):
        if part is Ellipsis:
            return array
        if part is not None:
            indices = [part] if isinstance(part, int) else part
            array = array[(slice(None),) * axis + (indices,)]
    return array


def unique(array: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(the distinct elements in the order of their first positions, the position of each element, the counts)."""
    values, first, inverse, counts = np.unique(
        array.reshape(-1), return_index=True, return_inverse=True, return_counts=True
    )
    order = np.argsort(first)
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    return values[order], rank[inverse.reshape(-1)].astype(np.int32), counts[order].astype(np.int32)


def _mask_arguments(operator: Relational, constant: object, dtype: DType = bool_) -> dict[str, Any]:
    if not isinstance(operator, Relational):
        raise ArgTypeError(f"Argument operator with value {operator} is not of type [Relational]")
    return {"operator": operator, "constant": constant, "dtype": dtype}


def _order_arguments(transforms: Sequence[Operation]) -> dict[str, Any]:
    check_callables(transforms)
    return {"transforms": list(transforms)}


# name -> (function, signature); a signature gives the constructor's arguments as arguments of the function
OPERATION_TABLE: OperationTable = {
    "Concatenate": (concatenate, lambda axis=0, prepend=None, append=None: dict(locals())),
    "Duplicate": (duplicate, dict),
    "Fill": (fill, lambda fill_value: dict(locals())),
    "Mask": (mask, _mask_arguments),
    "PadEnd": (pad_end, lambda pad_shape, pad_value=None: dict(locals())),
    "Slice": (take_slice, lambda *slices: {"slices": slices}),
    "Unique": (unique, dict),
}
OPERATIONS = operation_classes(OPERATION_TABLE, "minigraph.dataset.transforms")
RANDOM_OPERATION_TABLE: OperationTable = {"RandomOrder": (apply_in_random_order, _order_arguments)}
OPERATIONS |= operation_classes(RANDOM_OPERATION_TABLE, "minigraph.dataset.transforms", RandomArrayOperation)
globals().update(OPERATIONS)
__all__ = ["Relational", *OPERATIONS]  # noqa: PLE0604 - strings
