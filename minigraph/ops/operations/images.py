"""Primitives of images: pooling, convolutions, blocks, other sizes."""

from __future__ import annotations

from typing import Any

from minigraph.core.errors import UsageError
from minigraph.core.op import apply
from minigraph.core.types import int32
from minigraph.operators.conv import CONV2D_INPUT_GRAD
from minigraph.ops.functional import array, convolutions, nn, pooling, pooling_to_size, resizing
from minigraph.ops.functional import math as maths
from minigraph.ops.primitive import REQUIRED, primitive

__all__ = [
    "AdaptiveAvgPool2D",
    "AdaptiveMaxPool2D",
    "AvgPool",
    "Conv2DTranspose",
    "Conv3D",
    "DepthToSpace",
    "MaxPool",
    "MaxPoolWithArgmax",
    "ResizeBilinearV2",
    "ResizeNearestNeighbor",
    "SpaceToDepth",
]  # fmt: skip


Border = tuple[int, int]  # pixels before and after


def check_format(name: str, data_format: str) -> None:
    """Raise ``UsageError`` for a layout other than channels before pixels."""
    if data_format not in ("NCHW", "NCDHW"):
        raise UsageError(f"{name}: data_format is 'NCHW', got {data_format!r}; transpose the images")


def _borders(name: str, x: Any, kernel: Any, strides: Any, mode: str, layout: str) -> tuple[Any, Any, list[Border]]:
    """(kernel, strides, borders) per axis of images."""
    check_format(name, layout)
    sizes, steps = (((one, one) if isinstance(one, int) else tuple(one)[-2:]) for one in (kernel, strides))
    if mode.lower() not in ("valid", "same"):
        raise UsageError(f"pooling: pad_mode is 'valid' or 'same', got {mode!r}")
    if mode.lower() == "valid":
        return sizes, steps, [(0, 0), (0, 0)]
    axes = zip(x.shape[2:], sizes, steps, strict=True)
    return sizes, steps, [nn.same_border(size, window, step, 1) for size, window, step in axes]


def _padded(x: Any, borders: list[Border], value: float) -> Any:
    return apply("pad", x, widths=((0, 0), (0, 0), *borders), value=value) if any(map(any, borders)) else x


def _max_pool(x: Any, *, kernel_size: Any, strides: Any, pad_mode: str, data_format: str) -> Any:
    """The largest element of each window of images."""
    sizes, steps, borders = _borders("MaxPool", x, kernel_size, strides, pad_mode, data_format)
    return pooling.max_pool2d(_padded(x, borders, float("-inf")), sizes, steps)


def _avg_pool(x: Any, *, kernel_size: Any, strides: Any, pad_mode: str, data_format: str) -> Any:
    """The mean of each window of images; a border does not count."""
    sizes, steps, borders = _borders("AvgPool", x, kernel_size, strides, pad_mode, data_format)
    added = pooling.avg_pool2d(_padded(x, borders, 0.0), sizes, steps)
    if not any(map(any, borders)):
        return added
    return added / pooling.avg_pool2d(_padded(array.ones((1, 1, *x.shape[2:]), x.dtype), borders, 0.0), sizes, steps)


def _max_pool_with_argmax(x: Any, *, kernel_size: Any, strides: Any, pad_mode: str, data_format: str) -> Any:
    """(the largest element of each window, where it stands as Int32, counted through all channels of its image)."""
    sizes, steps, borders = _borders("MaxPoolWithArgmax", x, kernel_size, strides, pad_mode, data_format)
    if any(map(any, borders)):
        raise UsageError("MaxPoolWithArgmax: pad_mode 'same' is not supported; pad the images first")
    found, places = pooling.max_pool2d(x, sizes, steps, return_indices=True)
    channels = array.arange(x.shape[1]).reshape(-1, 1, 1) * (x.shape[2] * x.shape[3])
    return found, maths.cast(places + channels, int32)


def _adaptive_max_pool(input: Any, *, output_size: Any) -> tuple[Any, Any]:
    """(the largest element of as many windows as there shall be pixels, where in its channel each one stands)."""
    found: tuple[Any, Any] = pooling_to_size.adaptive_max_pool2d(input, output_size, True)
    return found


def _conv3d(x: Any, weight: Any, bias: Any = None, **config: Any) -> Any:
    """The convolution of volumes."""
    check_format("Conv3D", config["data_format"])
    options = {"stride": config["stride"], "dilation": config["dilation"], "groups": config["group"]}
    return convolutions.conv3d(x, weight, bias, pad_mode=config["pad_mode"], padding=config["pad"], **options)


def _conv2d_transposed(x: Any, weight: Any, input_size: Any, **config: Any) -> Any:
    """Each pixel's multiple of the kernel added up in images of ``input_size``: the gradient of a convolution."""
    check_format("Conv2DTranspose", config["data_format"])
    stride, dilation = ((one, one) if isinstance(one, int) else one for one in (config["stride"], config["dilation"]))
    border = config["pad"] if config["pad_mode"] == "pad" else 0
    if config["pad_mode"] == "same":
        axes = zip(input_size[2:], weight.shape[2:], stride, dilation, strict=True)
        border = tuple(nn.same_border(*axis) for axis in axes)
    return apply(
        CONV2D_INPUT_GRAD, x, weight, shape=tuple(input_size),
        stride=stride, padding=border, dilation=dilation, group=config["group"],
    )  # fmt: skip


def _space_to_depth(x: Any, *, block_size: int) -> Any:
    """Blocks of images [N,C,H,W] as channels, those of one place in a block side by side."""
    count, channels, height, width = x.shape
    parts = x.reshape(count, channels, height // block_size, block_size, width // block_size, block_size)
    return parts.transpose((0, 3, 5, 1, 2, 4)).reshape(count, -1, height // block_size, width // block_size)


def _depth_to_space(x: Any, *, block_size: int) -> Any:
    """Channels as blocks of images [N,C,H,W]: the inverse of ``SpaceToDepth``."""
    count, channels, height, width = x.shape
    parts = x.reshape(count, block_size, block_size, channels // block_size**2, height, width)
    return parts.transpose((0, 3, 4, 1, 5, 2)).reshape(count, -1, height * block_size, width * block_size)


def _resize_nearest(input_x: Any, *, size: Any, align_corners: bool, half_pixel_centers: bool) -> Any:
    """Images in another size, each pixel that of the nearest."""
    if align_corners or half_pixel_centers:
        told = "align_corners and half_pixel_centers are not supported; leave them out"
        raise UsageError(f"ResizeNearestNeighbor: {told}")
    return resizing.interpolate(input_x, tuple(size), mode="nearest")


def _resize_bilinear(x: Any, size: Any, *, align_corners: bool, half_pixel_centers: bool) -> Any:
    """Images in another size, each pixel a mean of four; without either option only the first stays where it is."""
    if align_corners and half_pixel_centers:
        told = "align_corners and half_pixel_centers exclude each other; choose one"
        raise UsageError(f"ResizeBilinearV2: {told}")
    return resizing.resize_bilinear(x, size, "corners" if align_corners else "edges" if half_pixel_centers else "first")


MaxPool = primitive("MaxPool", _max_pool, kernel_size=1, strides=1, pad_mode="valid", data_format="NCHW")
AvgPool = primitive("AvgPool", _avg_pool, kernel_size=1, strides=1, pad_mode="valid", data_format="NCHW")
MaxPoolWithArgmax = primitive(
    "MaxPoolWithArgmax", _max_pool_with_argmax, kernel_size=1, strides=1, pad_mode="valid", data_format="NCHW"
)  # fmt: skip
AdaptiveAvgPool2D = primitive("AdaptiveAvgPool2D", pooling_to_size.adaptive_avg_pool2d, output_size=REQUIRED)
AdaptiveMaxPool2D = primitive("AdaptiveMaxPool2D", _adaptive_max_pool, output_size=REQUIRED)
Conv3D = primitive(
    "Conv3D", _conv3d,
    out_channel=REQUIRED, kernel_size=REQUIRED, mode=1, pad_mode="valid", pad=0, stride=1, dilation=1, group=1,
    data_format="NCDHW",
)  # fmt: skip
Conv2DTranspose = primitive(
    "Conv2DTranspose", _conv2d_transposed,
    out_channel=REQUIRED, kernel_size=REQUIRED, pad_mode="valid", pad=0, pad_list=None, mode=1, stride=1, dilation=1,
    group=1, data_format="NCHW",
)  # fmt: skip
SpaceToDepth = primitive("SpaceToDepth", _space_to_depth, block_size=REQUIRED)
DepthToSpace = primitive("DepthToSpace", _depth_to_space, block_size=REQUIRED)
ResizeNearestNeighbor = primitive(
    "ResizeNearestNeighbor", _resize_nearest, size=REQUIRED, align_corners=False, half_pixel_centers=False
)  # fmt: skip
ResizeBilinearV2 = primitive(
    "ResizeBilinearV2", _resize_bilinear, align_corners=False, half_pixel_centers=False
)  # fmt: skip
