"""Sliding windows over images, and pooling as a reduction over them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from minigraph.core.aliases import Array, Attrs, Function, IntOrTuple
from minigraph.core.errors import ShapeError
from minigraph.core.op import Op, Sample, apply, define
from minigraph.core.tensor import Tensor
from minigraph.core.types import DType, Shape, TensorType, bool_
from minigraph.operators.composite import composite
from minigraph.operators.conv import padding_of, pair_of
from minigraph.operators.families import check_operand
from minigraph.operators.im2col import NO_PADDING, Pair, Window
from minigraph.operators.work import gather_work, no_work

# ---- windows ---------------------------------------------------------------------------------------


def window_of(stride: Pair) -> Window:
    """The window of a kernel without padding and dilation."""
    return Window(stride, NO_PADDING, (1, 1), 1)


def _windows(x: Array, *, kernel: Pair, stride: Pair) -> Array:
    windows = np.lib.stride_tricks.sliding_window_view(x, kernel, axis=(2, 3))
    return windows[:, :, :: stride[0], :: stride[1]]


def window_types(x: TensorType, *, kernel: Pair, stride: Pair) -> TensorType:
    """The type of all windows; raises ``ShapeError`` if the kernel is larger than the images."""
    if len(x.shape) != 4 or any(n < k for n, k in zip(x.shape[2:], kernel, strict=True)):
        raise ShapeError(f"windows: {kernel} windows over {x}; needs x[N,C,H,W] with at least one window")
    return TensorType((*x.shape[:2], *window_of(stride).sizes(x.shape[2:], kernel), *kernel), x.dtype)


def _windows_attrs(*operands: Tensor, kernel: IntOrTuple, stride: IntOrTuple = 1, **rest: object) -> Attrs:
    return {"kernel": pair_of("windows", "kernel", kernel), "stride": pair_of("windows", "stride", stride), **rest}


WINDOWS = define(Op(
    "windows", _windows, window_types, work=no_work, unit="none", family="view", view=True,
    vjp=(lambda g, out, x, kernel, stride: apply("windows_add", g, kernel=kernel, stride=stride, shape=x.shape),),
    canonical=_windows_attrs, label=lambda attrs: "windows {}x{}".format(*attrs["kernel"]),
    doc="Sliding windows over images [N,C,H,W], as two more axes: [N,C,oh,ow,kh,kw].",
    samples=lambda rng: [Sample((rng.normal(size=(1, 2, 4, 5)),), {"kernel": (2, 3), "stride": (2, 1)})],
))  # fmt: skip


def _windows_add(g: Array, *, kernel: Pair, stride: Pair, shape: Shape) -> Array:
    total = np.zeros(shape, g.dtype)
    for i, j, pixels in window_of(stride).taps(kernel, (g.shape[2], g.shape[3])):
        total[:, :, *pixels] += g[..., i, j]
    return total


WINDOWS_ADD = define(Op(
    "windows_add", _windows_add, lambda g, *, kernel, stride, shape: TensorType(shape, g.dtype), work=gather_work,
    vjp=(lambda g, out, windows, kernel, stride, shape: apply("windows", g, kernel=kernel, stride=stride),),
    unit="move", canonical=_windows_attrs, label=lambda attrs: "windows_add {}x{}".format(*attrs["kernel"]),
    doc="The sum of windows at their positions in images of `shape`: the gradient of `windows`.",
    samples=lambda rng: [
        Sample((rng.normal(size=(1, 2, 2, 3, 2, 3)),), {"kernel": (2, 3), "stride": (2, 1), "shape": (1, 2, 4, 5)})
    ],
))  # fmt: skip


# ---- pooling ---------------------------------------------------------------------------------------


def _pool_attrs(name: str, kinds: str) -> Function:
    def canonical(x: object, *, kernel: Any, stride: Any = None, padding: object = 0) -> Attrs:
        check_operand(name, kinds, x)
        size = pair_of(name, "kernel", kernel)
        return {
            "kernel": size,
            "stride": size if stride is None else pair_of(name, "stride", stride),
            "padding": padding_of(name, padding),
        }

    return canonical


def _windowed_reduction(reduce: str, border: Callable[[DType], float]) -> Function:
    def pool(x: Tensor, *, kernel: Pair, stride: Pair, padding: tuple[Pair, Pair]) -> Tensor:
        if padding != ((0, 0), (0, 0)):
            x = apply("pad", x, widths=((0, 0), (0, 0), *padding), value=border(x.dtype))
        return apply(reduce, apply("windows", x, kernel=kernel, stride=stride), axis=(-2, -1))

    return pool


def _max_pool_grad_of_primitives(
    g: Tensor, x: Tensor, out: Tensor, *, kernel: Pair, stride: Pair, padding: tuple[Pair, Pair]
) -> Tensor:
    """The gradient of max_pool2d as operators. The selected elements depend on x only, so it is linear in g.

    ``out`` is redundant here; with it, kernels need not compute the maxima again.
    """
    sizes, count = g.shape, kernel[0] * kernel[1]
    if padding != ((0, 0), (0, 0)):
        x = apply("pad", x, widths=((0, 0), (0, 0), *padding), value=lowest_value(x.dtype))
    windows = apply("reshape", apply("windows", x, kernel=kernel, stride=stride), shape=(*sizes, count))
    first = apply("one_hot", apply("argmax", windows, axis=-1), depth=count, axis=-1, dtype=bool_)
    parts = apply("where", first, apply("expand_dims", g, axis=-1), 0)
    parts = apply("reshape", parts, shape=(*sizes, *kernel))
    total = apply("windows_add", parts, kernel=kernel, stride=stride, shape=x.shape)
    if padding == ((0, 0), (0, 0)):
        return total
    (top, bottom), (left, right) = padding
    return total[:, :, top : x.shape[2] - bottom, left : x.shape[3] - right]


def _max_pool_grad_attrs(
    g: object,
    x: object,
    out: TensorType,
    *,
    kernel: IntOrTuple,
    stride: tuple[int, ...] | None = None,
    padding: object = 0,
) -> Attrs:
    attrs: Attrs = _pool_attrs("max_pool2d_grad", "if")(x, kernel=kernel, stride=stride, padding=padding)
    return attrs


def _max_pool_grad_sample(rng: np.random.Generator, shape: Shape, **window: object) -> Sample:
    """A cotangent, images of a shape, and their pooled result: the last two must match."""
    x = rng.normal(size=shape)
    out = MAX_POOL2D.forward(x, **window)
    return Sample((rng.normal(size=out.shape), x, out), window, smooth=False)


MAX_POOL2D_GRAD = composite(
    "max_pool2d_grad", _max_pool_grad_of_primitives,
    canonical=_max_pool_grad_attrs,
    label=lambda attrs: "max_pool2d_grad {}x{}".format(*attrs["kernel"]),
    doc="The gradient of max_pool2d with result `out`: g at the first maximum of each window of x[N,C,H,W].",
    samples=lambda rng: [
        _max_pool_grad_sample(rng, (1, 2, 4, 4), kernel=(2, 2), stride=(2, 2), padding=((0, 0), (0, 0))),
        _max_pool_grad_sample(rng, (1, 2, 5, 4), kernel=(3, 2), stride=(2, 2), padding=((1, 1), (0, 0))),
    ],
)  # fmt: skip


def lowest_value(dtype: DType) -> float:
    """The lower bound of a dtype: minus infinity for floats."""
    return -np.inf if dtype.is_float else int(np.iinfo(dtype.numpy).min)


def _pool(name: str, kinds: str, reduce: str, border: Callable[[DType], float], doc: str, **fields: object) -> Op:
    return composite(
        name, _windowed_reduction(reduce, border), canonical=_pool_attrs(name, kinds), doc=doc,
        label=lambda attrs: "{} {}x{}".format(name, *attrs["kernel"]),
        samples=lambda rng: [
            Sample((rng.normal(size=(2, 1, 4, 4)),), {"kernel": 2}),
            Sample((rng.normal(size=(1, 2, 5, 4)),), {"kernel": (3, 2), "stride": 2, "padding": 1}),
        ],
        **fields,
    )  # fmt: skip


MAX_POOL2D = _pool(
    "max_pool2d", "if", "first_max", lowest_value,
    "The maximum of each window, without the border; of equal elements the first gets the gradient.",
    vjp=(lambda g, out, x, **attrs: apply("max_pool2d_grad", g, x, out, **attrs),),
)  # fmt: skip
AVG_POOL2D = _pool(
    "avg_pool2d", "f", "mean", lambda dtype: 0.0, "The mean of each window, including a border of zeros."
)
