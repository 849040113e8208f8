"""Interpolation: resized images and sequences, and images sampled on a grid."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from minigraph.core.errors import ShapeError, UsageError, ValueArgument, did_you_mean
from minigraph.core.tensor import Tensor
from minigraph.core.types import int64
from minigraph.ops.functional.adaptive_pooling import adaptive_avg_pool1d, adaptive_avg_pool2d
from minigraph.ops.functional.arithmetic import abs, clip, floor
from minigraph.ops.functional.arithmetic import round as nearest
from minigraph.ops.functional.dtypes import cast
from minigraph.ops.functional.indexing import gather, where
from minigraph.ops.functional.matrix_products import matmul
from minigraph.ops.functional.shapes import reshape

__all__ = ["affine_grid", "grid_sample", "interpolate", "upsample"]


SMOOTH = {"linear": (1,), "bilinear": (2,), "bicubic": (2,)}  # on how many axes
MODES = SMOOTH | {"nearest": (1, 2, 3), "nearest-exact": (1, 2), "area": (1, 2)}

# ---- resizing --------------------------------------------------------------------------------------


def interpolate(
    input: Any,
    size: Any = None,
    scale_factor: Any = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
    recompute_scale_factor: bool | None = None,
) -> Any:
    """Sequences [N,C,L] or images [N,C,H,W] with ``size`` elements per axis, or ``scale_factor`` times as many.

    ``mode`` is "nearest", "nearest-exact", "linear" (sequences), "bilinear", "bicubic" (images) or "area" (means).
    With ``align_corners`` the first and last elements stay where they are, otherwise their outer edges.

    >>> from minigraph import Tensor
    >>> print(interpolate(Tensor([[[0.0, 1.0]]]), 3, mode="linear", align_corners=True))
    [[[0.  0.5 1. ]]]
    """
    rank = input.ndim - 2
    if mode not in MODES:
        raise UsageError(f"interpolate: no mode {mode!r}{did_you_mean(str(mode), MODES)}")
    if rank not in MODES[mode]:
        ranks = " or ".join(str(one + 2) for one in MODES[mode])
        raise ShapeError(f"interpolate: mode {mode!r} needs an input of rank {ranks}, got shape {list(input.shape)}")
    if align_corners is not None and mode not in SMOOTH:
        told = f"align_corners goes with {', '.join(SMOOTH)}, got mode {mode!r}; leave it out"
        raise ValueArgument(f"interpolate: {told}")
    wanted = _wanted(input.shape[2:], size, scale_factor)
    if mode == "area":
        return (adaptive_avg_pool1d if rank == 1 else adaptive_avg_pool2d)(input, wanted)
    for axis, (have, want) in enumerate(zip(input.shape[2:], wanted, strict=True), 2):
        input = _picked(input, axis, have, want, mode, "corners" if align_corners else "edges")
    return input


def resize_bilinear(images: Any, size: Any, fixed: str) -> Any:
    """Images [N,C,H,W] with ``size`` pixels, each the mean of four, by how near they are.

    ``fixed`` says what stays where it is: "corners", the first and last pixels; "edges", those of the images; "first",
    the first pixel alone.
    """
    for axis, want in enumerate(size, 2):
        images = _picked(images, axis, images.shape[axis], want, "bilinear", fixed)
    return images


upsample = interpolate


def _wanted(sizes: Sequence[int], size: Any, scale: Any) -> tuple[int, ...]:
    if (size is None) == (scale is None):
        raise ValueArgument("interpolate: give either size or scale_factor")
    given = size if scale is None else scale
    each = tuple(given) if isinstance(given, Sequence) else (given,) * len(sizes)
    if len(each) != len(sizes):
        what = "size" if scale is None else "scale_factor"
        raise ValueArgument(f"interpolate: {what} is a number, or one for each of {len(sizes)} axes, got {given!r}")
    return tuple(each) if scale is None else tuple(math.floor(n * by) for n, by in zip(sizes, each, strict=True))


def _picked(x: Any, axis: int, have: int, want: int, mode: str, fixed: str) -> Any:
    """One axis in another size: every element is picked, or a sum of neighbours."""
    if mode == "nearest" or mode == "nearest-exact":
        shift = 0.5 if mode == "nearest-exact" else 0.0
        places = np.floor((np.arange(want) + shift) * np.float32(have / want)).astype(np.int64)
        return gather(x, Tensor(np.minimum(places, have - 1)), axis)
    if have == want:
        return x
    weights = Tensor(_weights(have, want, "cubic" if mode == "bicubic" else "linear", fixed), x.dtype)
    return matmul(x.swapaxes(axis, -1), weights).swapaxes(axis, -1)


# by what stays where it is, the places of so many new elements among the old ones
PLACES: dict[str, Callable[[int, int], np.ndarray]] = {
    "corners": lambda have, want: np.arange(want) * ((have - 1) / max(want - 1, 1)),
    "edges": lambda have, want: (np.arange(want) + 0.5) * (have / want) - 0.5,
    "first": lambda have, want: np.arange(want) * (have / want),
}


def _weights(have: int, want: int, kind: str, fixed: str) -> np.ndarray:
    """[have, want]: how much each element counts in each new one.

    >>> _weights(2, 3, "linear", "corners").tolist()
    [[1.0, 0.5, 0.0], [0.0, 0.5, 1.0]]
    """
    align, places = fixed == "corners", PLACES[fixed](have, want)
    places = np.maximum(places, 0) if kind == "linear" else places
    first = np.floor(places).astype(int)
    share = places - first
    found = np.zeros((have, want))
    for offset, weight in _neighbours(share, kind, align):
        inside = (first + offset >= 0) & (first + offset < have)
        counted = weight if align or kind == "linear" else weight * inside
        np.add.at(found, (np.clip(first + offset, 0, have - 1), np.arange(want)), counted)
    return found / found.sum(0)


def _neighbours(share: np.ndarray, kind: str, align: bool) -> list[tuple[int, np.ndarray]]:
    """(how far from the element before, how much it counts) of the neighbours of a place.

    As MindSpore's, the cubic weights come from a table of 1024 places, a is -0.75 or -0.5, and neighbours beyond
    the edge are the element at the edge with ``align``, none without.
    """
    if kind == "linear":
        return [(0, 1 - share), (1, share)]
    known, a = np.rint(share * 1024) / 1024, -0.75 if align else -0.5
    return [(-1, _far(known + 1, a)), (0, _near(known, a)), (1, _near(1 - known, a)), (2, _far(2 - known, a))]


def _near(apart: np.ndarray, a: float) -> np.ndarray:
    """The cubic convolution up to one element away (Keys 1981)."""
    return ((a + 2) * apart - (a + 3)) * apart * apart + 1


def _far(apart: np.ndarray, a: float) -> np.ndarray:
    """The cubic convolution between one and two elements away."""
    return (((apart - 5) * apart + 8) * apart - 4) * a


# ---- sampling on a grid ----------------------------------------------------------------------------


def affine_grid(theta: Any, size: Any, align_corners: bool = False) -> Any:
    """Places [N,H,W,2] for ``grid_sample``: the pixels of images of ``size`` [N,C,H,W], moved by theta [N,2,3]."""
    if theta.ndim != 3 or tuple(theta.shape[1:]) != (2, 3) or len(size) != 4:
        raise ShapeError(f"affine_grid: needs theta [N,2,3] and a size [N,C,H,W], got {list(theta.shape)} and {size}")
    height, width = size[2:]
    rows, columns = np.meshgrid(_between(height, align_corners), _between(width, align_corners), indexing="ij")
    places = Tensor(np.stack([columns, rows, np.ones_like(rows)], -1).reshape(-1, 3), theta.dtype)
    return reshape(matmul(places, theta.mT), (theta.shape[0], height, width, 2))


def _between(count: int, align: bool) -> np.ndarray:
    """``count`` places from -1 to 1: on the ends, or in the middle of equal parts.

    >>> _between(3, True).tolist(), _between(2, False).tolist()
    ([-1.0, 0.0, 1.0], [-0.5, 0.5])
    """
    return np.linspace(-1, 1, count) if align else (2 * np.arange(count) + 1) / count - 1


def grid_sample(
    input: Any, grid: Any, mode: str = "bilinear", padding_mode: str = "zeros", align_corners: bool | None = None
) -> Any:
    """Images [N,C,H,W] at places (x, y) of a grid [N,h,w,2]; -1 and 1 are the edges.

    ``mode`` is "bilinear" or "nearest". Beyond the edges are "zeros", the "border", or a "reflection".
    """
    if input.ndim != 4 or grid.ndim != 4 or grid.shape[-1] != 2:
        shapes = f"{list(input.shape)} and {list(grid.shape)}"
        raise ShapeError(f"grid_sample: needs images [N,C,H,W] and a grid [N,h,w,2], got {shapes}")
    if mode not in ("bilinear", "nearest"):
        raise UsageError(f"grid_sample: mode is 'bilinear' or 'nearest', got {mode!r}")
    if padding_mode not in ("zeros", "border", "reflection"):
        raise UsageError(f"grid_sample: padding_mode is 'zeros', 'border' or 'reflection', got {padding_mode!r}")
    height, width = input.shape[2:]
    align = bool(align_corners)
    x = _inside(_pixel(grid[..., 0], width, align), width, padding_mode, align)
    y = _inside(_pixel(grid[..., 1], height, align), height, padding_mode, align)
    if mode == "nearest":
        return _looked_up(input, nearest(x), nearest(y))
    left, top = floor(x), floor(y)
    found: Any = 0
    for column, wide in ((left, 1 - (x - left)), (left + 1, x - left)):
        for row, high in ((top, 1 - (y - top)), (top + 1, y - top)):
            found = _looked_up(input, column, row) * (wide * high).expand_dims(1) + found
    return found


def _pixel(place: Any, size: int, align: bool) -> Any:
    return (place + 1) / 2 * (size - 1) if align else ((place + 1) * size - 1) / 2


def _inside(place: Any, size: int, mode: str, align: bool) -> Any:
    if mode == "zeros":
        return place
    if mode == "border":
        return clip(place, 0, size - 1)
    low, span = (0.0, size - 1.0) if align else (-0.5, float(size))
    if not span:
        return place * 0
    apart = abs(place - low)
    turns = floor(apart / span)
    extra = apart - turns * span
    return clip(where(turns % 2 == 0, extra + low, span - extra + low), 0, size - 1)


def _looked_up(images: Any, columns: Any, rows: Any) -> Any:
    """The pixels [N,C,h,w] at whole places, 0 outside."""
    count, channels, height, width = images.shape
    inside = (columns >= 0) & (columns < width) & (rows >= 0) & (rows < height)
    places = cast(clip(rows, 0, height - 1), int64) * width + cast(clip(columns, 0, width - 1), int64)
    numbers = Tensor(np.arange(count).reshape(-1, 1, 1) * height * width)
    flat = reshape(images.transpose((0, 2, 3, 1)), (-1, channels))
    found = gather(flat, places + numbers, 0).transpose((0, 3, 1, 2))
    return found * cast(inside, images.dtype).expand_dims(1)
