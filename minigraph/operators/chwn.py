"""Convolution and maximum pooling in CHWN (batch-innermost) layout: images [C,H,W,N].

Each operator equals its counterpart on images [N,C,H,W] between transposes. In NCHW the windows of small images are
short runs of memory; in CHWN the pixels of all images at one position are long runs (the layout of cuda-convnet,
Krizhevsky 2014).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np

from minigraph.core.aliases import Array, AttrValue
from minigraph.core.errors import ShapeError
from minigraph.core.machine import (
    LONG_ROW_PIXELS,
    MAX_COPIED_TAPS,
    MAX_TRANSPOSED_ELEMENTS,
    MIN_COPIES_PER_TRANSPOSED_ELEMENT,
    MIN_IMAGES_IN_CHWN,
    SHORT_ROW_PIXELS,
)
from minigraph.core.op import Attrs, Op, Sample, apply, define
from minigraph.core.tensor import Tensor
from minigraph.core.types import Shape, TensorType, type_of
from minigraph.operators.composite import composite
from minigraph.operators.conv import CONV2D, CONV2D_INPUT_GRAD, CONV2D_WEIGHT_GRAD
from minigraph.operators.im2col import Window
from minigraph.operators.pooling import MAX_POOL2D, MAX_POOL2D_GRAD
from minigraph.operators.work import copy_work

AXES_TO_CHWN, AXES_TO_NCHW = (1, 2, 3, 0), (3, 0, 1, 2)  # of a transpose


# ---- conversions -------------------------------------------------------------------------------------


def _conversion(name: str, inverse: str, axes: Shape, doc: str) -> Op:
    """Define an operator that copies images into the other layout."""

    def forward(x: Array, *, out: Array | None = None) -> Array:
        return np.ascontiguousarray(x.transpose(axes)) if out is None else _write(out, x.transpose(axes))

    def infer(x: TensorType) -> TensorType:
        if len(x.shape) != 4:
            raise ShapeError(f"{name}: {x} has {len(x.shape)} axes; images have 4")
        return TensorType(tuple(x.shape[axis] for axis in axes), x.dtype)

    return define(Op(
        name, forward, infer, vjp=(lambda g, out, x: apply(inverse, g),), work=copy_work, unit="move", into=True,
        doc=doc, samples=lambda rng: [Sample((rng.normal(size=(2, 3, 4, 5)),))],
    ))  # fmt: skip


def _write(out: Array, result: Array) -> Array:
    np.copyto(out, result)
    return out


TO_CHWN = _conversion("to_chwn", "to_nchw", AXES_TO_CHWN, "Images [N,C,H,W] as [C,H,W,N], a copy.")
TO_NCHW = _conversion("to_nchw", "to_chwn", AXES_TO_NCHW, "Images [C,H,W,N] as [N,C,H,W], a copy.")


# ---- cost model --------------------------------------------------------------------------------------


def should_use_chwn(image: Shape, weight: Shape, window: Window, back: bool = False) -> bool:
    """Whether a convolution of images [N,C,H,W] is faster in CHWN: many images, less to transpose than to copy.

    For short rows of results slightly fewer suffice. For longer rows transposing costs most of the time that is saved,
    so they must be far fewer. ``back``: the gradient with respect to images, which adds to pixels where the others copy
    them; in NCHW it is not slower for longer rows.

    >>> should_use_chwn((32, 6, 14, 14), (16, 6, 5, 5), Window((1, 1), ((0, 0), (0, 0)), (1, 1), 1))
    True
    """
    (n, c, *pixels), (o, deep, *kernel) = image, weight
    height, width = window.sizes(tuple(pixels), tuple(kernel))
    taps = math.prod(kernel)
    transposed, copied = c * math.prod(pixels) + o * height * width, c * taps * height * width
    if n < MIN_IMAGES_IN_CHWN or width < 1:
        return False
    if width <= SHORT_ROW_PIXELS:
        return transposed <= copied
    if back or width > LONG_ROW_PIXELS or deep * taps > MAX_COPIED_TAPS:
        return False
    return transposed * MIN_COPIES_PER_TRANSPOSED_ELEMENT <= copied and transposed * n <= MAX_TRANSPOSED_ELEMENTS


def _is_conv_faster(out: TensorType, x: TensorType, weight: TensorType, **attrs: AttrValue) -> bool:
    return should_use_chwn(x.shape, weight.shape, Window(**attrs))


def _is_input_grad_faster(
    out: TensorType, g: TensorType, weight: TensorType, *, shape: Shape, **attrs: AttrValue
) -> bool:
    return should_use_chwn(shape, weight.shape, Window(**attrs), back=True)


def _is_weight_grad_faster(out: TensorType, g: TensorType, x: TensorType, *, shape: Shape, **attrs: AttrValue) -> bool:
    return should_use_chwn(x.shape, shape, Window(**attrs))


def _is_pool_faster(out: TensorType, *ins: TensorType, **attrs: AttrValue) -> bool:
    return out.shape[0] >= MIN_IMAGES_IN_CHWN


# ---- the operators -----------------------------------------------------------------------------------


class InChwn(NamedTuple):
    """An operator in CHWN: the positions of the operands that are images, and whether its result is an image.

    ``is_faster(out, *ins, **attrs)``, of types, is whether it is faster than its counterpart on images in CHWN;
    ``is_faster_with_conversion``: whether it is also faster if images have to be converted first and readers prefer a
    result in CHWN.
    """

    op: Op
    images: tuple[int, ...]
    has_image_result: bool
    is_faster: Callable[..., bool]
    is_faster_with_conversion: bool = False


def _in_chwn(
    op: Op,
    images: tuple[int, ...],
    has_image_result: bool,
    is_faster: Callable[..., bool],
    with_conversion: bool = False,
) -> InChwn:
    """Define the operator in CHWN that is equivalent to an operator on images [N,C,H,W]."""

    def primitives(*operands: Tensor, **attrs: AttrValue) -> Tensor:
        nchw = (apply("transpose", x, axes=AXES_TO_NCHW) if i in images else x for i, x in enumerate(operands))
        out = apply(op, *nchw, **attrs)
        return apply("transpose", out, axes=AXES_TO_CHWN) if has_image_result else out

    def forward(*operands: Array, out: Array | None = None, **attrs: AttrValue) -> Array:
        nchw = (np.ascontiguousarray(x.transpose(AXES_TO_NCHW)) if i in images else x for i, x in enumerate(operands))
        value = op.forward(*nchw, **attrs)
        value = value.transpose(AXES_TO_CHWN) if has_image_result else value
        return np.ascontiguousarray(value) if out is None else _write(out, value)

    def samples(rng: np.random.Generator) -> list[Sample]:
        return [_sample_in_chwn(op, images, sample) for sample in (op.samples(rng) if op.samples else [])]

    def label(attrs: Attrs) -> str:
        return f"{op.label_of(attrs)} chwn"

    record = composite(
        f"{op}_chwn", primitives, forward=forward, into=op.into, unit=op.unit, label=label, samples=samples,
        doc=f"{op} on images [C,H,W,N].",
    )  # fmt: skip
    return InChwn(record, images, has_image_result, is_faster, with_conversion)


def _sample_in_chwn(op: Op, images: tuple[int, ...], sample: Sample) -> Sample:
    """A sample of an operator, with images in CHWN."""
    arrays = [np.asarray(x) for x in sample.args]
    attrs = op.canonical(*map(type_of, arrays), **sample.attrs) if op.canonical else sample.attrs
    args = tuple(x.transpose(AXES_TO_CHWN) if i in images else x for i, x in enumerate(arrays))
    return Sample(args, attrs, sample.smooth)


CHWN_KERNELS: Mapping[Op, InChwn] = {
    CONV2D: _in_chwn(CONV2D, (0,), True, _is_conv_faster, with_conversion=True),
    CONV2D_INPUT_GRAD: _in_chwn(CONV2D_INPUT_GRAD, (0,), True, _is_input_grad_faster, with_conversion=True),
    CONV2D_WEIGHT_GRAD: _in_chwn(CONV2D_WEIGHT_GRAD, (0, 1), False, _is_weight_grad_faster),
    MAX_POOL2D: _in_chwn(MAX_POOL2D, (0,), True, _is_pool_faster),
    MAX_POOL2D_GRAD: _in_chwn(MAX_POOL2D_GRAD, (0, 1, 2), True, _is_pool_faster),
}
