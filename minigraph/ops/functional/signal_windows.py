"""Window functions of signal processing."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from minigraph.core.errors import UsageError
from minigraph.core.tensor import Tensor
from minigraph.core.types import DType, float32, float64

__all__ = ["bartlett_window", "blackman_window", "hamming_window", "hann_window", "kaiser_window"]


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
