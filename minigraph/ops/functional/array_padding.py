"""Padding with a constant, or by reflecting, replicating or wrapping around the elements."""

from __future__ import annotations

from builtins import range as numbers
from collections.abc import Sequence
from typing import Any

import numpy as np

from minigraph.core.errors import ShapeError, UsageError, did_you_mean
from minigraph.core.op import apply
from minigraph.core.tensor import Tensor
from minigraph.operators import joining
from minigraph.operators.indexing import INDEX
from minigraph.ops.functional.indexing import gather

__all__ = ["mirror_pad", "pad", "padding"]


MODES = ("constant", "reflect", "replicate", "circular")


def pad(input_x: Tensor, padding: Sequence[int] | Tensor, mode: str = "constant", value: float | None = None) -> Tensor:
    """Pads a tensor: ``padding`` is (before, after) for the last axis, then for the one before it, and so on.

    Modes: "constant" pads with ``value``, "reflect" mirrors the elements next to the edge, "replicate" repeats the
    edge, "circular" wraps around. A negative width crops.

    >>> print(pad(Tensor([1.0, 2.0]), (1, 0)))
    [0. 1. 2.]
    """
    if mode not in MODES:
        raise UsageError(f"pad: no mode {mode!r}{did_you_mean(mode, MODES)}")
    sizes = tuple(padding.tolist()) if isinstance(padding, Tensor) else tuple(padding)
    if len(sizes) % 2 or len(sizes) > 2 * input_x.ndim:
        raise ShapeError(f"pad: got {len(sizes)} widths for {input_x.type}; give two per axis, from the last axis on")
    pairs = [(sizes[i], sizes[i + 1]) for i in numbers(0, len(sizes), 2)]
    widths = [*((0, 0),) * (input_x.ndim - len(pairs)), *reversed(pairs)]
    if mode == "constant":
        positive = tuple((max(before, 0), max(after, 0)) for before, after in widths)
        padded = apply(joining.PAD, input_x, widths=positive, value=0 if value is None else value)
        return _crop(padded, widths)
    for axis, pair in enumerate(widths):
        input_x = _pad_axis(input_x, axis, pair, mode)
    return input_x


def _crop(x: Tensor, widths: Sequence[tuple[int, int]]) -> Tensor:
    if all(min(pair) >= 0 for pair in widths):
        return x
    key = tuple((max(-before, 0), min(after, 0) or None, None) for before, after in widths)
    return apply(INDEX, x, key=key)


def _pad_axis(x: Tensor, axis: int, widths: tuple[int, int], mode: str) -> Tensor:
    """One axis padded with its own elements."""
    size, (before, after) = x.shape[axis], widths
    if not (before or after):
        return x
    limit = {"reflect": size - 1, "circular": size}.get(mode, before + after + 1)
    if max(before, after) > limit:
        raise ShapeError(f"pad: width {max(before, after)} in mode {mode!r} needs more than {size} elements")
    positions = np.arange(-before, size + after)
    if mode == "reflect":
        positions = np.abs(positions)
        positions = np.where(positions >= size, 2 * (size - 1) - positions, positions)
    else:
        positions = positions % size if mode == "circular" else np.clip(positions, 0, size - 1)
    return apply(INDEX, x, Tensor(positions), key=(*((None, None, None),) * axis, (1,), ...))


def mirror_pad(input_x: Tensor, paddings: Tensor | Sequence[Sequence[int]], mode: str = "REFLECT") -> Tensor:
    """Mirrors the elements at the edges: ``paddings`` has (before, after) for each axis.

    "REFLECT" does not repeat the element at the edge, "SYMMETRIC" does.
    """
    modes: dict[str, Any] = {"REFLECT": "reflect", "SYMMETRIC": "symmetric"}
    if mode not in modes:
        raise UsageError(f"mirror_pad: mode is 'REFLECT' or 'SYMMETRIC', got {mode!r}")
    widths = np.array(paddings.asnumpy() if isinstance(paddings, Tensor) else paddings).tolist()
    if len(widths) != input_x.ndim:
        raise ShapeError(f"mirror_pad: expected (before, after) for each of {input_x.ndim} axes, got {widths}")
    for axis, (size, width) in enumerate(zip(input_x.shape, widths, strict=True)):
        positions = np.pad(np.arange(size), width, mode=modes[mode])
        input_x = gather(input_x, Tensor(positions), axis) if any(width) else input_x
    return input_x


def padding(x: Tensor, pad_dim_size: int = 8) -> Tensor:
    """The last axis, of size 1, padded with zeros to ``pad_dim_size``."""
    if x.ndim < 2 or x.shape[-1] != 1:
        raise ShapeError(f"padding: expected two or more axes, the last of size 1, got shape {list(x.shape)}")
    return apply("pad", x, widths=((0, 0),) * (x.ndim - 1) + ((0, pad_dim_size - 1),))
