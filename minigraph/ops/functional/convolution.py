"""Convolutions, transposed convolutions, biases, and image patches as columns (im2col)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from minigraph.core.aliases import IntOrTuple
from minigraph.core.errors import ShapeError, UsageError
from minigraph.core.op import apply
from minigraph.core.tensor import Tensor
from minigraph.operators import conv, views
from minigraph.ops.functional.arguments import per_axis, window_slices
from minigraph.ops.functional.forms import export
from minigraph.ops.functional.joining import stack
from minigraph.ops.functional.shapes import expand_dims, reshape, squeeze, transpose

FORMS = """
method: col2im fold unfold
function: bias_add conv1d conv2d conv3d conv_transpose2d
"""
export(globals())


# ---- convolutions ----------------------------------------------------------------------------------


def conv1d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: IntOrTuple = 1,
    pad_mode: str = "valid",
    padding: IntOrTuple = 0,
    dilation: IntOrTuple = 1,
    groups: int = 1,
) -> Tensor:
    """Convolves sequences [N,C,L] with weights [O,C/groups,k]; the other arguments as in ``conv2d``.

    >>> from minigraph.ops import ones
    >>> print(conv1d(ones((1, 1, 4)), ones((1, 1, 2))))
    [[[2. 2. 2.]]]
    """
    _check_ranks("conv1d", "sequences [N,C,L] and weights [O,C,k]", 3, input, weight)
    strides, dilations = per_axis("conv1d", "stride", stride, 1), per_axis("conv1d", "dilation", dilation, 1)
    pads = (0, 0, *per_axis("conv1d", "padding", padding, 1) * 2) if padding else 0
    rows, kernel = expand_dims(input, 2), expand_dims(weight, 2)
    outputs = conv2d(rows, kernel, None, (1, *strides), pad_mode, pads, (1, *dilations), groups)
    return add_bias(squeeze(outputs, 2), bias)


def conv2d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: IntOrTuple = 1,
    pad_mode: str = "valid",
    padding: IntOrTuple | tuple[tuple[int, int], ...] = 0,
    dilation: IntOrTuple = 1,
    groups: int = 1,
) -> Tensor:
    """Convolves images [N,C,H,W] with weights [O,C/groups,kh,kw].

    ``pad_mode``: "valid" does not pad, "pad" pads by ``padding``, "same" pads so that ceil(size / stride) pixels
    result; an odd pixel of padding is added at the end.
    """
    pads = _conv2d_padding(pad_mode, padding, input.shape[2:], weight.shape[2:], _pair(stride), _pair(dilation))
    outputs = apply(conv.CONV2D, input, weight, stride=stride, padding=pads, dilation=dilation, group=groups)
    return add_bias(outputs, bias)


def conv3d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: IntOrTuple = 1,
    pad_mode: str = "valid",
    padding: IntOrTuple = 0,
    dilation: IntOrTuple = 1,
    groups: int = 1,
) -> Tensor:
    """Convolves volumes [N,C,D,H,W] with weights [O,C/groups,kd,kh,kw]; the other arguments as in ``conv2d``.

    It is the sum of ``conv2d`` over the depth of the kernel. Raises ``ShapeError`` for another rank, or a kernel larger
    than the padded volume.
    """
    _check_ranks("conv3d", "volumes [N,C,D,H,W] and weights [O,C,kd,kh,kw]", 5, input, weight)
    strides, dilations = per_axis("conv3d", "stride", stride, 3), per_axis("conv3d", "dilation", dilation, 3)
    axes = zip(input.shape[2:], weight.shape[2:], strides, dilations, strict=True)
    pads = _padding_per_axis("conv3d", pad_mode, padding, axes)
    volume = apply("pad", input, widths=((0, 0), (0, 0), *pads))
    kernel_sizes = [d * (size - 1) + 1 for d, size in zip(dilations, weight.shape[2:], strict=True)]
    if any(effective > size for effective, size in zip(kernel_sizes, volume.shape[2:], strict=True)):
        raise ShapeError(f"conv3d: the kernel {weight.type} is larger than the padded volumes {volume.type}; pad more")
    depth = (volume.shape[2] - kernel_sizes[0]) // strides[0] + 1
    outputs: Any = 0
    for offset in range(weight.shape[2]):
        begin = offset * dilations[0]
        slabs = volume[:, :, begin : begin + (depth - 1) * strides[0] + 1 : strides[0]]
        images = reshape(transpose(slabs, (0, 2, 1, 3, 4)), (-1, slabs.shape[1], *slabs.shape[3:]))
        outputs = conv2d(images, weight[:, :, offset], None, strides[1:], "valid", 0, dilations[1:], groups) + outputs
    volumes = reshape(outputs, (input.shape[0], depth, *outputs.shape[1:]))
    return add_bias(transpose(volumes, (0, 2, 1, 3, 4)), bias)


def conv_transpose2d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: IntOrTuple = 1,
    padding: IntOrTuple = 0,
    output_padding: IntOrTuple = 0,
    groups: int = 1,
    dilation: IntOrTuple = 1,
) -> Tensor:
    """The transposed convolution of images [N,C,H,W] with weights [C,O/groups,kh,kw].

    Every pixel adds its multiple of the kernel to the result, which has (size - 1) stride + effective kernel size - 2
    padding + output_padding pixels per axis; the effective kernel size is dilation (kernel - 1) + 1.

    >>> from minigraph.ops import ones
    >>> print(conv_transpose2d(ones((1, 1, 1, 2)), ones((1, 1, 1, 2)), stride=2))
    [[[[1. 1. 1. 1.]]]]
    """
    name = "conv_transpose2d"
    _check_ranks(name, "images [N,C,H,W] and weights [C,O,kh,kw]", 4, input, weight)
    strides, dilations = per_axis(name, "stride", stride, 2), per_axis(name, "dilation", dilation, 2)
    pads, output_pads = per_axis(name, "padding", padding, 2), per_axis(name, "output_padding", output_padding, 2)
    axes = zip(input.shape[2:], weight.shape[2:], strides, pads, output_pads, dilations, strict=True)
    pixels = [(n - 1) * s + d * (k - 1) + 1 - 2 * p + o for n, k, s, p, o, d in axes]
    outputs = apply(
        conv.CONV2D_INPUT_GRAD, input, weight, shape=(input.shape[0], weight.shape[1] * groups, *pixels),
        stride=strides, padding=tuple((pad, pad) for pad in pads), dilation=dilations, group=groups,
    )  # fmt: skip
    return add_bias(outputs, bias)


def bias_add(input_x: Tensor, bias: Tensor) -> Tensor:
    """Adds a vector along axis 1; raises ``ShapeError`` unless it has one element per channel."""
    if input_x.ndim < 2 or bias.shape != input_x.shape[1:2]:
        raise ShapeError(f"bias_add: {bias.type} for {input_x.type}; pass one number per channel (axis 1)")
    return input_x + apply(views.RESHAPE, bias, shape=(-1, *(1,) * (input_x.ndim - 2)))


def add_bias(x: Tensor, bias: Tensor | None) -> Tensor:
    """``x`` plus the bias, if there is one."""
    return x if bias is None else bias_add(x, bias)


# ---- padding ---------------------------------------------------------------------------------------


def _conv2d_padding(
    mode: str, padding: IntOrTuple | tuple[tuple[int, int], ...], image: tuple[int, ...], kernel: tuple[int, ...],
    stride: tuple[int, ...], dilation: tuple[int, ...],
) -> IntOrTuple | tuple[tuple[int, int], ...]:  # fmt: skip
    if mode not in ("valid", "same", "pad"):
        raise UsageError(f"conv2d: pad_mode is 'valid', 'same' or 'pad', got {mode!r}")
    if mode != "pad" and padding not in (0, (0, 0), (0, 0, 0, 0)):
        raise UsageError(f"conv2d: padding {padding} needs pad_mode='pad', got {mode!r}")
    if mode == "same" and len(image) == len(kernel) == 2:  # the operator rejects other ranks
        return tuple(same_padding(*sizes) for sizes in zip(image, kernel, stride, dilation, strict=True))
    return padding if mode == "pad" else 0


def same_padding(size: int, kernel: int, stride: int, dilation: int) -> tuple[int, int]:
    """The padding (before, after) of an axis that yields ceil(size / stride) results.

    >>> same_padding(5, 2, 1, 1)
    (0, 1)
    """
    results = -(-size // stride)
    padding = max(0, (results - 1) * stride + dilation * (kernel - 1) + 1 - size)
    return padding // 2, padding - padding // 2


def _pair(value: IntOrTuple) -> tuple[int, int]:
    return (value, value) if isinstance(value, int) else (value[0], value[1])


def _check_ranks(name: str, expected: str, rank: int, input: Tensor, weight: Tensor) -> None:
    if input.ndim != rank or weight.ndim != rank:
        raise ShapeError(f"{name}: needs {expected}, got {list(input.shape)} and {list(weight.shape)}")


def _padding_per_axis(
    name: str, mode: str, padding: IntOrTuple, axes: Iterable[tuple[int, int, int, int]]
) -> list[tuple[int, int]]:
    axes = list(axes)
    if mode not in ("valid", "same", "pad"):
        raise UsageError(f"{name}: pad_mode is 'valid', 'same' or 'pad', got {mode!r}")
    if mode == "same":
        return [same_padding(*axis) for axis in axes]
    if isinstance(padding, Sequence) and len(padding) == 2 * len(axes):
        return [(padding[2 * i], padding[2 * i + 1]) for i in range(len(axes))]
    return [(pad, pad) for pad in per_axis(name, "padding", padding if mode == "pad" else 0, len(axes))]


# ---- im2col ----------------------------------------------------------------------------------------


def unfold(
    input: Tensor, kernel_size: IntOrTuple, dilation: IntOrTuple = 1, padding: IntOrTuple = 0, stride: IntOrTuple = 1
) -> Tensor:
    """Windows of images [N,C,H,W] as columns (im2col): [N, C kh kw, windows].

    >>> from minigraph.ops import arange
    >>> print(unfold(arange(4.0).reshape(1, 1, 2, 2), (1, 2)))
    [[[0. 2.]
      [1. 3.]]]
    """
    if input.ndim != 4:
        raise ShapeError(f"unfold: needs images [N,C,H,W], got shape {list(input.shape)}")
    images, positions, _ = _window_layout("unfold", input, None, kernel_size, dilation, padding, stride)
    patches = stack([images[(..., *position)] for position in positions], 2)
    return reshape(patches, (images.shape[0], images.shape[1] * len(positions), -1))


def fold(
    input: Tensor, output_size: IntOrTuple, kernel_size: IntOrTuple, dilation: IntOrTuple = 1, padding: IntOrTuple = 0,
    stride: IntOrTuple = 1,
) -> Tensor:  # fmt: skip
    """The sum of columns [N, C kh kw, windows] in images [N, C, *output_size] (col2im), the adjoint of ``unfold``.

    >>> from minigraph.ops import ones
    >>> print(fold(ones((1, 2, 2)), (1, 3), (1, 2)))
    [[[[1. 2. 1.]]]]
    """
    if input.ndim != 3:
        raise ShapeError(f"fold: needs columns [N,C*kh*kw,windows], got shape {list(input.shape)}")
    size = per_axis("fold", "output_size", output_size, 2)
    padded, positions, counts = _window_layout("fold", input, size, kernel_size, dilation, padding, stride)
    if input.shape[1] % len(positions) or input.shape[2] != counts[0] * counts[1]:
        expected = f"[N,C*{len(positions)},{counts[0] * counts[1]}]"
        raise ShapeError(f"fold: needs columns {expected} for images of {list(size)}, got shape {list(input.shape)}")
    channels = input.shape[1] // len(positions)
    patches = reshape(input, (input.shape[0], channels, len(positions), *counts))
    shape = (input.shape[0], channels, *padded)
    images: Any = 0
    for index, position in enumerate(positions):
        key = ((None, None, None), (None, None, None), *((axis.start, axis.stop, axis.step) for axis in position))
        images = apply("index_add", patches[:, :, index], key=key, shape=shape) + images
    (top, left), (height, width) = per_axis("fold", "padding", padding, 2), size
    return images[:, :, top : top + height, left : left + width]


def col2im(
    input_x: Tensor, output_size: Tensor, kernel_size: IntOrTuple, dilation: IntOrTuple, padding_value: IntOrTuple,
    stride: IntOrTuple,
) -> Tensor:  # fmt: skip
    """``fold`` of columns [N, C, kh kw, windows] with the size as a tensor.

    >>> from minigraph.ops import ones
    >>> print(col2im(ones((1, 1, 2, 2)), Tensor([1, 3]), (1, 2), 1, 0, 1))
    [[[[1. 2. 1.]]]]
    """
    columns = reshape(input_x, (input_x.shape[0], -1, input_x.shape[-1]))
    return fold(columns, tuple(output_size.tolist()), kernel_size, dilation, padding_value, stride)


def _window_layout(
    name: str, x: Tensor, size: tuple[int, ...] | None, kernel: IntOrTuple, dilation: IntOrTuple, padding: IntOrTuple,
    stride: IntOrTuple,
) -> tuple[Any, list[tuple[slice, ...]], tuple[int, ...]]:  # fmt: skip
    """(padded images or their size, for each kernel position the slices of all windows, windows per axis)."""
    kernels, dilations = per_axis(name, "kernel_size", kernel, 2), per_axis(name, "dilation", dilation, 2)
    pads, strides = per_axis(name, "padding", padding, 2), per_axis(name, "stride", stride, 2)
    padded = tuple(n + 2 * p for n, p in zip(x.shape[2:] if size is None else size, pads, strict=True))
    axes = zip(padded, kernels, dilations, strides, strict=True)
    counts = tuple((n - d * (k - 1) - 1) // s + 1 for n, k, d, s in axes)
    if min(counts) < 1:
        raise ShapeError(
            f"{name}: a window of {list(kernels)} with dilation {list(dilations)} does not fit in {list(padded)}"
        )
    images = apply("pad", x, widths=((0, 0), (0, 0), *((pad, pad) for pad in pads))) if size is None else padded
    return images, window_slices(kernels, counts, strides, dilations), counts
