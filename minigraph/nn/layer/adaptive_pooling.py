"""Adaptive pooling: windows whose bounds follow from the output size."""

from __future__ import annotations

from minigraph import ops
from minigraph.core.aliases import CallResult
from minigraph.core.errors import ArgTypeError, ArgValueError
from minigraph.core.tensor import Tensor
from minigraph.nn.arguments import check_positive_int
from minigraph.nn.cell import Cell

Size = int | tuple[int | None, int | None] | None


class AdaptivePool(Cell):
    """The base class: window i of n over s elements is [floor(i s / n), ceil((i + 1) s / n)).

    ``output_size`` is an integer, or one per axis, where ``None`` keeps the size. Raises ``ValueError`` for sizes below
    1.
    """

    def __init__(self, output_size: Size) -> None:
        super().__init__()
        self.output_size = output_size
        self.sizes = self.sizes_of(output_size)

    def sizes_of(self, size: Size) -> tuple[int | None, ...]:
        """(height, width) of the result."""
        caller = type(self).__name__
        if not isinstance(size, int | tuple):
            expected = f"should be one of '['int', 'tuple']', but got type '{type(size).__name__}'"
            raise ArgTypeError(f"For '{caller}', the type of 'output_size' {expected}.")
        sizes = size if isinstance(size, tuple) else (size, size)
        if len(sizes) != 2:
            got = f"'{len(sizes)}' with type 'int'"
            raise ArgValueError(f"For '{caller}', the 'length of output_size' must be int and must = 2, but got {got}.")
        return tuple(n if n is None else check_positive_int(caller, "output_size", n) for n in sizes)


class AdaptiveAvgPool2d(AdaptivePool):
    """The mean of each window of images.

    >>> print(AdaptiveAvgPool2d((1, 2))(ops.arange(8.0).reshape(1, 2, 4)))
    [[[2.5 4.5]]]
    """

    def construct(self, input: Tensor) -> Tensor:
        """Float [N, C, H, W] or [C, H, W], pooled to the size."""
        return ops.adaptive_avg_pool2d(input, self.sizes)


class AdaptiveMaxPool2d(AdaptivePool):
    """The maximum of each window of images; with ``return_indices`` also its position in the flattened image.

    >>> print(AdaptiveMaxPool2d((1, 2))(ops.arange(8.0).reshape(1, 2, 4)))
    [[[5. 7.]]]
    """

    def __init__(self, output_size: Size, return_indices: bool = False) -> None:
        super().__init__(output_size)
        self.return_indices = return_indices

    def construct(self, input: Tensor) -> CallResult:
        """Float [N, C, H, W] or [C, H, W], pooled to the size, and optionally the positions."""
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
        return (check_positive_int(type(self).__name__, "output_size", size),)

    def construct(self, input: Tensor) -> Tensor:
        """Float [N, C, L] or [C, L], pooled to the size."""
        return ops.adaptive_avg_pool1d(input, self.sizes)


class AdaptiveMaxPool1d(AdaptiveAvgPool1d):
    """The maximum of each window of sequences."""

    def construct(self, input: Tensor) -> Tensor:
        """Float [N, C, L] or [C, L], pooled to the size."""
        return ops.adaptive_max_pool1d(input, self.sizes)
