"""Values and channels of images against numpy."""

import numpy as np

from minigraph.dataset import NumpySlicesDataset, vision
from tests.tables import error_cases

IMAGE = np.arange(60, dtype=np.uint8).reshape(5, 4, 3)


def test_values_and_channels():
    # scales
    np.testing.assert_allclose(vision.Rescale(0.5, -1.0)(IMAGE), IMAGE * 0.5 - 1)
    assert vision.Rescale(1, 0)(IMAGE).dtype == np.float32
    mean, std = [1.0, 2.0, 3.0], [2.0, 4.0, 8.0]
    np.testing.assert_allclose(vision.Normalize(mean, std)(IMAGE), (IMAGE - np.array(mean)) / std, rtol=1e-6)
    first = vision.Normalize(mean, std, is_hwc=False)(IMAGE.transpose(2, 0, 1))
    np.testing.assert_array_equal(first.transpose(1, 2, 0), vision.Normalize(mean, std)(IMAGE))
    # channels first
    assert np.array_equal(vision.HWC2CHW()(IMAGE), IMAGE.transpose(2, 0, 1))
    np.testing.assert_allclose(vision.ToTensor()(IMAGE), IMAGE.transpose(2, 0, 1) / 255.0, rtol=1e-6)
    assert vision.ToTensor(np.float16)(IMAGE[:, :, 0]).shape == (1, 5, 4)
    # in a pipeline
    rows = NumpySlicesDataset({"image": IMAGE[None]}).map([vision.Rescale(1 / 255, 0), vision.HWC2CHW()], "image")
    assert rows.output_shapes() == [[3, 5, 4]]


test_invalid_arguments_raise = error_cases(
    (lambda: vision.Rescale("a", 0), TypeError, "Argument rescale with value 'a' is not of type"),
    (lambda: vision.Normalize([1.0], [0.0]), ValueError, "a mean and a positive std per channel"),
    (lambda: vision.Normalize([1.0, 2.0], [1.0, 1.0])(IMAGE), RuntimeError, "expected 2 channels"),
    (lambda: vision.HWC2CHW()(IMAGE[0]), RuntimeError, r"expected an image \[H, W, C\], got shape \[4, 3\]"),
)
