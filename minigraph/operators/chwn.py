"""Convolutions and maximum pools on images [C,H,W,N]: the pixels that all images have at one place are neighbours.

Each is its operator on images [N,C,H,W] between transposes. Windows of small images are short runs of memory, but
pixels of many images at one place are long ones (the layout of cuda-convnet, Krizhevsky 2014).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from minigraph.core.errors import ShapeError
from minigraph.core.machine import (
    COPIES_PER_TRANSPOSED,
    LONG_ROW_RESULTS,
    MAX_COPIED_TAPS,
    MAX_TRANSPOSED_NUMBERS,
    MIN_IMAGES_IN_CHWN,
    SHORT_ROW_RESULTS,
)
from minigraph.core.op import Attrs, Op, Sample, apply, define
from minigraph.core.types import Shape, TensorType, type_of
from minigraph.operators.conv import CONV2D, CONV2D_INPUT_GRAD, CONV2D_WEIGHT_GRAD
from minigraph.operators.derived import composite
from minigraph.operators.img2col import Window
from minigraph.operators.pool import MAX_POOL2D, MAX_POOL2D_GRAD
from minigraph.operators.pricing import copy_work

AXES_TO_CHWN, AXES_TO_NCHW = (1, 2, 3, 0), (3, 0, 1, 2)  # of a transpose


# ---- images the other way ----------------------------------------------------------------------------


def _laid(name: str, back: str, axes: Shape, doc: str) -> Op:
    """Define an operator that makes a copy of images in the other layout."""

    def forward(x: np.ndarray, *, out: np.ndarray | None = None) -> np.ndarray:
        return np.ascontiguousarray(x.transpose(axes)) if out is None else _in_out(out, x.transpose(axes))

    def infer(x: TensorType) -> TensorType:
        if len(x.shape) != 4:
            raise ShapeError(f"{name}: {x} has {len(x.shape)} axes; images have 4")
        return TensorType(tuple(x.shape[axis] for axis in axes), x.dtype)

    return define(Op(
        name, forward, infer, vjp=(lambda g, out, x: apply(back, g),), work=copy_work, unit="move", into=True, doc=doc,
        samples=lambda rng: [Sample((rng.normal(size=(2, 3, 4, 5)),))],
    ))  # fmt: skip


def _in_out(out: np.ndarray, found: np.ndarray) -> np.ndarray:
    np.copyto(out, found)
    return out


TO_CHWN = _laid("to_chwn", "to_nchw", AXES_TO_CHWN, "Images [N,C,H,W] as [C,H,W,N], in memory of their own.")
TO_NCHW = _laid("to_nchw", "to_chwn", AXES_TO_NCHW, "Images [C,H,W,N] as [N,C,H,W], in memory of their own.")


# ---- when it pays ------------------------------------------------------------------------------------


def prefers_chwn(image: Shape, weight: Shape, window: Window, back: bool = False) -> bool:
    """Whether a convolution of images [N,C,H,W] is faster in CHWN: many of them, and less to transpose than to copy.

    Of short rows a little less; of longer ones so much less that transposing, which takes most of what is saved, and
    what follows, which is faster in CHWN, both find it worth it. ``back``: the gradient with respect to images, which
    adds where the others copy, and longer rows are no burden to that.

    >>> prefers_chwn((32, 6, 14, 14), (16, 6, 5, 5), Window((1, 1), ((0, 0), (0, 0)), (1, 1), 1))
    True
    """
    (n, c, *pixels), (o, deep, *kernel) = image, weight
    height, width = window.sizes(tuple(pixels), tuple(kernel))
    places = math.prod(kernel)
    moved, copied = c * math.prod(pixels) + o * height * width, c * places * height * width
    if n < MIN_IMAGES_IN_CHWN or width < 1:
        return False
    if width <= SHORT_ROW_RESULTS:
        return moved <= copied
    if back or width > LONG_ROW_RESULTS or deep * places > MAX_COPIED_TAPS:
        return False
    return moved * COPIES_PER_TRANSPOSED <= copied and moved * n <= MAX_TRANSPOSED_NUMBERS


def _conv_pays(out: TensorType, x: TensorType, weight: TensorType, **attrs: Any) -> bool:
    return prefers_chwn(x.shape, weight.shape, Window(**attrs))


def _input_grad_pays(out: TensorType, g: TensorType, weight: TensorType, *, shape: Shape, **attrs: Any) -> bool:
    return prefers_chwn(shape, weight.shape, Window(**attrs), back=True)


def _weight_grad_pays(out: TensorType, g: TensorType, x: TensorType, *, shape: Shape, **attrs: Any) -> bool:
    return prefers_chwn(x.shape, shape, Window(**attrs))


def _pool_pays(out: TensorType, *ins: TensorType, **attrs: Any) -> bool:
    return out.shape[0] >= MIN_IMAGES_IN_CHWN


# ---- the operators -----------------------------------------------------------------------------------


class InChwn(NamedTuple):
    """An operator in CHWN: which of its operands are images, whether its result is.

    ``pays(out, *ins, **attrs)``, of types, is whether it is faster than the one on images [N,C,H,W] where these are
    there in CHWN; ``begins``: whether it is so where they still have to be laid that way, if the result is wanted so.
    """

    op: Op
    images: tuple[int, ...]
    result: bool
    pays: Callable[..., bool]
    begins: bool = False


def _in_chwn(op: Op, images: tuple[int, ...], result: bool, pays: Callable[..., bool], begins: bool = False) -> InChwn:
    """Define the operator in CHWN that does the same as one on images [N,C,H,W]."""

    def parts(*operands: Any, **attrs: Any) -> Any:
        laid = (apply("transpose", x, axes=AXES_TO_NCHW) if i in images else x for i, x in enumerate(operands))
        found = apply(op, *laid, **attrs)
        return apply("transpose", found, axes=AXES_TO_CHWN) if result else found

    def forward(*operands: np.ndarray, out: np.ndarray | None = None, **attrs: Any) -> Any:
        laid = (np.ascontiguousarray(x.transpose(AXES_TO_NCHW)) if i in images else x for i, x in enumerate(operands))
        found = op.forward(*laid, **attrs)
        found = found.transpose(AXES_TO_CHWN) if result else found
        return np.ascontiguousarray(found) if out is None else _in_out(out, found)

    def samples(rng: np.random.Generator) -> list[Sample]:
        given = op.samples(rng) if op.samples else []
        return [_laid_sample(op, images, sample) for sample in given]

    def label(attrs: Attrs) -> str:
        return f"{op.label_of(attrs)} chwn"

    made = composite(
        f"{op}_chwn", parts, forward=forward, into=op.into, unit=op.unit, label=label, samples=samples,
        doc=f"{op} on images [C,H,W,N].",
    )  # fmt: skip
    return InChwn(made, images, result, pays, begins)


def _laid_sample(op: Op, images: tuple[int, ...], sample: Sample) -> Sample:
    """A sample of an operator, its images in CHWN."""
    arrays = [np.asarray(x) for x in sample.args]
    attrs = op.canonical(*map(type_of, arrays), **sample.attrs) if op.canonical else sample.attrs
    laid = tuple(x.transpose(AXES_TO_CHWN) if i in images else x for i, x in enumerate(arrays))
    return Sample(laid, attrs, sample.smooth)


IN_CHWN: Mapping[Op, InChwn] = {
    CONV2D: _in_chwn(CONV2D, (0,), True, _conv_pays, begins=True),
    CONV2D_INPUT_GRAD: _in_chwn(CONV2D_INPUT_GRAD, (0,), True, _input_grad_pays, begins=True),
    CONV2D_WEIGHT_GRAD: _in_chwn(CONV2D_WEIGHT_GRAD, (0, 1), False, _weight_grad_pays),
    MAX_POOL2D: _in_chwn(MAX_POOL2D, (0,), True, _pool_pays),
    MAX_POOL2D_GRAD: _in_chwn(MAX_POOL2D_GRAD, (0, 1, 2), True, _pool_pays),
}
