"""ONNX's Fourier transforms, as matrix products."""

from __future__ import annotations

import numpy as np

from minigraph import ops
from minigraph.core.op import apply
from minigraph.core.tensor import Tensor
from minigraph.importers.operator_table import KnownValue, Row, Rows
from minigraph.importers.weights import checked_count, constant

T = Tensor


def fourier(x: T, length: KnownValue, axis: int, inverse: int, onesided: int) -> T:
    """The discrete Fourier transform along an axis; the last axis is (real,) or (real, imaginary)."""
    at = axis % x.ndim
    whole = 2 * (x.shape[at] - 1) if onesided and inverse else x.shape[at]
    size = whole if length is None or not np.size(length) else int(np.ravel(length)[0])
    if onesided and inverse:
        checked_count(x.shape[at] * size)
        return _real_inverse(x, size, at)
    rows = min(size, x.shape[at])
    x = x[(*[slice(None)] * at, slice(0, rows))]
    count = size // 2 + 1 if onesided else size
    checked_count(rows * count)
    angles = 2 * np.pi * np.outer(np.arange(rows), np.arange(count)) / size * (1 if inverse else -1)
    matrices = [constant((f(angles) / (size if inverse else 1)).astype(x.dtype.numpy)) for f in (np.cos, np.sin)]
    parts = [ops.moveaxis(x[..., k], at, -1) for k in range(x.shape[-1])]
    real, imag = (ops.matmul(parts[0], matrix) for matrix in matrices)
    if len(parts) == 2:
        rotated = [ops.matmul(parts[1], matrix) for matrix in matrices]
        real, imag = real - rotated[1], imag + rotated[0]
    return apply("stack", ops.moveaxis(real, -1, at), ops.moveaxis(imag, -1, at), axis=-1)


def _real_inverse(x: T, size: int, at: int) -> T:
    """The real signal of the first half of its spectrum."""
    rows = x.shape[at]
    weights = (
        np.where((np.arange(rows) == 0) | ((size % 2 == 0) & (np.arange(rows) == size // 2)), 1, 2)[:, None] / size
    )
    angles = 2 * np.pi * np.outer(np.arange(rows), np.arange(size)) / size
    real, imag = (ops.moveaxis(x[..., k], at, -1) for k in range(2))
    cosine, sine = (constant((f(angles) * weights).astype(x.dtype.numpy)) for f in (np.cos, np.sin))
    signal = ops.matmul(real, cosine) - ops.matmul(imag, sine)
    return apply("expand_dims", ops.moveaxis(signal, -1, at), axis=x.ndim - 1)


def short_time_fourier(signal: T, step: KnownValue, window: T | None, length: KnownValue, onesided: int) -> T:
    """Fourier transforms of windows of a signal: [batch, windows, frequencies, 2]."""
    size = window.shape[0] if window is not None else int(np.ravel(length)[0])
    hop = max(int(np.ravel(step)[0]), 1)
    checked_count(size)
    count = (signal.shape[1] - size) // hop + 1
    positions = constant(np.arange(size) + hop * np.arange(count)[:, None])
    frames = apply("index", signal, positions, key=((None, None, None), (1,), ...))
    frames = frames if window is None else frames * apply("reshape", window, shape=(-1, 1))
    return fourier(frames, None, 2, 0, onesided)


ROWS: Rows = {
    "DFT": Row(lambda x, length=None, *, axis=1, inverse=0, onesided=0: fourier(x, length, axis, inverse, onesided),
               known="length"),
    "DFT@20": Row(lambda x, length=None, axis=None, *, inverse=0, onesided=0: fourier(
        x, length, -2 if axis is None else int(np.ravel(axis)[0]), inverse, onesided), known="length axis"),
    "STFT": Row(lambda signal, step, window=None, length=None, *, onesided=1: short_time_fourier(
        signal, step, window, length, onesided), known="step length"),
}  # fmt: skip
