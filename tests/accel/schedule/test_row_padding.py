"""Matrices that are read by columns have padded rows, and the same bits."""

import numpy as np
import pytest

from minigraph import Tensor, grad, jit, ops, trace
from minigraph.accel.schedule.plan import make_plan
from minigraph.core.machine import CACHE_LINE_BYTES, CACHE_PERIOD_BYTES, MIN_PADDED_BYTES
from tests.observed import bits

RNG = np.random.default_rng(0)
SIDE = 128  # rows of 512 bytes
X, Y = (Tensor(RNG.normal(size=(SIDE, SIDE)).astype(np.float32)) for _ in range(2))
NARROW = Tensor(RNG.normal(size=(SIDE, 100)).astype(np.float32))


def widths(fn, *args):
    """The row lengths of the memory that products are written into."""
    return [step.types[0].shape[1] for step in make_plan(trace(fn, *args)).steps if step.op.role == "memory"]


PADDED = {
    "by columns": lambda x, y: (x @ y).T + y,
    "by columns and by rows": lambda x, y: (lambda product: product.T * product)(x @ y),
    "twice": lambda x, y: (x @ y).T * (y @ x).T,
    "a gradient": lambda x, y: grad(lambda x: ops.tanh((x @ y).T * x))(x),
}
UNPADDED = {
    "by rows": lambda x, y: (x @ y) + y,
    "by a product": lambda x, y: (x @ y).T @ y,
    "by rows of something else": lambda x, y: (x @ y).exp().T + y,
    "by the caller": lambda x, y: (x @ y).T,
    "by the caller as well": lambda x, y: (lambda product: (product.T + y, product))(x @ y),
}


@pytest.mark.parametrize("what", PADDED)
def test_matrices_that_are_read_by_columns_are_padded(what):
    assert {*widths(PADDED[what], X, Y)} == {SIDE + CACHE_LINE_BYTES // 4}


@pytest.mark.parametrize("what", UNPADDED)
def test_other_matrices_are_not_padded(what):
    assert not widths(UNPADDED[what], X, Y)


def test_rows_that_do_not_conflict_are_not_padded():
    assert NARROW.shape[1] * 4 % CACHE_PERIOD_BYTES and NARROW.array.nbytes >= MIN_PADDED_BYTES
    assert not widths(lambda x, y: (x @ y).T + 1.0, X, NARROW)


def test_small_matrices_are_not_padded():
    small = Tensor(X.array[:8])
    assert not widths(lambda x, y: (x @ y).T + 1.0, small, Y)


@pytest.mark.parametrize("what", [*PADDED, *UNPADDED])
def test_the_bits_are_those_of_eager_mode(what):
    fn = {**PADDED, **UNPADDED}[what]
    compiled = jit(fn)
    for _ in range(2):
        assert bits(compiled(X, Y)) == bits(fn(X, Y))
