"""Two-dimensional convolution and its two gradients: NCHW images, OIHW weights, by img2col and matmul.

The three operators are each other's gradients, so any order of derivative stays among them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from minigraph.errors import ShapeError, UsageError
from minigraph.ground.work import Macs, Work
from minigraph.op import Op, Sample, apply, define
from minigraph.ops.families import check_kinds, check_operand, check_same_dtype, listed
from minigraph.ops.pricing import traffic
from minigraph.types import Shape, TensorType

Pair = tuple[int, int]
Padding = tuple[Pair, Pair]


class Window(NamedTuple):
    """How a kernel moves over an image: the attributes of a convolution."""

    stride: Pair
    padding: Padding
    dilation: Pair
    group: int

    def sizes(self, image: Shape, kernel: Shape) -> Pair:
        """Height and width of the result."""
        found = [
            (image[i] + sum(self.padding[i]) - self.dilation[i] * (kernel[i] - 1) - 1) // self.stride[i] + 1
            for i in (0, 1)
        ]
        return found[0], found[1]

    def taps(self, kernel: Shape, out: Pair) -> Iterator[tuple[int, int, tuple[slice, slice]]]:
        """For each place of the kernel: the pixels of the padded image it meets, as slices."""
        for i in range(kernel[0]):
            for j in range(kernel[1]):
                top, left = i * self.dilation[0], j * self.dilation[1]
                rows = slice(top, top + (out[0] - 1) * self.stride[0] + 1, self.stride[0])
                columns = slice(left, left + (out[1] - 1) * self.stride[1] + 1, self.stride[1])
                yield i, j, (rows, columns)


# ---- img2col ---------------------------------------------------------------------------------------


def img2col(x: np.ndarray, kernel: Shape, window: Window) -> np.ndarray:
    """The pixels under the kernel as columns: (group, C/group * kh * kw, N * oh * ow)."""
    n, c = x.shape[:2]
    out = window.sizes(x.shape[2:], kernel)
    padded = np.pad(x, ((0, 0), (0, 0), *window.padding))
    columns = np.empty((c, *kernel, n, *out), x.dtype)
    for i, j, pixels in window.taps(kernel, out):
        columns[:, i, j] = padded[:, :, *pixels].swapaxes(0, 1)
    return columns.reshape(window.group, -1, n * out[0] * out[1])


def col2img(columns: np.ndarray, shape: Shape, kernel: Shape, window: Window) -> np.ndarray:
    """The sum of columns at their pixels, an image of ``shape``: the adjoint of ``img2col``."""
    n, c, h, w = shape
    out = window.sizes((h, w), kernel)
    parts = columns.reshape(c, *kernel, n, *out)
    (top, bottom), (left, right) = window.padding
    padded = np.zeros((n, c, h + top + bottom, w + left + right), columns.dtype)
    for i, j, pixels in window.taps(kernel, out):
        padded[:, :, *pixels] += parts[:, i, j].swapaxes(0, 1)
    return np.ascontiguousarray(padded[:, :, top : top + h, left : left + w])


def _rows(g: np.ndarray, group: int) -> np.ndarray:
    """A result-shaped array as one matrix per group: (group, O/group, N * oh * ow)."""
    return np.ascontiguousarray(g.swapaxes(0, 1)).reshape(group, g.shape[1] // group, -1)


# ---- forwards --------------------------------------------------------------------------------------


def _conv2d(x: np.ndarray, weight: np.ndarray, **attrs: Any) -> np.ndarray:
    window, kernel = Window(**attrs), weight.shape[2:]
    n, out = x.shape[0], window.sizes(x.shape[2:], kernel)
    filters = np.asarray(weight, order="C").reshape(window.group, weight.shape[0] // window.group, -1)
    found = np.matmul(filters, img2col(x, kernel, window))
    return np.ascontiguousarray(found.reshape(weight.shape[0], n, *out).swapaxes(0, 1))


def _conv2d_input_grad(g: np.ndarray, weight: np.ndarray, *, shape: Shape, **attrs: Any) -> np.ndarray:
    window = Window(**attrs)
    filters = np.asarray(weight, order="C").reshape(window.group, weight.shape[0] // window.group, -1)
    columns = np.matmul(filters.swapaxes(1, 2), _rows(g, window.group))
    return col2img(columns, shape, weight.shape[2:], window)


def _conv2d_weight_grad(g: np.ndarray, x: np.ndarray, *, shape: Shape, **attrs: Any) -> np.ndarray:
    window = Window(**attrs)
    columns = img2col(x, shape[2:], window)
    return np.matmul(_rows(g, window.group), columns.swapaxes(1, 2)).reshape(shape)


# ---- attributes and types --------------------------------------------------------------------------


def pair_of(name: str, what: str, value: Any, least: int = 1) -> Pair:
    """One number for both axes, or two; raises ``UsageError``.

    >>> pair_of("conv2d", "stride", 2)
    (2, 2)
    """
    pair = (value, value) if isinstance(value, int) else tuple(value)
    if len(pair) != 2 or not all(isinstance(n, int) and n >= least for n in pair):
        raise UsageError(f"{name}: {what} is one int or two, at least {least}, got {value!r}")
    return pair[0], pair[1]


def padding_of(name: str, value: Any) -> Padding:
    """((top, bottom), (left, right)) from that, from four ints in this order, or from one or two ints.

    >>> padding_of("conv2d", 1), padding_of("conv2d", (0, 1, 0, 1))
    (((1, 1), (1, 1)), ((0, 1), (0, 1)))
    """
    if isinstance(value, tuple | list) and len(value) == 4:
        value = (tuple(value[:2]), tuple(value[2:]))
    if isinstance(value, int):
        value = (value, value)
    rows, columns = (pair_of(name, "padding", side, least=0) for side in value)
    return rows, columns


def _window_attrs(name: str, **attrs: Any) -> dict[str, Any]:
    group = attrs["group"]
    if not isinstance(group, int) or group < 1:
        raise UsageError(f"{name}: group is an int from 1, got {group!r}")
    return {
        "stride": pair_of(name, "stride", attrs["stride"]),
        "padding": padding_of(name, attrs["padding"]),
        "dilation": pair_of(name, "dilation", attrs["dilation"]),
        "group": group,
    }


def _conv2d_attrs(
    x: Any, weight: Any, *, stride: Any = 1, padding: Any = 0, dilation: Any = 1, group: int = 1
) -> dict[str, Any]:
    check_operand("conv2d", "f", x)
    return _window_attrs("conv2d", stride=stride, padding=padding, dilation=dilation, group=group)


def _grad_attrs(name: str) -> Any:
    def canonical(a: Any, b: Any, *, shape: Any, **window: Any) -> dict[str, Any]:
        return {"shape": tuple(shape), **_window_attrs(name, **window)}

    return canonical


def _conv2d_types(x: TensorType, weight: TensorType, **attrs: Any) -> TensorType:
    check_kinds("conv2d", "f", x, weight)
    dtype = check_same_dtype("conv2d", x, weight)
    window = Window(**attrs)
    if len(x.shape) != 4 or len(weight.shape) != 4:
        raise ShapeError(f"conv2d: needs x[N,C,H,W] and weight[O,C/group,kh,kw], got {listed((x, weight))}")
    if x.shape[1] != weight.shape[1] * window.group or weight.shape[0] % window.group:
        text = f"conv2d: the channels of {listed((x, weight))} do not fit in {window.group} group(s)"
        raise ShapeError(f"{text}; x[N,C,H,W] takes weight[O,C/group,kh,kw]")
    out = window.sizes(x.shape[2:], weight.shape[2:])
    if min(out) < 1:
        raise ShapeError(f"conv2d: the kernel of {weight} is larger than the padded image {x}; pad more")
    return TensorType((x.shape[0], weight.shape[0], *out), dtype)


# ---- gradients and work ----------------------------------------------------------------------------


def _wrt_image(g: Any, out: Any, x: Any, weight: Any, **attrs: Any) -> Any:
    return apply("conv2d_input_grad", g, weight, shape=x.shape, **attrs)


def _wrt_weight(g: Any, out: Any, x: Any, weight: Any, **attrs: Any) -> Any:
    return apply("conv2d_weight_grad", g, x, shape=weight.shape, **attrs)


def _products(weight: TensorType, result: TensorType, group: int) -> tuple[int, int, int, int]:
    """Of one group: result pixels, pixels under the kernel, filters; and the kernel's height times width."""
    o, c, kh, kw = weight.shape
    return result.size // max(o, 1), c * kh * kw, o // group, kh * kw


def _conv2d_work(out: TensorType, x: TensorType, weight: TensorType, *, group: int, stride: Pair, **attrs: Any) -> Work:
    pixels, taps, filters, window = _products(weight, out, group)
    macs = Macs(group, pixels, taps, filters, window, weight.shape[2], out.shape[3], *stride)
    return Work(macs=(macs,)) + traffic(out, (x, weight))


def _input_grad_work(
    out: TensorType, g: TensorType, weight: TensorType, *, group: int, stride: Pair, **attrs: Any
) -> Work:
    """A convolution of ``g``, spread by the stride, with the turned kernel: each pixel meets its share of the taps."""
    pixels, taps, filters, window = _products(weight, g, group)
    channels = taps // window
    image = out.size // max(channels * group, 1)
    met = max(1, round(filters * window * pixels / max(image, 1)))
    macs = Macs(group, image, met, channels, max(1, met // filters), weight.shape[2], out.shape[3])
    return Work(macs=(macs,)) + traffic(out, (g, weight))


def _weight_grad_work(out: TensorType, g: TensorType, x: TensorType, *, group: int, stride: Pair, **attrs: Any) -> Work:
    pixels, taps, filters, window = _products(out, g, group)
    macs = Macs(group, taps, pixels, filters, window, 0, 0, *stride)
    return Work(macs=(macs,)) + traffic(out, (g, x))


# ---- records ---------------------------------------------------------------------------------------


def _given_shape(g: TensorType, other: TensorType, *, shape: Shape, **attrs: Any) -> TensorType:
    return TensorType(shape, check_same_dtype("conv2d gradient", g, other))


def _kernel_label(name: str) -> Any:
    return lambda attrs: f"{name} /{attrs['stride'][0]}" if attrs["stride"] != (1, 1) else name


ODD = {"stride": (2, 1), "padding": ((1, 0), (0, 2)), "dilation": (1, 2), "group": 2}


def _samples_of(first: Shape, second: Shape, shape: Shape | None = None) -> Any:
    """Samples with every attribute off its default; ``shape`` is that of the gradient operators' result."""

    def samples(rng: np.random.Generator) -> list[Sample]:
        attrs = ODD if shape is None else ODD | {"shape": shape}
        return [Sample((rng.normal(size=first), rng.normal(size=second)), attrs)]

    return samples


IMAGE, WEIGHT, RESULT = (2, 4, 4, 5), (2, 2, 2, 2), (2, 2, 2, 5)

CONV2D = define(Op(
    "conv2d", _conv2d, _conv2d_types, vjp=(_wrt_image, _wrt_weight), work=_conv2d_work, unit="cube",
    canonical=_conv2d_attrs, label=_kernel_label("conv2d"), samples=_samples_of(IMAGE, WEIGHT),
    doc="The convolution of images [N,C,H,W] with weights [O,C/group,kh,kw], both axes with their own window.",
))  # fmt: skip
CONV2D_INPUT_GRAD = define(Op(
    "conv2d_input_grad", _conv2d_input_grad, _given_shape, work=_input_grad_work, unit="cube",
    vjp=(
        lambda g, out, a, weight, shape, **attrs: apply("conv2d", g, weight, **attrs),
        lambda g, out, a, weight, shape, **attrs: apply("conv2d_weight_grad", a, g, shape=weight.shape, **attrs),
    ),
    canonical=_grad_attrs("conv2d_input_grad"), label=_kernel_label("conv2d_input_grad"),
    samples=_samples_of(RESULT, WEIGHT, IMAGE), doc="The gradient of conv2d with respect to its images, of `shape`.",
))  # fmt: skip
CONV2D_WEIGHT_GRAD = define(Op(
    "conv2d_weight_grad", _conv2d_weight_grad, _given_shape, work=_weight_grad_work, unit="cube",
    vjp=(
        lambda g, out, a, x, shape, **attrs: apply("conv2d", x, g, **attrs),
        lambda g, out, a, x, shape, **attrs: apply("conv2d_input_grad", a, g, shape=x.shape, **attrs),
    ),
    canonical=_grad_attrs("conv2d_weight_grad"), label=_kernel_label("conv2d_weight_grad"),
    samples=_samples_of(RESULT, IMAGE, WEIGHT), doc="The gradient of conv2d with respect to its weights, of `shape`.",
))  # fmt: skip
