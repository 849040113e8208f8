"""Colors of images: MindSpore's bytes for one image, and errors."""

import numpy as np
import pytest

from minigraph.dataset import vision
from minigraph.dataset.vision.color import hsv_to_rgb, rgb_to_hsv
from tests.tables import error_cases

IMAGE = np.random.RandomState(0).randint(0, 256, (4, 5, 3)).astype(np.uint8)

# the first bytes that MindSpore 2.10 computes
RECORDED = [
    (vision.AdjustBrightness(2.0), [255, 94, 234, 255, 134, 255, 255, 206, 18, 255, 42, 255, 72, 174]),
    (vision.AdjustBrightness(0.5), [86, 24, 58, 96, 34, 126, 98, 52, 4, 106, 10, 121, 18, 44]),
    (vision.AdjustContrast(2.0), [222, 0, 112, 255, 12, 255, 255, 84, 0, 255, 0, 255, 0, 52]),
    (vision.AdjustContrast(0.5), [147, 84, 120, 157, 94, 186, 158, 112, 66, 166, 72, 182, 79, 104]),
    (vision.AdjustGamma(2.0, 1.0), [116, 8, 53, 145, 17, 248, 149, 41, 0, 175, 1, 230, 5, 29]),
    (vision.AdjustHue(0.2), [172, 126, 47, 251, 67, 84, 62, 195, 9, 242, 31, 21, 36, 42]),
    (vision.AdjustHue(0.1), [172, 50, 47, 251, 67, 197, 175, 195, 9, 242, 21, 141, 36, 73]),
    (vision.AdjustSaturation(2.0), [252, 2, 142, 255, 9, 255, 255, 86, 0, 255, 0, 255, 2, 104]),
    (vision.AdjustSharpness(2.0), [172, 47, 117, 192, 67, 251, 195, 103, 9, 211, 21, 242, 36, 87]),
    (vision.AutoContrast(), [169, 41, 113, 190, 62, 255, 193, 102, 0, 210, 13, 245, 28, 84]),
    (vision.ConvertColor(vision.ConvertMode.COLOR_RGB2GRAY), [92, 125, 120, 103, 70, 132, 157, 83, 93, 61, 103, 227]),
    (vision.ConvertColor(vision.ConvertMode.COLOR_RGB2BGR), [117, 47, 172, 251, 67, 192, 9, 103, 195, 242, 21, 211]),
    (vision.Equalize(), [121, 40, 94, 148, 54, 255, 174, 161, 0, 215, 13, 228, 40, 134]),
    (vision.Invert(), [83, 208, 138, 63, 188, 4, 60, 152, 246, 44, 234, 13, 219, 168]),
    (vision.Posterize(3), [160, 32, 96, 192, 64, 224, 192, 96, 0, 192, 0, 224, 32, 64]),
    (vision.Solarize((100, 200)), [83, 47, 138, 63, 67, 251, 60, 152, 9, 211, 21, 242, 36, 87]),
]


@pytest.mark.parametrize(("operation", "expected"), RECORDED, ids=lambda operation: type(operation).__name__)
def test_mindspores_bytes(operation, expected):
    result = operation(IMAGE)
    assert result.dtype == np.uint8 and result.reshape(-1)[: len(expected)].tolist() == expected


def test_colors_survive_conversion_to_hue_and_back():
    colors = np.random.RandomState(1).rand(50, 3)
    np.testing.assert_allclose(hsv_to_rgb(rgb_to_hsv(colors)), colors, atol=1e-12)
    gray = vision.ConvertColor(vision.ConvertMode.COLOR_GRAY2RGB)(IMAGE[..., 0])
    assert gray.shape == (4, 5, 3) and (gray[..., 2] == IMAGE[..., 0]).all()


def test_cut_and_constant_channels():
    steps = np.arange(100, dtype=np.uint8).reshape(10, 10) + 50
    assert (vision.AutoContrast(10.0)(steps)[[0, 9], [0, 9]] == [0, 255]).all()
    assert vision.AutoContrast(0.0, 50)(steps)[0, 1] == 0
    flat = np.full((3, 3, 3), 7, np.uint8)
    assert (vision.Equalize()(flat) == 7).all() and (vision.AutoContrast()(flat) == 7).all()


test_errors = error_cases(
    (lambda: vision.AdjustBrightness(-1)(IMAGE), ValueError, "brightness_factor"),
    (lambda: vision.AdjustHue(0.7)(IMAGE), ValueError, "hue_factor"),
    (lambda: vision.Posterize(9)(IMAGE), ValueError, "bits"),
    (lambda: vision.AdjustContrast(1.0)(IMAGE[..., :2]), RuntimeError, r"\[H, W, 3\]"),
)
