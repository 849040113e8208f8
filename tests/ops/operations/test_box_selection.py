"""Non-maximum suppression, and random parts of pictures."""

import numpy as np
import pytest

import minigraph as ms
from minigraph import Tensor, ops

SIZE, BOXES = Tensor([640, 480, 3], ms.int32), Tensor([[[0.25, 0.25, 0.75, 0.75]]])


def test_a_box_that_overlaps_a_better_one_is_dropped():
    overlaps = Tensor([[1.0, 0.6, 0.0], [0.6, 1.0, 0.0], [0.0, 0.0, 1.0]])
    suppress = ops.NonMaxSuppressionWithOverlaps()
    assert suppress(overlaps, Tensor([0.5, 0.9, 0.1]), Tensor(3), Tensor(0.5), Tensor(0.0)).tolist() == [1, 2]
    assert suppress(overlaps, Tensor([0.5, 0.9, 0.1]), 3, 0.7, 0.2).tolist() == [1, 0]
    with pytest.raises(ValueError, match=r"needs overlaps \[N,N\]"):
        suppress(overlaps, Tensor([0.5]), 3, 0.7, 0.2)


def test_boxes_of_several_classes_are_padded():
    boxes = Tensor([[[[0.0, 0.0, 0.5, 0.5]], [[0.0, 0.0, 0.5, 0.6]], [[0.5, 0.5, 2.0, 2.0]]]])
    scores = Tensor([[[0.9, 0.1], [0.8, 0.2], [0.3, 0.7]]])
    limits = (Tensor(2, ms.int32), Tensor(5, ms.int32), Tensor(0.5), Tensor(0.15))
    found, values, classes, count = ops.CombinedNonMaxSuppression()(boxes, scores, *limits)
    assert count.tolist() == [4] and found.shape == (1, 5, 4)
    np.testing.assert_allclose(values.asnumpy(), [[0.9, 0.7, 0.3, 0.2, 0.0]])
    assert classes.tolist() == [[0, 1, 0, 1, 0]] and found[0, 1].tolist() == [0.5, 0.5, 1.0, 1.0]
    whole = ops.CombinedNonMaxSuppression(pad_per_class=True, clip_boxes=False)(boxes, scores, *limits)
    assert whole[0].shape == (1, 4, 4) and whole[0][0, 1].tolist() == [0.5, 0.5, 2.0, 2.0]


def test_a_random_part_covers_enough_of_a_box():
    for seed in range(1, 6):
        sample = ops.SampleDistortedBoundingBoxV2(seed=seed, area_range=(0.3, 0.5))
        begin, size, box = sample(SIZE, BOXES, Tensor([0.4]))
        (top, left, bottom, right), sides = box.tolist()[0][0], size.tolist()
        assert sides[2] == -1 and 0.29 < sides[0] * sides[1] / 640 / 480 < 0.51
        assert begin.tolist()[:2] == pytest.approx([top * 640, left * 480], abs=1e-3)
        shared = (min(bottom, 0.75) - max(top, 0.25)) * (min(right, 0.75) - max(left, 0.25))
        assert shared >= 0.4 * 0.25 - 1e-6
    whole = ops.SampleDistortedBoundingBoxV2(max_attempts=0)(SIZE, BOXES, Tensor([0.4]))
    assert whole[1].tolist() == [640, 480, -1] and whole[2].tolist() == [[[0, 0, 1, 1]]]
