"""Policies have known operations and keep shapes, and every named operation runs."""

import numpy as np
import pytest

from minigraph.dataset import vision
from minigraph.dataset.vision.augmentation_policies import OPERATION_NAMES, POLICIES, augment
from tests.tables import error_cases

IMAGE = np.random.RandomState(0).randint(0, 256, (6, 8, 3)).astype(np.uint8)


def test_policies_have_25_pairs_of_known_operations():
    for text in POLICIES.values():
        pairs = [pair.split() for pair in text.replace("\n", "|").split("|") if pair.strip()]
        assert len(pairs) == 25 and all(len(pair) == 6 and {pair[0], pair[3]} <= {*OPERATION_NAMES} for pair in pairs)


@pytest.mark.parametrize("name", OPERATION_NAMES)
def test_every_operation_keeps_shape_and_dtype(name):
    for level in (-1.0, 0.5) if name.startswith(("Shear", "Rotate")) else (0.5,):
        result = augment(IMAGE, name, level, vision.Inter.NEAREST, 0)
        assert result.shape == IMAGE.shape and result.dtype == np.uint8


def test_random_policies():
    for operation in (
        *(vision.AutoAugment(policy) for policy in vision.AutoAugmentPolicy),
        vision.RandAugment(),
        vision.TrivialAugmentWide(),
    ):
        assert all(operation(IMAGE).shape == IMAGE.shape for _ in range(10))


test_errors = error_cases(
    (lambda: vision.RandAugment(magnitude=40)(IMAGE), ValueError, "Input magnitude"),
)
