"""Boxes against their formulas, in both modes, with gradients."""

import numpy as np
import pytest

from minigraph import Tensor, ops
from minigraph.core.errors import ShapeError, UsageError
from tests.ops.functional.checks import check_gradient, in_both_modes
from tests.tables import error_cases

ANCHORS = np.array([[0.0, 0.0, 4.0, 4.0], [1.0, 1.0, 6.0, 5.0]])
TRUTH = np.array([[0.0, 1.0, 5.0, 5.0], [2.0, 1.0, 5.0, 6.0]])


def pixels(box):
    left, top, right, bottom = map(int, box)
    return {(x, y) for x in range(left, right + 1) for y in range(top, bottom + 1)}


@pytest.mark.parametrize("mode", ["iou", "iof"])
def test_iou_counts_pixels(mode):
    result = in_both_modes(lambda a, b: ops.iou(a, b, mode), Tensor(ANCHORS), Tensor(TRUTH))
    for i, true in enumerate(map(pixels, TRUTH)):
        for j, anchor in enumerate(map(pixels, ANCHORS)):
            whole = true | anchor if mode == "iou" else true
            assert result[i, j] == pytest.approx(len(true & anchor) / len(whole))
    check_gradient(lambda a, b: ops.iou(a, b, mode), ANCHORS, TRUTH + 0.3)


@pytest.mark.parametrize("scales", [{}, {"means": (0.1, 0.2, 0.3, 0.4), "stds": (1.0, 2.0, 3.0, 4.0)}])
def test_decoding_undoes_encoding(scales):
    moves = ops.bounding_box_encode(Tensor(ANCHORS), Tensor(TRUTH), **scales)
    back = in_both_modes(lambda a, d: ops.bounding_box_decode(a, d, (20, 20), **scales), Tensor(ANCHORS), moves)
    np.testing.assert_allclose(back, TRUTH, atol=1e-9)
    check_gradient(lambda a, b: ops.bounding_box_encode(a, b, **scales), ANCHORS, TRUTH)


def test_decoded_boxes_are_clipped():
    far = Tensor(np.array([[3.0, -3.0, 0.0, 0.0]] * 2))
    result = ops.bounding_box_decode(Tensor(ANCHORS), far, (6, 9)).asnumpy()
    assert result.min() == 0
    assert (result[:, ::2].max(), result[:, 1::2].max()) <= (9, 6)
    valid = in_both_modes(lambda b: ops.check_valid(b, Tensor([6.0, 7.0, 1.0])), Tensor(ANCHORS * [1, 1, 1, 1.2]))
    assert valid.tolist() == [True, False]


test_errors = error_cases(
    (lambda: ops.iou(Tensor(ANCHORS), Tensor(TRUTH), "both"), UsageError, "iou: mode is 'iou' or 'iof', got 'both'"),
    (lambda: ops.iou(Tensor(ANCHORS[:, :3]), Tensor(TRUTH)), ShapeError, r"iou: needs boxes \[N,4\]"),
    (lambda: ops.check_valid(Tensor(ANCHORS[0]), Tensor(TRUTH)), ShapeError, r"check_valid: needs boxes \[N,4\]"),
)


def test_cropped_boxes():
    images = Tensor(np.linspace(0, 1, 512, dtype=np.float32).reshape(2, 16, 16, 1))
    crop = ops.crop_and_resize(images, Tensor([[0.0, 0.0, 0.5, 0.5]]), Tensor([0]), (3, 3))
    expected = [
        [0.0, 0.007338551804423332, 0.014677103608846664],
        [0.11741682887077332, 0.1247553825378418, 0.13209393620491028],
        [0.23483365774154663, 0.2421722114086151, 0.2495107650756836],
    ]  # MindSpore 2.10
    np.testing.assert_allclose(crop.asnumpy()[0, ..., 0], expected, rtol=1e-5)
    outside = ops.crop_and_resize(images, Tensor([[0.0, 0.0, 2.0, 1.0]]), Tensor([1]), (3, 1), "nearest", 7.0)
    assert outside[0, 2, 0, 0].item() == 7 and outside[0, 1, 0, 0].item() == images[1, 15, 8, 0].item()
    with pytest.raises(ValueError, match="not supported"):
        ops.crop_and_resize(images, Tensor([[0.0] * 4]), Tensor([0]), (1, 1), "area")


def test_boxes_that_overlap_a_better_one_are_dropped():
    boxes = Tensor([[0.0, 0.0, 10.0, 10.0, 0.8], [1.0, 1.0, 11.0, 11.0, 0.9], [20.0, 20.0, 30.0, 30.0, 0.7]])
    kept, order, mask = ops.NMSWithMask(0.5)(boxes)
    assert kept.asnumpy()[:, 4].tolist() == sorted(boxes.asnumpy()[:, 4].tolist(), reverse=True)
    assert (order.asnumpy().tolist(), mask.asnumpy().tolist()) == ([0, 1, 2], [True, False, True])
    assert ops.nms_with_mask(boxes, 0.9)[2].asnumpy().all()
    with pytest.raises(ShapeError, match=r"boxes and scores \[N,5\]"):
        ops.nms_with_mask(boxes[:, :4])
