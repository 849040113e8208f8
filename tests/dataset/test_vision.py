"""Operations on images against slices and sums in numpy."""

import numpy as np
import pytest

from minigraph.dataset import NumpySlicesDataset, vision

IMAGE = np.arange(60, dtype=np.uint8).reshape(5, 4, 3)


def test_scales():
    np.testing.assert_allclose(vision.Rescale(0.5, -1.0)(IMAGE), IMAGE * 0.5 - 1)
    assert vision.Rescale(1, 0)(IMAGE).dtype == np.float32
    mean, std = [1.0, 2.0, 3.0], [2.0, 4.0, 8.0]
    np.testing.assert_allclose(vision.Normalize(mean, std)(IMAGE), (IMAGE - np.array(mean)) / std, rtol=1e-6)
    first = vision.Normalize(mean, std, is_hwc=False)(IMAGE.transpose(2, 0, 1))
    np.testing.assert_array_equal(first.transpose(1, 2, 0), vision.Normalize(mean, std)(IMAGE))


def test_channels_first():
    assert np.array_equal(vision.HWC2CHW()(IMAGE), IMAGE.transpose(2, 0, 1))
    found = vision.ToTensor()(IMAGE)
    np.testing.assert_allclose(found, IMAGE.transpose(2, 0, 1) / 255.0, rtol=1e-6)
    assert vision.ToTensor(np.float16)(IMAGE[:, :, 0]).shape == (1, 5, 4)


def test_crops_and_borders():
    assert np.array_equal(vision.CenterCrop((3, 2))(IMAGE), IMAGE[1:4, 1:3])
    assert vision.CenterCrop(7)(IMAGE).shape == (7, 7, 3)
    assert np.array_equal(vision.CenterCrop(7)(IMAGE)[1:6, 1:5], IMAGE)
    padded = vision.Pad((1, 2, 3, 4), fill_value=9)(IMAGE)
    assert padded.shape == (5 + 2 + 4, 4 + 1 + 3, 3)
    assert np.array_equal(padded[2:7, 1:5], IMAGE)
    assert (padded[:2] == 9).all()
    assert vision.Pad((1, 2))(IMAGE[:, :, 0]).shape == (5 + 4, 4 + 2)


def test_flips():
    assert np.array_equal(vision.HorizontalFlip()(IMAGE), IMAGE[:, ::-1])
    assert np.array_equal(vision.VerticalFlip()(IMAGE), IMAGE[::-1])
    for kind, flipped in ((vision.RandomHorizontalFlip, IMAGE[:, ::-1]), (vision.RandomVerticalFlip, IMAGE[::-1])):
        assert np.array_equal(kind(1.0)(IMAGE), flipped)
        assert np.array_equal(kind(0.0)(IMAGE), IMAGE)


def test_random_crops_come_from_everywhere():
    crop = vision.RandomCrop(2)
    corners = {int(crop(IMAGE)[0, 0, 0]) for _ in range(300)}
    assert corners == {int(IMAGE[i, j, 0]) for i in range(4) for j in range(3)}
    assert vision.RandomCrop(6, padding=1)(IMAGE).shape == (6, 6, 3)
    assert vision.RandomCrop((9, 3), pad_if_needed=True)(IMAGE).shape == (9, 3, 3)


def test_in_a_pipeline():
    rows = NumpySlicesDataset({"image": IMAGE[None]}).map([vision.Rescale(1 / 255, 0), vision.HWC2CHW()], "image")
    assert rows.output_shapes() == [[3, 5, 4]]


@pytest.mark.parametrize(
    ("act", "error", "text"),
    [
        (lambda: vision.Rescale("a", 0), TypeError, "Argument rescale with value 'a' is not of type"),
        (lambda: vision.Normalize([1.0], [0.0]), ValueError, "a mean and a std above 0 per channel"),
        (lambda: vision.Normalize([1.0, 2.0], [1.0, 1.0])(IMAGE), RuntimeError, "2 channels are wanted"),
        (lambda: vision.HWC2CHW()(IMAGE[0]), RuntimeError, r"an image \[H, W, C\] is wanted, got shape \[4, 3\]"),
        (lambda: vision.CenterCrop(0), ValueError, "a size is one int above 0 or two, got 0"),
        (lambda: vision.Pad((1, 2, 3)), ValueError, "a padding is one, two or four ints"),
        (lambda: vision.RandomCrop(9)(IMAGE), RuntimeError, r"\[5, 4, 3\] is smaller than \[9, 9\]; pad it"),
    ],
)
def test_what_makes_no_sense_is_refused(act, error, text):
    with pytest.raises(error, match=text):
        act()
