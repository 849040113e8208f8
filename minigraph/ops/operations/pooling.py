"""Primitives of pooling."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from minigraph.core.aliases import Function, IntOrTuple
from minigraph.core.errors import UsageError
from minigraph.core.op import apply
from minigraph.core.tensor import Tensor
from minigraph.core.types import DType, int32, int64
from minigraph.ops import functional as F
from minigraph.ops.functional.convolution import same_padding
from minigraph.ops.operations.convolution import check_format
from minigraph.ops.primitive import REQUIRED, primitive

__all__ = [
    "AvgPool", "AvgPool3D", "FractionalAvgPool", "FractionalMaxPool", "FractionalMaxPool3DWithFixedKsize",
    "FractionalMaxPoolWithFixedKsize", "MaxPool", "MaxPool3D", "MaxPool3DWithArgmax", "MaxPoolWithArgmax",
    "MaxPoolWithArgmaxV2", "MaxUnpool2D", "MaxUnpool3D",
]  # fmt: skip

Pads = tuple[int, int]  # pixels before and after


def _geometry(
    name: str, x: Tensor, kernel: IntOrTuple, strides: int, mode: str, layout: str
) -> tuple[IntOrTuple, IntOrTuple, list[Pads]]:
    """(kernel, strides, padding) per axis of images."""
    check_format(name, layout)
    sizes, steps = (((value, value) if isinstance(value, int) else tuple(value)[-2:]) for value in (kernel, strides))
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


MaxPool = primitive("MaxPool", _max_pool, kernel_size=1, strides=1, pad_mode="valid", data_format="NCHW")
AvgPool = primitive("AvgPool", _avg_pool, kernel_size=1, strides=1, pad_mode="valid", data_format="NCHW")
MaxPoolWithArgmax = primitive(
    "MaxPoolWithArgmax", _max_pool_with_argmax, kernel_size=1, strides=1, pad_mode="valid", data_format="NCHW"
)  # fmt: skip


def _unpooling(name: str, unpool: Function, layout: str) -> Any:
    """The primitive of ``max_unpool2d`` or ``max_unpool3d``; ``layout``: the only one it takes, with channels first."""

    def call(
        x: Tensor, argmax: Tensor, *, ksize: IntOrTuple, strides: IntOrTuple, pads: IntOrTuple,
        output_shape: tuple[int, ...], data_format: str,
    ) -> Tensor:  # fmt: skip
        check_format(name, data_format, layout)
        result: Tensor = unpool(x, argmax, ksize, strides, pads, output_shape)
        return result

    call.__doc__ = f"``ops.{unpool.__name__}``: maxima at their positions, zeros elsewhere."
    return primitive(name, call, ksize=REQUIRED, strides=0, pads=0, output_shape=(), data_format=layout)


def _max_pool_with_indices(
    x: Tensor,
    *,
    kernel_size: IntOrTuple,
    strides: IntOrTuple,
    pads: IntOrTuple,
    dilation: IntOrTuple,
    ceil_mode: bool,
    argmax_type: DType,
) -> tuple[Tensor, Tensor]:
    """(the maximum of each window of images, its position in the channel)."""
    maxima, positions = F.max_pool2d(x, kernel_size, strides, pads, dilation, return_indices=True, ceil_mode=ceil_mode)
    return maxima, F.cast(positions, argmax_type)


def _max_pool3d_with_indices(
    x: Tensor, *, ksize: IntOrTuple, strides: IntOrTuple, pads: IntOrTuple, dilation: IntOrTuple, ceil_mode: bool,
    data_format: str, argmax_type: DType,
) -> tuple[Tensor, Tensor]:  # fmt: skip
    """(the maximum of each window of volumes, its position in the channel)."""
    check_format("MaxPool3DWithArgmax", data_format, "NCDHW")
    maxima, positions = F.max_pool3d(x, ksize, strides, pads, dilation, ceil_mode, True)
    return maxima, F.cast(positions, argmax_type)


MaxUnpool2D = _unpooling("MaxUnpool2D", F.max_unpool2d, "NCHW")
MaxUnpool3D = _unpooling("MaxUnpool3D", F.max_unpool3d, "NCDHW")
MaxPoolWithArgmaxV2 = primitive(
    "MaxPoolWithArgmaxV2", _max_pool_with_indices, kernel_size=REQUIRED, strides=None, pads=0, dilation=(1, 1),
    ceil_mode=False, argmax_type=int64,
)  # fmt: skip
MaxPool3DWithArgmax = primitive(
    "MaxPool3DWithArgmax", _max_pool3d_with_indices, ksize=REQUIRED, strides=REQUIRED, pads=REQUIRED,
    dilation=(1, 1, 1), ceil_mode=False, data_format="NCDHW", argmax_type=int64,
)  # fmt: skip


# ---- volumes, and windows at random positions ------------------------------------------------------


def _pool_volumes(pool: Function, x: Tensor, options: dict[str, Any]) -> Tensor:
    """The pooling of volumes without padding."""
    check_format("pooling", options["data_format"], "NCDHW")
    if options["pad_mode"].lower() != "valid":
        raise UsageError(f"pooling: pad_mode must be 'valid', got {options['pad_mode']!r}; use nn.MaxPool3d")
    result: Tensor = pool(x, options["kernel_size"], options["strides"])
    return result


VOLUMES: dict[str, Any] = {"kernel_size": 1, "strides": 1, "pad_mode": "valid", "data_format": "NCDHW"}
MaxPool3D = primitive("MaxPool3D", lambda x, **options: _pool_volumes(F.max_pool3d, x, options),
                      **VOLUMES, pad_list=0, ceil_mode=None)  # fmt: skip
AvgPool3D = primitive("AvgPool3D", lambda x, **options: _pool_volumes(F.avg_pool3d, x, options),
                      **VOLUMES, pad=0, ceil_mode=False, count_include_pad=True, divisor_override=0)  # fmt: skip


def _fractional(pool: Function) -> Function:
    def function(input_x: Tensor, random_samples: Tensor, *, ksize: Any, output_shape: Any, data_format: str) -> Any:
        return pool(input_x, ksize, output_shape, return_indices=True, _random_samples=random_samples)

    function.__doc__ = pool.__doc__
    return function


FractionalMaxPoolWithFixedKsize, FractionalMaxPool3DWithFixedKsize = (
    primitive(name, _fractional(pool), ksize=REQUIRED, output_shape=REQUIRED, data_format=layout)
    for name, pool, layout in (
        ("FractionalMaxPoolWithFixedKsize", F.fractional_max_pool2d, "NCHW"),
        ("FractionalMaxPool3DWithFixedKsize", F.fractional_max_pool3d, "NCDHW"),
    )
)


def _fractional_pool(name: str, is_max: bool) -> type:
    def pool(
        x: Tensor, *, pooling_ratio: Sequence[float], pseudo_random: bool, overlapping: bool, deterministic: bool,
        seed: int, seed2: int,
    ) -> tuple[Tensor, Tensor, Tensor]:  # fmt: skip
        """(images [N, H, W, C] reduced by ratios to windows of two random sizes, the bounds of windows in both axes).

        ``overlapping`` windows share the row or column between them (Graham 2014, arXiv 1412.6071).
        """
        cells = []
        for axis in (1, 2):
            size = x.shape[axis]
            starts = _window_bounds(size, int(size / pooling_ratio[axis]), seed or seed2 or None)
            widest = size // (starts.shape[0] - 1) + 1 + overlapping
            rows = starts[:-1].expand_dims(1) + F.arange(widest)
            in_window = (rows < starts[1:].expand_dims(1) + int(overlapping)) & (rows < size)
            windows = F.gather(x, F.minimum(rows, size - 1), axis)
            mask = in_window.reshape((1,) * axis + in_window.shape + (1,) * (x.ndim - axis - 1))
            if is_max:
                x = F.amax(F.where(mask, windows, float("-inf")), axis + 1)
            else:
                x = F.sum(F.where(mask, windows, 0.0), axis + 1) / F.sum(F.cast(mask, x.dtype), axis + 1)
            cells.append(starts)
        return x, cells[0], cells[1]

    return primitive(
        name, pool, pooling_ratio=REQUIRED, pseudo_random=False, overlapping=False, deterministic=False, seed=0,
        seed2=0,
    )  # fmt: skip


def _window_bounds(size: int, count: int, seed: int | None) -> Tensor:
    """[count + 1]: bounds of ``count`` windows in random order, of two sizes that differ by 1."""
    order = F.shuffle(F.arange(count), seed)
    widths = size // count + F.cast(order < size % count, int64)
    return F.concat([F.zeros((1,), int64), F.cumsum(widths, 0)])


FractionalMaxPool, FractionalAvgPool = (
    _fractional_pool(f"Fractional{kind}Pool", kind == "Max") for kind in ("Max", "Avg")
)
