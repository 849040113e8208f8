"""Views: shared memory, no cost, and errors."""

import numpy as np
import pytest

from minigraph import Tensor, errors, grad
from minigraph.core.op import apply
from minigraph.operators.views import flat_shape, inverse_permutation, resolve_shape
from tests.tables import cases, error_cases

X = Tensor(np.arange(24.0).reshape(2, 3, 4))


@cases(
    (X.reshape(6, -1), X.array.reshape(6, 4)),
    (X.reshape((24,)), X.array.reshape(24)),
    (X.flatten(), X.array.reshape(24)),
    (X.flatten(1), X.array.reshape(2, 12)),
    (X.transpose((2, 0, 1)), X.array.transpose(2, 0, 1)),
    (X.permute(1, 0, 2), X.array.transpose(1, 0, 2)),
    (X.T, X.array.T),
    (X.mT, X.array.swapaxes(1, 2)),
    (X.transpose(0, 1), X.array.swapaxes(0, 1)),
    (X.expand_dims(-1), X.array[..., None]),
    (X.expand_dims(1).squeeze(1), X.array),
    (X[0].broadcast_to((2, -1, -1)), np.broadcast_to(X.array[0], (2, 3, 4))),
)
def test_values_are_numpys_and_memory_is_shared(result, expected):
    assert np.array_equal(result.array, expected)
    assert np.shares_memory(result.array, X.array)


def test_shapes_orders_copies_and_gradients_of_views():
    # a reshape that cannot be a view is a copy
    assert X.T.reshape(24).tolist() == X.array.T.reshape(24).tolist()
    # squeeze leaves axes of another size
    assert X[None].squeeze((0, 1)).shape == X.shape
    # flatten of a number is a vector
    assert Tensor(2.0).flatten().tolist() == [2.0]
    assert flat_shape((2, 3, 4), 0, 1) == (6, 4)
    # the gradient of a broadcast is a sum
    assert grad(lambda x: x.broadcast_to((3, 2)).sum())(Tensor(np.ones(2))).tolist() == [3.0, 3.0]
    # stop gradient passes the value and no gradient
    assert grad(lambda x: (x * apply("stop_gradient", x)).sum())(Tensor([3.0])).tolist() == [3.0]


test_errors = error_cases(
    (lambda: X.reshape(5, 5), errors.ShapeError, "24 elements of shape"),
    (lambda: X.reshape(-1, -1), errors.ShapeError, "reshape"),
    (lambda: X.reshape(-1, 0), errors.ShapeError, "reshape"),
    (lambda: X.reshape(2.0, 12), errors.UsageError, "made of ints"),
    (lambda: X.flatten(2, 0), errors.UsageError, r"axis 2 \(start\) comes after axis 0 \(end\)"),
    (lambda: X.transpose((0, 0, 1)), errors.UsageError, "not a permutation of the 3 axes"),
    (lambda: X.permute(0, 1), errors.UsageError, "not a permutation of the 3 axes"),
    (lambda: X.expand_dims(4), errors.RangeError, "axis 4 does not exist"),
    (lambda: X.squeeze(3), errors.AxisError, "axis 3 does not exist"),
    (lambda: X.broadcast_to((2, 3)), errors.ShapeError, "does not broadcast to"),
    (lambda: X.broadcast_to((2, 3, 5)), errors.ShapeError, "does not broadcast to"),
)


def test_inverse_permutations_and_shapes():
    # resolve_shape keeps empty shapes exact
    assert resolve_shape((0, 3), (3, 0)) == (0, 3)
    with pytest.raises(errors.ShapeError):
        resolve_shape((-1, 0), (3, 0))
    # inverse_permutation undoes a permutation
    for axes in [(0, 1, 2), (2, 0, 1), (1, 0)]:
        assert tuple(axes[i] for i in inverse_permutation(axes)) == tuple(range(len(axes)))
