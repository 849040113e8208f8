"""Creating tensors: filled tensors, numerical ranges, grids and combinations."""

from __future__ import annotations

from builtins import range as numbers
from collections.abc import Sequence
from itertools import combinations as without_replacement
from itertools import combinations_with_replacement
from typing import Any

import numpy as np

from minigraph.core.aliases import Number, TensorLike
from minigraph.core.errors import UsageError
from minigraph.core.op import apply
from minigraph.core.tensor import Tensor
from minigraph.core.types import DType, float32, int32, int64
from minigraph.operators import creation, elementwise, losses, views
from minigraph.operators.indexing import INDEX
from minigraph.ops.functional.dtypes import cast
from minigraph.ops.functional.forms import export
from minigraph.ops.functional.joining import stack
from minigraph.ops.functional.shapes import reshape

FORMS = """
method: fills
mint: arange eye full full_like linspace:LinSpace ones:Ones ones_like:OnesLike zeros:Zeros zeros_like:ZerosLike
function: cartesian_prod combinations fill:Fill logspace meshgrid one_hot range scalar_to_tensor:ScalarToTensor
    sequence_mask tensor_range tuple_to_array:TupleToArray vander
"""
export(globals())


# ---- filled ----------------------------------------------------------------------------------------


def full(size: int | Sequence[int], fill_value: Number, *, dtype: DType | None = None) -> Tensor:
    """A tensor filled with ``fill_value``; the default dtype is the dtype of ``Tensor(fill_value)``."""
    return apply(creation.FULL, shape=size, value=fill_value, dtype=dtype or Tensor(fill_value).dtype)


def zeros(size: int | Sequence[int], dtype: DType | None = None) -> Tensor:
    """Zeros, Float32 by default.

    >>> print(zeros((2, 2)))
    [[0. 0.]
     [0. 0.]]
    """
    return apply(creation.FULL, shape=size, value=0, dtype=dtype or float32)


def ones(shape: int | Sequence[int], dtype: DType | None = None) -> Tensor:
    """Ones, Float32 by default."""
    return apply(creation.FULL, shape=shape, value=1, dtype=dtype or float32)


def full_like(input: Tensor, fill_value: Number, *, dtype: DType | None = None) -> Tensor:
    """A tensor filled with ``fill_value``, with the shape and dtype of ``input``."""
    return apply(creation.FULL, shape=input.shape, value=fill_value, dtype=dtype or input.dtype)


def zeros_like(input: Tensor, *, dtype: DType | None = None) -> Tensor:
    """Zeros with the shape and dtype of ``input``."""
    return full_like(input, 0, dtype=dtype)


def ones_like(input: Tensor, *, dtype: DType | None = None) -> Tensor:
    """Ones with the shape and dtype of ``input``."""
    return full_like(input, 1, dtype=dtype)


def fill(type: DType, shape: int | Sequence[int], value: Number) -> Tensor:
    """A tensor of a dtype, filled with ``value``."""
    return full(shape, value, dtype=type)


def fills(x: Tensor, value: TensorLike) -> Tensor:
    """A tensor filled with ``value``, with the shape and dtype of ``x``."""
    return full(x.shape, value.item() if isinstance(value, Tensor) else value, dtype=x.dtype)


def eye(n: int, m: int | None = None, dtype: DType | None = None) -> Tensor:
    """Ones on the diagonal of a matrix of n rows and m columns (``None``: n), zeros elsewhere."""
    return apply(creation.EYE, rows=n, columns=m, dtype=dtype or float32)


def one_hot(indices: Tensor, depth: int, on_value: TensorLike = 1, off_value: TensorLike = 0, axis: int = -1) -> Tensor:
    """``on_value`` where the position along a new axis is the index, else ``off_value``; Int64 for integer values."""
    dtype = on_value.dtype if isinstance(on_value, Tensor) else float32 if isinstance(on_value, float) else int64
    hot = apply(losses.ONE_HOT, indices, depth=depth, axis=axis, dtype=dtype)
    is_binary = not any(isinstance(n, Tensor) for n in (on_value, off_value)) and (on_value, off_value) == (1, 0)
    return hot if is_binary else hot * (on_value - off_value) + off_value


def scalar_to_tensor(input_x: Number, dtype: DType = float32) -> Tensor:
    """A number as a tensor of rank 0."""
    return Tensor(input_x, dtype)


def tuple_to_array(input_x: tuple[Number, ...]) -> Tensor:
    """A tuple of numbers as a vector: Int32, or Float32 where one is a float."""
    vector = Tensor(list(input_x))
    return vector if vector.dtype.is_float else Tensor(vector, int32)


# ---- numerical ranges ------------------------------------------------------------------------------


def arange(
    start: TensorLike = 0, end: TensorLike | None = None, step: TensorLike = 1, *, dtype: DType | None = None
) -> Tensor:
    """Numbers from ``start`` to before ``end`` (a single argument is the end): Int64, or Float32 for floats."""
    start, end = (0, start) if end is None else (start, end)
    all_integers = all(isinstance(n, int) for n in (start, end, step))
    return apply(creation.ARANGE, start=start, stop=end, step=step, dtype=dtype or (int64 if all_integers else float32))


def range(start: TensorLike, end: TensorLike, step: TensorLike, maxlen: int = 1000000) -> Tensor:
    """Numbers from ``start`` up to but not including ``end``; the arguments are numbers or one-element tensors."""
    return arange(*(n.item() if isinstance(n, Tensor) else n for n in (start, end, step)))


def tensor_range(start: TensorLike, end: TensorLike, step: TensorLike) -> Tensor:
    """The integers from ``start`` up to but not including ``end``."""
    return Tensor(list(numbers(*(_scalar(bound) for bound in (start, end, step)))), int64)


def _scalar(number: TensorLike) -> Any:
    return number.item() if isinstance(number, Tensor) else number


def linspace(start: TensorLike, end: TensorLike, steps: int) -> Tensor:
    """``steps`` evenly spaced numbers from ``start`` to ``end``, Float32.

    >>> print(linspace(0, 1, 5))
    [0.   0.25 0.5  0.75 1.  ]
    """
    if steps < 1:
        raise UsageError(f"linspace: {steps} steps; pass at least 1")
    positions = cast(arange(steps), float32)
    return positions * ((end - start) / max(steps - 1, 1)) + start


def logspace(start: TensorLike, end: TensorLike, steps: int, base: float = 10, *, dtype: DType = float32) -> Tensor:
    """``base`` to the power of ``steps`` evenly spaced exponents from ``start`` to ``end``."""
    return cast(apply(elementwise.POW, float(base), linspace(start, end, steps)), dtype)


# ---- grids and combinations ------------------------------------------------------------------------


def meshgrid(*inputs: Tensor | Sequence[Tensor], indexing: str = "xy") -> tuple[Tensor, ...]:
    """Coordinate matrices of a grid: x to the right and y downwards ("xy"), or axis by axis ("ij")."""
    if indexing not in ("xy", "ij"):
        raise UsageError(f"meshgrid: indexing is 'xy' or 'ij', got {indexing!r}")
    vectors: Any = inputs[0] if len(inputs) == 1 and isinstance(inputs[0], tuple | list) else inputs
    order = list(numbers(len(vectors)))
    if indexing == "xy" and len(order) > 1:
        order[:2] = [1, 0]
    shape = tuple(vectors[i].size for i in order)
    grids = []
    for i, vector in enumerate(vectors):
        sizes = tuple(size if order[axis] == i else 1 for axis, size in enumerate(shape))
        grids.append(apply(views.BROADCAST_TO, reshape(vector, sizes), shape=shape))
    return tuple(grids)


def cartesian_prod(*inputs: Tensor) -> Tensor:
    """The Cartesian product of vectors, one combination per row."""
    if len(inputs) == 1:
        return inputs[0]
    return stack([reshape(grid, (-1,)) for grid in meshgrid(*inputs, indexing="ij")], 1)


def combinations(input: Tensor, r: int = 2, with_replacement: bool = False) -> Tensor:
    """All combinations of ``r`` elements of a vector, in order, as rows; ``with_replacement`` may repeat an element."""
    choose = combinations_with_replacement if with_replacement else without_replacement
    positions = np.array(list(choose(numbers(input.size), r)), np.int64).reshape(-1, r)
    return apply(INDEX, input, Tensor(positions), key=((1,),))


def vander(x: Tensor, N: int | None = None) -> Tensor:
    """The Vandermonde matrix: powers of a vector as columns, exponents from N - 1 (``None``: its length - 1) to 0."""
    powers = arange((x.size if N is None else N) - 1, -1, -1)
    return apply(elementwise.POW, reshape(x, (-1, 1)), powers)


def sequence_mask(lengths: Tensor, maxlen: int | None = None) -> Tensor:
    """Whether each position up to ``maxlen`` (``None``: the greatest length) lies inside its sequence, per length."""
    size = int(lengths.asnumpy().max()) if maxlen is None else maxlen
    return arange(size) < apply(views.EXPAND_DIMS, lengths, axis=-1)
