"""ATen's views, selections, joins and new tensors, with our operators."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from minigraph import ops
from minigraph.core.aliases import Function
from minigraph.core.op import apply
from minigraph.core.tensor import Tensor
from minigraph.core.types import DType, bool_, float32, int64
from minigraph.importers.torch.arithmetic import as_dtype
from minigraph.importers.weights import constant


def select(x: Tensor, dim: int, item: Any) -> Tensor:
    """The elements at an index or slice of one axis."""
    return x[(slice(None),) * (dim % x.ndim) + (item,)]


def set_selected(x: Tensor, value: Tensor, dim: int, item: object) -> Tensor:
    """The tensor with the elements at an index or slice of one axis replaced."""
    axis = dim % x.ndim
    item_key = item.indices(x.shape[axis]) if isinstance(item, slice) else item
    return apply("set_item", x, value, key=((None, None, 1),) * axis + (item_key,))


def index_elements(x: Tensor, indices: Sequence[Tensor | None]) -> Tensor:
    """The elements at index tensors; ``None`` selects a whole axis."""
    return x[tuple(slice(None) if index is None else index for index in indices)]


def index_put(x: Tensor, indices: Sequence[Tensor | None], values: Tensor, accumulate: bool = False) -> Tensor:
    """The tensor with values stored at, or added to, the elements at index tensors."""
    if len(indices) == 1 and indices[0] is not None and indices[0].dtype is bool_ and values.ndim == 0:
        mask = indices[0].reshape(indices[0].shape + (1,) * (x.ndim - indices[0].ndim))
        return apply("where", mask, x + values if accumulate else values, x)
    tensors = [index for index in indices if index is not None]
    numbers = iter(range(1, len(tensors) + 1))
    key = tuple((None, None, 1) if index is None else (next(numbers),) for index in indices)
    if not accumulate:
        return apply("set_item", x, values, *tensors, key=key)
    selected = apply("index", x, *tensors, key=key)
    return x + apply("index_add", ops.broadcast_to(values, selected.shape), *tensors, key=key, shape=x.shape)


def scatter(x: Tensor, dim: int, index: Tensor, value: Any, reduce: str = "none") -> Tensor:
    """The tensor with values stored at, or added to, the positions that ``index`` states along one axis."""
    updates = value if isinstance(value, Tensor) and value.ndim else full_like(index, value, x.dtype)
    return ops.tensor_scatter_elements(x, index, updates[tuple(map(slice, index.shape))], dim, reduce)


REDUCTIONS = {  # the value that changes no result, and the function for elements of nested indices
    "sum": (0.0, ops.tensor_scatter_add),
    "mean": (0.0, ops.tensor_scatter_add),
    "prod": (1.0, ops.tensor_scatter_mul),
    "amax": (float("-inf"), ops.tensor_scatter_max),
    "amin": (float("inf"), ops.tensor_scatter_min),
}


def scatter_reduce(x: Tensor, dim: int, index: Tensor, src: Tensor, reduce: str, include_self: bool = True) -> Tensor:
    """The tensor reduced with the values at the positions that ``index`` states along one axis.

    ``include_self``: the elements of ``x`` take part; otherwise those that are reduced are replaced.

    >>> print(scatter_reduce(Tensor([1.0, 5.0]), 0, Tensor([0, 0]), Tensor([3.0, 2.0]), "amax"))
    [3. 5.]
    """
    neutral, function = REDUCTIONS[reduce]
    sizes = index.shape
    grid = np.indices(sizes)
    positions = [index if axis == dim % x.ndim else constant(grid[axis]) for axis in range(x.ndim)]
    nested = ops.stack([position.reshape(-1) for position in positions], -1)
    values = src[tuple(map(slice, sizes))].reshape(-1)
    start = x if include_self else scatter(x, dim, index, neutral)
    result: Tensor = function(start, nested, values)
    if reduce != "mean":
        return result
    ones = full_like(x, 1) if include_self else scatter(full_like(x, 1), dim, index, 0)
    return result / ops.tensor_scatter_add(ones, nested, full_like(values, 1))


def full_like(x: Tensor, value: float, dtype: DType | None = None, **layout: object) -> Tensor:
    """A tensor of one value in the shape of another."""
    return apply("full", shape=x.shape, value=value, dtype=dtype or x.dtype)


def pad_axes(x: Tensor, pad: Sequence[int], value: float = 0) -> Tensor:
    """A border of one value around the last axes, whose widths are given from the last axis on; negative: a crop."""
    widths = [(0, 0)] * (x.ndim - len(pad) // 2) + [*zip(pad[::2], pad[1::2], strict=True)][::-1]
    crop = tuple(slice(max(-low, 0), n - max(-high, 0)) for n, (low, high) in zip(x.shape, widths, strict=True))
    inner = x[crop] if any(low < 0 or high < 0 for low, high in widths) else x
    return apply("pad", inner, widths=tuple((max(low, 0), max(high, 0)) for low, high in widths), value=value)


def as_strided(x: Tensor, size: Sequence[int], stride: Sequence[int], offset: int = 0) -> Tensor:
    """The elements of a C-ordered tensor at an offset and steps for each axis."""
    starts = np.array(offset or 0)
    for count, step in zip(size, stride, strict=True):
        starts = starts[..., None] + np.arange(count) * step
    if np.array_equal(starts.ravel(), np.arange(x.size)):
        return x.reshape(tuple(size))
    return x.reshape(-1)[constant(starts)]


def as_tuple(value: object) -> tuple[object, ...]:
    """One or several results as a tuple."""
    return value if isinstance(value, tuple) else (value,)


def default_dtype(value: bool | int | float) -> DType:
    """The dtype that torch gives a number.

    >>> default_dtype(True), default_dtype(1), default_dtype(1.0)
    (mindspore.bool, mindspore.int64, mindspore.float32)
    """
    return {bool: bool_, int: int64}.get(type(value), float32)


# ---- converters -------------------------------------------------------------------------------------

CONVERTERS: dict[str, Function] = {
    # shapes
    "view": lambda x, size: apply("reshape", x, shape=tuple(size)),
    "_unsafe_view": lambda x, size: apply("reshape", x, shape=tuple(size)),
    "reshape": lambda x, size: apply("reshape", x, shape=tuple(size)),
    "expand": lambda x, size, implicit=False: apply("broadcast_to", x, shape=tuple(size)),
    "permute": lambda x, dims: apply("transpose", x, axes=tuple(dims)),
    "transpose": lambda x, a, b: ops.swapaxes(x, a, b),
    "t": lambda x: x.T,
    "squeeze": lambda x, dim=None: apply("squeeze", x, axis=tuple(dim) if isinstance(dim, list | tuple) else dim),
    "unsqueeze": lambda x, dim: apply("expand_dims", x, axis=dim),
    "alias": lambda x: x,
    "clone": lambda x, **layout: x,
    "contiguous": lambda x, **layout: x,
    "detach": lambda x: apply("stop_gradient", x),
    "detach_": lambda x: apply("stop_gradient", x),
    "lift_fresh_copy": lambda x: x,
    "_to_copy": lambda x, dtype=None, **layout: as_dtype(x, dtype),
    "copy": lambda x, source, non_blocking=False: apply("broadcast_to", as_dtype(source, x.dtype), shape=x.shape),
    # selections and joins
    "slice": lambda x, dim=0, start=None, end=None, step=1: select(x, dim, slice(start, end, step)),
    "select": lambda x, dim, index: select(x, dim, index),
    "index": index_elements,
    "_unsafe_index": index_elements,
    "index_put": index_put,
    "_unsafe_index_put": index_put,
    "index_select": lambda x, dim, index: select(x, dim, index),
    "gather": lambda x, dim, index, sparse_grad=False: ops.gather_elements(x, dim, index),
    "scatter": scatter,
    "scatter_add": lambda x, dim, index, source: scatter(x, dim, index, source, "add"),
    "scatter_reduce": scatter_reduce,
    "slice_scatter": lambda x, source, dim=0, start=None, end=None, step=1: set_selected(
        x, source, dim, slice(start, end, step)
    ),
    "select_scatter": lambda x, source, dim, index: set_selected(x, source, dim, index),
    "cat": lambda tensors, dim=0: apply("concat", *[t for t in tensors if t.shape != (0,)], axis=dim),
    "stack": lambda tensors, dim=0: apply("stack", *tensors, axis=dim),
    "split": lambda x, size, dim=0: as_tuple(apply("split", x, sizes=size, axis=dim)),
    "split_with_sizes": lambda x, sizes, dim=0: as_tuple(apply("split", x, sizes=tuple(sizes), axis=dim)),
    "unbind": lambda x, dim=0: ops.unbind(x, dim),
    "repeat": lambda x, repeats: ops.tile(x, tuple(repeats)),
    "flip": lambda x, dims: ops.flip(x, tuple(dims)),
    "roll": lambda x, shifts, dims=(): ops.roll(x, tuple(shifts), tuple(dims) or None),
    "as_strided": as_strided,
    "diagonal": lambda x, offset=0, dim1=0, dim2=1: ops.diagonal(x, offset, dim1, dim2),
    "tril": lambda x, diagonal=0: ops.tril(x, diagonal),
    "triu": lambda x, diagonal=0: ops.triu(x, diagonal),
    "constant_pad_nd": pad_axes,
    "reflection_pad1d": lambda x, pad: ops.pad(x, tuple(pad), "reflect"),
    "reflection_pad2d": lambda x, pad: ops.pad(x, tuple(pad), "reflect"),
    "reflection_pad3d": lambda x, pad: ops.pad(x, tuple(pad), "reflect"),
    "replication_pad1d": lambda x, pad: ops.pad(x, tuple(pad), "replicate"),
    "replication_pad3d": lambda x, pad: ops.pad(x, tuple(pad), "replicate"),
    "replication_pad2d": lambda x, pad: ops.pad(x, tuple(pad), "replicate"),
    # new tensors
    "arange": lambda *range, dtype=int64, **layout: ops.arange(*range, dtype=dtype),
    "full": lambda size, value, dtype=None, **layout: apply(
        "full", shape=tuple(size), value=value, dtype=dtype or default_dtype(value)
    ),
    "full_like": full_like,
    "zeros_like": lambda x, **options: full_like(x, 0, **options),
    "ones_like": lambda x, **options: full_like(x, 1, **options),
    "empty_like": lambda x, **options: full_like(x, 0, **options),
    "zeros": lambda size, dtype=float32, **layout: apply("full", shape=tuple(size), value=0, dtype=dtype),
    "ones": lambda size, dtype=float32, **layout: apply("full", shape=tuple(size), value=1, dtype=dtype),
    "empty": lambda size, dtype=float32, **layout: apply("full", shape=tuple(size), value=0, dtype=dtype),
    "new_zeros": lambda x, size, dtype=None, **layout: apply(
        "full", shape=tuple(size), value=0, dtype=dtype or x.dtype
    ),
    "new_ones": lambda x, size, dtype=None, **layout: apply("full", shape=tuple(size), value=1, dtype=dtype or x.dtype),
    "tril_indices": lambda row, col, offset=0, dtype=int64, **layout: ops.tril_indices(row, col, offset, dtype=dtype),
    "triu_indices": lambda row, col, offset=0, dtype=int64, **layout: ops.triu_indices(row, col, offset, dtype=dtype),
    "scalar_tensor": lambda value, dtype=float32, **layout: apply("full", shape=(), value=value, dtype=dtype),
    "eye": lambda n, m=None, dtype=float32, **layout: apply("eye", rows=n, columns=m, dtype=dtype),
    "rand": lambda size, dtype=float32, **layout: ops.rand(*size, dtype=dtype),
    "randn": lambda size, dtype=float32, **layout: ops.randn(*size, dtype=dtype),
    # sizes, and checks that torch made when it exported
    "sym_size": lambda x, dim: x.shape[dim],
    **dict.fromkeys(
        (
            "_assert_tensor_metadata",
            "_assert_scalar",
            "_assert_async",
            "_linalg_check_errors",
            "sym_constrain_range_for_size",
        ),
        lambda *args, **options: None,
    ),
}
