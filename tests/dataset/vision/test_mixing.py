"""Labels of mixed batches are shares, and images lie between those they are mixed from."""

import numpy as np
import pytest

from minigraph.dataset import vision
from tests.tables import error_cases

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


test_errors = error_cases(
    (lambda: vision.MixUpBatch()(IMAGES[0], LABELS), RuntimeError, "rank 4"),
)
