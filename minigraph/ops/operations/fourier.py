"""Primitives of Fourier transforms."""

from __future__ import annotations

from collections.abc import Sequence

from minigraph.core.tensor import Tensor
from minigraph.ops import functional as F
from minigraph.ops.primitive import REQUIRED, primitive

__all__ = ["STFT", "FFTWithSize"]


def _transform(
    x: Tensor, *, signal_ndim: int, inverse: bool, real: bool, norm: str, onesided: bool, signal_sizes: Sequence[int]
) -> Tensor:
    """The Fourier transform of the last axes, or the inverse one; of or to real numbers, if ``real``.

    Unless ``onesided``, all frequencies of a real transform are computed, or given.
    """
    axes, sizes = tuple(range(-signal_ndim, 0)), tuple(signal_sizes) or None
    if not real:
        return (F.ifftn if inverse else F.fftn)(x, sizes, axes, norm)
    if onesided:
        return (F.irfftn if inverse else F.rfftn)(x, sizes, axes, norm)
    return F.real(F.ifftn(x, sizes, axes, norm)) if inverse else F.fftn(x, sizes, axes, norm)


def _short_time(
    x: Tensor, window: Tensor | None = None, *,
    n_fft: int, hop_length: int, win_length: int, normalized: bool, onesided: bool, return_complex: bool,
) -> Tensor:  # fmt: skip
    """Fourier transforms of windows of a signal, which is not padded."""
    return F.stft(
        x, n_fft, hop_length, win_length, window,
        center=False, normalized=normalized, onesided=onesided, return_complex=return_complex,
    )  # fmt: skip


FFTWithSize = primitive(
    "FFTWithSize", _transform,
    signal_ndim=REQUIRED, inverse=REQUIRED, real=REQUIRED, norm="backward", onesided=True, signal_sizes=(),
)  # fmt: skip
STFT = primitive(
    "STFT", _short_time, n_fft=REQUIRED, hop_length=REQUIRED, win_length=REQUIRED, normalized=REQUIRED,
    onesided=REQUIRED, return_complex=REQUIRED,
)  # fmt: skip
