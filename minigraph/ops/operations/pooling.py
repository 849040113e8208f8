"""Primitives of pooling."""

from __future__ import annotations

from minigraph.core.aliases import IntOrTuple
from minigraph.core.errors import UsageError
from minigraph.core.op import apply
from minigraph.core.tensor import Tensor
from minigraph.core.types import int32
from minigraph.ops import functional as F
from minigraph.ops.functional.convolution import same_padding
from minigraph.ops.operations.convolution import check_format
from minigraph.ops.primitive import REQUIRED, primitive

__all__ = ["AdaptiveAvgPool2D", "AdaptiveMaxPool2D", "AvgPool", "MaxPool", "MaxPoolWithArgmax"]


Pads = tuple[int, int]  # pixels before and after


def _geometry(
    name: str, x: Tensor, kernel: IntOrTuple, strides: int, mode: str, layout: str
) -> tuple[IntOrTuple, IntOrTuple, list[Pads]]:
    """(kernel, strides, padding) per axis of images."""
    check_format(name, layout)
    sizes, steps = (((one, one) if isinstance(one, int) else tuple(one)[-2:]) for one in (kernel, strides))
    if mode.lower() not in ("valid", "same"):
        raise UsageError(f"pooling: pad_mode must be 'valid' or 'same', got {mode!r}")
    if mode.lower() == "valid":
        return sizes, steps, [(0, 0), (0, 0)]
    axes = zip(x.shape[2:], sizes, steps, strict=True)
    return sizes, steps, [same_padding(size, window, step, 1) for size, window, step in axes]


def _pad(x: Tensor, pads: list[Pads], value: float) -> Tensor:
    return apply("pad", x, widths=((0, 0), (0, 0), *pads), value=value) if any(map(any, pads)) else x


def _max_pool(x: Tensor, *, kernel_size: IntOrTuple, strides: int, pad_mode: str, data_format: str) -> Tensor:
    """The maximum of each window of images."""
    sizes, steps, pads = _geometry("MaxPool", x, kernel_size, strides, pad_mode, data_format)
    return F.max_pool2d(_pad(x, pads, float("-inf")), sizes, steps)


def _avg_pool(x: Tensor, *, kernel_size: IntOrTuple, strides: int, pad_mode: str, data_format: str) -> Tensor:
    """The mean of each window of images, without padding."""
    sizes, steps, pads = _geometry("AvgPool", x, kernel_size, strides, pad_mode, data_format)
    sums = F.avg_pool2d(_pad(x, pads, 0.0), sizes, steps)
    if not any(map(any, pads)):
        return sums
    return sums / F.avg_pool2d(_pad(F.ones((1, 1, *x.shape[2:]), x.dtype), pads, 0.0), sizes, steps)


def _max_pool_with_argmax(
    x: Tensor, *, kernel_size: int, strides: int, pad_mode: str, data_format: str
) -> tuple[Tensor, ...]:
    """(the maximum of each window, its Int32 position in the flattened image with all channels)."""
    sizes, steps, pads = _geometry("MaxPoolWithArgmax", x, kernel_size, strides, pad_mode, data_format)
    if any(map(any, pads)):
        raise UsageError("MaxPoolWithArgmax: pad_mode 'same' is not supported; pad the images first")
    maxima, positions = F.max_pool2d(x, sizes, steps, return_indices=True)
    channels = F.arange(x.shape[1]).reshape(-1, 1, 1) * (x.shape[2] * x.shape[3])
    return maxima, F.cast(positions + channels, int32)


def _adaptive_max_pool(input: Tensor, *, output_size: int | tuple[int | None, ...]) -> tuple[Tensor, Tensor]:
    """Adaptive max pooling to ``output_size`` pixels: (maxima, their positions in the flattened channel)."""
    result: tuple[Tensor, Tensor] = F.adaptive_max_pool2d(input, output_size, True)
    return result


MaxPool = primitive("MaxPool", _max_pool, kernel_size=1, strides=1, pad_mode="valid", data_format="NCHW")
AvgPool = primitive("AvgPool", _avg_pool, kernel_size=1, strides=1, pad_mode="valid", data_format="NCHW")
MaxPoolWithArgmax = primitive(
    "MaxPoolWithArgmax", _max_pool_with_argmax, kernel_size=1, strides=1, pad_mode="valid", data_format="NCHW"
)  # fmt: skip
AdaptiveAvgPool2D = primitive("AdaptiveAvgPool2D", F.adaptive_avg_pool2d, output_size=REQUIRED)
AdaptiveMaxPool2D = primitive("AdaptiveMaxPool2D", _adaptive_max_pool, output_size=REQUIRED)
