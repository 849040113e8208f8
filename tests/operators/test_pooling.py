"""Windows and pooling."""

import numpy as np

from minigraph import Tensor, errors, grad
from minigraph.core.op import apply
from tests.tables import error_cases

X = np.random.default_rng(0).normal(size=(2, 3, 6, 6))


def test_pooling_and_windows():
    # pooling of adjacent windows is a reduction of blocks
    blocks = X.reshape(2, 3, 3, 2, 3, 2)
    np.testing.assert_array_equal(apply("max_pool2d", Tensor(X), kernel=2).array, blocks.max((3, 5)))
    np.testing.assert_allclose(apply("avg_pool2d", Tensor(X), kernel=2).array, blocks.mean((3, 5)), rtol=1e-14)
    # windows are views and their gradient counts the windows over a pixel
    x = Tensor(np.ones((1, 1, 3, 3)))
    assert np.shares_memory(apply("windows", x, kernel=2).array, x.array)
    counts = grad(lambda x: apply("windows", x, kernel=2).sum())(x)
    assert counts.array[0, 0].tolist() == [[1, 2, 1], [2, 4, 2], [1, 2, 1]]


def test_padding_is_excluded_from_a_maximum_and_included_in_a_mean():
    # padding is never the maximum
    result = apply("max_pool2d", Tensor(-np.ones((1, 1, 2, 2))), kernel=2, stride=1, padding=1)
    assert result.shape == (1, 1, 3, 3)
    assert (result.array == -1).all()
    # padding is never the maximum of integers
    result = apply("max_pool2d", Tensor(np.full((1, 1, 2, 2), -5)), kernel=2, stride=1, padding=1)
    assert (result.array == -5).all()
    # padding counts in a mean
    result = apply("avg_pool2d", Tensor(np.ones((1, 1, 2, 2))), kernel=2, stride=1, padding=1)
    assert result.array[0, 0].tolist() == [[0.25, 0.5, 0.25], [0.5, 1.0, 0.5], [0.25, 0.5, 0.25]]


def test_the_gradient_of_a_maximum_is_at_its_first_occurrence():
    # the gradient of a maximum goes to the largest
    gradient = grad(lambda x: apply("max_pool2d", x, kernel=6).sum())(Tensor(X)).array
    assert gradient.sum() == 6
    assert (gradient.reshape(6, 36).argmax(1) == X.reshape(6, 36).argmax(1)).all()
    # of equal pixels the first gets the gradient
    gradient = grad(lambda x: apply("max_pool2d", x, kernel=2).sum())(Tensor(np.zeros((1, 1, 2, 2))))
    assert gradient.array[0, 0].tolist() == [[1, 0], [0, 0]]


test_errors = error_cases(
    (lambda: apply("max_pool2d", Tensor(np.ones((1, 1, 2, 2))), kernel=3), errors.ShapeError, "windows over"),
    (lambda: apply("max_pool2d", Tensor(X), kernel=0), errors.UsageError, "kernel is one int or two"),
)
