"""Window functions of signal processing, and the short-time Fourier transform."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from minigraph.core.errors import UsageError
from minigraph.core.op import apply
from minigraph.core.tensor import Tensor
from minigraph.core.types import DType, complex64, complex128, float32, float64
from minigraph.ops.functional.complex_numbers import view_as_real
from minigraph.ops.functional.fourier import fft

__all__ = ["bartlett_window", "blackman_window", "hamming_window", "hann_window", "kaiser_window", "stft"]


def _window(length: float | Tensor, periodic: bool, function: Callable[[int], np.ndarray], dtype: DType) -> Tensor:
    """A window of ``length`` samples; ``periodic`` computes one more and drops it."""
    count: int = int(length.asnumpy() if isinstance(length, Tensor) else length)
    if count < 0:
        raise UsageError(f"window_length must not be negative, got {count}")
    return Tensor(function(count + periodic)[:count] if count > 1 else np.ones(count), dtype)


def bartlett_window(window_length: float | Tensor, periodic: bool = True, *, dtype: DType | None = None) -> Tensor:
    """The Bartlett (triangular) window, Float32; ``periodic`` drops the last sample, which equals the first.

    >>> print(bartlett_window(4))
    [0.  0.5 1.  0.5]
    """
    return _window(window_length, periodic, np.bartlett, dtype or float32)


def blackman_window(window_length: float | Tensor, periodic: bool = True, *, dtype: DType | None = None) -> Tensor:
    """The Blackman window, Float32; ``periodic`` as in ``bartlett_window``."""
    return _window(window_length, periodic, np.blackman, dtype or float32)


def hamming_window(
    window_length: float | Tensor, periodic: bool = True, alpha: float = 0.54, beta: float = 0.46, *,
    dtype: DType | None = None,
) -> Tensor:  # fmt: skip
    """The Hamming window, alpha - beta times a cosine, Float32; ``periodic`` as in ``bartlett_window``."""

    def samples(count: int) -> np.ndarray:
        return alpha - beta * np.cos(2 * np.pi * np.arange(count) / max(count - 1, 1))

    return _window(window_length, periodic, samples, dtype or float32)


def hann_window(window_length: float | Tensor, periodic: bool = True, *, dtype: DType | None = None) -> Tensor:
    """The Hann window, Float64; ``periodic`` as in ``bartlett_window``."""
    return _window(window_length, periodic, np.hanning, dtype or float64)


def kaiser_window(
    window_length: int, periodic: bool = True, beta: float = 12.0, *, dtype: DType | None = None
) -> Tensor:
    """The Kaiser window, Float64; ``periodic`` as in ``bartlett_window``."""
    return _window(window_length, periodic, lambda count: np.kaiser(count, beta), dtype or float64)


def stft(
    x: Tensor, n_fft: int, hop_length: int | None = None, win_length: int | None = None, window: Tensor | None = None,
    center: bool = True, pad_mode: str = "REFLECT", normalized: bool = False, onesided: bool | None = None,
    return_complex: bool | None = None,
) -> Tensor:  # fmt: skip
    """Fourier transforms of windows of ``n_fft`` samples, ``hop_length`` (n_fft // 4) apart.

    The result is [..., frequencies, windows]. With ``center`` the first window is centred at the first sample, and the
    ends are padded by reflection. ``onesided`` keeps n_fft // 2 + 1 frequencies (the default for real signals),
    ``normalized`` divides by sqrt(n_fft). Without ``return_complex`` (the default for real signals) the last axis holds
    real and imaginary parts. Raises ``UsageError`` for another ``pad_mode``.

    >>> stft(Tensor(np.arange(16.0)), 4, return_complex=True).shape
    (3, 17)
    """
    if pad_mode.upper() not in ("REFLECT", "CONSTANT"):
        raise UsageError(f"stft: pad_mode is 'REFLECT' or 'CONSTANT', got {pad_mode!r}")
    is_complex = x.dtype in (complex64, complex128)
    hop, length = hop_length or n_fft // 4, win_length or n_fft
    if center:
        x = _extend(x, n_fft // 2, pad_mode.upper() == "REFLECT")
    starts = np.arange(0, x.shape[-1] - n_fft + 1, hop)
    weights = np.ones(length) if window is None else window.asnumpy()
    before = (n_fft - length) // 2
    weights = np.pad(weights, (before, n_fft - length - before))
    frames = x[..., Tensor(starts[:, None] + np.arange(n_fft))] * Tensor(weights.astype(x.dtype.numpy))
    out = fft(frames, norm="ortho" if normalized else None)
    if onesided if onesided is not None else not is_complex:
        out = out[..., : n_fft // 2 + 1]
    out = out.swapaxes(-1, -2)
    return out if (is_complex if return_complex is None else return_complex) else view_as_real(out)


def _extend(x: Tensor, count: int, reflect: bool) -> Tensor:
    """A signal with ``count`` more samples at both ends: reflected, or zeros."""
    if reflect:
        return x[..., Tensor(np.pad(np.arange(x.shape[-1]), count, "reflect"))]
    return apply("pad", x, widths=((0, 0),) * (x.ndim - 1) + ((count, count),))
