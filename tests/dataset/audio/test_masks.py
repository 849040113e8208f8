"""Masks of spectra; tests/differential compares those without random numbers with MindSpore's."""

import numpy as np

from minigraph.dataset import audio
from tests.tables import error_cases

SPECTRA = np.ones((50, 6, 4), np.float32)


def test_random_masks_are_ranges_up_to_a_size() -> None:
    for operation, axis in ((audio.FrequencyMasking(True, 3), 1), (audio.TimeMasking(True, 3), 2)):
        masked = (operation(SPECTRA) == 0).all(3 - axis)
        assert {int(row.sum()) for row in masked} == {0, 1, 2, 3}
        assert all(np.ptp(np.flatnonzero(row)) < 3 for row in masked if row.any())
    assert audio.MaskAlongAxisIID(4, 9.0, 2)(SPECTRA).max() == 9 and SPECTRA.min() == 1


def test_one_mask_for_all() -> None:
    masked = audio.FrequencyMasking(False, 2, 1, 5.0)(SPECTRA)
    assert masked[0, :, 0].tolist() == [1, 5, 5, 1, 1, 1] and (masked == masked[0]).all()


test_errors = error_cases(
    (lambda: audio.MaskAlongAxis(5, 2, 0.0, 1)(SPECTRA), RuntimeError, "a mask from 5 to 7 on size 6"),
    (lambda: audio.MaskAlongAxis(0, 1, 0.0, 3), ValueError, "axis"),
    (lambda: audio.TimeMasking(False, 5)(SPECTRA), RuntimeError, "choose a smaller one"),
    (lambda: audio.MaskAlongAxisIID(7, 0.0, 1)(SPECTRA), RuntimeError, "on an axis of size 6"),
    (lambda: audio.TimeMasking(3), TypeError, "iid_masks"),
)
