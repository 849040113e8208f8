"""Waveforms; tests/differential compares the results with MindSpore's."""

import numpy as np
import pytest

from minigraph.dataset import NumpySlicesDataset, audio

WAVE = np.array([[0.5, -0.25, 1.0]], np.float32)


def test_in_a_pipeline() -> None:
    rows = NumpySlicesDataset(WAVE, "sound").map([audio.Vol(2.0), audio.MuLawEncoding(), audio.MuLawDecoding()])
    (row,) = rows
    np.testing.assert_allclose(row[0].asnumpy(), [1.0, -0.5, 1.0], atol=0.02)


def test_inverse_operations() -> None:
    power = np.abs(WAVE)
    np.testing.assert_allclose(audio.DBToAmplitude(1.0, 1.0)(audio.AmplitudeToDB()(power)), power, rtol=1e-5)
    np.testing.assert_allclose(audio.Gain(-6.0)(audio.Gain(6.0)(WAVE)), WAVE, rtol=1e-6)
    norm, phase = audio.Magphase()(np.array([[3.0, 4.0]]))
    np.testing.assert_allclose([norm[0] * np.cos(phase[0]), norm[0] * np.sin(phase[0])], [3, 4])


def test_overdrive_of_any_rank() -> None:
    distorted = audio.Overdrive()(np.stack([WAVE, -WAVE]))
    assert distorted.shape == (2, 1, 3) and np.array_equal(distorted[0], audio.Overdrive()(WAVE))


def test_fades_are_not_longer_than_the_waveform() -> None:
    with pytest.raises(RuntimeError, match="of a waveform of 3 samples"):
        audio.Fade(4)(WAVE)
    np.testing.assert_allclose(audio.Fade(2, 2)(WAVE), [[0, -0.25, 0]])
