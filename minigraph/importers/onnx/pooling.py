"""ONNX's pooling over windows and whole images, with our operators."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

from minigraph import ops
from minigraph.core.aliases import Attrs
from minigraph.core.errors import ModelError
from minigraph.core.op import apply
from minigraph.core.tensor import Tensor
from minigraph.importers.onnx.convolution import Pads, pad_images, window
from minigraph.importers.operator_table import DeferredResult, KnownValue, Row, Rows
from minigraph.importers.weights import checked_count, constant

T = Tensor
MAX_TAPS = 4096  # elements of a pooling window that is computed element by element


def pool_window(x: T, kernel: Sequence[int], attrs: Attrs, ceil_mode: int) -> tuple[Any, Any, Pads, Pads]:
    """Strides, dilations, pads, and pads with what ``ceil_mode`` adds at the end of each axis."""
    strides, dilations, pads = window(x, kernel, attrs)
    extended = []
    for n, k, s, d, (before, after) in zip(x.shape[2:], kernel, strides, dilations, pads, strict=True):
        reach = (k - 1) * d + 1
        rest = n + before + after - reach
        steps = -(-rest // s) if ceil_mode else rest // s
        if ceil_mode and steps * s >= n + before:  # a window that starts in the padding is left out
            steps -= 1
        extended.append((before, max(after, steps * s + reach - n - before)))
    return strides, dilations, pads, tuple(extended)


def taps(x: T, kernel: Sequence[int], strides: Sequence[int], dilations: Sequence[int]) -> T:
    """The elements of all windows, one row for each element of the kernel: [K,N,C,...]."""
    if int(np.prod(kernel)) > MAX_TAPS:
        raise ModelError(f"a window of {tuple(kernel)} elements is too large for this kind of pooling")
    counts = [
        (n - (k - 1) * d - 1) // s + 1 for n, k, s, d in zip(x.shape[2:], kernel, strides, dilations, strict=True)
    ]
    parts = []
    for offset in itertools.product(*map(range, kernel)):
        begins = [o * d for o, d in zip(offset, dilations, strict=True)]
        spans = [slice(b, b + (c - 1) * s + 1, s) for b, c, s in zip(begins, counts, strides, strict=True)]
        parts.append(x[(slice(None), slice(None), *spans)])
    return apply("stack", *parts, axis=0)


def max_pool(
    x: T, *, kernel_shape: tuple[int, ...], ceil_mode: int = 0, storage_order: int = 0, **attrs: Any
) -> tuple[T, ...]:
    """The maxima of windows, and their positions in the flat images."""
    strides, dilations, _, pads = pool_window(x, kernel_shape, attrs, ceil_mode)
    lowest = -np.inf if x.dtype.is_float else int(np.iinfo(x.dtype.numpy).min)
    if len(strides) == 2 and set(dilations) == {1}:
        best = apply("max_pool2d", x, kernel=kernel_shape, stride=strides, padding=pads)
    else:
        best = apply("first_max", taps(pad_images(x, pads, lowest), kernel_shape, strides, dilations), axis=0)
    return best, DeferredResult(lambda: _max_positions(x, kernel_shape, strides, dilations, pads, storage_order))  # type: ignore[return-value]


def _max_positions(
    x: T, kernel: KnownValue, strides: KnownValue, dilations: KnownValue, pads: Pads, storage_order: int
) -> T:
    """The positions of the maxima of windows, as indices into the flattened tensor."""
    lowest = -np.inf if x.dtype.is_float else int(np.iinfo(x.dtype.numpy).min)
    which = apply("argmax", taps(pad_images(x, pads, lowest), kernel, strides, dilations), axis=0)
    size = int(np.prod(x.shape[2:]))
    grid = np.arange(checked_count(size * x.shape[0] * x.shape[1]) // (x.shape[0] * x.shape[1] or 1)).reshape(
        x.shape[2:], order="F" if storage_order else "C"
    )
    images = size * np.arange(x.shape[0] * x.shape[1]).reshape(*x.shape[:2], *(1,) * len(strides))
    positions = taps(pad_images(constant((images + grid).astype(np.int64)), pads, 0), kernel, strides, dilations)
    chosen = ops.gather_elements(positions, 0, apply("expand_dims", which, axis=0))
    return apply("squeeze", chosen, axis=0)


def average_pool(
    x: T, *, kernel_shape: tuple[int, ...], ceil_mode: int = 0, count_include_pad: int = 0, **attrs: Any
) -> T:
    """The means of windows; the border counts only with ``count_include_pad``, what ``ceil_mode`` adds never."""
    strides, dilations, pads, extended = pool_window(x, kernel_shape, attrs, ceil_mode)
    is_2d = len(strides) == 2 and set(dilations) == {1}
    if is_2d and extended == pads and (count_include_pad or not any(map(any, pads))):
        return apply("avg_pool2d", x, kernel=kernel_shape, stride=strides, padding=pads)
    ones = pad_images(constant(np.ones((1, 1, *x.shape[2:]), x.dtype.numpy)), pads, 1.0 if count_include_pad else 0.0)
    rest = tuple((0, b - a) for (_, a), (_, b) in zip(pads, extended, strict=True))
    images, counts = pad_images(x, extended), pad_images(ones, rest)
    sums = [apply("sum", taps(t, kernel_shape, strides, dilations), axis=0) for t in (images, counts)]
    return sums[0] / sums[1]


def lp_pool(x: T, *, kernel_shape: tuple[int, ...], p: int = 2, ceil_mode: int = 0, **attrs: Any) -> T:
    """The p-norms of windows."""
    strides, dilations, _, pads = pool_window(x, kernel_shape, attrs, ceil_mode)
    powers = taps(pad_images(apply("pow", apply("abs", x), float(p)), pads), kernel_shape, strides, dilations)
    return apply("pow", apply("sum", powers, axis=0), 1.0 / p)


def max_unpool(x: T, indices: T, shape: KnownValue, kernel: Sequence[int], attrs: Attrs) -> T:
    """Zeros with the elements of ``x`` at the positions that MaxPool gave."""
    strides, _, pads = window(x, kernel, attrs)
    sizes = [(n - 1) * s - sum(p) + k for n, s, p, k in zip(x.shape[2:], strides, pads, kernel, strict=True)]
    inner = (*x.shape[:2], *sizes)
    where = apply("reshape", indices, shape=(-1,))
    if shape is not None:
        where = _flat_positions(where, inner, tuple(int(n) for n in shape))
        inner = tuple(int(n) for n in shape)
    flat = apply("index_add", apply("reshape", x, shape=(-1,)), where, key=((1,),), shape=(int(np.prod(inner)),))
    return apply("reshape", flat, shape=inner)


def _flat_positions(where: T, inner: tuple[int, ...], outer: tuple[int, ...]) -> T:
    """Flat positions in a tensor as flat positions in a larger one."""
    total: Any = 0
    for size, step_in, step_out in zip(inner, _element_strides(inner), _element_strides(outer), strict=True):
        total = total + where // step_in % size * step_out
    return total


def _element_strides(shape: tuple[int, ...]) -> list[int]:
    return [int(np.prod(shape[axis + 1 :])) for axis in range(len(shape))]


def spatial_axes(x: T) -> tuple[int, ...]:
    """The axes of ``x`` after batch and channel."""
    return tuple(range(2, x.ndim))


ROWS: Rows = {
    "MaxPool": max_pool, "AveragePool": average_pool, "LpPool": lp_pool,
    "MaxUnpool": Row(lambda x, indices, output_shape=None, *, kernel_shape, pads=None, strides=None: max_unpool(
        x, indices, output_shape, kernel_shape, {"pads": pads, "strides": strides}), known="output_shape"),
    "GlobalAveragePool": lambda x: apply("mean", x, axis=spatial_axes(x), keepdims=True),
    "GlobalMaxPool": lambda x: apply("max", x, axis=spatial_axes(x), keepdims=True),
    "GlobalLpPool": lambda x, *, p=2: apply("pow", apply("sum", apply("pow", apply("abs", x), float(p)),
                                                         axis=spatial_axes(x), keepdims=True), 1.0 / p),
}  # fmt: skip
