"""Im2col equals its definition, and col2im is its adjoint."""

import numpy as np
import pytest

from minigraph.operators.im2col import NO_PADDING, Window, col2im, crop, im2col, pad_images
from tests.tables import every

RNG = np.random.default_rng(0)
UNIT = Window((1, 1), NO_PADDING, (1, 1), 1)
OPTIONS = [{}, {"group": 2}, {"stride": (2, 1), "padding": ((1, 0), (2, 1))}, {"stride": (1, 3), "dilation": (2, 1)}]
WINDOWS = [UNIT._replace(**other) for other in OPTIONS]


@every(window=WINDOWS)
def test_im2col_equals_the_definition_and_col2im_is_its_adjoint(window):
    x, kernel = RNG.normal(size=(2, 4, 9, 11)), (3, 2)
    padded, sizes = pad_images(x, window.padding), window.sizes((9, 11), kernel)
    expected = np.stack([padded[:, :, *pixels] for _, _, pixels in window.taps(kernel, sizes)], axis=2)
    columns = im2col(x, kernel, window)
    assert columns.flags.c_contiguous
    np.testing.assert_array_equal(columns.reshape(expected.shape), expected)
    other = RNG.normal(size=columns.shape)
    assert (columns * other).sum() == pytest.approx((x * col2im(other, kernel, window, x.shape)).sum())


def test_padding_and_windows():
    # padding is added and cropped
    x = RNG.normal(size=(2, 1, 3, 4))
    assert pad_images(x, NO_PADDING) is x
    padded = pad_images(x, ((1, 0), (2, 3)), -1.0)
    assert padded.shape == (2, 1, 4, 9)
    assert padded.sum() == pytest.approx(x.sum() - (padded.size - x.size))
    np.testing.assert_array_equal(crop(padded, ((1, 0), (2, 3))), x)
    # sizes and taps of windows
    window = Window((2, 1), ((1, 0), (0, 1)), (1, 2), 1)
    assert window.sizes((5, 6), (2, 2)) == (3, 5)
    assert [(i, j) for i, j, _ in window.taps((2, 2), (3, 5))] == [(0, 0), (0, 1), (1, 0), (1, 1)]
