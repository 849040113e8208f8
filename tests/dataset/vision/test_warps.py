"""Maps and blurs of images: MindSpore's bytes, exact cases, and errors."""

import numpy as np
import pytest

from minigraph.dataset import vision
from minigraph.dataset.vision.warps import Inter, rotation_matrix, warp_affine
from tests.tables import error_cases

IMAGE = (np.arange(6 * 8 * 3).reshape(6, 8, 3) * 37 % 251).astype(np.uint8)
DOT = np.zeros((7, 7), np.uint8)
DOT[3, 3] = 128


def test_a_quarter_turn_and_a_shift_move_pixels_only():
    np.testing.assert_array_equal(vision.Rotate(90.0)(DOT), DOT)
    np.testing.assert_array_equal(vision.Rotate(90.0, expand=True)(IMAGE), np.rot90(IMAGE))
    shifted = warp_affine(IMAGE, np.array([[1.0, 0, 2], [0, 1.0, 0]]), (6, 8), Inter.BILINEAR, 9)
    np.testing.assert_array_equal(shifted[:, 2:], IMAGE[:, :-2])
    assert (shifted[:, :2] == 9).all()
    assert rotation_matrix((1.0, 2.0), 0.0).tolist() == [[1, 0, 0], [0, 1, 0]]


@pytest.mark.parametrize(
    ("operation", "row"),  # row 2 of what MindSpore 2.10 computes
    [
        (vision.GaussianBlur(3, 1.5), [0, 0, 12, 15, 12, 0, 0]),
        (vision.GaussianBlur(3), [0, 0, 7, 16, 7, 0, 0]),
        (vision.GaussianBlur((3, 5)), [0, 0, 7, 15, 7, 0, 0]),
        (vision.GaussianBlur((5, 3), (1.0, 2.0)), [0, 2, 10, 17, 10, 2, 0]),
    ],
)
def test_blurred_bytes_are_mindspores(operation, row):
    assert operation(DOT)[2].tolist() == row


def test_a_map_of_corners_to_themselves_changes_nothing():
    corners = [[0, 0], [7, 0], [7, 5], [0, 5]]
    np.testing.assert_array_equal(vision.Perspective(corners, corners)(IMAGE), IMAGE)
    np.testing.assert_array_equal(vision.Affine(0.0, [0.0, 0.0], 1.0, 0.0)(IMAGE), IMAGE)
    np.testing.assert_array_equal(vision.RandomPerspective(prob=0.0)(IMAGE), IMAGE)
    np.testing.assert_array_equal(vision.RandomRotation((30.0, 30.0))(IMAGE), vision.Rotate(30.0)(IMAGE))
    identity = vision.RandomAffine(0, translate=(0, 0), scale=(1, 1), shear=(0, 0))
    np.testing.assert_array_equal(identity(IMAGE), IMAGE)


test_errors = error_cases(
    (lambda: vision.Affine(0.0, [0, 0], 0.0, 0.0)(IMAGE), ValueError, "Input scale"),
    (lambda: vision.Rotate(10.0, Inter.BICUBIC)(IMAGE), ValueError, "use Inter.NEAREST"),
    (lambda: vision.GaussianBlur(2)(IMAGE), ValueError, "odd"),
    (lambda: vision.Perspective([[0, 0]], [[0, 0]])(IMAGE), ValueError, "four points"),
    (lambda: vision.RandomRotation(-1.0)(IMAGE), ValueError, "Input degrees"),
)
