"""Filter banks and cepstral coefficients; tests/differential compares the results with MindSpore's."""

import numpy as np

from minigraph.dataset import audio
from minigraph.dataset.audio.mel import hertz_to_mel, mel_to_hertz
from tests.tables import error_cases


def test_scales_are_inverse() -> None:
    for kind in audio.MelType:
        mels = np.array([hertz_to_mel(frequency, kind) for frequency in (20.0, 999.0, 1000.0, 7000.0)])
        np.testing.assert_allclose(mel_to_hertz(mels, kind), [20, 999, 1000, 7000])


def test_the_transform_is_orthonormal() -> None:
    table = audio.create_dct(4, 4, audio.NormMode.ORTHO)
    np.testing.assert_allclose(table.T @ table, np.eye(4), atol=1e-6)


def test_coefficients_have_defaults() -> None:
    """MindSpore 2.10 raises ``KeyError`` unless ``melkwargs`` has every argument."""
    sound = np.sin(np.arange(64, dtype=np.float32))
    assert audio.MFCC(4000, 4, melkwargs={"n_fft": 16, "n_mels": 8})(sound).shape == (4, 9)
    assert audio.LFCC(4000, 8, 4, speckwargs={"n_fft": 16})(sound).shape == (4, 9)


test_errors = error_cases(
    (lambda: audio.create_dct(0, 4), ValueError, "n_mfcc must be greater than 0"),
    (lambda: audio.create_dct(1, 4, "none"), TypeError, "norm"),
    (lambda: audio.linear_fbanks(9, 60.0, 50.0, 4, 100), ValueError, "f_min: 60.0 and f_max: 50.0"),
    (lambda: audio.MelScale(4, 100, n_stft=6)(np.ones((5, 2))), RuntimeError, "got 6 and 5"),
    (lambda: audio.MFCC(dct_type=3), ValueError, "dct_type must be 2"),
    (lambda: audio.MFCC(4000, 9, melkwargs={"n_fft": 16, "n_mels": 8}), ValueError, "9 coefficients of 8 bands"),
)
