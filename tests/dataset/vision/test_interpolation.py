"""Interpolations of images: recorded results of MindSpore, to the bit."""

import numpy as np
import pytest

from minigraph.dataset.vision import interpolation

IMAGE = (np.arange(30).reshape(5, 6) * 37 % 256).astype(np.uint8)
CUBIC = [
    [76, 29, 24, 72, 96, 124, 157, 179],
    [185, 236, 148, 0, 34, 65, 97, 120],
    [126, 147, 192, 216, 176, 63, 19, 60],
]
PILLOW_CUBIC = [
    [99, 43, 23, 60, 93, 122, 152, 175],
    [199, 189, 132, 53, 33, 60, 97, 119],
    [130, 158, 196, 210, 149, 57, 30, 63],
]
SMALLER = [[67, 48, 110, 159], [183, 96, 55, 105], [146, 195, 103, 50]]
TALLER = [[19, 93, 167], [75, 72, 146], [131, 52, 125], [207, 25, 99], [179, 100, 71], [159, 156, 51], [139, 213, 31]]
HALF = [[18, 92, 166], [112, 58, 132], [206, 24, 98], [172, 118, 64], [138, 212, 30]]
BORDER = [146, 89, 117, 228]
MIDDLE, LAST = [34, 84, 110, 136, 162], [48, 98, 100, 150, 152]  # of rows of nine elements: of eight, and of one


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (interpolation.cubic, CUBIC),
        (interpolation.pillow_cubic, PILLOW_CUBIC),
        (interpolation.area, SMALLER),
        (interpolation.area, TALLER),
        (interpolation.area, HALF),
    ],
)
def test_bytes_are_mindspores(function, expected):
    size = np.shape(expected)
    assert function(IMAGE, *size).tolist() == expected
    assert function(np.stack([IMAGE, IMAGE], 2), *size)[:, :, 1].tolist() == expected


def test_halves_are_rounded_as_by_opencv():
    image = (np.arange(90).reshape(5, 6, 3) * 37 % 256).astype(np.uint8)
    middle = interpolation.cubic(image, 5, 3).reshape(5, 9)
    assert middle[:, 4].tolist() == MIDDLE and middle[:, 8].tolist() == LAST


def test_numbers_keep_their_dtype():
    thirds = [[37.0, 148.0], [88.333336, 114.0], [139.66667, 80.0], [191.0, 46.0], [157.0, 97.333336]]
    np.testing.assert_allclose(interpolation.area(IMAGE.astype(np.float32), 5, 2), thirds, rtol=1e-6)
    for dtype in (np.float64, np.int16, np.uint16):
        numbers = interpolation.cubic(IMAGE.astype(dtype) * 100, 3, 8)
        assert numbers.dtype == dtype and numbers.max() > 255


def test_a_border_of_a_pixel_is_that_of_opencv():
    image = (np.arange(26 * 54).reshape(26, 54) * 37 % 251).astype(np.uint8)
    assert interpolation.area(image, 46, 18)[23, :4].tolist() == BORDER


def test_four_bytes_are_rounded_half_up():
    assert interpolation.area(np.array([[1, 2], [1, 2]], np.uint8), 1, 1).tolist() == [[2]]
