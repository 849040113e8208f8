"""Two-dimensional convolution and its two gradients: NCHW images, OIHW weights, by im2col and matmul.

The gradients of the three operators are again these operators, to any order.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minigraph.core.aliases import Array, Attrs, AttrValue, Function, IntOrTuple
from minigraph.core.errors import ShapeError, UsageError
from minigraph.core.op import Op, Sample, apply, define
from minigraph.core.op_fields import Macs, Work
from minigraph.core.tensor import Tensor
from minigraph.core.types import Shape, TensorType
from minigraph.operators.families import check_kinds, check_operand, check_same_dtype, types_text
from minigraph.operators.im2col import Padding, Pair, Window, col2im, im2col
from minigraph.operators.samples import Samples
from minigraph.operators.work import traffic

# ---- forwards --------------------------------------------------------------------------------------


def _conv2d(x: Array, weight: Array, out: Array | None = None, **attrs: AttrValue) -> Array:
    window = Window(**attrs)
    product = np.matmul(_filters(weight, window), im2col(x, weight.shape[2:], window))
    height, width = window.sizes(x.shape[2:], weight.shape[2:])
    result = product.reshape(len(x), len(weight), height, width)
    if out is None:
        return result
    np.copyto(out, result)
    return out


def _conv2d_input_grad(g: Array, weight: Array, *, shape: Shape, **attrs: AttrValue) -> Array:
    window = Window(**attrs)
    columns = np.matmul(_filters(weight, window).swapaxes(-1, -2), _results(g, window))
    return col2im(columns, weight.shape[2:], window, shape)


def _conv2d_weight_grad(g: Array, x: Array, *, shape: Shape, **attrs: AttrValue) -> Array:
    window = Window(**attrs)
    products = np.matmul(_results(g, window), im2col(x, shape[2:], window).swapaxes(-1, -2))
    # with a dtype, because numpy sums small integers in a larger dtype
    return np.add.reduce(products, axis=0, dtype=products.dtype).reshape(shape)


def _filters(weight: Array, window: Window) -> Array:
    """The weight as one matrix per group, [group, O/group, C/group * kh * kw]."""
    o, c, kh, kw = weight.shape
    return np.ascontiguousarray(weight).reshape(window.group, o // window.group, c * kh * kw)


def _results(g: Array, window: Window) -> Array:
    """Cotangents of results as one matrix per image and group, [N, group, O/group, height * width]."""
    n, o, height, width = g.shape
    return np.ascontiguousarray(g).reshape(n, window.group, o // window.group, height * width)


# ---- attributes and types --------------------------------------------------------------------------


def pair_of(name: str, argument: str, value: IntOrTuple, minimum: int = 1) -> Pair:
    """One number for both axes, or two numbers; raises ``UsageError``.

    >>> pair_of("conv2d", "stride", 2)
    (2, 2)
    """
    pair = (value, value) if isinstance(value, int) else tuple(value)
    if len(pair) != 2 or not all(isinstance(n, int) and n >= minimum for n in pair):
        raise UsageError(f"{name}: {argument} is one int or two, at least {minimum}, got {value!r}")
    return pair[0], pair[1]


def padding_of(name: str, value: Any) -> Padding:
    """((top, bottom), (left, right)) from such pairs, from four ints in this order, or from one or two ints.

    >>> padding_of("conv2d", 1), padding_of("conv2d", (0, 1, 0, 1))
    (((1, 1), (1, 1)), ((0, 1), (0, 1)))
    """
    if isinstance(value, tuple | list) and len(value) == 4:
        value = (tuple(value[:2]), tuple(value[2:]))
    if isinstance(value, int):
        value = (value, value)
    rows, columns = (pair_of(name, "padding", side, minimum=0) for side in value)
    return rows, columns


def _window_attrs(name: str, **attrs: AttrValue) -> Attrs:
    group = attrs["group"]
    if not isinstance(group, int) or group < 1:
        raise UsageError(f"{name}: group must be an int of at least 1, got {group!r}")
    return {
        "stride": pair_of(name, "stride", attrs["stride"]),
        "padding": padding_of(name, attrs["padding"]),
        "dilation": pair_of(name, "dilation", attrs["dilation"]),
        "group": group,
    }


def _conv2d_attrs(
    x: object, weight: object, *, stride: IntOrTuple = 1, padding: object = 0, dilation: IntOrTuple = 1, group: int = 1
) -> Attrs:
    check_operand("conv2d", "f", x)
    return _window_attrs("conv2d", stride=stride, padding=padding, dilation=dilation, group=group)


def _grad_attrs(name: str) -> Function:
    def canonical(a: object, b: object, *, shape: Any, **window: Any) -> Attrs:
        return {"shape": tuple(shape), **_window_attrs(name, **window)}

    return canonical


def _conv2d_types(x: TensorType, weight: TensorType, **attrs: AttrValue) -> TensorType:
    check_kinds("conv2d", "f", x, weight)
    dtype = check_same_dtype("conv2d", x, weight)
    window = Window(**attrs)
    if len(x.shape) != 4 or len(weight.shape) != 4:
        raise ShapeError(f"conv2d: needs x[N,C,H,W] and weight[O,C/group,kh,kw], got {types_text((x, weight))}")
    if x.shape[1] != weight.shape[1] * window.group or weight.shape[0] % window.group:
        text = f"conv2d: the channels of {types_text((x, weight))} do not fit in {window.group} group(s)"
        raise ShapeError(f"{text}; x[N,C,H,W] takes weight[O,C/group,kh,kw]")
    out = window.sizes(x.shape[2:], weight.shape[2:])
    if min(out) < 1:
        raise ShapeError(f"conv2d: the kernel of {weight} is larger than the padded image {x}; pad more")
    return TensorType((x.shape[0], weight.shape[0], *out), dtype)


# ---- gradients and work ----------------------------------------------------------------------------


def _wrt_image(g: Tensor, out: Tensor, x: Tensor, weight: Tensor, **attrs: AttrValue) -> Tensor:
    return apply("conv2d_input_grad", g, weight, shape=x.shape, **attrs)


def _wrt_weight(g: Tensor, out: Tensor, x: Tensor, weight: Tensor, **attrs: AttrValue) -> Tensor:
    return apply("conv2d_weight_grad", g, x, shape=weight.shape, **attrs)


def _products(weight: TensorType, result: TensorType, group: int) -> tuple[int, int, int, int]:
    """For one group: the number of result pixels, of taps and of filters; and the kernel's height times width."""
    o, c, kh, kw = weight.shape
    return result.size // max(o, 1), c * kh * kw, o // group, kh * kw


def _conv2d_work(
    out: TensorType, x: TensorType, weight: TensorType, *, group: int, stride: Pair, **attrs: AttrValue
) -> Work:
    pixels, taps, filters, window = _products(weight, out, group)
    macs = Macs(group, pixels, taps, filters, window, weight.shape[2], out.shape[3], *stride)
    return Work(macs=(macs,)) + traffic(out, (x, weight))


def _input_grad_work(
    out: TensorType, g: TensorType, weight: TensorType, *, group: int, stride: Pair, **attrs: AttrValue
) -> Work:
    """A convolution of ``g``, dilated by the stride, with the flipped kernel: each pixel uses its share of the taps."""
    pixels, taps, filters, window = _products(weight, g, group)
    channels = taps // window
    image = out.size // max(channels * group, 1)
    used = max(1, round(filters * window * pixels / max(image, 1)))
    macs = Macs(group, image, used, channels, max(1, used // filters), weight.shape[2], out.shape[3])
    return Work(macs=(macs,)) + traffic(out, (g, weight))


def _weight_grad_work(
    out: TensorType, g: TensorType, x: TensorType, *, group: int, stride: Pair, **attrs: AttrValue
) -> Work:
    pixels, taps, filters, window = _products(out, g, group)
    macs = Macs(group, taps, pixels, filters, window, 0, 0, *stride)
    return Work(macs=(macs,)) + traffic(out, (g, x))


# ---- records ---------------------------------------------------------------------------------------


def _input_grad_type(g: TensorType, weight: TensorType, *, shape: Shape, **attrs: AttrValue) -> TensorType:
    x = TensorType(shape, check_same_dtype("conv2d gradient", g, weight))
    _check_cotangent(g, _conv2d_types(x, weight, **attrs))
    return x


def _weight_grad_type(g: TensorType, x: TensorType, *, shape: Shape, **attrs: AttrValue) -> TensorType:
    weight = TensorType(shape, check_same_dtype("conv2d gradient", g, x))
    _check_cotangent(g, _conv2d_types(x, weight, **attrs))
    return weight


def _check_cotangent(g: TensorType, out: TensorType) -> None:
    if g != out:
        raise ShapeError(f"conv2d gradient: the cotangent is {g}, but the result is {out}; they need one type")


def kernel_label(name: str) -> Function:
    """The label of an operator with a sliding kernel: its name, and the stride if it is not 1.

    >>> kernel_label("conv2d")({"stride": (2, 2)})
    'conv2d /2'
    """
    return lambda attrs: f"{name} /{attrs['stride'][0]}" if attrs["stride"] != (1, 1) else name


SAMPLE_ATTRS = {"stride": (2, 1), "padding": ((1, 0), (0, 2)), "dilation": (1, 2), "group": 2}


def _samples_of(first: Shape, second: Shape, shape: Shape | None = None) -> Samples:
    """Samples with no attribute at its default; ``shape`` is the shape of the gradient operators' result."""

    def samples(rng: np.random.Generator) -> list[Sample]:
        attrs = SAMPLE_ATTRS if shape is None else SAMPLE_ATTRS | {"shape": shape}
        return [Sample((rng.normal(size=first), rng.normal(size=second)), attrs)]

    return samples


IMAGE, WEIGHT, RESULT = (2, 4, 4, 5), (2, 2, 2, 2), (2, 2, 2, 5)

CONV2D = define(Op(
    "conv2d", _conv2d, _conv2d_types, vjp=(_wrt_image, _wrt_weight), work=_conv2d_work, unit="cube", into=True,
    canonical=_conv2d_attrs, label=kernel_label("conv2d"), samples=_samples_of(IMAGE, WEIGHT),
    doc="The convolution of images [N,C,H,W] with weights [O,C/group,kh,kw]; attributes are per axis.",
))  # fmt: skip
CONV2D_INPUT_GRAD = define(Op(
    "conv2d_input_grad", _conv2d_input_grad, _input_grad_type, work=_input_grad_work, unit="cube",
    vjp=(
        lambda g, out, a, weight, shape, **attrs: apply("conv2d", g, weight, **attrs),
        lambda g, out, a, weight, shape, **attrs: apply("conv2d_weight_grad", a, g, shape=weight.shape, **attrs),
    ),
    canonical=_grad_attrs("conv2d_input_grad"), label=kernel_label("conv2d_input_grad"),
    samples=_samples_of(RESULT, WEIGHT, IMAGE), doc="The gradient of conv2d with respect to its images, of `shape`.",
))  # fmt: skip
CONV2D_WEIGHT_GRAD = define(Op(
    "conv2d_weight_grad", _conv2d_weight_grad, _weight_grad_type, work=_weight_grad_work, unit="cube",
    vjp=(
        lambda g, out, a, x, shape, **attrs: apply("conv2d", x, g, **attrs),
        lambda g, out, a, x, shape, **attrs: apply("conv2d_input_grad", a, g, shape=x.shape, **attrs),
    ),
    canonical=_grad_attrs("conv2d_weight_grad"), label=kernel_label("conv2d_weight_grad"),
    samples=_samples_of(RESULT, IMAGE, WEIGHT), doc="The gradient of conv2d with respect to its weights, of `shape`.",
))  # fmt: skip
