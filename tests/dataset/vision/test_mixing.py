"""Mixed batches keep their sums, policies keep shapes, and every named operation runs."""

import numpy as np
import pytest

from minigraph.dataset import vision
from minigraph.dataset.vision.mixing import NAMES, POLICIES, augmented
from tests.tables import refusals

IMAGES = np.random.RandomState(0).randint(0, 256, (4, 6, 8, 3)).astype(np.float32)
LABELS = np.eye(4, dtype=np.float32)


@pytest.mark.parametrize(
    "operation",
    [
        vision.MixUp(4, 0.5),
        vision.MixUpBatch(1.0),
        vision.CutMixBatch(vision.ImageBatchFormat.NHWC),
        vision.CutMixBatch(vision.ImageBatchFormat.NCHW, prob=1.0),
    ],
)
def test_labels_are_shares(operation):
    images, labels = operation(IMAGES, LABELS)
    assert images.shape == IMAGES.shape
    np.testing.assert_allclose(labels.sum(-1), 1, rtol=1e-6)
    assert (labels >= -1e-6).all()


def test_mixed_images_are_between_their_parts():
    images, labels = vision.MixUp(4, 0.5)(IMAGES, LABELS)
    share = labels[0, 0]
    np.testing.assert_allclose(images[0], share * IMAGES[0] + (1 - share) * IMAGES[1], rtol=1e-4)


def test_policies_have_25_pairs_of_known_operations():
    for text in POLICIES.values():
        pairs = [pair.split() for pair in text.replace("\n", "|").split("|") if pair.strip()]
        assert len(pairs) == 25 and all(len(pair) == 6 and {pair[0], pair[3]} <= {*NAMES} for pair in pairs)


@pytest.mark.parametrize("name", NAMES)
def test_every_operation_keeps_shape_and_dtype(name):
    image = IMAGES[0].astype(np.uint8)
    for level in (-1.0, 0.5) if name.startswith(("Shear", "Rotate")) else (0.5,):
        result = augmented(image, name, level, vision.Inter.NEAREST, 0)
        assert result.shape == image.shape and result.dtype == np.uint8


def test_random_policies():
    image = IMAGES[0].astype(np.uint8)
    for operation in (
        *(vision.AutoAugment(policy) for policy in vision.AutoAugmentPolicy),
        vision.RandAugment(),
        vision.TrivialAugmentWide(),
    ):
        assert all(operation(image).shape == image.shape for _ in range(10))


test_refusals = refusals(
    (lambda: vision.MixUpBatch()(IMAGES[0], LABELS), RuntimeError, "rank 4"),
    (lambda: vision.RandAugment(magnitude=40)(IMAGES[0].astype(np.uint8)), ValueError, "Input magnitude"),
)
