"""Window functions of signal processing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from minigraph.core.errors import UsageError
from minigraph.core.tensor import Tensor
from minigraph.core.types import DType, float32, float64

__all__ = ["bartlett_window", "blackman_window", "hamming_window", "hann_window", "kaiser_window"]


def _window(length: Any, periodic: bool, make: Callable[[int], np.ndarray], dtype: DType) -> Tensor:
    """A window of numbers; ``periodic`` leaves the last one, which is the first again, out."""
    count: int = int(length.asnumpy() if isinstance(length, Tensor) else length)
    if count < 0:
        raise UsageError(f"a window has 0 numbers or more, got {count}")
    return Tensor(make(count + periodic)[:count] if count > 1 else np.ones(count), dtype)


def bartlett_window(window_length: Any, periodic: bool = True, *, dtype: DType | None = None) -> Tensor:
    """A triangle, Float32; ``periodic`` leaves the last number, which is the first again, out.

    >>> print(bartlett_window(4))
    [0.  0.5 1.  0.5]
    """
    return _window(window_length, periodic, np.bartlett, dtype or float32)


def blackman_window(window_length: Any, periodic: bool = True, *, dtype: DType | None = None) -> Tensor:
    """Blackman's three cosines, Float32; ``periodic`` as in ``bartlett_window``."""
    return _window(window_length, periodic, np.blackman, dtype or float32)


def hamming_window(
    window_length: Any, periodic: bool = True, alpha: float = 0.54, beta: float = 0.46, *, dtype: DType | None = None
) -> Tensor:
    """alpha - beta times a cosine, Float32; ``periodic`` as in ``bartlett_window``."""

    def waves(count: int) -> np.ndarray:
        return alpha - beta * np.cos(2 * np.pi * np.arange(count) / max(count - 1, 1))

    return _window(window_length, periodic, waves, dtype or float32)


def hann_window(window_length: Any, periodic: bool = True, *, dtype: DType | None = None) -> Tensor:
    """A raised cosine, Float64; ``periodic`` as in ``bartlett_window``."""
    return _window(window_length, periodic, np.hanning, dtype or float64)


def kaiser_window(
    window_length: Any, periodic: bool = True, beta: float = 12.0, *, dtype: DType | None = None
) -> Tensor:
    """Kaiser's window of Bessel functions, Float64; ``periodic`` as in ``bartlett_window``."""
    return _window(window_length, periodic, lambda count: np.kaiser(count, beta), dtype or float64)
