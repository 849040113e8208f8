"""Filters; tests/differential compares the results with MindSpore's."""

import numpy as np

from minigraph.dataset import audio
from tests.tables import error_cases

IMPULSE = np.eye(1, 8)


def test_an_impulse_has_the_response_of_the_recurrence() -> None:
    response = audio.LFilter([1.0, -0.5], [1.0, 0.0])(IMPULSE)
    np.testing.assert_allclose(response[0], 0.5 ** np.arange(8))
    loud = audio.LFilter([1.0, -2.0], [1.0, 0.0], clamp=False)(IMPULSE)
    np.testing.assert_allclose(loud[0], 2.0 ** np.arange(8))


def test_gains_of_constant_and_alternating_waveforms() -> None:
    constant, alternating = np.full(400, 0.5), 0.5 * (-1.0) ** np.arange(400)
    low, high = audio.LowpassBiquad(8000, 1000), audio.HighpassBiquad(8000, 1000)
    np.testing.assert_allclose([low(constant)[-1], high(alternating)[-1]], [0.5, -0.5], atol=1e-6)
    np.testing.assert_allclose([low(alternating)[-1], high(constant)[-1]], [0, 0], atol=1e-6)


def test_half_precision_is_computed_in_double() -> None:
    """MindSpore 2.10 computes in float16, with errors of some percent after eight samples."""
    half = audio.BassBiquad(44100, 5.0)(IMPULSE.astype(np.float16))
    assert half.dtype == np.float16
    np.testing.assert_allclose(half, audio.BassBiquad(44100, 5.0)(IMPULSE), atol=1e-3)


test_errors = error_cases(
    (lambda: audio.LFilter([1.0], [1.0, 2.0]), ValueError, "same as that of b_coeffs"),
    (lambda: audio.LFilter([0.0], [1.0]), RuntimeError, "can not be equal to zero"),
    (lambda: audio.Biquad(1, 2, 3, 0.0, 5, 6), ValueError, "a0"),
    (lambda: audio.LowpassBiquad(0, 1), ValueError, "sample_rate"),
    (lambda: audio.LowpassBiquad(44100, 1, 2.0), ValueError, "Q"),
    (lambda: audio.BandBiquad(44100, 1, noise=3), TypeError, "noise"),
    (lambda: audio.DeemphBiquad(8000), ValueError, "44100 or 48000"),
    (lambda: audio.RiaaBiquad(8000), ValueError, "one of"),
    (lambda: audio.LowpassBiquad(44100, 1)(np.array([1, 2])), RuntimeError, "LowpassBiquad: expected floats"),
)


def test_a_filter_in_both_directions_is_mindspores():
    waveform = np.arange(12).reshape(2, 6).astype(np.float32) ** 1.5 / 20
    expected = [0.0026867, 0.0212669, 0.0555439, 0.1005359, 0.1567949, 0.1639641]
    np.testing.assert_allclose(audio.Filtfilt([2.0, 0.1], [1.0, 0.3])(waveform)[0], expected, atol=1e-6)
    unclipped = audio.Filtfilt([0.2, 0.1], [1.0, 0.3], False)(waveform * 20)
    np.testing.assert_allclose(unclipped[0, :3], [-2.965859, 20.931719, 47.562969], rtol=1e-5)
    assert audio.Filtfilt([0.2, 0.1], [1.0, 0.3])(waveform * 20).max() == 1
