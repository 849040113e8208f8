"""Adaptive pooling: windows chosen so that the output has a given size."""

from __future__ import annotations

from typing import Any

from minigraph import ops
from minigraph.core.errors import TypeArgument, ValueArgument
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


class AdaptiveAvgPool2d(AdaptivePool):
    """The mean of each window of images.

    >>> print(AdaptiveAvgPool2d((1, 2))(ops.arange(8.0).reshape(1, 2, 4)))
    [[[2.5 4.5]]]
    """

    def construct(self, input: Any) -> Any:
        """Float [N, C, H, W] or [C, H, W] in the size."""
        return ops.adaptive_avg_pool2d(input, self.sizes)


class AdaptiveMaxPool2d(AdaptivePool):
    """The largest element of each window of images, with ``return_indices`` also where in its image it stands.

    >>> print(AdaptiveMaxPool2d((1, 2))(ops.arange(8.0).reshape(1, 2, 4)))
    [[[5. 7.]]]
    """

    def __init__(self, output_size: Size, return_indices: bool = False) -> None:
        super().__init__(output_size)
        self.return_indices = return_indices

    def construct(self, input: Any) -> Any:
        """Float [N, C, H, W] or [C, H, W] in the size, and as asked the positions."""
        return ops.adaptive_max_pool2d(input, self.sizes, self.return_indices)


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
        return ops.adaptive_avg_pool1d(input, self.sizes)


class AdaptiveMaxPool1d(AdaptiveAvgPool1d):
    """The largest element of each window of sequences."""

    def construct(self, input: Any) -> Any:
        """Float [N, C, L] or [C, L] in the size."""
        return ops.adaptive_max_pool1d(input, self.sizes)
