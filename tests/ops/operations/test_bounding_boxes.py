"""Primitives of bounding boxes, against formulas."""

import numpy as np

from minigraph import Tensor, ops


def test_boxes_and_crops():
    boxes, truth = Tensor([[0.0, 0.0, 2.0, 2.0]]), Tensor([[1.0, 1.0, 3.0, 3.0]])
    deltas = ops.BoundingBoxEncode()(boxes, truth)
    back = ops.BoundingBoxDecode(max_shape=(9, 9))(boxes, deltas)
    np.testing.assert_allclose(back.asnumpy(), truth.asnumpy(), atol=1e-5)
    assert ops.IOU()(boxes, truth).shape == (1, 1)
    image = Tensor(np.arange(16, dtype=np.float32).reshape(1, 4, 4, 1))
    crop = ops.CropAndResize("nearest")(image, Tensor([[0.0, 0.0, 1.0, 1.0]]), Tensor([0]), (2, 2))
    assert crop.reshape(-1).tolist() == [0, 3, 12, 15]
