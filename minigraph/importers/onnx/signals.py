"""ONNX's Fourier transforms, as matrix products."""

from __future__ import annotations

import numpy as np

from minigraph import ops
from minigraph.core.op import apply
from minigraph.core.tensor import Tensor
from minigraph.core.types import float64
from minigraph.importers.onnx.elementwise import cast
from minigraph.importers.operator_table import Converter, Converters, KnownValue, node_axis
from minigraph.importers.size_limits import check_count
from minigraph.importers.weights import constant

T = Tensor


def discrete_fourier_transform(x: T, length: KnownValue, axis: int, inverse: int, onesided: int) -> T:
    """The discrete Fourier transform along an axis; the last axis is (real,) or (real, imaginary).

    Its matrix is computed in float64. An inverse of the first half of a spectrum gives a real signal, to which all but
    the first and the middle frequency contribute twice.
    """
    signal_axis, to_real = node_axis(axis, x.ndim), bool(onesided and inverse)
    signal_length = 2 * (x.shape[signal_axis] - 1) if to_real else x.shape[signal_axis]
    size = signal_length if length is None or not np.size(length) else int(np.ravel(length)[0])
    rows = x.shape[signal_axis] if to_real else min(size, x.shape[signal_axis])
    count = size // 2 + 1 if onesided and not inverse else size
    check_count(rows * count)
    k = np.arange(rows)[:, None]
    twice = 2 - ((k == 0) | (2 * k == size)) if to_real else 1
    angles = 2 * np.pi * (k * np.arange(count) % max(size, 1)) / size * (1 if inverse else -1)
    cosine, sine = (constant(f(angles) * twice / (size if inverse else 1)) for f in (np.cos, np.sin))
    parts = [ops.moveaxis(cast(x[..., part], float64), signal_axis, -1)[..., :rows] for part in range(x.shape[-1])]
    results = [ops.matmul(parts[0], cosine), ops.matmul(parts[0], sine)]
    if len(parts) == 2:
        results = [results[0] - ops.matmul(parts[1], sine), results[1] + ops.matmul(parts[1], cosine)]
    components = [ops.moveaxis(result, -1, signal_axis) for result in results[: 1 if to_real else 2]]
    return cast(apply("stack", *components, axis=-1), x.dtype)


def short_time_fourier_transform(signal: T, step: KnownValue, window: T | None, length: KnownValue, onesided: int) -> T:
    """Fourier transforms of windows of a signal: [batch, windows, frequencies, 2]."""
    size = window.shape[0] if window is not None else int(np.ravel(length)[0])
    hop = max(int(np.ravel(step)[0]), 1)
    check_count(size)
    count = (signal.shape[1] - size) // hop + 1
    positions = constant(np.arange(size) + hop * np.arange(count)[:, None])
    frames = apply("index", signal, positions, key=((None, None, None), (1,), ...))
    frames = frames if window is None else frames * apply("reshape", window, shape=(-1, 1))
    return discrete_fourier_transform(frames, None, 2, 0, onesided)


CONVERTERS: Converters = {
    "DFT": Converter(lambda x, length=None, *, axis=1, inverse=0, onesided=0: discrete_fourier_transform(
        x, length, axis, inverse, onesided), known="length"),
    "DFT@20": Converter(lambda x, length=None, axis=None, *, inverse=0, onesided=0: discrete_fourier_transform(
        x, length, -2 if axis is None else int(np.ravel(axis)[0]), inverse, onesided), known="length axis"),
    "STFT": Converter(lambda signal, step, window=None, length=None, *, onesided=1: short_time_fourier_transform(
        signal, step, window, length, onesided), known="step length"),
}  # fmt: skip
