"""ONNX's pooling over windows and whole images, with our operators."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from minigraph import ops
from minigraph.core.aliases import Attrs, AttrValue
from minigraph.core.errors import ModelError
from minigraph.core.op import apply
from minigraph.core.tensor import Tensor
from minigraph.importers.onnx.convolution import Pads, pad_images, window
from minigraph.importers.operator_table import Converter, Converters, DeferredResult, KnownValue
from minigraph.importers.size_limits import check_count
from minigraph.importers.weights import constant
from minigraph.ops.functional.pooling import Windows

T = Tensor
Sizes = tuple[int, ...]
MAX_TAPS = 4096  # elements of a pooling window that is computed element by element


def pool_window(x: T, kernel: Sequence[int], attrs: Attrs, ceil_mode: int) -> tuple[Any, Any, Pads, Pads]:
    """Strides, dilations, pads, and pads with the elements that ``ceil_mode`` adds at the end of each axis."""
    strides, dilations, pads = window(x, kernel, attrs)
    extended = []
    for n, k, s, d, (before, after) in zip(x.shape[2:], kernel, strides, dilations, pads, strict=True):
        reach = (k - 1) * d + 1
        span = n + before + after - reach
        steps = -(-span // s) if ceil_mode else span // s
        if ceil_mode and steps * s >= n + before:  # a window that starts in the padding is left out
            steps -= 1
        extended.append((before, max(after, steps * s + reach - n - before)))
    return strides, dilations, pads, tuple(extended)


def elements(x: T, kernel: Sizes, strides: Sizes, dilations: Sizes) -> T:
    """The elements of all windows of images that have their border: [N,C,...,K]."""
    if math.prod(kernel) > MAX_TAPS:
        raise ModelError(f"a window of {tuple(kernel)} elements is too large for this kind of pooling")
    return Windows(tuple(kernel), strides, (0,) * len(kernel), dilations, x.shape[2:], False).elements(x)


def max_pool(
    x: T, *, kernel_shape: tuple[int, ...], ceil_mode: int = 0, storage_order: int = 0, **attrs: AttrValue
) -> tuple[T, ...]:
    """The maxima of windows, and their positions in the flattened tensor."""
    strides, dilations, _, pads = pool_window(x, kernel_shape, attrs, ceil_mode)
    geometry = kernel_shape, strides, dilations
    lowest = -np.inf if x.dtype.is_float else int(np.iinfo(x.dtype.numpy).min)
    if len(strides) == 2 and set(dilations) == {1}:
        best = apply("max_pool2d", x, kernel=kernel_shape, stride=strides, padding=pads)
    else:
        best = apply("first_max", elements(pad_images(x, pads, lowest), *geometry), axis=-1)

    def positions() -> T:
        argmax = apply("argmax", elements(pad_images(x, pads, lowest), *geometry), axis=-1)
        sizes, images = x.shape[2:], x.shape[0] * x.shape[1]
        grid = np.arange(check_count(math.prod(sizes))).reshape(sizes, order="F" if storage_order else "C")
        flat = elements(constant(np.pad(grid, pads)[None, None]), *geometry)
        flat = apply("broadcast_to", flat, shape=(*argmax.shape, flat.shape[-1]))
        selection = ops.gather_elements(flat, -1, apply("expand_dims", argmax, axis=-1))
        starts = np.arange(images).reshape(*x.shape[:2], *(1,) * len(sizes)) * math.prod(sizes)
        return apply("squeeze", selection, axis=-1) + constant(starts)

    return best, DeferredResult(positions)  # type: ignore[return-value]


def average_pool(
    x: T, *, kernel_shape: tuple[int, ...], ceil_mode: int = 0, count_include_pad: int = 0, **attrs: AttrValue
) -> T:
    """The means of windows; the border counts only with ``count_include_pad``, elements of ``ceil_mode`` never."""
    strides, dilations, pads, extended = pool_window(x, kernel_shape, attrs, ceil_mode)
    is_2d = len(strides) == 2 and set(dilations) == {1}
    if is_2d and extended == pads and (count_include_pad or not any(map(any, pads))):
        return apply("avg_pool2d", x, kernel=kernel_shape, stride=strides, padding=pads)
    ones = pad_images(constant(np.ones((1, 1, *x.shape[2:]), x.dtype.numpy)), pads, 1.0 if count_include_pad else 0.0)
    rest = tuple((0, b - a) for (_, a), (_, b) in zip(pads, extended, strict=True))
    images, counts = pad_images(x, extended), pad_images(ones, rest)
    sums, counts = (apply("sum", elements(t, kernel_shape, strides, dilations), axis=-1) for t in (images, counts))
    return sums / counts


def lp_pool(x: T, *, kernel_shape: tuple[int, ...], p: int = 2, ceil_mode: int = 0, **attrs: AttrValue) -> T:
    """The p-norms of windows."""
    strides, dilations, _, pads = pool_window(x, kernel_shape, attrs, ceil_mode)
    powers = pad_images(apply("pow", apply("abs", x), float(p)), pads)
    return apply("pow", apply("sum", elements(powers, kernel_shape, strides, dilations), axis=-1), 1.0 / p)


def max_unpool(
    x: T, indices: T, output_shape: KnownValue = None, *, kernel_shape: Sizes, pads: Sizes = (), strides: Sizes = ()
) -> T:
    """Zeros with the elements of ``x`` at the positions that MaxPool gave, which count in the smallest such result."""
    steps, _, edges = window(x, kernel_shape, {"pads": pads, "strides": strides})
    sizes = [(n - 1) * s - sum(p) + k for n, s, p, k in zip(x.shape[2:], steps, edges, kernel_shape, strict=True)]
    inner = (*x.shape[:2], *sizes)
    outer = inner if output_shape is None else tuple(int(n) for n in output_shape)
    coordinates, remainder = [], apply("reshape", indices, shape=(-1,))
    for size in reversed(inner):
        coordinates.append(remainder % size)
        remainder = remainder // size
    key = tuple((axis + 1,) for axis in range(x.ndim))
    return apply("index_add", apply("reshape", x, shape=(-1,)), *coordinates[::-1], key=key, shape=outer)


def spatial_axes(x: T) -> tuple[int, ...]:
    """The axes of ``x`` after batch and channel."""
    return tuple(range(2, x.ndim))


CONVERTERS: Converters = {
    "MaxPool": max_pool, "AveragePool": average_pool, "LpPool": lp_pool,
    "MaxUnpool": Converter(max_unpool, known="output_shape"),
    "GlobalAveragePool": lambda x: apply("mean", x, axis=spatial_axes(x), keepdims=True),
    "GlobalMaxPool": lambda x: apply("max", x, axis=spatial_axes(x), keepdims=True),
    "GlobalLpPool": lambda x, *, p=2: apply("pow", apply("sum", apply("pow", apply("abs", x), float(p)),
                                                         axis=spatial_axes(x), keepdims=True), 1.0 / p),
}  # fmt: skip
