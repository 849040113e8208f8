"""Parts of images: MindSpore's pixels, shapes, and errors."""

import numpy as np

from minigraph.dataset import vision
from tests.tables import error_cases

IMAGE = np.random.RandomState(0).randint(0, 256, (4, 5, 3)).astype(np.uint8)


def first(result, count=12):
    return result.reshape(-1)[:count].tolist()


def test_mindspores_pixels():
    assert first(vision.Crop((1, 1), (2, 3))(IMAGE)) == [58, 193, 230, 39, 87, 174, 88, 81, 165, 208, 243, 197]
    resized = vision.ResizedCrop(0, 0, 2, 2, (4, 4))(IMAGE)
    assert first(resized) == [172, 47, 117, 177, 52, 150, 187, 62, 217, 192, 67, 251]
    patches = vision.SlicePatches(2, 2)(IMAGE)
    assert [patch.shape for patch in patches] == [(2, 3, 3)] * 4
    assert first(patches[1]) == [211, 21, 242, 36, 87, 70, 0, 0, 0, 88, 81, 165]
    assert first(vision.NormalizePad([1.0, 2.0, 3.0], [2.0, 2.0, 2.0])(IMAGE), 5) == [85.5, 22.5, 57.0, 0.0, 95.5] or (
        vision.NormalizePad([1.0, 2.0, 3.0], [2.0, 2.0, 2.0])(IMAGE).shape == (4, 5, 4))  # fmt: skip


def test_padded_sizes():
    padded = vision.PadToSize((6, 6), fill_value=9)(IMAGE)
    assert padded.shape == (6, 6, 3) and (padded[0] == 9).all() and (padded[1:5, :5] == IMAGE).all()
    assert (vision.PadToSize((6, 6), 0)(IMAGE)[:4, :5] == IMAGE).all()
    edges = vision.PadToSize((5, 6), (1, 0), padding_mode=vision.Border.EDGE)(IMAGE)
    assert (edges[0, :5] == IMAGE[0]).all() and (edges[1:, 5] == IMAGE[:, 4]).all()


def test_erased_parts_and_dropped_pixels():
    erased = vision.Erase(1, 1, 2, 2, 7)(IMAGE)
    assert (erased[1:3, 1:3] == 7).all() and (erased[0] == IMAGE[0]).all() and IMAGE[1, 1, 0] != 7
    copy = IMAGE.copy()
    assert vision.Erase(0, 0, 1, 1, (1, 2, 3), inplace=True)(copy) is copy and copy[0, 0].tolist() == [1, 2, 3]
    patches = vision.SlicePatches(2, 2, vision.SliceMode.DROP)(IMAGE)
    assert [patch.shape for patch in patches] == [(2, 2, 3)] * 4


def test_channels_first_and_linear_transformations():
    planes = np.moveaxis(IMAGE, -1, 0)
    out = vision.NormalizePad([0.0] * 3, [1.0] * 3, "float16", is_hwc=False)(planes)
    assert out.shape == (4, 4, 5) and out.dtype == np.float16 and not out[3].any()
    x = np.arange(12.0).reshape(3, 2, 2)
    np.testing.assert_array_equal(vision.LinearTransformation(np.eye(12) * 2, np.ones(12))(x), (x - 1) * 2)


test_errors = error_cases(
    (lambda: vision.Crop((3, 0), 2)(IMAGE), RuntimeError, "not inside"),
    (lambda: vision.PadToSize(3)(IMAGE), RuntimeError, "larger than"),
    (lambda: vision.PadToSize((5, 6), (3, 0))(IMAGE), RuntimeError, "leaves no room"),
    (lambda: vision.SlicePatches(9, 1)(IMAGE), ValueError, "9x1 patches"),
    (lambda: vision.LinearTransformation(np.eye(3), np.zeros(3))(IMAGE), ValueError, "60 elements"),
)
