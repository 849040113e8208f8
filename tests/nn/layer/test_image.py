"""Layers that rearrange pixels and channels."""

import numpy as np

from minigraph import Tensor, nn
from tests.nn.function_layers import IMAGES, ROWS
from tests.tables import error_cases


def test_shuffles_undo_each_other():
    shuffled = nn.PixelShuffle(2)(Tensor(IMAGES))
    assert shuffled.shape == (2, 1, 8, 12)
    np.testing.assert_array_equal(nn.PixelUnshuffle(2)(shuffled).asnumpy(), IMAGES)
    np.testing.assert_array_equal(nn.ChannelShuffle(2)(Tensor(IMAGES)).asnumpy(), IMAGES[:, [0, 2, 1, 3]])


test_invalid_arguments_raise = error_cases(
    (lambda: nn.PixelShuffle(0), ValueError, "'upscale_factor' must be int and must > 0, but got '0'"),
    (lambda: nn.ChannelShuffle(1.5), TypeError, "'groups' must be int, but got 'float'"),
    (lambda: nn.Upsample(mode="bogus", size=3)(Tensor(ROWS)), ValueError, "no mode 'bogus'"),
)
