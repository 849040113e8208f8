"""Scatter-add of many terms into one tensor."""

import numpy as np
import pytest

from minigraph import Tensor, errors, grad
from minigraph.core.op import apply

A, B = Tensor([1.0, 2.0, 3.0]), Tensor([[4.0, 5.0, 6.0], [7.0, 8.0, 9.0]])


def test_terms_are_added_as_by_index_add():
    # parts are added where their keys say
    result = apply("scatter_sum", A, B, keys=((-1,), ((1, None, 1), ...)), shape=(3, 3))
    assert result.tolist() == [[0, 0, 0], [4, 5, 6], [8, 10, 12]]
    # the sum is that of index add
    keys = ((0,), ((0, 2, 1), (2, None, -1)))
    expected = sum((apply("index_add", x, key=key, shape=(2, 3)) for x, key in zip((A, B), keys, strict=True)), 0.0)
    assert np.array_equal(apply("scatter_sum", A, B, keys=keys, shape=(2, 3)).array, expected.array)


def test_each_term_gets_its_slice_of_the_gradient():
    weights = Tensor(np.arange(6, dtype=np.float32).reshape(2, 3))

    def loss(a, b):
        return (apply("scatter_sum", a, b, keys=((1,), ((0, 2, 1),)), shape=(2, 3)) * weights).sum()

    of_a, of_b = grad(loss, (0, 1))(A, B)
    assert of_a.tolist() == [3, 4, 5] and of_b.tolist() == weights.tolist()


@pytest.mark.parametrize("keys", [((0,),), ((0,), (0,))])
def test_every_term_needs_a_matching_key(keys):
    with pytest.raises(errors.ShapeError, match="one key for each|does not fill"):
        apply("scatter_sum", A, B, keys=keys, shape=(2, 3))
