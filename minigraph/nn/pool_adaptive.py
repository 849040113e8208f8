"""Pooling to a size: as many windows as there shall be elements, of as even sizes as can be."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minigraph import ops
from minigraph.errors import ShapeError, TypeArgument, UsageError, ValueArgument
from minigraph.nn.arguments import positive_int
from minigraph.nn.cell import Cell

Size = int | tuple[int | None, int | None] | None


class AdaptivePool(Cell):
    """The base: window i of n along an axis of s elements begins at floor(i s / n) and ends before ceil((i + 1) s / n).

    ``output_size`` is a number, or one for each axis, where ``None`` keeps the axis. Raises ``ValueError`` for
    numbers below 1.
    """

    def __init__(self, output_size: Size) -> None:
        super().__init__()
        self.output_size = output_size
        self.sizes = self.sizes_of(output_size)

    def sizes_of(self, size: Size) -> tuple[int | None, ...]:
        """(height, width) of the result."""
        who = type(self).__name__
        if not isinstance(size, int | tuple):
            known = f"should be one of '['int', 'tuple']', but got type '{type(size).__name__}'"
            raise TypeArgument(f"For '{who}', the type of 'output_size' {known}.")
        both = size if isinstance(size, tuple) else (size, size)
        if len(both) != 2:
            many = f"'{len(both)}' with type 'int'"
            raise ValueArgument(f"For '{who}', the 'length of output_size' must be int and must = 2, but got {many}.")
        return tuple(n if n is None else positive_int(who, "output_size", n) for n in both)

    def pooled(self, x: Any, fold: Callable[[Any, int], Any]) -> Any:
        """``fold`` over the windows of the last axes, one axis after the other."""
        ranks = (len(self.sizes) + 1, len(self.sizes) + 2)
        if len(x.shape) not in ranks:
            raise ShapeError(f"{type(self).__name__}: needs an input of rank {ranks}, got shape {list(x.shape)}")
        for axis, wanted in enumerate(self.sizes, len(x.shape) - len(self.sizes)):
            have = x.shape[axis]
            if wanted is not None and wanted != have:
                cuts = [(i * have // wanted, -(-(i + 1) * have // wanted)) for i in range(wanted)]
                whole = (slice(None),) * axis
                x = ops.stack([fold(x[(*whole, slice(*cut))], axis) for cut in cuts], axis)
        return x


class AdaptiveAvgPool2d(AdaptivePool):
    """The mean of each window of images.

    >>> print(AdaptiveAvgPool2d((1, 2))(ops.arange(8.0).reshape(1, 2, 4)))
    [[[2.5 4.5]]]
    """

    def construct(self, input: Any) -> Any:
        """Float [N, C, H, W] or [C, H, W] in the size."""
        return self.pooled(input, ops.mean)


class AdaptiveMaxPool2d(AdaptivePool):
    """The largest element of each window of images; positions are not told.

    >>> print(AdaptiveMaxPool2d((1, 2))(ops.arange(8.0).reshape(1, 2, 4)))
    [[[5. 7.]]]
    """

    def __init__(self, output_size: Size, return_indices: bool = False) -> None:
        super().__init__(output_size)
        if return_indices:
            raise UsageError("AdaptiveMaxPool2d: return_indices is not supported; leave it out")

    def construct(self, input: Any) -> Any:
        """Float [N, C, H, W] or [C, H, W] in the size."""
        return self.pooled(input, ops.amax)


class AdaptiveAvgPool1d(AdaptivePool):
    """The mean of each window of sequences.

    >>> print(AdaptiveAvgPool1d(2)(ops.arange(6.0).reshape(1, 6)))
    [[1. 4.]]
    """

    def __init__(self, output_size: int) -> None:
        super().__init__(output_size)

    def sizes_of(self, size: Size) -> tuple[int | None, ...]:
        """(length,) of the result."""
        return (positive_int(type(self).__name__, "output_size", size),)

    def construct(self, input: Any) -> Any:
        """Float [N, C, L] or [C, L] in the size."""
        return self.pooled(input, ops.mean)


class AdaptiveMaxPool1d(AdaptiveAvgPool1d):
    """The largest element of each window of sequences."""

    def construct(self, input: Any) -> Any:
        """Float [N, C, L] or [C, L] in the size."""
        return self.pooled(input, ops.amax)
