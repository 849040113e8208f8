"""Discrete Fourier transforms: one node, the transform along an axis, and functions made of it."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from minigraph.core.aliases import Array
from minigraph.core.errors import ArgTypeError, UsageError
from minigraph.core.op import apply
from minigraph.core.tensor import Tensor
from minigraph.core.types import DType, TensorType, complex64, complex128, float32, float64
from minigraph.operators.families import normalize_axis
from minigraph.operators.pyfunc import InputInfo, Types, call_python
from minigraph.ops.functional.complex_numbers import conj, real
from minigraph.ops.functional.dtypes import cast
from minigraph.ops.functional.joining import concat
from minigraph.ops.functional.rearranging import flip, roll

__all__ = [
    "fft", "fft2", "fftfreq", "fftn", "fftshift", "hfft", "hfft2", "hfftn", "ifft", "ifft2", "ifftn", "ifftshift",
    "ihfft", "ihfft2", "ihfftn", "irfft", "irfft2", "irfftn", "rfft", "rfft2", "rfftfreq", "rfftn",
]  # fmt: skip

NORMS = ("backward", "ortho", "forward")
Dims = Sequence[int] | int | None

# ---- one axis --------------------------------------------------------------------------------------


def _as_complex(x: Tensor) -> Tensor:
    if x.dtype in (complex64, complex128):
        return x
    return cast(x, complex128 if x.dtype is float64 else complex64)


def _resize_axis(x: Tensor, n: int | None, axis: int) -> Tensor:
    """The first ``n`` elements of an axis, or the axis padded with zeros to n."""
    size = x.shape[axis]
    if n is None or n == size:
        return x
    if n < 1:
        raise UsageError(f"fft: n must be positive, got {n}")
    if n < size:
        return x[(slice(None),) * axis + (slice(n),)]
    return apply("pad", x, widths=tuple((0, (n - size) * (i == axis)) for i in range(x.ndim)))


def _transform(x: Tensor, axis: int, sign: int) -> Tensor:
    """The sum of x[k] exp(sign 2 pi i j k / n) over an axis: a symmetric matrix, so its VJP is itself."""

    def compute(a: Array) -> Array:
        out = np.fft.fft(a, axis=axis) if sign < 0 else np.fft.ifft(a, axis=axis, norm="forward")
        return out.astype(a.dtype)

    def infer(operands: Sequence[InputInfo]) -> Types:
        return (TensorType(operands[0].shape, operands[0].dtype),)

    result: Tensor = call_python(
        "fft", compute, (x,), infer=infer, bprop=lambda x, out, dout: _transform(dout, axis, sign)
    )
    return result


def _transform_axis(x: Tensor, n: int | None, dim: int, norm: str | None, sign: int) -> Tensor:
    """A transform of n elements, scaled by ``norm``: "backward" divides the inverse by n, "forward" the other."""
    if not isinstance(x, Tensor):
        raise ArgTypeError(f"fft: expected a tensor, got {type(x).__name__}; wrap it in Tensor(...)")
    axis = normalize_axis("fft", dim, x.ndim)
    y = _resize_axis(_as_complex(x), n, axis)
    return _scale_by_norm(_transform(y, axis, sign), y.shape[axis], norm, sign)


def _scale_by_norm(x: Tensor, n: int, norm: str | None, sign: int) -> Tensor:
    norm = norm or "backward"
    if norm not in NORMS:
        raise UsageError(f"fft: norm is one of {', '.join(NORMS)}, got {norm!r}")
    if norm == "ortho":
        return x * (1 / math.sqrt(n))
    return x * (1 / n) if (sign > 0) == (norm == "backward") else x


def fft(input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None) -> Tensor:
    """The Fourier transform along ``dim``, of ``n`` elements: longer axes are cut, shorter ones padded with zeros.

    ``norm`` is "backward" (the inverse is divided by n), "ortho" (both by sqrt(n)) or "forward". Raises ``UsageError``
    for another norm.

    >>> print(fft(Tensor([1.0, 0.0, 0.0, 0.0])))
    [1.+0.j 1.+0.j 1.+0.j 1.+0.j]
    """
    return _transform_axis(input, n, dim, norm, -1)


def ifft(input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None) -> Tensor:
    """The inverse of ``fft``."""
    return _transform_axis(input, n, dim, norm, 1)


def rfft(input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None) -> Tensor:
    """The first n // 2 + 1 elements of ``fft`` of real numbers; the others are their conjugates.

    >>> print(rfft(Tensor([1.0, 0.0, 0.0])))
    [1.+0.j 1.+0.j]
    """
    if input.dtype in (complex64, complex128):
        raise ArgTypeError(f"rfft: expected real numbers, got {input.type}; use fft")
    axis = normalize_axis("rfft", dim, input.ndim)
    spectrum = fft(input, n, axis, norm)
    return _resize_axis(spectrum, spectrum.shape[axis] // 2 + 1, axis)


def irfft(input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None) -> Tensor:
    """The inverse of ``rfft``: ``n`` real numbers, by default 2 (size - 1)."""
    axis = normalize_axis("irfft", dim, input.ndim)
    return real(ifft(_hermitian(_as_complex(input), n, axis), None, axis, norm))


def _hermitian(x: Tensor, n: int | None, axis: int) -> Tensor:
    """All ``n`` elements of a transform of real numbers, from the first half."""
    n = 2 * (x.shape[axis] - 1) if n is None else n
    half = _resize_axis(x, n // 2 + 1, axis)
    before = (slice(None),) * axis
    edge = real(half[(*before, slice(1))])  # their imaginary parts have no effect
    inner = half[(*before, slice(1, (n + 1) // 2))]
    parts = [cast(edge, half.dtype), inner]
    if n % 2 == 0:
        parts.append(cast(real(half[(*before, slice(n // 2, n // 2 + 1))]), half.dtype))
    return concat([*parts, flip(conj(inner), (axis,))], axis)


def hfft(input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None) -> Tensor:
    """The real Fourier transform of ``n`` Hermitian numbers, of which the first half is given."""
    axis = normalize_axis("hfft", dim, input.ndim)
    return real(fft(_hermitian(_as_complex(input), n, axis), None, axis, norm))


def ihfft(input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None) -> Tensor:
    """The inverse of ``hfft``: the first half of the transform of real numbers."""
    axis = normalize_axis("ihfft", dim, input.ndim)
    spectrum = ifft(input, n, axis, norm)
    return _resize_axis(spectrum, spectrum.shape[axis] // 2 + 1, axis)


# ---- several axes ----------------------------------------------------------------------------------


def _axes(x: Tensor, s: Dims, dim: Dims) -> list[tuple[int | None, int]]:
    """(size, axis) of each transform: by default all axes, or the last ones if sizes are given."""
    sizes = [s] if isinstance(s, int) else s
    if dim is None:
        dims = list(range(x.ndim) if sizes is None else range(x.ndim - len(sizes), x.ndim))
    else:
        dims = [dim] if isinstance(dim, int) else list(dim)
    counts: Sequence[int | None] = [None] * len(dims) if sizes is None else list(sizes)
    if len(counts) != len(dims):
        raise UsageError(f"fft: {len(counts)} sizes for {len(dims)} axes; pass one per axis")
    return [(size, normalize_axis("fft", axis, x.ndim)) for size, axis in zip(counts, dims, strict=True)]


def fftn(input: Tensor, s: Dims = None, dim: Dims = None, norm: str | None = None) -> Tensor:
    """``fft`` along several axes, by default all; ``s`` are their sizes.

    >>> print(fftn(Tensor([[1.0, 0.0], [0.0, 0.0]])))
    [[1.+0.j 1.+0.j]
     [1.+0.j 1.+0.j]]
    """
    return _transform_axes(input, _axes(input, s, dim), norm, -1)


def _transform_axes(x: Tensor, axes: Sequence[tuple[int | None, int]], norm: str | None, sign: int) -> Tensor:
    for size, axis in axes:
        x = _transform_axis(x, size, axis, norm, sign)
    return x


def ifftn(input: Tensor, s: Dims = None, dim: Dims = None, norm: str | None = None) -> Tensor:
    """The inverse of ``fftn``."""
    return _transform_axes(input, _axes(input, s, dim), norm, 1)


def rfftn(input: Tensor, s: Dims = None, dim: Dims = None, norm: str | None = None) -> Tensor:
    """``rfft`` along the last of several axes, then ``fft`` along the others."""
    *others, (size, axis) = _axes(input, s, dim)
    return _transform_axes(rfft(input, size, axis, norm), others, norm, -1)


def irfftn(input: Tensor, s: Dims = None, dim: Dims = None, norm: str | None = None) -> Tensor:
    """The inverse of ``rfftn``."""
    *others, (size, axis) = _axes(input, s, dim)
    return irfft(_transform_axes(input, others, norm, 1), size, axis, norm)


def hfftn(input: Tensor, s: Dims = None, dim: Dims = None, norm: str | None = None) -> Tensor:
    """``fft`` along several axes but the last, then ``hfft`` along that."""
    *others, (size, axis) = _axes(input, s, dim)
    return hfft(_transform_axes(input, others, norm, -1), size, axis, norm)


def ihfftn(input: Tensor, s: Dims = None, dim: Dims = None, norm: str | None = None) -> Tensor:
    """The inverse of ``hfftn``."""
    *others, (size, axis) = _axes(input, s, dim)
    return _transform_axes(ihfft(input, size, axis, norm), others, norm, 1)


LAST_TWO = (-2, -1)


def fft2(input: Tensor, s: Dims = None, dim: Dims = LAST_TWO, norm: str | None = None) -> Tensor:
    """``fftn`` of the last two axes."""
    return fftn(input, s, dim, norm)


def ifft2(input: Tensor, s: Dims = None, dim: Dims = LAST_TWO, norm: str | None = None) -> Tensor:
    """``ifftn`` of the last two axes."""
    return ifftn(input, s, dim, norm)


def rfft2(input: Tensor, s: Dims = None, dim: Dims = LAST_TWO, norm: str | None = None) -> Tensor:
    """``rfftn`` of the last two axes."""
    return rfftn(input, s, dim, norm)


def irfft2(input: Tensor, s: Dims = None, dim: Dims = LAST_TWO, norm: str | None = None) -> Tensor:
    """``irfftn`` of the last two axes."""
    return irfftn(input, s, dim, norm)


def hfft2(input: Tensor, s: Dims = None, dim: Dims = LAST_TWO, norm: str | None = None) -> Tensor:
    """``hfftn`` of the last two axes."""
    return hfftn(input, s, dim, norm)


def ihfft2(input: Tensor, s: Dims = None, dim: Dims = LAST_TWO, norm: str | None = None) -> Tensor:
    """``ihfftn`` of the last two axes."""
    return ihfftn(input, s, dim, norm)


# ---- frequencies and shifts ------------------------------------------------------------------------


def fftfreq(n: int, d: float = 1.0, dtype: DType | None = None) -> Tensor:
    """The frequency of each element of ``fft``, in cycles per unit of the spacing ``d``.

    >>> print(fftfreq(4))
    [ 0.    0.25 -0.5  -0.25]
    """
    return Tensor(np.fft.fftfreq(n, d), dtype or float32)


def rfftfreq(n: int, d: float = 1.0, dtype: DType | None = None) -> Tensor:
    """The frequency of each element of ``rfft``."""
    return Tensor(np.fft.rfftfreq(n, d), dtype or float32)


def fftshift(input: Tensor, dim: Dims = None) -> Tensor:
    """The elements with the frequency 0 in the middle of each axis.

    >>> print(fftshift(Tensor([0.0, 1.0, 2.0])))
    [2. 0. 1.]
    """
    axes = [axis for _, axis in _axes(input, None, dim)]
    return roll(input, tuple(input.shape[axis] // 2 for axis in axes), tuple(axes))


def ifftshift(input: Tensor, dim: Dims = None) -> Tensor:
    """The inverse of ``fftshift``."""
    axes = [axis for _, axis in _axes(input, None, dim)]
    return roll(input, tuple(-(input.shape[axis] // 2) for axis in axes), tuple(axes))
