"""Windows at random positions: MindSpore's maxima and positions for given samples, and the gradient."""

import numpy as np

from minigraph import Tensor, grad, ops
from tests.tables import error_cases

IMAGE = Tensor(np.arange(25, dtype=np.float32).reshape(1, 1, 5, 5))
HALVES = Tensor(np.full((1, 1, 2), 0.5, np.float32))


def test_mindspores_maxima():
    values, places = ops.fractional_max_pool2d(IMAGE, 2, (2, 2), return_indices=True, _random_samples=HALVES)
    assert values.tolist() == [[[[6, 9], [21, 24]]]] and places.tolist() == values.tolist()
    volume = Tensor(np.arange(64, dtype=np.float32).reshape(1, 4, 4, 4))
    halves = Tensor(np.full((1, 1, 3), 0.5, np.float32))
    assert ops.fractional_max_pool3d(volume, 2, 2, _random_samples=halves).tolist() == [
        [[[21, 23], [29, 31]], [[53, 55], [61, 63]]]
    ]


def test_samples_are_drawn_and_gradients_reach_the_maxima():
    assert ops.fractional_max_pool2d(IMAGE, 2, output_ratio=(0.6, 0.4)).shape == (1, 1, 3, 2)
    assert ops.fractional_max_pool2d(IMAGE, 5, output_size=1).tolist() == [[[[24]]]]
    gradient = grad(lambda x: ops.fractional_max_pool2d(x, 2, 2, _random_samples=HALVES).sum())(IMAGE)
    assert np.flatnonzero(gradient.asnumpy()).tolist() == [6, 9, 21, 24]


test_errors = error_cases(
    (lambda: ops.fractional_max_pool2d(IMAGE[0, 0], 2, 2), ValueError, "rank 3 or 4"),
    (lambda: ops.fractional_max_pool2d(IMAGE, 2), ValueError, "either output_size or output_ratio"),
)
