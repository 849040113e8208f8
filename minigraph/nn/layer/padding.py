"""Padding layers."""

from __future__ import annotations

import numpy as np

from minigraph import ops
from minigraph.core.errors import ArgTypeError, ArgValueError, ShapeError
from minigraph.core.tensor import Tensor
from minigraph.nn.cell import Cell
from minigraph.nn.layer.image import Sizes

PAD_MODES = ("CONSTANT", "REFLECT", "SYMMETRIC")


class Pad(Cell):
    """Padding of every axis: ``paddings`` holds (before, after) for each.

    It pads with zeros, or mirrors the elements without ("REFLECT") or with ("SYMMETRIC") the edge. Raises
    ``ValueError`` for another mode, and unless paddings are pairs of non-negative ints.

    >>> print(Pad(((2, 1),), "REFLECT")(Tensor([1.0, 2.0, 3.0])))
    [3. 2. 1. 2. 3. 2.]
    """

    def __init__(self, paddings: tuple[tuple[int, int], ...], mode: str = "CONSTANT") -> None:
        super().__init__()
        if not isinstance(paddings, tuple):
            got = type(paddings).__name__
            raise ArgTypeError(f"For 'Pad', the type of 'paddings' must be tuple, but got {got}.")
        if not all(len(pair) == 2 and min(pair) >= 0 for pair in paddings):
            raise ArgValueError(f"For 'Pad', the dimension of 'paddings' must be (n, 2), but got {paddings}.")
        if mode not in PAD_MODES:
            expected = f"must be str and must be in '{list(PAD_MODES)}'"
            raise ArgValueError(f"For 'Pad', the 'mode' {expected}, but got '{mode}'.")
        self.paddings, self.mode = paddings, mode

    def construct(self, x: Tensor) -> Tensor:
        """The padded tensor; dtype kept."""
        if len(x.shape) != len(self.paddings):
            raise ShapeError(
                "For 'Pad', the length of 'paddings' must be equal to the rank of 'input_x', "
                f"but got {len(self.paddings)} vs {len(x.shape)}"
            )
        if self.mode == "CONSTANT":
            return ops.pad(x, tuple(n for pair in reversed(self.paddings) for n in pair))
        for axis, pair in enumerate(self.paddings):
            if any(pair):
                x = ops.gather(x, Tensor(self._mirrored_indices(x.shape[axis], pair)), axis)
        return x

    def _mirrored_indices(self, size: int, pair: tuple[int, int]) -> np.ndarray:
        """The index of the element at each position of the padded axis."""
        limit = size - (self.mode == "REFLECT")
        if max(pair) > limit:
            raise ShapeError(f"For 'Pad', {pair} does not fit an axis of {size} elements in mode '{self.mode}'")
        return np.pad(np.arange(size, dtype=np.int32), pair, "reflect" if self.mode == "REFLECT" else "symmetric")


class FixedRankPad(Cell):
    """The base class: (before, after) of the last axis, then of the one before it; one number applies to all.

    ``axes`` is the number of padded axes, ``mode`` the mode of ``ops.pad``. Raises ``ValueError`` for another number of
    widths, ``TypeError`` for other types.
    """

    axes, mode = 1, "constant"

    def __init__(self, padding: Sizes, value: float | None = None) -> None:
        super().__init__()
        caller, count = type(self).__name__, 2 * self.axes
        if not isinstance(padding, int | tuple):
            got = type(padding).__name__
            raise ArgTypeError(f"For '{caller}' the input 'padding' must be an integer or tuple, but got {got}")
        widths = (padding,) * count if isinstance(padding, int) else padding
        if len(widths) % 2 or not 0 < len(widths) <= count:
            raise ArgValueError(f"For '{caller}', the padding must be one number or {count}, but got {padding!r}.")
        self.padding, self.value = widths, value

    def construct(self, x: Tensor) -> Tensor:
        """The padded tensor."""
        return ops.pad(x, self.padding, self.mode, self.value)


class ConstantPad1d(FixedRankPad):
    """Padding of the last axis with a number."""

    def __init__(self, padding: Sizes, value: float) -> None:
        super().__init__(padding, value)


class ConstantPad2d(ConstantPad1d):
    """Padding of the last two axes with a number."""

    axes = 2


class ConstantPad3d(ConstantPad1d):
    """Padding of the last three axes with a number."""

    axes = 3


class ZeroPad2d(FixedRankPad):
    """Padding of images with zeros."""

    axes = 2

    def __init__(self, padding: Sizes) -> None:
        super().__init__(padding, 0.0)


class ReflectionPad1d(FixedRankPad):
    """Padding of sequences by reflection, without repeating the edge."""

    mode = "reflect"

    def __init__(self, padding: Sizes) -> None:
        super().__init__(padding)


class ReflectionPad2d(ReflectionPad1d):
    """Padding of images by reflection, without repeating the edge."""

    axes = 2


class ReflectionPad3d(ReflectionPad1d):
    """Padding of volumes by reflection, without repeating the edge."""

    axes = 3


class ReplicationPad1d(ReflectionPad1d):
    """Padding of sequences by repeating the edge."""

    mode = "replicate"


class ReplicationPad2d(ReplicationPad1d):
    """Padding of images by repeating the edge."""

    axes = 2


class ReplicationPad3d(ReplicationPad1d):
    """Padding of volumes by repeating the edge."""

    axes = 3
