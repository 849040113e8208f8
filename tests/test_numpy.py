"""``ms.numpy``: shapes, dtypes and values of what it makes."""

import numpy as np
import pytest

import minigraph as ms
from minigraph import numpy as mnp


@pytest.mark.parametrize(
    ("found", "wanted"),
    [
        (lambda: mnp.array([1, 2]), np.array([1, 2], np.int32)),
        (lambda: mnp.array(np.ones(2), ms.float16), np.ones(2, np.float16)),
        (lambda: mnp.zeros((2, 3)), np.zeros((2, 3), np.float32)),
        (lambda: mnp.zeros(2, ms.int32), np.zeros(2, np.int32)),
        (lambda: mnp.ones((2, 0)), np.ones((2, 0), np.float32)),
        (lambda: mnp.full((2,), 7), np.full(2, 7, np.int32)),
        (lambda: mnp.full((2,), 1.5), np.full(2, 1.5, np.float32)),
        (lambda: mnp.eye(2, 3), np.eye(2, 3, dtype=np.float32)),
        (lambda: mnp.eye(3, 2, -1, ms.int8), np.eye(3, 2, -1, np.int8)),
        (lambda: mnp.array(ms.Tensor([1, 2])), np.array([1, 2])),
        (lambda: mnp.array(np.arange(2)), np.arange(2)),
        (lambda: mnp.arange(4), np.arange(4, dtype=np.int32)),
        (lambda: mnp.arange(1, 7, 2), np.arange(1, 7, 2, np.int32)),
        (lambda: mnp.arange(0.0, 1.0, 0.25), np.arange(0, 1, 0.25, np.float32)),
    ],
)
def test_made_from_sizes(found, wanted):
    array = found().asnumpy()
    assert array.dtype == wanted.dtype
    np.testing.assert_array_equal(array, wanted)


@pytest.mark.parametrize(("draw", "mean", "deviation"), [(mnp.rand, 0.5, 12**-0.5), (mnp.randn, 0, 1)])
def test_draws(draw, mean, deviation):
    values = draw(100, 100)
    assert values.shape == draw((100, 100)).shape == (100, 100)
    assert values.dtype is ms.float32
    assert draw(2, dtype=ms.float64).dtype is ms.float64
    assert values.asnumpy().mean() == pytest.approx(mean, abs=0.05)
    assert values.asnumpy().std() == pytest.approx(deviation, rel=0.05)
    assert not np.array_equal(values.asnumpy(), draw(100, 100).asnumpy())


def test_randint_counts_up_to_its_bound():
    assert set(mnp.randint(2, 5, (200,)).asnumpy().tolist()) == {2, 3, 4}
    assert set(mnp.randint(2, shape=(50,)).asnumpy().tolist()) == {0, 1}
    assert mnp.randint(3).dtype is ms.int32


def test_an_array_of_a_tensor_is_its_own_and_carries_gradients():
    x = ms.Tensor([1.0, 2.0])
    made = mnp.array(x)
    made[0] = 5.0
    assert x.asnumpy().tolist() == [1.0, 2.0]
    for run in (lambda fn: fn, ms.jit):
        assert ms.grad(run(lambda x: mnp.array(x) * 3))(x).asnumpy().tolist() == [3.0, 3.0]


def test_a_seed_repeats_the_draws():
    ms.set_seed(3)
    first = mnp.randn(5).asnumpy()
    ms.set_seed(3)
    assert np.array_equal(mnp.randn(5).asnumpy(), first)
