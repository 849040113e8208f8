"""Further tensors made from sizes, sequences and diagonals; borders around tensors."""

from __future__ import annotations

from builtins import range as numbers
from collections.abc import Sequence
from functools import reduce
from itertools import combinations as chosen
from itertools import combinations_with_replacement
from typing import Any

import numpy as np

from minigraph.core.errors import ShapeError, UsageError, did_you_mean
from minigraph.core.op import apply
from minigraph.core.tensor import Tensor
from minigraph.core.types import DType, float32, int32, int64, promote
from minigraph.operators import elementwise, joining, views
from minigraph.operators.families import axis_of, check_tensors
from minigraph.operators.indexing import INDEX, INDEX_ADD
from minigraph.ops.functional.array import arange, concat, full, reshape, stack
from minigraph.ops.functional.math import cast
from minigraph.ops.functional.rearrange import moveaxis

__all__ = [
    "block_diag", "cartesian_prod", "combinations", "diag", "diag_embed", "diagflat", "diagonal", "dtype",
    "dyn_shape", "fill", "fills", "is_complex", "is_floating_point", "is_tensor", "linspace", "logspace", "meshgrid",
    "numel", "pad", "range", "scalar_to_tensor", "sequence_mask", "tril_indices", "triu_indices", "tuple_to_array",
    "type_as", "typeof", "vander",
]  # fmt: skip

# ---- filled ----------------------------------------------------------------------------------------


def fill(type: DType, shape: Any, value: Any) -> Any:
    """One number everywhere, in a dtype."""
    return full(shape, value, dtype=type)


def fills(x: Any, value: Any) -> Any:
    """One number in the shape and dtype of another tensor."""
    return full(x.shape, value.item() if isinstance(value, Tensor) else value, dtype=x.dtype)


def scalar_to_tensor(input_x: Any, dtype: DType = float32) -> Tensor:
    """A number as a tensor of rank 0."""
    return Tensor(input_x, dtype)


def tuple_to_array(input_x: tuple[Any, ...]) -> Tensor:
    """A tuple of numbers as a vector: Int32, or Float32 where one is a float."""
    found = Tensor(list(input_x))
    return found if found.dtype.is_float else Tensor(found, int32)


def linspace(start: Any, end: Any, steps: int) -> Any:
    """``steps`` numbers from ``start`` to ``end`` at equal distances, Float32.

    >>> print(linspace(0, 1, 5))
    [0.   0.25 0.5  0.75 1.  ]
    """
    if steps < 1:
        raise UsageError(f"linspace: {steps} steps; give at least 1")
    counted = cast(arange(steps), float32)
    return counted * ((end - start) / max(steps - 1, 1)) + start


def logspace(start: Any, end: Any, steps: int, base: float = 10, *, dtype: DType = float32) -> Any:
    """``steps`` powers of ``base``, their exponents at equal distances from ``start`` to ``end``."""
    return cast(apply(elementwise.POW, float(base), linspace(start, end, steps)), dtype)


def range(start: Any, end: Any, step: Any, maxlen: int = 1000000) -> Any:
    """Numbers from ``start`` by ``step`` up to, without, ``end``; numbers or tensors of one element."""
    return arange(*(n.item() if isinstance(n, Tensor) else n for n in (start, end, step)))


# ---- grids -----------------------------------------------------------------------------------------


def meshgrid(*inputs: Any, indexing: str = "xy") -> tuple[Any, ...]:
    """Vectors as the coordinates of a grid: x to the right and y downwards ("xy"), or axis by axis ("ij")."""
    if indexing not in ("xy", "ij"):
        raise UsageError(f"meshgrid: indexing is 'xy' or 'ij', got {indexing!r}")
    vectors = inputs[0] if len(inputs) == 1 and isinstance(inputs[0], tuple | list) else inputs
    order = list(numbers(len(vectors)))
    if indexing == "xy" and len(order) > 1:
        order[:2] = [1, 0]
    shape = tuple(vectors[i].size for i in order)
    found = []
    for i, vector in enumerate(vectors):
        spread = tuple(size if order[axis] == i else 1 for axis, size in enumerate(shape))
        found.append(apply(views.BROADCAST_TO, reshape(vector, spread), shape=shape))
    return tuple(found)


def cartesian_prod(*inputs: Any) -> Any:
    """Every combination of one element of each vector, as rows."""
    if len(inputs) == 1:
        return inputs[0]
    return stack([reshape(grid, (-1,)) for grid in meshgrid(*inputs, indexing="ij")], 1)


def combinations(input: Any, r: int = 2, with_replacement: bool = False) -> Any:
    """Every choice of ``r`` elements of a vector, in order, as rows; an element once, or as often as wanted."""
    choose = combinations_with_replacement if with_replacement else chosen
    places = np.array(list(choose(numbers(input.size), r)), np.int64).reshape(-1, r)
    return apply(INDEX, input, Tensor(places), key=((1,),))


def vander(x: Any, N: int | None = None) -> Any:
    """Powers of a vector as columns, from N - 1 (``None``: its length) down to 0."""
    powers = arange((x.size if N is None else N) - 1, -1, -1)
    return apply(elementwise.POW, reshape(x, (-1, 1)), powers)


def tril_indices(row: int, col: int, offset: int = 0, *, dtype: DType = int64) -> Tensor:
    """The places, [2, count], on and below a diagonal of a matrix."""
    return Tensor(np.stack(np.tril_indices(row, offset, col)), dtype)


def triu_indices(row: int, col: int, offset: int = 0, *, dtype: DType = int64) -> Tensor:
    """The places, [2, count], on and above a diagonal of a matrix."""
    return Tensor(np.stack(np.triu_indices(row, offset, col)), dtype)


def sequence_mask(lengths: Any, maxlen: int | None = None) -> Any:
    """Whether each place up to ``maxlen`` (``None``: the greatest length) lies inside of a sequence, per length."""
    size = int(lengths.asnumpy().max()) if maxlen is None else maxlen
    return arange(size) < apply(views.EXPAND_DIMS, lengths, axis=-1)


# ---- diagonals -------------------------------------------------------------------------------------


def diagonal(input: Any, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Any:
    """The elements on a diagonal of two axes, as the last axis.

    >>> print(diagonal(Tensor([[1, 2], [3, 4]])))
    [1 4]
    """
    first, second = axis_of("diagonal", dim1, input.ndim), axis_of("diagonal", dim2, input.ndim)
    if first == second:
        raise UsageError(f"diagonal: dim1 and dim2 are both axis {first}; give two")
    matrices = moveaxis(input, (first, second), (-2, -1))
    rows, columns = matrices.shape[-2:]
    low, right = max(-offset, 0), max(offset, 0)
    count = max(min(rows - low, columns - right), 0)
    places = np.arange(count)
    key = (*((None, None, None),) * (input.ndim - 2), (1,), (2,))
    return apply(INDEX, matrices, Tensor(places + low), Tensor(places + right), key=key)


def diag_embed(input: Any, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Any:
    """The last axis put on a diagonal of two new axes, zeros elsewhere."""
    size, rank = input.shape[-1] + abs(offset), input.ndim + 1
    places = np.arange(input.shape[-1])
    rows, columns = Tensor(places + max(-offset, 0)), Tensor(places + max(offset, 0))
    key = (*((None, None, None),) * (rank - 2), (1,), (2,))
    shape = (*input.shape[:-1], size, size)
    found = apply(INDEX_ADD, input, rows, columns, key=key, shape=shape)
    first, second = axis_of("diag_embed", dim1, rank), axis_of("diag_embed", dim2, rank)
    return moveaxis(found, (-2, -1), (first, second))


def diag(input: Any) -> Any:
    """A tensor of twice the rank with the elements where both halves of the place agree: a vector on a diagonal."""
    return reshape(diagflat(input), (*input.shape, *input.shape))


def diagflat(input: Any, offset: int = 0) -> Any:
    """All elements on a diagonal of a matrix."""
    return diag_embed(reshape(input, (-1,)), offset)


def block_diag(*inputs: Any) -> Any:
    """Matrices one after the other along the diagonal, zeros elsewhere."""
    dtype = reduce(promote, (x.dtype for x in inputs))
    blocks = [cast(reshape(x, (1, x.size)) if x.ndim < 2 else x, dtype) for x in inputs]
    width = sum(block.shape[1] for block in blocks)
    rows, start = [], 0
    for block in blocks:
        stop = start + block.shape[1]
        rows.append(apply(joining.PAD, block, widths=((0, 0), (start, width - stop))))
        start = stop
    return concat(rows, 0)


# ---- borders ---------------------------------------------------------------------------------------

BORDERS = ("constant", "reflect", "replicate", "circular")


def pad(input_x: Any, padding: Any, mode: str = "constant", value: Any = None) -> Any:
    """A border: ``padding`` is (before, after) for the last axis, then for the one before it, and so on.

    ``mode``: one ``value``, the elements mirrored at the edge ("reflect"), the edge repeated ("replicate") or
    the other end ("circular"). A negative width cuts.

    >>> print(pad(Tensor([1.0, 2.0]), (1, 0)))
    [0. 1. 2.]
    """
    if mode not in BORDERS:
        raise UsageError(f"pad: no mode {mode!r}{did_you_mean(mode, BORDERS)}")
    sizes = tuple(padding.tolist()) if isinstance(padding, Tensor) else tuple(padding)
    if len(sizes) % 2 or len(sizes) > 2 * input_x.ndim:
        raise ShapeError(f"pad: {len(sizes)} widths for {input_x.type}; give two per axis, from the last axis on")
    given = [(sizes[i], sizes[i + 1]) for i in numbers(0, len(sizes), 2)]
    widths = [*((0, 0),) * (input_x.ndim - len(given)), *reversed(given)]
    if mode == "constant":
        grown = tuple((max(before, 0), max(after, 0)) for before, after in widths)
        found = apply(joining.PAD, input_x, widths=grown, value=0 if value is None else value)
        return _cut(found, widths)
    for axis, pair in enumerate(widths):
        input_x = _bordered(input_x, axis, pair, mode)
    return input_x


def _cut(x: Any, widths: Sequence[tuple[int, int]]) -> Any:
    if all(min(pair) >= 0 for pair in widths):
        return x
    key = tuple((max(-before, 0), min(after, 0) or None, None) for before, after in widths)
    return apply(INDEX, x, key=key)


def _bordered(x: Any, axis: int, widths: tuple[int, int], mode: str) -> Any:
    """One axis with a border of its own elements."""
    size, (before, after) = x.shape[axis], widths
    if not (before or after):
        return x
    longest = {"reflect": size - 1, "circular": size}.get(mode, before + after + 1)
    if max(before, after) > longest:
        raise ShapeError(f"pad: a border of {max(before, after)} by {mode!r} needs more than {size} elements")
    places = np.arange(-before, size + after)
    if mode == "reflect":
        places = np.abs(places)
        places = np.where(places >= size, 2 * (size - 1) - places, places)
    else:
        places = places % size if mode == "circular" else np.clip(places, 0, size - 1)
    return apply(INDEX, x, Tensor(places), key=(*((None, None, None),) * axis, (1,), ...))


# ---- what a tensor is ------------------------------------------------------------------------------


def numel(input: Any) -> int:
    """The number of elements."""
    return int(input.size)


def dyn_shape(input_x: Any) -> Tensor:
    """The sizes of the axes as a tensor."""
    return Tensor(np.array(input_x.shape, np.int64))


def dtype(x: Any) -> DType:
    """The number format of a tensor."""
    return x.dtype


def typeof(x: Any) -> str:
    """The number format of a tensor in words, such as ``Tensor[Float32]``."""
    return f"Tensor[{x.dtype}]"


def type_as(input: Any, other: Any) -> Any:
    """The same values in the dtype of another tensor."""
    check_tensors("type_as", other)
    return cast(input, other.dtype)


def is_tensor(obj: Any) -> bool:
    """Whether something is a tensor."""
    return isinstance(obj, Tensor)


def is_floating_point(input: Any) -> bool:
    """Whether the elements are floats."""
    return bool(input.dtype.kind == "f")


def is_complex(input: Any) -> bool:
    """Whether the elements are complex numbers."""
    return bool(input.dtype.kind == "c")
