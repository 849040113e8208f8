"""ATen's complex numbers, Fourier transforms and windows of signals, with our operators."""

from __future__ import annotations

import math
from collections.abc import Sequence

from minigraph import ops
from minigraph.core.aliases import Function
from minigraph.core.op import apply
from minigraph.core.tensor import Tensor
from minigraph.core.types import complex64, complex128

COMPLEX: Function = ops.Complex()


def view_as_complex(x: Tensor) -> Tensor:
    """The complex numbers of pairs (real part, imaginary part) on the last axis.

    >>> print(view_as_complex(Tensor([[1.0, 2.0]])))
    [1.+2.j]
    """
    return COMPLEX(x[..., 0], x[..., 1])


def magnitude(x: Tensor) -> Tensor:
    """The absolute value; that of complex numbers is real, and its gradient at 0 is 0.

    >>> print(magnitude(view_as_complex(Tensor([[3.0, 4.0]]))))
    [5.]
    """
    if x.dtype not in (complex64, complex128):
        return apply("abs", x)
    is_zero = x == 0
    return apply("where", is_zero, 0, ops.hypot(apply("where", is_zero, 1, ops.real(x)), ops.imag(x)))


def normalize_transform(transform: Tensor, normalization: int, sizes: Sequence[int]) -> Tensor:
    """A transform over axes of ``sizes``, n elements, divided by 1 (``normalization`` 0), sqrt(n) (1) or n (2)."""
    count = math.prod(sizes)
    return transform if normalization == 0 else transform / (math.sqrt(count) if normalization == 1 else count)


def fft_of_real(x: Tensor, dim: Sequence[int], normalization: int, onesided: bool) -> Tensor:
    """The Fourier transform over axes; only the nonnegative frequencies of the last one if ``onesided``."""
    axes = tuple(dim)
    transform = ops.rfftn(x, None, axes) if onesided else ops.fftn(x, None, axes)
    return normalize_transform(transform, normalization, [x.shape[axis] for axis in axes])


def fft_of_complex(x: Tensor, dim: Sequence[int], normalization: int, forward: bool) -> Tensor:
    """The Fourier transform over axes if ``forward``, else the inverse; ``normalization`` is the only factor."""
    axes = tuple(dim)
    transform = ops.fftn(x, None, axes) if forward else ops.ifftn(x, None, axes, "forward")
    return normalize_transform(transform, normalization, [x.shape[axis] for axis in axes])


def fft_to_real(x: Tensor, dim: Sequence[int], normalization: int, last_dim_size: int) -> Tensor:
    """The inverse of the one-sided transform of a real signal; ``normalization`` is the only factor."""
    axes = tuple(dim)
    sizes = (*(x.shape[axis] for axis in axes[:-1]), last_dim_size)
    return normalize_transform(ops.irfftn(x, sizes, axes, "forward"), normalization, sizes)


def windows(x: Tensor, dimension: int, size: int, step: int) -> Tensor:
    """All windows of ``size`` elements along an axis, ``step`` apart; their elements on a new last axis.

    >>> print(windows(ops.arange(5), 0, 3, 2))
    [[0 1 2]
     [2 3 4]]
    """
    axis = dimension % x.ndim
    starts = ops.arange(0, x.shape[axis] - size + 1, step)
    positions = starts.expand_dims(1) + ops.arange(size)
    return ops.movedim(x[(slice(None),) * axis + (positions,)], axis + 1, -1)


CONVERTERS: dict[str, Function] = {
    "abs": magnitude,
    "polar": ops.polar,
    "complex": COMPLEX,
    "view_as_complex": view_as_complex,
    "view_as_real": ops.view_as_real,
    "angle": ops.angle,
    "_fft_r2c": fft_of_real,
    "_fft_c2c": fft_of_complex,
    "_fft_c2r": fft_to_real,
    "unfold": windows,
}
