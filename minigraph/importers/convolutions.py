"""Convolutions of sequences, images and volumes, and transposed convolutions, for every format."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

from minigraph import ops
from minigraph.core.op import apply
from minigraph.core.tensor import Tensor

Sizes = Sequence[int]
Pads = Sequence[tuple[int, int]]  # before and after each axis


def convolve(x: Tensor, weight: Tensor, stride: Sizes, pads: Pads, dilation: Sizes, group: int) -> Tensor:
    """The convolution of [N,C,...] with weights [O,C/group,...]."""
    if len(stride) == 1:  # over images of height 1
        images, weights = (apply("expand_dims", t, axis=2) for t in (x, weight))
        return ops.squeeze(convolve(images, weights, (1, *stride), ((0, 0), *pads), (1, *dilation), group), 2)
    if len(stride) == 3:
        return ops.conv3d(x, weight, None, tuple(stride), "pad", tuple(chain(*pads)), tuple(dilation), group)
    attrs = {"stride": tuple(stride), "padding": tuple(pads), "dilation": tuple(dilation), "group": group}
    out: Tensor = apply("conv2d", x, weight, **attrs)
    return out


def convolve_transposed(
    x: Tensor, weight: Tensor, stride: Sizes, pads: Pads, dilation: Sizes, group: int, output_padding: Sizes
) -> Tensor:
    """The transposed convolution: the gradient of a convolution with respect to its input; weights [C,O/group,...]."""
    if len(stride) == 1:
        images, weights = (apply("expand_dims", t, axis=2) for t in (x, weight))
        attributes = (1, *stride), ((0, 0), *pads), (1, *dilation), group, (0, *output_padding)
        return ops.squeeze(convolve_transposed(images, weights, *attributes), 2)
    if len(stride) == 3:
        window = tuple(chain(*pads)), tuple(stride), tuple(dilation)
        return ops.conv3d_transpose(x, weight, "pad", *window, group, tuple(output_padding))
    axes = zip(x.shape[2:], weight.shape[2:], stride, pads, dilation, output_padding, strict=True)
    sizes = [(n - 1) * s - sum(p) + d * (k - 1) + 1 + end for n, k, s, p, d, end in axes]
    attrs = {"stride": tuple(stride), "padding": tuple(pads), "dilation": tuple(dilation), "group": group}
    out: Tensor = apply("conv2d_input_grad", x, weight, shape=(len(x), weight.shape[1] * group, *sizes), **attrs)
    return out
