"""Windows and pooling."""

import numpy as np
import pytest

from minigraph import Tensor, grad
from minigraph.errors import ShapeError, UsageError
from minigraph.op import apply
from minigraph.ops.records.derived import forward_of
from minigraph.ops.records.pool import MAX_POOL2D, MAX_POOL2D_GRAD, PART

X = np.random.default_rng(0).normal(size=(2, 3, 6, 6))


def test_pooling_side_by_side_is_a_reduction_of_blocks():
    blocks = X.reshape(2, 3, 3, 2, 3, 2)
    np.testing.assert_array_equal(apply("max_pool2d", Tensor(X), kernel=2).array, blocks.max((3, 5)))
    np.testing.assert_allclose(apply("avg_pool2d", Tensor(X), kernel=2).array, blocks.mean((3, 5)), rtol=1e-14)


def test_the_border_never_wins_a_maximum():
    found = apply("max_pool2d", Tensor(-np.ones((1, 1, 2, 2))), kernel=2, stride=1, padding=1)
    assert found.shape == (1, 1, 3, 3)
    assert (found.array == -1).all()


def test_the_border_counts_in_a_mean():
    found = apply("avg_pool2d", Tensor(np.ones((1, 1, 2, 2))), kernel=2, stride=1, padding=1)
    assert found.array[0, 0].tolist() == [[0.25, 0.5, 0.25], [0.5, 1.0, 0.5], [0.25, 0.5, 0.25]]


def test_windows_are_views_and_their_gradient_counts_the_windows_over_a_pixel():
    x = Tensor(np.ones((1, 1, 3, 3)))
    windows = apply("windows", x, kernel=2)
    assert np.shares_memory(windows.array, x.array)
    counts = grad(lambda x: apply("windows", x, kernel=2).sum())(x)
    assert counts.array[0, 0].tolist() == [[1, 2, 1], [2, 4, 2], [1, 2, 1]]


def test_the_gradient_of_a_maximum_goes_to_the_largest():
    found = grad(lambda x: apply("max_pool2d", x, kernel=6).sum())(Tensor(X)).array
    assert found.sum() == 6
    assert (found.reshape(6, 36).argmax(1) == X.reshape(6, 36).argmax(1)).all()


def test_of_equal_pixels_the_first_gets_the_gradient():
    found = grad(lambda x: apply("max_pool2d", x, kernel=2).sum())(Tensor(np.zeros((1, 1, 2, 2))))
    assert found.array[0, 0].tolist() == [[1, 0], [0, 0]]


def test_the_border_never_wins_among_integers():
    found = apply("max_pool2d", Tensor(np.full((1, 1, 2, 2), -5)), kernel=2, stride=1, padding=1)
    assert (found.array == -5).all()


def test_refusals():
    with pytest.raises(ShapeError, match="windows over"):
        apply("max_pool2d", Tensor(np.ones((1, 1, 2, 2))), kernel=3)
    with pytest.raises(UsageError, match="kernel is one int or two"):
        apply("max_pool2d", Tensor(X), kernel=0)


IMAGES = np.random.default_rng(3).integers(-2, 3, size=(2, 3, 6, 7)).astype(np.float32)  # with many equal elements
WINDOWS_OF = [
    {"kernel": (2, 2), "stride": (2, 2), "padding": ((0, 0), (0, 0))},
    {"kernel": (3, 2), "stride": (1, 2), "padding": ((1, 0), (1, 1))},
    {"kernel": (2, 3), "stride": (3, 3), "padding": ((1, 1), (0, 2))},
]


@pytest.mark.parametrize("attrs", WINDOWS_OF)
@pytest.mark.parametrize("special", [None, np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("g_special", [None, np.inf, np.nan])
def test_whole_images_at_a_time_give_the_bits_of_windows(attrs, special, g_special):
    x = IMAGES.copy()
    if special is not None:
        x[0, 0, 1, 1:3] = x[1, 2, 4, 4] = special
    found = MAX_POOL2D.forward(x, **attrs)
    assert found.tobytes() == forward_of(MAX_POOL2D.expand)(x, **attrs).tobytes()
    g = np.random.default_rng(4).normal(size=found.shape).astype(np.float32)
    if g_special is not None:
        g[0, 1, 1, 1] = g_special
    grad = MAX_POOL2D_GRAD.forward(g, x, **attrs)
    assert grad.tobytes() == forward_of(MAX_POOL2D_GRAD.expand)(g, x, **attrs).tobytes()


@pytest.mark.parametrize("shape", [(70, 2, 64, 64), (3, 40, 64, 80), (2, 1, 600, 600)])
@pytest.mark.parametrize("attrs", WINDOWS_OF)
def test_the_gradient_of_many_images_goes_part_by_part_to_the_same_bits(attrs, shape):
    x = np.random.default_rng(5).integers(-2, 3, size=shape).astype(np.float32)
    assert x.nbytes > 2 * PART
    g = np.random.default_rng(6).normal(size=MAX_POOL2D.forward(x, **attrs).shape).astype(np.float32)
    found = MAX_POOL2D_GRAD.forward(g, x, **attrs)
    one_by_one = [MAX_POOL2D_GRAD.forward(g[i : i + 1], x[i : i + 1], **attrs) for i in range(len(x))]
    assert found.tobytes() == np.concatenate(one_by_one).tobytes()
    turned = np.ascontiguousarray(x.transpose(1, 2, 3, 0)).transpose(3, 0, 1, 2)
    assert MAX_POOL2D_GRAD.beside.forward(g, turned, **attrs).tobytes() == found.tobytes()
