"""Primitives of convolutions and biases."""

from __future__ import annotations

from typing import Any

from minigraph.core.aliases import IntOrTuple
from minigraph.core.errors import UsageError
from minigraph.core.op import apply
from minigraph.core.tensor import Tensor
from minigraph.operators import conv
from minigraph.operators.conv import CONV2D_INPUT_GRAD
from minigraph.ops import functional as F
from minigraph.ops.functional.arguments import window_slices
from minigraph.ops.functional.convolution import same_padding
from minigraph.ops.functional.deformable_convolution import deformable_samples
from minigraph.ops.primitive import REQUIRED, primitive

__all__ = [
    "BiasAdd", "Col2Im", "Conv2D", "Conv2DBackpropInput", "Conv2DTranspose", "Conv3D", "Conv3DTranspose",
    "DeformableOffsets", "ExtractVolumePatches", "Im2Col",
]  # fmt: skip


def check_format(name: str, data_format: str, supported: str = "NCHW") -> None:
    """Raises ``UsageError`` for a layout other than the one with channels first."""
    if data_format != supported:
        raise UsageError(f"{name}: data_format must be {supported!r}, got {data_format!r}; transpose the images")


def _bias_add(x: Tensor, bias: Tensor, *, data_format: str) -> Tensor:
    """A vector added along axis 1 ("NCHW"), or along the last one ("NHWC")."""
    return x + bias if data_format == "NHWC" else F.bias_add(x, bias)


def _conv2d(
    x: Tensor, weight: Tensor, *, out_channel: int, kernel_size: int, pad_mode: str, pad: int, **config: Any
) -> Tensor:
    """The convolution of images."""
    if config["data_format"] != "NCHW":
        raise UsageError(f"Conv2D: data_format must be 'NCHW', got {config['data_format']!r}; transpose the images")
    return F.conv2d(x, weight, None, config["stride"], pad_mode, pad, config["dilation"], config["group"])


def _conv3d(x: Tensor, weight: Tensor, bias: Tensor | None = None, **config: Any) -> Tensor:
    """The convolution of volumes."""
    check_format("Conv3D", config["data_format"], "NCDHW")
    options = {"stride": config["stride"], "dilation": config["dilation"], "groups": config["group"]}
    return F.conv3d(x, weight, bias, pad_mode=config["pad_mode"], padding=config["pad"], **options)


def _conv3d_transpose(x: Tensor, weight: Tensor, bias: Tensor | None = None, **config: Any) -> Tensor:
    """The transposed convolution of volumes."""
    check_format("Conv3DTranspose", config["data_format"], "NCDHW")
    options = {name: config[name] for name in ("pad_mode", "stride", "dilation", "group", "output_padding")}
    return F.conv3d_transpose(x, weight, padding=config["pad"], bias=bias, **options)


def _conv2d_transpose(x: Tensor, weight: Tensor, input_size: tuple[int, ...], **config: Any) -> Tensor:
    """The transposed convolution to images of ``input_size``: the gradient of a convolution for its input."""
    check_format("Conv2DTranspose", config["data_format"])
    stride, dilation = (
        (value, value) if isinstance(value, int) else value for value in (config["stride"], config["dilation"])
    )
    pads = config["pad"] if config["pad_mode"] == "pad" else 0
    if config["pad_mode"] == "same":
        axes = zip(input_size[2:], weight.shape[2:], stride, dilation, strict=True)
        pads = tuple(same_padding(*axis) for axis in axes)
    return apply(
        CONV2D_INPUT_GRAD, x, weight, shape=tuple(input_size),
        stride=stride, padding=pads, dilation=dilation, group=config["group"],
    )  # fmt: skip


BiasAdd = primitive("BiasAdd", _bias_add, data_format="NCHW")
Conv2D = primitive(
    "Conv2D", _conv2d, conv.CONV2D,
    out_channel=REQUIRED, kernel_size=REQUIRED, mode=1, pad_mode="valid", pad=0, stride=1, dilation=1, group=1,
    data_format="NCHW",
)  # fmt: skip
Conv3D = primitive(
    "Conv3D", _conv3d,
    out_channel=REQUIRED, kernel_size=REQUIRED, mode=1, pad_mode="valid", pad=0, stride=1, dilation=1, group=1,
    data_format="NCDHW",
)  # fmt: skip
Conv2DTranspose = primitive(
    "Conv2DTranspose", _conv2d_transpose,
    out_channel=REQUIRED, kernel_size=REQUIRED, pad_mode="valid", pad=0, pad_list=None, mode=1, stride=1, dilation=1,
    group=1, data_format="NCHW",
)  # fmt: skip
Conv2DBackpropInput = primitive(
    "Conv2DBackpropInput", _conv2d_transpose,
    out_channel=REQUIRED, kernel_size=REQUIRED, pad_mode="valid", pad=0, pad_list=None, mode=1, stride=1, dilation=1,
    group=1, data_format="NCHW",
)  # fmt: skip
Conv3DTranspose = primitive(
    "Conv3DTranspose", _conv3d_transpose,
    in_channel=REQUIRED, out_channel=REQUIRED, kernel_size=REQUIRED, mode=1, pad_mode="valid", pad=0, stride=1,
    dilation=1, group=1, output_padding=0, data_format="NCDHW",
)  # fmt: skip


def _col2im(
    x: Tensor,
    output_size: Tensor,
    *,
    kernel_size: IntOrTuple,
    dilation: IntOrTuple,
    padding: IntOrTuple,
    stride: IntOrTuple,
) -> Tensor:
    """The sum of windows [N, C, kh kw, windows] in images."""
    return F.col2im(x, output_size, kernel_size, dilation, padding, stride)


Col2Im = primitive("Col2Im", _col2im, kernel_size=REQUIRED, dilation=1, padding=0, stride=1)


def _im2col(x: Tensor, *, ksizes: IntOrTuple, strides: IntOrTuple, dilations: IntOrTuple, pads: IntOrTuple) -> Tensor:
    """Windows of images [N,C,H,W] as columns [N, C, kh kw, windows]."""
    columns = F.unfold(x, ksizes, dilations, pads, strides)
    return F.reshape(columns, (*x.shape[:2], -1, columns.shape[-1]))


Im2Col = primitive("Im2Col", _im2col, ksizes=REQUIRED, strides=1, dilations=1, pads=0)


def _volume_patches(input_x: Tensor, *, kernel_size: Any, strides: Any, padding: str) -> Tensor:
    """Windows of volumes [N, C, D, H, W] as channels [N, C kd kh kw, ...], each position with all channels."""
    kernel, steps = (
        ((value,) * 3 if isinstance(value, int) else tuple(value)[-3:]) for value in (kernel_size, strides)
    )
    if padding.lower() == "same":
        axes = zip(input_x.shape[2:], kernel, steps, strict=True)
        pads = tuple(same_padding(*axis, 1) for axis in axes)
        input_x = apply("pad", input_x, widths=((0, 0), (0, 0), *pads))
    elif padding.lower() != "valid":
        raise UsageError(f"ExtractVolumePatches: padding is 'same' or 'valid', got {padding!r}")
    axes = zip(input_x.shape[2:], kernel, steps, strict=True)
    counts = [(size - window) // step + 1 for size, window, step in axes]
    slices = window_slices(kernel, counts, steps, (1, 1, 1))
    return F.concat([input_x[(slice(None), slice(None), *part)] for part in slices], 1)


ExtractVolumePatches = primitive(
    "ExtractVolumePatches", _volume_patches, kernel_size=REQUIRED, strides=REQUIRED, padding=REQUIRED
)  # fmt: skip


def _deformable_offsets(
    x: Tensor, offsets: Tensor, *, strides: Any, pads: Any, ksize: Any, dilations: Any, data_format: str,
    deformable_groups: int, modulated: bool,
) -> Tensor:  # fmt: skip
    """Images sampled at the positions of the elements of windows plus offsets."""
    check_format("DeformableOffsets", data_format)
    return deformable_samples(x, offsets, ksize, strides, pads, dilations, deformable_groups, modulated)


DeformableOffsets = primitive(
    "DeformableOffsets", _deformable_offsets,
    strides=REQUIRED, pads=REQUIRED, ksize=REQUIRED, dilations=(1, 1, 1, 1), data_format="NCHW", deformable_groups=1,
    modulated=True,
)  # fmt: skip
