"""Spectra; tests/differential compares the results with MindSpore's."""

import numpy as np

from minigraph.dataset import audio
from minigraph.dataset.audio.spectra import window_of
from tests.tables import error_cases


def test_a_tone_has_one_peak() -> None:
    tone = np.sin(2 * np.pi * 3 / 16 * np.arange(64))
    spectrum = audio.Spectrogram(16)(tone)
    assert spectrum.shape == (9, 9) and (spectrum[:, 2:7].argmax(0) == 3).all()
    complex_parts = audio.Spectrogram(16, power=0.0)(tone)
    np.testing.assert_allclose((complex_parts**2).sum(-1), spectrum, atol=1e-9)


def test_windows_are_periodic() -> None:
    for kind in audio.WindowType:
        window = window_of(kind, 8)
        np.testing.assert_allclose(window[1:], window[:0:-1])


test_errors = error_cases(
    (lambda: audio.Spectrogram(8, 9), ValueError, "win_length: 9 and n_fft: 8"),
    (lambda: audio.Spectrogram(8, hop_length=0), ValueError, "hop_length"),
    (lambda: audio.Spectrogram(8, window="hann"), TypeError, "window"),
    (lambda: audio.Spectrogram(8, center=1), TypeError, "center"),
)
