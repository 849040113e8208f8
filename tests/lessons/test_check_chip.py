"""Right and wrong answers of the lessons themselves are in tests/test_tutorials.py."""

import pytest

from minigraph import ops
from minigraph.lessons import NotYet, check_projections, numbers


def slow(x, wq, wk, wv):
    return x @ wq, x @ wk, x @ wv


def wasteful(x, w):
    y = x @ w
    for _ in range(8):
        y = y + ops.softmax(y) * 0.0
    return y[:, :64], y[:, 64:128], y[:, 128:]


def test_one_product_with_much_beside_it_is_refused():
    x, weights = numbers(0, 256, 512), [numbers(i, 512, 64) for i in range(1, 4)]
    with pytest.raises(NotYet, match="besides the product there is"):
        check_projections(slow, wasteful, x, weights)
