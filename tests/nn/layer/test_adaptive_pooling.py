"""Adaptive pooling: recorded results of MindSpore, and windows sliced by numpy."""

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from minigraph import Tensor, nn
from tests.tables import error_cases

IMAGE = np.arange(70, dtype=np.float32).reshape(1, 2, 5, 7)


def test_recorded_results_of_mindspore():
    image, line = Tensor(IMAGE), Tensor(np.arange(12, dtype=np.float32).reshape(1, 2, 6))
    means = nn.AdaptiveAvgPool2d(2)(image).tolist()
    assert means == [[[[8.5, 11.5], [22.5, 25.5]], [[43.5, 46.5], [57.5, 60.5]]]]
    assert nn.AdaptiveMaxPool2d(2)(image).tolist() == [[[[17.0, 20], [31, 34]], [[52, 55], [66, 69]]]]
    result = nn.AdaptiveAvgPool2d((None, 4))(image[0]).asnumpy()
    assert result.shape == (2, 5, 4)
    assert result[:, 0].tolist() == [[0.5, 2.0, 4.0, 5.5], [35.5, 37.0, 39.0, 40.5]]
    assert nn.AdaptiveAvgPool1d(2)(line).tolist() == [[[1.0, 4.0], [7.0, 10.0]]]
    assert nn.AdaptiveMaxPool1d(2)(line).tolist() == [[[2.0, 5.0], [8.0, 11.0]]]


def test_positions_of_the_maxima():
    result, positions = nn.AdaptiveMaxPool2d(2, return_indices=True)(Tensor(IMAGE))
    assert positions.tolist() == [[[[17, 20], [31, 34]], [[17, 20], [31, 34]]]]
    assert (IMAGE.reshape(2, -1)[:, positions.asnumpy()[0, 0].ravel()] == result.asnumpy().reshape(2, -1)).all()


@given(st.tuples(*[st.integers(1, 9)] * 4))
def test_windows_cover_the_image_evenly(sizes):
    height, width, rows, columns = sizes
    x = np.random.default_rng(0).normal(size=(2, height, width)).astype(np.float32)
    average, largest = (kind((rows, columns))(Tensor(x)) for kind in (nn.AdaptiveAvgPool2d, nn.AdaptiveMaxPool2d))
    for i, j in np.ndindex(rows, columns):
        high = slice(math.floor(i * height / rows), math.ceil((i + 1) * height / rows))
        wide = slice(math.floor(j * width / columns), math.ceil((j + 1) * width / columns))
        part = x[:, high, wide]
        np.testing.assert_allclose(average.asnumpy()[:, i, j], part.mean((1, 2)), rtol=1e-4, atol=1e-5)
        assert (largest.asnumpy()[:, i, j] == part.max((1, 2))).all()


test_invalid_arguments_raise = error_cases(
    (lambda: nn.AdaptiveAvgPool2d(0), ValueError, "^For 'AdaptiveAvgPool2d', the 'output_size' must be int and must"),
    (lambda: nn.AdaptiveAvgPool2d((1, 2, 3)), ValueError, "the 'length of output_size' must be int and must = 2"),
    (lambda: nn.AdaptiveAvgPool2d("a"), TypeError, "should be one of '.'int', 'tuple'.', but got type 'str'"),
    (lambda: nn.AdaptiveAvgPool1d((1,)), TypeError, "^For 'AdaptiveAvgPool1d', the 'output_size' must be int, but"),
    (lambda: nn.AdaptiveAvgPool2d(2)(Tensor(IMAGE[0, 0])), ValueError, r"of rank 3 or 4, got shape \[5, 7\]"),
)
