"""Window functions against numpy."""

import numpy as np

from minigraph import Tensor, float32, ops
from minigraph.core.errors import UsageError
from tests.tables import every, refusals

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


test_refusals = refusals(
    (lambda: ops.hann_window(-1), UsageError, "window_length must not be negative, got -1"),
)
