"""Primitives of bounding boxes, against formulas and recorded numbers."""

import numpy as np

import minigraph as ms
from minigraph import Tensor, ops
from tests.tables import error_cases


def test_boxes_and_crops():
    boxes, truth = Tensor([[0.0, 0.0, 2.0, 2.0]]), Tensor([[1.0, 1.0, 3.0, 3.0]])
    deltas = ops.BoundingBoxEncode()(boxes, truth)
    back = ops.BoundingBoxDecode(max_shape=(9, 9))(boxes, deltas)
    np.testing.assert_allclose(back.asnumpy(), truth.asnumpy(), atol=1e-5)
    assert ops.IOU()(boxes, truth).shape == (1, 1)
    image = Tensor(np.arange(16, dtype=np.float32).reshape(1, 4, 4, 1))
    crop = ops.CropAndResize("nearest")(image, Tensor([[0.0, 0.0, 1.0, 1.0]]), Tensor([0]), (2, 2))
    assert crop.reshape(-1).tolist() == [0, 3, 12, 15]


def test_regions_are_pooled_as_by_mindspore():
    features = Tensor(np.arange(32, dtype=np.float32).reshape(1, 2, 4, 4))
    rois = Tensor([[0, 0.5, 1.0, 3.0, 2.5], [0, -2.0, -1.0, 6.0, 9.0]])
    for config, expected in (  # recorded from MindSpore 2.10: the first picture of each region
        ((2, 2, 0.5, 2), [[[3.9375, 4.8125], [6.4375, 7.3125]], [[3.84375, 5.875], [6.046875, 7.0625]]]),
        ((2, 2, 0.5, 2, 0), [[[3.5625, 4.1875], [5.5625, 6.1875]], [[3.25, 5.0], [11.5, 13.25]]]),
        ((2, 2, 1.0, 3), [[[7.875, 9.3472222], [12.486111, 13.958332]], [[4.888889, 3.111111], [0.0, 0.0]]]),
    ):
        pooled = ops.ROIAlign(*config)
        np.testing.assert_allclose(pooled(features, rois).asnumpy()[:, 0], expected, rtol=1e-6)
        assert ms.jit(pooled)(features, rois).asnumpy().tolist() == pooled(features, rois).tolist()


def test_one_sample_per_whole_pixel_and_no_gradient_of_regions():
    features, rois = Tensor(np.arange(16, dtype=np.float32).reshape(1, 1, 4, 4)), Tensor([[0, 0.0, 0.0, 4.0, 4.0]])
    pooled = ops.ROIAlign(2, 3, 1.0, 0)(features, rois)
    np.testing.assert_allclose(pooled.asnumpy()[0, 0], [[5.8333330, 7.5, 0.0], [6.4166665, 7.25, 0.0]], rtol=1e-6)
    _, slope = ms.grad(lambda f, r: ops.ROIAlign(2, 2, 1.0)(f, r).sum(), (0, 1))(features, rois)
    assert not slope.asnumpy().any()


def test_boxes_in_a_picture():
    corners = [[0, 0, 3, 3], [0, 0, 3.5, 3], [0, 0, 3, 4], [-0.1, 0, 1, 1], [0, 0, -2, 1]]
    for sizes in ([4.0, 4.0, 1.0], [8.0, 8.0, 0.5]):
        assert ops.CheckValid()(Tensor(corners), Tensor(sizes)).tolist() == [True, False, False, False, True]


test_errors = error_cases(
    (lambda: ops.ROIAlign(2, 2, 0.5)(ops.ones((1, 4, 4)), ops.ones((1, 5))), ValueError, "features"),
    (lambda: ops.ROIAlign(2, 2, 0.5)(ops.ones((1, 1, 4, 4)), ops.ones((1, 4))), ValueError, "rois"),
    (lambda: ops.ROIAlign(2, 2, 0.5, 2, 2)(ops.ones((1, 1, 4, 4)), ops.ones((1, 5))), ValueError, "roi_end_mode"),
)


def test_glimpses_have_their_middle_at_the_offsets():
    x = Tensor(np.arange(36.0).reshape(1, 6, 6, 1))
    glimpse = ops.ExtractGlimpse(True, True, False, "zero")
    assert glimpse(x, Tensor([2, 2]), Tensor([[0.0, 0.0]])).reshape(2, 2).tolist() == [[14, 15], [20, 21]]
    beyond = glimpse(x, Tensor([2, 4]), Tensor([[0.0, 1.0]])).reshape(2, 4)
    assert beyond.tolist() == [[16, 17, 0, 0], [22, 23, 0, 0]]
    corner = ops.ExtractGlimpse(False, False, False, "gaussian")(x, Tensor([2, 2]), Tensor([[1.0, 0.0]]))
    assert corner.reshape(2, 2)[:, 1].tolist() == [0, 6] and (corner.reshape(2, 2)[:, 0].asnumpy() != 0).all()
