"""Random samples: shapes, dtypes, frequencies, seeds."""

import numpy as np
import pytest

from minigraph import Tensor, errors, float16, float64, grad, int32, int64, jit, ops, set_seed
from tests.tables import cases, error_cases


def test_dropped_elements_get_no_gradient():
    ops.set_seed(0)
    x = Tensor(np.ones(100, np.float32))
    mask = ops.dropout(x, 0.5).array != 0
    ops.set_seed(0)
    assert np.array_equal(grad(lambda x: ops.dropout(x, 0.5).sum())(x).array, np.where(mask, 2.0, 0.0))


@cases(
    (lambda: ops.standard_normal((2, 3)), (2, 3)),
    (lambda: ops.normal((4,), 10.0, 0.1), (4,)),
    (lambda: ops.uniform((2,), -1.0, 1.0), (2,)),
    (lambda: ops.rand(2, 2), (2, 2)),
    (lambda: ops.randn((3,)), (3,)),
    (lambda: ops.randint(0, 5, (20,)), (20,)),
)
def test_set_seed_repeats_samples(draw, shape):
    ops.set_seed(3)
    first, second = draw(), draw()
    ops.set_seed(3)
    assert first.shape == shape
    assert draw().tolist() == first.tolist() != second.tolist()


def test_ranges_of_samples():
    assert (np.abs(ops.normal((100,), 10.0, 0.1).array - 10) < 1).all()
    assert (np.abs(ops.uniform((100,), -1.0, 1.0).array) <= 1).all()
    assert ops.randint(0, 5, (2,), dtype=int32).dtype is int32


X = Tensor(np.zeros((40, 50), np.float32))


@cases(
    (lambda: ops.rand_like(X), 0.5, 12**-0.5),
    (lambda: ops.randn_like(X), 0.0, 1.0),
    (lambda: ops.randint_like(X, 0, 2), 0.5, 0.5),
    (lambda: ops.bernoulli(X, 0.3), 0.3, 0.21**0.5),
    (lambda: ops.bernoulli(X, X + 0.3), 0.3, 0.21**0.5),
)
def test_samples_like_another_tensor(draw, mean, deviation):
    result = draw()
    assert (result.shape, result.dtype) == (X.shape, X.dtype)
    assert result.asnumpy().mean() == pytest.approx(mean, abs=0.05)
    assert result.asnumpy().std() == pytest.approx(deviation, abs=0.05)
    assert not np.array_equal(result.asnumpy(), draw().asnumpy())


def test_dtypes_and_permutations():
    # dtypes
    assert ops.rand_like(X, dtype=float64).dtype is float64
    assert ops.randn_like(Tensor([1.0], float16)).dtype is float16
    assert ops.randint_like(X, 0, 9, dtype=int32).dtype is int32
    assert ops.randperm(3).dtype is int64
    # an order has every number once
    assert sorted(ops.randperm(20).tolist()) == list(range(20))
    assert ops.randperm(20).tolist() != ops.randperm(20).tolist()
    set_seed(1)
    first = ops.randperm(20).tolist()
    set_seed(1)
    assert jit(lambda: ops.randperm(20))().tolist() == first


def test_multinomial():
    weights = Tensor([0.1, 0.0, 0.9])
    samples = ops.multinomial(weights, 500)
    assert samples.dtype is int32
    assert set(samples.tolist()) == {0, 2}
    assert samples.asnumpy().mean() == pytest.approx(1.8, abs=0.1)
    assert ops.multinomial(Tensor([[1.0, 0.0], [0.0, 1.0]]), 3).tolist() == [[0, 0, 0], [1, 1, 1]]
    for row in ops.multinomial(Tensor(np.ones((30, 4))), 4, replacement=False).tolist():
        assert sorted(row) == [0, 1, 2, 3]
    assert 1 not in [ops.multinomial(weights, 1, replacement=False).item() for _ in range(50)]


@pytest.mark.parametrize(("rank", "drop"), [(1, ops.dropout1d), (2, ops.dropout2d), (3, ops.dropout3d)])
def test_channel_dropout(rank, drop):
    x = np.ones((8, 50, *(3,) * rank), np.float32)
    result = drop(Tensor(x), 0.4).asnumpy().reshape(8, 50, -1)
    assert set(np.unique(result).round(4)) == {0.0, np.float32(1 / 0.6).round(4)}
    assert (result == result[:, :, :1]).all()
    assert (result[:, :, 0] == 0).mean() == pytest.approx(0.4, abs=0.08)
    assert drop(Tensor(x), 0.4, training=False).asnumpy() is not None
    assert (drop(Tensor(x), 0.0).asnumpy() == x).all()
    assert not drop(Tensor(x), 1.0).asnumpy().any()


test_errors = error_cases(
    (lambda: ops.dropout2d(X, 2), errors.UsageError, "dropout2d: the probability is 2; pass one from 0 to 1"),
    (
        lambda: ops.multinomial(Tensor([0.5, 0.5]), 3, replacement=False),
        errors.UsageError,
        "3 samples of 2 classes need replacement=True",
    ),
    (lambda: ops.multinomial(ops.ones((1, 1, 1)), 1), errors.ShapeError, "expected probabilities of one or two axes"),
)
