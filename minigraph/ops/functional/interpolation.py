"""Interpolation: resized images and sequences, and images sampled on a grid.

Resizing is separable: each axis is multiplied by a matrix of interpolation weights (``_interpolation_matrix``). The
cubic weights are the convolution kernel of R. Keys, "Cubic convolution interpolation for digital image processing"
(IEEE Trans. ASSP, 1981). As in MindSpore they come from a table of 1024 fractions, with a = -0.75 or -0.5 by
``align_corners``.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from minigraph.core.errors import ArgValueError, ShapeError, UsageError, did_you_mean
from minigraph.core.op import apply
from minigraph.core.tensor import Tensor
from minigraph.core.tensor.operator_methods import Operand
from minigraph.core.types import int64
from minigraph.ops.functional.adaptive_pooling import adaptive_avg_pool1d, adaptive_avg_pool2d
from minigraph.ops.functional.arithmetic import abs, clip, floor
from minigraph.ops.functional.arithmetic import round as nearest
from minigraph.ops.functional.dtypes import cast
from minigraph.ops.functional.indexing import gather, where
from minigraph.ops.functional.matrix_products import matmul
from minigraph.ops.functional.shapes import moveaxis, reshape

__all__ = ["affine_grid", "grid_sample", "interpolate", "upsample"]


WEIGHTED_MODES = {"linear": (1,), "bilinear": (2,), "bicubic": (2,)}  # mode -> number of resized axes
AXES_BY_MODE = WEIGHTED_MODES | {"nearest": (1, 2, 3), "nearest-exact": (1, 2), "area": (1, 2)}

# ---- resizing --------------------------------------------------------------------------------------


def interpolate(
    input: Tensor,
    size: int | Sequence[int] | None = None,
    scale_factor: float | tuple[float, ...] | None = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
    recompute_scale_factor: bool | None = None,
) -> Tensor:
    """Resizes sequences [N,C,L] or images [N,C,H,W] to ``size`` elements per axis, or by ``scale_factor``.

    ``mode`` is "nearest", "nearest-exact", "linear" (sequences), "bilinear", "bicubic" (images) or "area" (means). With
    ``align_corners`` the centres of the first and last elements keep their positions, otherwise their outer edges.

    >>> from minigraph import Tensor
    >>> print(interpolate(Tensor([[[0.0, 1.0]]]), 3, mode="linear", align_corners=True))
    [[[0.  0.5 1. ]]]
    """
    rank = input.ndim - 2
    if mode not in AXES_BY_MODE:
        raise UsageError(f"interpolate: no mode {mode!r}{did_you_mean(str(mode), AXES_BY_MODE)}")
    if rank not in AXES_BY_MODE[mode]:
        ranks = " or ".join(str(axis_count + 2) for axis_count in AXES_BY_MODE[mode])
        raise ShapeError(f"interpolate: mode {mode!r} needs an input of rank {ranks}, got shape {list(input.shape)}")
    if align_corners is not None and mode not in WEIGHTED_MODES:
        modes = ", ".join(WEIGHTED_MODES)
        raise ArgValueError(f"interpolate: align_corners applies to {modes}, got mode {mode!r}; leave it out")
    sizes = _output_sizes(input.shape[2:], size, scale_factor)
    if mode == "area":
        return (adaptive_avg_pool1d if rank == 1 else adaptive_avg_pool2d)(input, sizes)
    for axis, (old, new) in enumerate(zip(input.shape[2:], sizes, strict=True), 2):
        input = _resize_axis(input, axis, old, new, mode, "corners" if align_corners else "edges")
    return input


def resize(
    images: Tensor, size: Sequence[int], mode: str, aligned: str, scales: Sequence[float | None] | None = None
) -> Tensor:
    """Images [N,C,H,W], or volumes, resized to ``size`` by interpolation in the mode "bilinear" or "bicubic".

    ``aligned`` selects the fixed points: "corners" (the centres of the first and last pixels), "edges" (the edges of
    the image), or "first" (the first pixel). ``scales`` replace the ratios of the sizes, except with "corners".
    """
    for axis, (new, scale) in enumerate(zip(size, scales or [None] * len(size), strict=True), 2):
        images = _resize_axis(images, axis, images.shape[axis], new, mode, aligned, scale)
    return images


upsample = interpolate


def _output_sizes(sizes: Sequence[int], size: int | Sequence[int] | None, scale: object) -> tuple[int, ...]:
    if (size is None) == (scale is None):
        raise ArgValueError("interpolate: give either size or scale_factor")
    value: Any = size if scale is None else scale
    values = tuple(value) if isinstance(value, Sequence) else (value,) * len(sizes)
    if len(values) != len(sizes):
        argument = "size" if scale is None else "scale_factor"
        raise ArgValueError(f"interpolate: {argument} must be one number, or {len(sizes)}, one per axis, got {value!r}")
    return tuple(values) if scale is None else tuple(math.floor(n * by) for n, by in zip(sizes, values, strict=True))


def _resize_axis(
    x: Tensor, axis: int, old: int, new: int, mode: str, aligned: str, scale: float | None = None
) -> Tensor:
    """Resizes one axis by selecting elements or by summing weighted neighbours."""
    if mode == "nearest" or mode == "nearest-exact":
        shift = 0.5 if mode == "nearest-exact" else 0.0
        positions = np.floor((np.arange(new) + shift) * np.float32(old / new)).astype(np.int64)
        return gather(x, Tensor(np.minimum(positions, old - 1)), axis)
    if old == new:
        return x
    kernel = "cubic" if mode == "bicubic" else "linear"
    weights = _interpolation_matrix(old, new, kernel, aligned, new / old if scale is None else scale)
    return matmul(x.swapaxes(axis, -1), Tensor(weights, x.dtype)).swapaxes(axis, -1)


# by alignment: the positions of the new elements on the old axis, from both sizes and the scale
SOURCE_POSITIONS: dict[str, Callable[[int, int, float], np.ndarray]] = {
    "corners": lambda old, new, scale: np.arange(new) * ((old - 1) / max(new - 1, 1)),
    "edges": lambda old, new, scale: (np.arange(new) + 0.5) / scale - 0.5,
    "first": lambda old, new, scale: np.arange(new) / scale,
}


def _interpolation_matrix(old: int, new: int, kernel: str, aligned: str, scale: float) -> np.ndarray:
    """[old, new]: the weight of each old element in each new one.

    >>> _interpolation_matrix(2, 3, "linear", "corners", 1.5).tolist()
    [[1.0, 0.5, 0.0], [0.0, 0.5, 1.0]]
    """
    align, positions = aligned != "edges", SOURCE_POSITIONS[aligned](old, new, scale)
    positions = np.maximum(positions, 0) if kernel == "linear" else positions
    first = np.floor(positions).astype(int)
    fraction = positions - first
    matrix = np.zeros((old, new))
    for offset, weight in _neighbor_weights(fraction, kernel, align):
        in_range = (first + offset >= 0) & (first + offset < old)
        weights = weight if align or kernel == "linear" else weight * in_range
        np.add.at(matrix, (np.clip(first + offset, 0, old - 1), np.arange(new)), weights)
    return matrix / matrix.sum(0)


def _neighbor_weights(fraction: np.ndarray, kernel: str, align: bool) -> list[tuple[int, np.ndarray]]:
    """(offset from the element before a position, weight) of each neighbour.

    As in MindSpore, the cubic weights come from a table of 1024 fractions, a is -0.75 or -0.5, and neighbours beyond
    the edge repeat the edge element with ``align`` and are dropped without.
    """
    if kernel == "linear":
        return [(0, 1 - fraction), (1, fraction)]
    x, a = np.rint(fraction * 1024) / 1024, -0.75 if align else -0.5
    return [
        (-1, _cubic_outer(x + 1, a)),
        (0, _cubic_inner(x, a)),
        (1, _cubic_inner(1 - x, a)),
        (2, _cubic_outer(2 - x, a)),
    ]


def _cubic_inner(distance: Any, a: float) -> Any:
    """Keys' cubic kernel for distances up to 1."""
    return ((a + 2) * distance - (a + 3)) * distance * distance + 1


def _cubic_outer(distance: Any, a: float) -> Any:
    """Keys' cubic kernel for distances from 1 to 2."""
    return (((distance - 5) * distance + 8) * distance - 4) * a


# ---- sampling on a grid ----------------------------------------------------------------------------


def affine_grid(theta: Tensor, size: Sequence[int], align_corners: bool = False) -> Tensor:
    """Positions [N,H,W,2] for ``grid_sample``: the pixels of images of ``size`` [N,C,H,W], mapped by theta [N,2,3]."""
    if theta.ndim != 3 or tuple(theta.shape[1:]) != (2, 3) or len(size) != 4:
        raise ShapeError(f"affine_grid: needs theta [N,2,3] and a size [N,C,H,W], got {list(theta.shape)} and {size}")
    height, width = size[2:]
    rows, columns = np.meshgrid(_coordinates(height, align_corners), _coordinates(width, align_corners), indexing="ij")
    positions = Tensor(np.stack([columns, rows, np.ones_like(rows)], -1).reshape(-1, 3), theta.dtype)
    return reshape(matmul(positions, theta.mT), (theta.shape[0], height, width, 2))


def _coordinates(count: int, align: bool) -> np.ndarray:
    """``count`` coordinates from -1 to 1: with both ends (``align``), or the centres of equal intervals.

    >>> _coordinates(3, True).tolist(), _coordinates(2, False).tolist()
    ([-1.0, 0.0, 1.0], [-0.5, 0.5])
    """
    return np.linspace(-1, 1, count) if align else (2 * np.arange(count) + 1) / count - 1


def grid_sample(
    input: Tensor, grid: Tensor, mode: str = "bilinear", padding_mode: str = "zeros", align_corners: bool | None = None
) -> Tensor:
    """Samples images [N,C,H,W] at positions (x, y) of a grid [N,h,w,2]; -1 and 1 are the edges.

    Volumes [N,C,D,H,W] have positions (x, y, z). ``mode`` is "bilinear", "nearest" or "bicubic" (a = -0.75). Beyond the
    edges lie "zeros", the "border" pixel, or a "reflection".
    """
    rank = input.ndim - 2
    if rank not in (2, 3) or grid.ndim != input.ndim or grid.shape[-1] != rank:
        shapes = f"{list(input.shape)} and {list(grid.shape)}"
        raise ShapeError(f"grid_sample: needs images [N,C,H,W] and a grid [N,h,w,2], or volumes, got {shapes}")
    if mode not in ("bilinear", "nearest", "bicubic"):
        raise UsageError(f"grid_sample: mode is 'bilinear', 'nearest' or 'bicubic', got {mode!r}")
    if padding_mode not in ("zeros", "border", "reflection"):
        raise UsageError(f"grid_sample: padding_mode is 'zeros', 'border' or 'reflection', got {padding_mode!r}")
    sizes, align = input.shape[2:], bool(align_corners)
    at = [pixel_position(grid[..., rank - 1 - axis], size, align) for axis, size in enumerate(sizes)]
    if mode != "bicubic":
        at = [pad_position(position, size, padding_mode, align) for position, size in zip(at, sizes, strict=True)]
    if mode == "nearest":
        return pixels_at(input, [nearest(position) for position in at], padding_mode, align)
    samples: Any = 0
    for taps in itertools.product(*(_taps(position, mode == "bicubic") for position in at)):
        pixels = pixels_at(input, [position for position, _ in taps], padding_mode, align)
        weight: Any = math.prod(weight for _, weight in taps)
        samples = pixels * weight.expand_dims(1) + samples
    return samples


def _taps(position: Tensor, cubic: bool) -> list[tuple[Tensor, Tensor]]:
    """The pixels around a position along an axis, with their weights."""
    before = floor(position)
    after, a = position - before, -0.75
    if not cubic:
        return [(before, 1 - after), (before + 1, after)]
    return [
        (before - 1, _cubic_outer(after + 1, a)), (before, _cubic_inner(after, a)),
        (before + 1, _cubic_inner(1 - after, a)), (before + 2, _cubic_outer(2 - after, a)),
    ]  # fmt: skip


def pixel_position(coordinate: Tensor, size: int, align: bool) -> Tensor:
    """A coordinate from -1 to 1 as a fractional position along an axis of ``size`` pixels."""
    return (coordinate + 1) / 2 * (size - 1) if align else ((coordinate + 1) * size - 1) / 2


def pad_position(position: Tensor, size: int, mode: str, align: bool) -> Tensor:
    """A position beyond the edges moved inside: unchanged ("zeros"), the "border", or a "reflection"."""
    if mode == "zeros":
        return position
    return clip(position if mode == "border" else reflect(position, size, align), 0, size - 1)


def reflect(position: Tensor, size: int, align: bool) -> Tensor:
    """A position reflected at the edges of an image until it is inside."""
    low, span = (0.0, size - 1.0) if align else (-0.5, float(size))
    if not span:
        return position * 0
    distance = abs(position - low)
    reflections = floor(distance / span)
    extra = distance - reflections * span
    return where(reflections % 2 == 0, extra + low, span - extra + low)


def pixels_at(images: Tensor, positions: Sequence[Tensor], padding: str, align: bool) -> Tensor:
    """The pixels [N,C,...] at whole positions [N,...] per axis; those outside of the images are as ``padding`` says."""
    in_range: Any = True
    index = []
    for size, position in zip(images.shape[2:], positions, strict=True):
        if padding == "reflection":
            position = nearest(reflect(position, size, align))
        in_range = (position >= 0) & (position <= size - 1) & in_range
        index.append(cast(clip(position, 0, size - 1), int64))
    batch = Tensor(np.arange(images.shape[0]).reshape(-1, *(1,) * (index[0].ndim - 1)))
    key = (*(Operand(axis + 1) for axis in range(len(index) + 1)), ...)
    pixels = moveaxis(apply("index", moveaxis(images, 1, -1), batch, *index, key=key), -1, 1)
    return where(in_range.expand_dims(1), pixels, 0) if padding == "zeros" else pixels
