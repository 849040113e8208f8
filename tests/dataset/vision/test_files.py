"""Image files and images of pillow: what was written is read, crops and gray are MindSpore's, errors."""

import numpy as np
import pytest

from minigraph.dataset import vision
from tests.tables import error_cases

pytest.importorskip("PIL")
IMAGE = (np.arange(6 * 8 * 3).reshape(6, 8, 3) * 37 % 251).astype(np.uint8)


def test_a_png_file_keeps_the_pixels(tmp_path):
    path = str(tmp_path / "a.png")
    vision.write_png(path, IMAGE)
    np.testing.assert_array_equal(vision.read_image(path), IMAGE)
    np.testing.assert_array_equal(vision.Decode()(vision.read_file(path)), IMAGE)
    assert vision.read_image(path, vision.ImageReadMode.GRAYSCALE).shape == (6, 8, 1)
    vision.write_png(path, IMAGE[..., 0])
    assert vision.read_image(path, vision.ImageReadMode.COLOR).shape == (6, 8, 3)


def test_a_jpeg_file_has_the_size(tmp_path):
    path = str(tmp_path / "a.jpg")
    vision.write_jpeg(path, IMAGE)
    assert vision.get_image_size(vision.read_image(path)) == [6, 8]
    assert vision.RandomCropDecodeResize((3, 4))(vision.read_file(path)).shape == (3, 4, 3)
    assert vision.encode_jpeg(IMAGE)[:2].tolist() == [255, 216]


def test_images_of_pillow():
    picture = vision.ToPIL()(IMAGE)
    np.testing.assert_array_equal(vision.ToNumpy()(picture), IMAGE)
    assert vision.Decode(to_pil=True)(vision.encode_png(IMAGE)).size == (8, 6)
    gray = np.array(vision.Grayscale(3)(picture))
    assert (gray[..., 0] == gray[..., 2]).all()
    np.testing.assert_array_equal(np.array(vision.RandomGrayscale(1.0)(picture)), gray)
    parts = [np.array(part) for part in vision.FiveCrop(4)(picture)]
    np.testing.assert_array_equal(parts[3], IMAGE[2:, 4:])
    np.testing.assert_array_equal(parts[4], IMAGE[1:5, 2:6])
    np.testing.assert_array_equal(np.array(vision.TenCrop(4)(picture)[5]), IMAGE[:4, ::-1][:, :4])
    assert vision.ToType("float32")(IMAGE).dtype == np.float32


test_errors = error_cases(
    (lambda: vision.read_file("none"), RuntimeError, "does not exist"),
    (lambda: vision.write_file("none", IMAGE), RuntimeError, "expected the bytes of a file"),
    (lambda: vision.Decode()(IMAGE), RuntimeError, "the bytes of a file"),
    (lambda: vision.Decode()(np.zeros(4, np.uint8)), RuntimeError, "no image"),
    (lambda: vision.encode_png(IMAGE / 2), RuntimeError, "UINT8"),
    (lambda: vision.Grayscale(2)(IMAGE), ValueError, "1 or 3"),
    (lambda: vision.FiveCrop(9)(IMAGE), ValueError, "bigger"),
    (lambda: vision.ToType("no")(IMAGE), TypeError, "dtype"),
)
