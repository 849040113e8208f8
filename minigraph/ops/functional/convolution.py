"""Convolutions, transposed convolutions, biases, and image patches as columns (img2col)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from minigraph.core.errors import ShapeError, UsageError
from minigraph.core.op import apply
from minigraph.operators import conv, views
from minigraph.ops.functional.arguments import cuts, per_axis
from minigraph.ops.functional.joining import stack
from minigraph.ops.functional.shapes import expand_dims, reshape, squeeze, transpose

__all__ = ["bias_add", "conv1d", "conv2d", "conv3d", "conv_transpose2d", "fold", "unfold"]


# ---- convolutions ----------------------------------------------------------------------------------


def conv1d(
    input: Any,
    weight: Any,
    bias: Any = None,
    stride: Any = 1,
    pad_mode: str = "valid",
    padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
) -> Any:
    """The convolution of sequences [N,C,L] with weights [O,C/groups,k]; the rest as in ``conv2d``.

    >>> from minigraph.ops import ones
    >>> print(conv1d(ones((1, 1, 4)), ones((1, 1, 2))))
    [[[2. 2. 2.]]]
    """
    _check_ranks("conv1d", "sequences [N,C,L] and weights [O,C,k]", 3, input, weight)
    (step,), (gap,) = per_axis("conv1d", "stride", stride, 1), per_axis("conv1d", "dilation", dilation, 1)
    border = (0, 0, *per_axis("conv1d", "padding", padding, 1) * 2) if padding else 0
    rows, kernel = expand_dims(input, 2), expand_dims(weight, 2)
    found = conv2d(rows, kernel, None, (1, step), pad_mode, border, (1, gap), groups)
    return with_bias(squeeze(found, 2), bias)


def conv2d(
    input: Any,
    weight: Any,
    bias: Any = None,
    stride: Any = 1,
    pad_mode: str = "valid",
    padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
) -> Any:
    """The convolution of images [N,C,H,W] with weights [O,C/groups,kh,kw].

    ``pad_mode``: "valid" pads nothing, "pad" pads by ``padding``, "same" gives ceil(size / stride) pixels
    with the odd one of the border after.
    """
    border = _conv2d_border(pad_mode, padding, input.shape[2:], weight.shape[2:], _two(stride), _two(dilation))
    found = apply(conv.CONV2D, input, weight, stride=stride, padding=border, dilation=dilation, group=groups)
    return with_bias(found, bias)


def conv3d(
    input: Any,
    weight: Any,
    bias: Any = None,
    stride: Any = 1,
    pad_mode: str = "valid",
    padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
) -> Any:
    """The convolution of volumes [N,C,D,H,W] with weights [O,C/groups,kd,kh,kw]; the rest as in ``conv2d``.

    It is the sum of ``conv2d`` over the depth of the kernel.
    """
    _check_ranks("conv3d", "volumes [N,C,D,H,W] and weights [O,C,kd,kh,kw]", 5, input, weight)
    steps, gaps = per_axis("conv3d", "stride", stride, 3), per_axis("conv3d", "dilation", dilation, 3)
    border = _border("conv3d", pad_mode, padding, zip(input.shape[2:], weight.shape[2:], steps, gaps, strict=True))
    volume = apply("pad", input, widths=((0, 0), (0, 0), *border))
    depth = (volume.shape[2] - gaps[0] * (weight.shape[2] - 1) - 1) // steps[0] + 1
    found: Any = 0
    for at in range(weight.shape[2]):
        begin = at * gaps[0]
        slabs = volume[:, :, begin : begin + (depth - 1) * steps[0] + 1 : steps[0]]
        images = reshape(transpose(slabs, (0, 2, 1, 3, 4)), (-1, slabs.shape[1], *slabs.shape[3:]))
        found = conv2d(images, weight[:, :, at], None, steps[1:], "valid", 0, gaps[1:], groups) + found
    volumes = reshape(found, (input.shape[0], depth, *found.shape[1:]))
    return with_bias(transpose(volumes, (0, 2, 1, 3, 4)), bias)


def conv_transpose2d(
    input: Any,
    weight: Any,
    bias: Any = None,
    stride: Any = 1,
    padding: Any = 0,
    output_padding: Any = 0,
    groups: int = 1,
    dilation: Any = 1,
) -> Any:
    """The transposed convolution of images [N,C,H,W] with weights [C,O/groups,kh,kw].

    Every pixel adds its multiple of the kernel to the result, which has (size - 1) stride + span - 2 padding +
    output_padding pixels per axis, span = dilation (kernel - 1) + 1.

    >>> from minigraph.ops import ones
    >>> print(conv_transpose2d(ones((1, 1, 1, 2)), ones((1, 1, 1, 2)), stride=2))
    [[[[1. 1. 1. 1.]]]]
    """
    name = "conv_transpose2d"
    _check_ranks(name, "images [N,C,H,W] and weights [C,O,kh,kw]", 4, input, weight)
    steps, border = per_axis(name, "stride", stride, 2), per_axis(name, "padding", padding, 2)
    more, gaps = per_axis(name, "output_padding", output_padding, 2), per_axis(name, "dilation", dilation, 2)
    axes = zip(input.shape[2:], weight.shape[2:], steps, border, more, gaps, strict=True)
    pixels = [(n - 1) * s + d * (k - 1) + 1 - 2 * p + extra for n, k, s, p, extra, d in axes]
    found = apply(
        conv.CONV2D_INPUT_GRAD, input, weight, shape=(input.shape[0], weight.shape[1] * groups, *pixels),
        stride=steps, padding=tuple((one, one) for one in border), dilation=gaps, group=groups,
    )  # fmt: skip
    return with_bias(found, bias)


def bias_add(input_x: Any, bias: Any) -> Any:
    """A vector added along axis 1; raises ``ShapeError`` unless it has one number for each channel there."""
    if input_x.ndim < 2 or bias.shape != input_x.shape[1:2]:
        raise ShapeError(f"bias_add: {bias.type} for {input_x.type}; give one number for each channel, on axis 1")
    return input_x + apply(views.RESHAPE, bias, shape=(-1, *(1,) * (input_x.ndim - 2)))


def with_bias(x: Any, bias: Any) -> Any:
    """``bias_add`` where there is a bias."""
    return x if bias is None else bias_add(x, bias)


# ---- padding ---------------------------------------------------------------------------------------


def _conv2d_border(mode: str, padding: Any, image: Any, kernel: Any, stride: Any, dilation: Any) -> Any:
    if mode not in ("valid", "same", "pad"):
        raise UsageError(f"conv2d: pad_mode is 'valid', 'same' or 'pad', got {mode!r}")
    if mode != "pad" and padding not in (0, (0, 0), (0, 0, 0, 0)):
        raise UsageError(f"conv2d: padding {padding} needs pad_mode='pad', got {mode!r}")
    if mode == "same" and len(image) == len(kernel) == 2:  # another rank is refused by the operator
        return tuple(same_border(*sizes) for sizes in zip(image, kernel, stride, dilation, strict=True))
    return padding if mode == "pad" else 0


def same_border(size: int, kernel: int, stride: int, dilation: int) -> tuple[int, int]:
    """The border before and after that makes ceil(size / stride) results.

    >>> same_border(5, 2, 1, 1)
    (0, 1)
    """
    results = -(-size // stride)
    border = max(0, (results - 1) * stride + dilation * (kernel - 1) + 1 - size)
    return border // 2, border - border // 2


def _two(value: Any) -> tuple[int, int]:
    return (value, value) if isinstance(value, int) else (value[0], value[1])


def _check_ranks(name: str, wanted: str, rank: int, input: Any, weight: Any) -> None:
    if input.ndim != rank or weight.ndim != rank:
        raise ShapeError(f"{name}: needs {wanted}, got {list(input.shape)} and {list(weight.shape)}")


def _border(name: str, mode: str, padding: Any, axes: Any) -> list[tuple[int, int]]:
    axes = list(axes)
    if mode not in ("valid", "same", "pad"):
        raise UsageError(f"{name}: pad_mode is 'valid', 'same' or 'pad', got {mode!r}")
    if mode == "same":
        return [same_border(*axis) for axis in axes]
    if isinstance(padding, Sequence) and len(padding) == 2 * len(axes):
        return [(padding[2 * at], padding[2 * at + 1]) for at in range(len(axes))]
    return [(one, one) for one in per_axis(name, "padding", padding if mode == "pad" else 0, len(axes))]


# ---- columns ---------------------------------------------------------------------------------------


def unfold(input: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> Any:
    """Windows of images [N,C,H,W] as columns: [N, C kh kw, windows].

    >>> from minigraph.ops import arange
    >>> print(unfold(arange(4.0).reshape(1, 1, 2, 2), (1, 2)))
    [[[0. 2.]
      [1. 3.]]]
    """
    if input.ndim != 4:
        raise ShapeError(f"unfold: needs images [N,C,H,W], got shape {list(input.shape)}")
    images, places, _ = _cut("unfold", input, None, kernel_size, dilation, padding, stride)
    cells = stack([images[(..., *place)] for place in places], 2)
    return reshape(cells, (images.shape[0], images.shape[1] * len(places), -1))


def fold(input: Any, output_size: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> Any:
    """Columns [N, C kh kw, windows] added up where the windows lie in images [N, C, *output_size]: back from unfold.

    >>> from minigraph.ops import ones
    >>> print(fold(ones((1, 2, 2)), (1, 3), (1, 2)))
    [[[[1. 2. 1.]]]]
    """
    if input.ndim != 3:
        raise ShapeError(f"fold: needs columns [N,C*kh*kw,windows], got shape {list(input.shape)}")
    size = per_axis("fold", "output_size", output_size, 2)
    wide, places, counts = _cut("fold", input, size, kernel_size, dilation, padding, stride)
    if input.shape[1] % len(places) or input.shape[2] != counts[0] * counts[1]:
        wanted = f"[N,C*{len(places)},{counts[0] * counts[1]}]"
        raise ShapeError(f"fold: needs columns {wanted} for images of {list(size)}, got shape {list(input.shape)}")
    channels = input.shape[1] // len(places)
    cells = reshape(input, (input.shape[0], channels, len(places), *counts))
    shape = (input.shape[0], channels, *wide)
    found: Any = 0
    for at, place in enumerate(places):
        key = ((None, None, None), (None, None, None), *((part.start, part.stop, part.step) for part in place))
        found = apply("index_add", cells[:, :, at], key=key, shape=shape) + found
    (top, left), (height, width) = per_axis("fold", "padding", padding, 2), size
    return found[:, :, top : top + height, left : left + width]


def _cut(name: str, x: Any, size: Any, kernel: Any, dilation: Any, padding: Any, stride: Any) -> Any:
    """(padded images or their size, where each place of the kernel lies in all windows, windows per axis)."""
    kernels, gaps = per_axis(name, "kernel_size", kernel, 2), per_axis(name, "dilation", dilation, 2)
    border, steps = per_axis(name, "padding", padding, 2), per_axis(name, "stride", stride, 2)
    wide = tuple(n + 2 * p for n, p in zip(x.shape[2:] if size is None else size, border, strict=True))
    counts = tuple((n - d * (k - 1) - 1) // s + 1 for n, k, d, s in zip(wide, kernels, gaps, steps, strict=True))
    if min(counts) < 1:
        raise ShapeError(f"{name}: a window of {list(kernels)} with dilation {list(gaps)} does not fit in {list(wide)}")
    images = apply("pad", x, widths=((0, 0), (0, 0), *((one, one) for one in border))) if size is None else wide
    return images, cuts(kernels, counts, steps, gaps), counts
