"""Columns are what a kernel meets, and adding them up is the adjoint."""

import numpy as np
import pytest

from minigraph.operators.img2col import NO_PADDING, Window, bordered, columns_of, inside, sum_of_columns
from tests.tables import every

RNG = np.random.default_rng(0)
PLAIN = Window((1, 1), NO_PADDING, (1, 1), 1)
OTHERS = [{}, {"group": 2}, {"stride": (2, 1), "padding": ((1, 0), (2, 1))}, {"stride": (1, 3), "dilation": (2, 1)}]
WINDOWS = [PLAIN._replace(**other) for other in OTHERS]


@every(window=WINDOWS)
def test_columns_are_what_the_kernel_meets_and_adding_them_is_the_adjoint(window):
    x, kernel = RNG.normal(size=(2, 4, 9, 11)), (3, 2)
    padded, sizes = bordered(x, window.padding), window.sizes((9, 11), kernel)
    want = np.stack([padded[:, :, *pixels] for _, _, pixels in window.taps(kernel, sizes)], axis=2)
    columns = columns_of(x, kernel, window)
    assert columns.flags.c_contiguous
    np.testing.assert_array_equal(columns.reshape(want.shape), want)
    other = RNG.normal(size=columns.shape)
    assert (columns * other).sum() == pytest.approx((x * sum_of_columns(other, kernel, window, x.shape)).sum())


def test_borders_and_windows():
    # borders go on and off
    x = RNG.normal(size=(2, 1, 3, 4))
    assert bordered(x, NO_PADDING) is x
    edged = bordered(x, ((1, 0), (2, 3)), -1.0)
    assert edged.shape == (2, 1, 4, 9)
    assert edged.sum() == pytest.approx(x.sum() - (edged.size - x.size))
    np.testing.assert_array_equal(inside(edged, ((1, 0), (2, 3))), x)
    # windows know their sizes and places
    window = Window((2, 1), ((1, 0), (0, 1)), (1, 2), 1)
    assert window.sizes((5, 6), (2, 2)) == (3, 5)
    assert [(i, j) for i, j, _ in window.taps((2, 2), (3, 5))] == [(0, 0), (0, 1), (1, 0), (1, 1)]
