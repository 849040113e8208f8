"""Features of waveforms and spectra: recorded results of MindSpore."""

import numpy as np
import pytest

from minigraph.dataset import audio

SPECTRUM = np.arange(12).reshape(2, 6).astype(np.float32) ** 1.5
SINE = np.sin(np.arange(40)).astype(np.float32)[None]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ((), [0.6656854, 1.3220732, 2.0196152, 2.5532253, 2.2688012, 1.5148715]),
        ((3,), [0.5, 1.4142135, 2.0980761, 2.5857863, 2.9920938, 1.5901699]),
        ((4,), [0.5, 1.4142135, 2.0980761, 2.5857863, 2.9920938, 1.5901699]),
        ((7, audio.BorderType.REFLECT), [0.0, 0.9548375, 1.8120419, 1.769009, 1.0327069, 0.0]),
    ],
)
def test_deltas(arguments, expected):
    result = audio.ComputeDeltas(*arguments)(SPECTRUM)
    assert result.dtype == np.float32 and result.shape == (2, 6)
    np.testing.assert_allclose(result[0], expected, atol=1e-6)


def test_spectral_centroid():
    expected = [17.212202, 14.988132, 14.217993, 15.8245, 16.926749, 14.459708, 14.483571, 17.009308, 15.764327,
                14.210505, 21.05979]  # fmt: skip
    result = audio.SpectralCentroid(100, n_fft=8)(SINE)
    assert result.shape == (1, 1, 11) and result.dtype == np.float32
    np.testing.assert_allclose(result[0, 0], expected, rtol=1e-5)


def test_wrong_arguments_raise():
    with pytest.raises(ValueError, match="win_length"):
        audio.ComputeDeltas(2)
    with pytest.raises(TypeError, match="win_length"):
        audio.ComputeDeltas("a")
