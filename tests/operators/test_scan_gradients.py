"""Gradients of captured scans have the bits of eager mode; the gradient nests."""

import numpy as np
import pytest

import minigraph as ms
from minigraph import Tensor, ops

NUMBERS = np.random.default_rng(5).normal(size=30).astype(np.float32)


def unused_after_the_loop(x, k):
    """The last value of ``unused`` is infinite, and has no cotangent."""
    (y, _), _ = ops.scan(lambda c, _: ((c[0] + c[1] * k, ops.exp(ops.abs(c[1]) * 1e3)), None), (x, x), None, 1)
    return y.sum()


def unused_in_a_long_loop(x, k):
    (y, _), _ = ops.scan(lambda c, row: ((c[0] * k + c[1] * row, ops.sin(c[1] * row)), None), (x, x), NUMBERS_OF_ROWS)
    return y.sum()


def swapped(x, k):
    (y, _), _ = ops.scan(lambda c, row: ((c[1] * row, c[0] * k), None), (x, x * k), NUMBERS_OF_ROWS)
    return y.sum()


def starts_with_a_value_it_uses(x, k):
    y, _ = ops.scan(lambda y, _: (ops.sin(y * x) + y * k, None), x, None, 6)
    return (y * x).sum()


def starts_with_one_value_twice(x, k):
    (y, z), rows = ops.scan(lambda c, row: ((c[0] * c[1] + c[0] * row, c[1] * k), c[0] * c[1]), (x, x), NUMBERS_OF_ROWS)
    return (y * z * x).sum() + rows.sum()


def only_the_stacked_results(x, k):
    return ops.scan(lambda y, row: (ops.tanh(y * k + row), y * row), x[0], x)[1].sum()


def one_iteration(x, k):
    return (ops.scan(lambda y, _: (y * x + ops.cos(y), None), x, None, 1)[0] * k * x).sum()


def no_iteration(x, k):
    return (ops.scan(lambda y, _: (y * x, None), x * k, None, 0)[0] * 3).sum()


NUMBERS_OF_ROWS = Tensor(NUMBERS[:4])
FUNCTIONS = (
    unused_after_the_loop, unused_in_a_long_loop, swapped, starts_with_a_value_it_uses, starts_with_one_value_twice,
    only_the_stacked_results, one_iteration, no_iteration,
)  # fmt: skip


@pytest.mark.parametrize("fn", FUNCTIONS)
@pytest.mark.parametrize("start", [0, 6, 12, 18])
def test_gradients_have_the_bits_of_eager_mode(fn, start):
    args = Tensor(NUMBERS[start : start + 5]), Tensor(NUMBERS[start + 5])
    expected = ms.grad(fn, (0, 1))(*args)
    for mode in ("ast", "trace"):
        result = ms.jit(ms.grad(fn, (0, 1)), capture_mode=mode)(*args)
        assert [g.asnumpy().tobytes() for g in result] == [g.asnumpy().tobytes() for g in expected], (result, expected)


@pytest.mark.parametrize("fn", [unused_in_a_long_loop, swapped, starts_with_a_value_it_uses, only_the_stacked_results])
def test_second_gradients_equal_those_of_eager_mode(fn):
    args = Tensor(NUMBERS[:5]), Tensor(NUMBERS[5])

    def second(x, k):
        return ms.grad(lambda x: (ms.grad(fn)(x, k) * x).sum())(x)

    np.testing.assert_allclose(ms.jit(second)(*args).asnumpy(), second(*args).asnumpy(), rtol=1e-4)
