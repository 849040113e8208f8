"""Crops, padding and flips of images against slices in numpy."""

import numpy as np

from minigraph.dataset import vision
from tests.tables import cases, error_cases

IMAGE = np.arange(60, dtype=np.uint8).reshape(5, 4, 3)


def test_crops_padding_and_flips():
    # crops and borders
    assert np.array_equal(vision.CenterCrop((3, 2))(IMAGE), IMAGE[1:4, 1:3])
    assert vision.CenterCrop(7)(IMAGE).shape == (7, 7, 3)
    assert np.array_equal(vision.CenterCrop(7)(IMAGE)[1:6, 1:5], IMAGE)
    padded = vision.Pad((1, 2, 3, 4), fill_value=9)(IMAGE)
    assert padded.shape == (5 + 2 + 4, 4 + 1 + 3, 3)
    assert np.array_equal(padded[2:7, 1:5], IMAGE)
    assert (padded[:2] == 9).all()
    assert vision.Pad((1, 2))(IMAGE[:, :, 0]).shape == (5 + 4, 4 + 2)
    # flips
    assert np.array_equal(vision.HorizontalFlip()(IMAGE), IMAGE[:, ::-1])
    assert np.array_equal(vision.VerticalFlip()(IMAGE), IMAGE[::-1])
    for kind, flipped in ((vision.RandomHorizontalFlip, IMAGE[:, ::-1]), (vision.RandomVerticalFlip, IMAGE[::-1])):
        assert np.array_equal(kind(1.0)(IMAGE), flipped)
        assert np.array_equal(kind(0.0)(IMAGE), IMAGE)


def test_random_crops_cover_all_positions():
    crop = vision.RandomCrop(2)
    corners = {int(crop(IMAGE)[0, 0, 0]) for _ in range(300)}
    assert corners == {int(IMAGE[i, j, 0]) for i in range(4) for j in range(3)}
    assert vision.RandomCrop(6, padding=1)(IMAGE).shape == (6, 6, 3)
    assert vision.RandomCrop((9, 3), pad_if_needed=True)(IMAGE).shape == (9, 3, 3)


@cases(
    ("CONSTANT", [7, 7, 0, 1, 2, 7, 7]),
    ("EDGE", [0, 0, 0, 1, 2, 2, 2]),
    ("REFLECT", [2, 1, 0, 1, 2, 1, 0]),
    ("SYMMETRIC", [1, 0, 0, 1, 2, 2, 1]),
)
def test_padding_modes(mode, row):
    pad = vision.Pad((2, 0), fill_value=7, padding_mode=vision.Border[mode])
    assert pad(np.array([[0, 1, 2]])).tolist() == [row]
    assert pad(np.array([[[0], [1], [2]]]))[:, :, 0].tolist() == [row]
    crop = vision.RandomCrop((1, 7), padding=(2, 0), fill_value=7, padding_mode=vision.Border[mode])
    assert crop(np.array([[0, 1, 2]])).tolist() == [row]


test_invalid_arguments_raise = error_cases(
    (lambda: vision.CenterCrop(0), ValueError, "size must be one positive int or two, got 0"),
    (lambda: vision.Pad((1, 2, 3)), ValueError, "padding must be one, two or four non-negative ints"),
    (lambda: vision.RandomCrop(9)(IMAGE), RuntimeError, r"\[5, 4, 3\] is smaller than \[9, 9\]; pad it"),
    (lambda: vision.Pad(1, padding_mode="edge"), TypeError, r"^Argument padding_mode with value edge is not of type"),
)
