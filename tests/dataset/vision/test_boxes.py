"""Boxes follow their image."""

import numpy as np

from minigraph.dataset import vision
from tests.tables import error_cases

IMAGE = np.arange(6 * 8 * 3, dtype=np.uint8).reshape(6, 8, 3)
BOXES = np.array([[1, 1, 4, 3, 7]], np.float32)


def test_flips_and_sizes():
    assert vision.RandomHorizontalFlipWithBBox(1.0)(IMAGE, BOXES)[1].tolist() == [[3, 1, 4, 3, 7]]
    assert vision.RandomVerticalFlipWithBBox(1.0)(IMAGE, BOXES)[1].tolist() == [[1, 2, 4, 3, 7]]
    assert vision.RandomVerticalFlipWithBBox(0.0)(IMAGE, BOXES)[0] is IMAGE
    image, boxes = vision.ResizeWithBBox((12, 16))(IMAGE, BOXES)
    assert image.shape == (12, 16, 3) and boxes.tolist() == [[2, 2, 8, 6, 7]]
    assert vision.RandomResizeWithBBox((3, 4))(IMAGE, BOXES)[1].tolist() == [[0.5, 0.5, 2, 1.5, 7]]
    assert vision.RandomResize((3, 4))(IMAGE).shape == (3, 4, 3)


def test_a_part_keeps_what_is_inside():
    marked = np.zeros((6, 8, 3), np.uint8)
    marked[1:4, 1:5] = 255
    for operation in (vision.RandomCropWithBBox((4, 5)), vision.RandomCropWithBBox((9, 9), 1, True)):
        image, boxes = operation(marked, BOXES)
        x, y, width, height = boxes[0, :4].astype(int)
        assert (image[y : y + height, x : x + width] == 255).all()
        assert image.sum() == 255 * 3 * width * height
    image, boxes = vision.RandomResizedCropWithBBox((6, 8), (1.0, 1.0), (4 / 3, 4 / 3))(IMAGE, BOXES)
    np.testing.assert_array_equal(image, IMAGE)
    np.testing.assert_allclose(boxes, BOXES)
    outside = vision.RandomCropWithBBox((1, 1))(IMAGE, np.array([[7.0, 5, 0, 0]]))[1]
    assert outside.tolist() == [[0, 0, 0, 0]]


def test_an_operation_inside_of_boxes():
    image, boxes = vision.BoundingBoxAugment(vision.Invert(), 1.0)(IMAGE, BOXES)
    assert (image[1:4, 1:5] == 255 - IMAGE[1:4, 1:5]).all() and (image[4:] == IMAGE[4:]).all()
    assert boxes is BOXES


test_errors = error_cases(
    (lambda: vision.ResizeWithBBox(3)(IMAGE, BOXES[0]), RuntimeError, "should have shape"),
    (lambda: vision.ResizeWithBBox(3)(IMAGE, BOXES * 3), RuntimeError, "out of bounds"),
)
