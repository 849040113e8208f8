"""Primitives of convolutions and biases, against numpy or formulas."""

import numpy as np
import pytest

from minigraph import Tensor, ops
from tests.ops.functional.checks import constants_test

RANDOM = np.random.default_rng(11)
IMAGES = RANDOM.standard_normal((2, 4, 6, 6))
CONFIGS = [{}, {"stride": 2}, {"pad_mode": "pad", "pad": 1}, {"pad_mode": "same", "stride": 2}]


@pytest.mark.parametrize("config", CONFIGS)
def test_conv2d_transpose_is_the_gradient_of_conv2d(config):
    weight = RANDOM.standard_normal((3, 4, 2, 2))
    result = ops.Conv2D(3, 2, **config)(Tensor(IMAGES), Tensor(weight)).asnumpy()
    cotangent = RANDOM.standard_normal(result.shape)
    gradient = ops.Conv2DTranspose(3, 2, **config)(Tensor(cotangent), Tensor(weight), IMAGES.shape).asnumpy()
    assert (result * cotangent).sum() == pytest.approx((IMAGES * gradient).sum())


FIRST = Tensor([[1.0, 2.0], [3.0, 4.0]])
FIRST_ARRAY = FIRST.array


test_values = constants_test(
    (ops.BiasAdd()(FIRST, Tensor([10.0, 20.0])), FIRST_ARRAY + np.array([10, 20])),
)


def test_conv2d():
    x, w = Tensor(np.ones((1, 2, 4, 4), np.float32)), Tensor(np.ones((3, 2, 2, 2), np.float32))
    assert ops.Conv2D(out_channel=3, kernel_size=2)(x, w).shape == (1, 3, 3, 3)
    assert ops.Conv2D(3, 2, pad_mode="same", stride=2)(x, w).shape == (1, 3, 2, 2)
    assert ops.Conv2D(3, 2, pad_mode="pad", pad=1)(x, w).shape == (1, 3, 5, 5)


def test_windows_are_summed_in_images():
    assert ops.Col2Im(2)(ops.ones((1, 1, 4, 9)), Tensor([4, 4]))[0, 0, 1].tolist() == [2, 4, 4, 2]  # MindSpore 2.10


def test_gradients_patches_and_deformed_windows():
    kernel = Tensor(RANDOM.standard_normal((3, 4, 2, 2)))
    out = ops.conv2d(Tensor(IMAGES), kernel)
    expected = ops.Conv2DTranspose(3, 2)(out, kernel, IMAGES.shape).asnumpy()
    np.testing.assert_array_equal(ops.Conv2DBackpropInput(3, 2)(out, kernel, IMAGES.shape).asnumpy(), expected)
    volume = RANDOM.standard_normal((1, 2, 3, 3, 3))
    patches = ops.ExtractVolumePatches([1, 1, 2, 2, 2], 1, "valid")(Tensor(volume)).asnumpy()
    np.testing.assert_array_equal(patches[0, 2:4], volume[0, :, :2, :2, 1:])
    assert ops.ExtractVolumePatches(2, 2, "same")(Tensor(volume)).shape == (1, 16, 2, 2, 2)
    offsets = Tensor(np.stack([np.repeat([0.0, 0.0, 1.0], 4).reshape(12, 1, 1) * np.ones((12, 5, 5))] * 2))
    windows = ops.DeformableOffsets((1, 1, 1, 1), (0, 0, 0, 0), (2, 2))(Tensor(IMAGES), offsets).asnumpy()
    np.testing.assert_allclose(windows[:, :, 2:4, 6:8], IMAGES[:, :, 1:3, 3:5])
