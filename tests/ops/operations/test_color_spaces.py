"""Conversions of colors, against Python's ``colorsys``."""

import colorsys

import numpy as np
import pytest

import minigraph as ms
from minigraph import Tensor, ops

COLORS = np.random.default_rng(0).uniform(size=(2, 5, 4, 3))
COLORS[0, 0] = [[0, 0, 0], [1, 1, 1], [0.5, 0.5, 0.5], [1, 0, 0]]


def of_each(function, images):
    return np.array([function(*pixel) for pixel in images.reshape(-1, 3)]).reshape(images.shape)


def test_conversions_there_and_back():
    hsv = ops.RGBToHSV()(Tensor(COLORS))
    np.testing.assert_allclose(hsv.asnumpy(), of_each(colorsys.rgb_to_hsv, COLORS), atol=1e-12)
    np.testing.assert_allclose(ops.HSVToRGB()(hsv).asnumpy(), COLORS, atol=1e-12)
    np.testing.assert_allclose(
        ops.HSVToRGB()(Tensor(COLORS)).asnumpy(), of_each(colorsys.hsv_to_rgb, COLORS), atol=1e-12
    )
    slope = ms.grad(lambda x: ops.HSVToRGB()(ops.RGBToHSV()(x)).sum())(Tensor(COLORS[1]))
    np.testing.assert_allclose(slope.asnumpy(), 1, atol=1e-9)
    with pytest.raises(ValueError, match=r"RGBToHSV: needs images \[..., 3\]"):
        ops.RGBToHSV()(Tensor([1.0]))


def test_adjusted_hue_and_saturation():
    def turned(*rgb):
        hue, saturation, value = colorsys.rgb_to_hsv(*rgb)
        return colorsys.hsv_to_rgb((hue + 0.3) % 1, saturation, value)

    def duller(*rgb):
        hue, saturation, value = colorsys.rgb_to_hsv(*rgb)
        return colorsys.hsv_to_rgb(hue, saturation / 2, value)

    images = Tensor(COLORS.astype(np.float32))
    np.testing.assert_allclose(ops.AdjustHue()(images, Tensor(0.3)).asnumpy(), of_each(turned, COLORS), atol=1e-5)
    result = ops.AdjustSaturation()(images.astype(ms.float16), Tensor(0.5))
    assert result.dtype == ms.float16
    np.testing.assert_allclose(result.asnumpy(), of_each(duller, COLORS), atol=2e-3)
