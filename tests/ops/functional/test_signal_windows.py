"""Window functions against numpy."""

import numpy as np
import pytest

from minigraph import Tensor, float32, ops
from minigraph.core.errors import UsageError
from tests.tables import error_cases, every

WINDOWS = {"bartlett": np.bartlett, "blackman": np.blackman, "hamming": np.hamming, "hann": np.hanning}


def test_windows_with_options():
    np.testing.assert_allclose(ops.kaiser_window(6, False, 10.0).asnumpy(), np.kaiser(6, 10.0))
    expected = 0.5 - 0.4 * np.cos(2 * np.pi * np.arange(5) / 5)
    np.testing.assert_allclose(ops.hamming_window(5, True, 0.5, 0.4).asnumpy(), expected, atol=1e-7)


@every(length=[1, 2, 5, 8], name=WINDOWS)
def test_windows(name, length):
    window = getattr(ops, f"{name}_window")
    np.testing.assert_allclose(window(length, False).asnumpy(), WINDOWS[name](length), atol=1e-7)
    periodic = window(Tensor(length), dtype=float32)
    expected = WINDOWS[name](length + 1)[:length] if length > 1 else [1.0]
    np.testing.assert_allclose(periodic.asnumpy(), expected, atol=1e-7)
    assert periodic.dtype is float32


test_errors = error_cases(
    (lambda: ops.hann_window(-1), UsageError, "window_length must not be negative, got -1"),
)


def test_short_time_transforms():
    signal = np.arange(16, dtype=np.float32)
    frames = ops.stft(Tensor(signal), 4, return_complex=True)
    assert frames[0].asnumpy().real.tolist()[:4] == [4, 4, 6, 10] and frames.shape == (3, 17)  # MindSpore 2.10
    np.testing.assert_allclose(frames[1, 0].asnumpy(), 2, atol=1e-6)
    window = ops.hann_window(3)
    out = ops.stft(Tensor(signal), 8, 2, 3, window, center=False, normalized=True, onesided=False)
    weights = np.pad(window.asnumpy(), (2, 3))
    expected = np.fft.fft(signal[4:12] * weights, norm="ortho")
    np.testing.assert_allclose(out[:, 2].asnumpy(), np.stack([expected.real, expected.imag], -1), atol=1e-5)
    with pytest.raises(ValueError, match="pad_mode is"):
        ops.stft(Tensor(signal), 4, pad_mode="edge")
