"""Primitives that resize images."""

from __future__ import annotations

from collections.abc import Sequence

from minigraph.core.errors import DTypeError, UsageError
from minigraph.core.tensor import Tensor
from minigraph.ops import functional as F
from minigraph.ops.functional.interpolation import resize
from minigraph.ops.primitive import REQUIRED, primitive

__all__ = [
    "AffineGrid", "GridSampler2D", "GridSampler3D", "ResizeBicubic", "ResizeBilinearV2", "ResizeLinear1D",
    "ResizeNearestNeighbor", "ResizeNearestNeighborV2", "UpsampleNearest3D", "UpsampleTrilinear3D",
]  # fmt: skip


def _resize_nearest(input_x: Tensor, *, size: Sequence[int], align_corners: bool, half_pixel_centers: bool) -> Tensor:
    """Images resized by nearest-neighbour interpolation."""
    if align_corners or half_pixel_centers:
        problem = "align_corners and half_pixel_centers are not supported; leave them out"
        raise UsageError(f"ResizeNearestNeighbor: {problem}")
    return F.interpolate(input_x, tuple(size), mode="nearest")


def _fixed_points(name: str, align_corners: bool, half_pixel_centers: bool) -> str:
    if align_corners and half_pixel_centers:
        raise UsageError(f"{name}: align_corners and half_pixel_centers exclude each other; choose one")
    return "corners" if align_corners else "edges" if half_pixel_centers else "first"


def _resize_bilinear(x: Tensor, size: tuple[int, ...], *, align_corners: bool, half_pixel_centers: bool) -> Tensor:
    """Images resized by bilinear interpolation; without either option the first pixel keeps its position."""
    return resize(x, size, "bilinear", _fixed_points("ResizeBilinearV2", align_corners, half_pixel_centers))


ResizeNearestNeighbor = primitive(
    "ResizeNearestNeighbor", _resize_nearest, size=REQUIRED, align_corners=False, half_pixel_centers=False
)  # fmt: skip
ResizeBilinearV2 = primitive(
    "ResizeBilinearV2", _resize_bilinear, align_corners=False, half_pixel_centers=False
)  # fmt: skip


def _grid_sampler(
    input_x: Tensor, grid: Tensor, *, interpolation_mode: str, padding_mode: str, align_corners: bool
) -> Tensor:
    """Images or volumes sampled at the positions of a grid, which has their dtype."""
    if input_x.dtype is not grid.dtype:
        types = f"{input_x.type} and {grid.type}"
        raise DTypeError(f"GridSampler: the input type must be same, got {types}; cast one with x.astype(...)")
    return F.grid_sample(input_x, grid, interpolation_mode, padding_mode, align_corners)


AffineGrid = primitive("AffineGrid", F.affine_grid, align_corners=False)
GridSampler2D, GridSampler3D = (
    primitive(f"GridSampler{axes}D", _grid_sampler, interpolation_mode="bilinear", padding_mode="zeros",
              align_corners=False) for axes in (2, 3)
)  # fmt: skip


def _resize_nearest_to(image: Tensor, size: Sequence[int], *, align_corners: bool, half_pixel_centers: bool) -> Tensor:
    """Images resized by nearest-neighbour interpolation."""
    return _resize_nearest(image, size=size, align_corners=align_corners, half_pixel_centers=half_pixel_centers)


def _resize_linear(x: Tensor, size: Sequence[int], *, coordinate_transformation_mode: str) -> Tensor:
    """Sequences resized by linear interpolation; "align_corners" or "half_pixel"."""
    aligned = coordinate_transformation_mode == "align_corners"
    return F.interpolate(x, tuple(size), mode="linear", align_corners=aligned)


def _sizes(x: Tensor, output_size: Sequence[int] | None, scales: Sequence[float] | None) -> tuple[int, ...]:
    return tuple(output_size or [int(old * scale) for old, scale in zip(x.shape[2:], scales or (), strict=True)])


def _upsample_nearest(
    x: Tensor, output_size: Sequence[int] | None = None, scales: Sequence[float] | None = None
) -> Tensor:
    """Volumes resized by nearest-neighbour interpolation, to a size or by scales."""
    return F.interpolate(x, _sizes(x, output_size, scales), mode="nearest")


ResizeNearestNeighborV2 = primitive(
    "ResizeNearestNeighborV2", _resize_nearest_to, align_corners=False, half_pixel_centers=False
)  # fmt: skip
ResizeLinear1D = primitive("ResizeLinear1D", _resize_linear, coordinate_transformation_mode="align_corners")
UpsampleNearest3D = primitive("UpsampleNearest3D", _upsample_nearest)


def _resize_bicubic(
    image: Tensor, size: Sequence[int] | Tensor, *, align_corners: bool, half_pixel_centers: bool
) -> Tensor:
    """Images resized by cubic convolution; without either option the first pixel keeps its position."""
    sizes = size.tolist() if isinstance(size, Tensor) else size
    return resize(image, sizes, "bicubic", _fixed_points("ResizeBicubic", align_corners, half_pixel_centers))


def _upsample_trilinear(
    x: Tensor, output_size: Sequence[int] | None = None, scales: Sequence[float] | None = None, *, align_corners: bool
) -> Tensor:
    """Volumes resized by trilinear interpolation, to a size or by scales."""
    sizes = _sizes(x, output_size, scales)
    return resize(x, sizes, "trilinear", "corners" if align_corners else "edges", scales)


ResizeBicubic = primitive("ResizeBicubic", _resize_bicubic, align_corners=False, half_pixel_centers=False)
UpsampleTrilinear3D = primitive("UpsampleTrilinear3D", _upsample_trilinear, align_corners=False)
