"""Primitives that assign to Parameters, scatter updates into them, and apply optimizer steps."""

import numpy as np
import pytest

from minigraph import Parameter, Tensor, float32, jit, ops
from minigraph.ops.operations import parameters
from tests.tables import every

RANDOM = np.random.default_rng(11)
X = RANDOM.standard_normal((4, 3))


@every(compiled=[False, True], nesterov=[False, True])
def test_a_step_with_momentum(nesterov, compiled):
    weight, speed = (Parameter(Tensor(value), name=name) for name, value in (("w", X), ("v", X * 0 + 1)))
    step = ops.ApplyMomentum(use_nesterov=nesterov)
    (jit if compiled else lambda fn: fn)(lambda g: step(weight, speed, 0.1, g, 0.9))(Tensor(X * 0 + 2))
    np.testing.assert_allclose(speed.asnumpy(), np.full((4, 3), 2.9))
    np.testing.assert_allclose(weight.asnumpy(), X - 0.1 * (2 + 0.9 * 2.9 if nesterov else 2.9))


ROWS = np.array([[3.0, -1.0, 2.0], [0.5, 4.0, -2.0]])
SCATTER = [(name, getattr(parameters, name)) for name in parameters.__all__ if name.startswith("Scatter")]


def test_index_add():
    weight = Parameter(Tensor(ROWS), name="weight")
    ops.IndexAdd(axis=1)(weight, Tensor([0, 2]), Tensor(np.ones((2, 2))))
    np.testing.assert_array_equal(weight.asnumpy(), ROWS + np.array([1, 0, 1]))


@pytest.mark.parametrize(("name", "kind"), SCATTER)
def test_updates_are_scattered_in_place(name, kind):
    weight = Parameter(Tensor(ROWS), name="weight")
    indices, updates = (Tensor([1, 0]), Tensor(ROWS[::-1].copy()))
    if "Nd" in name:
        indices = Tensor([[1], [0]])
    result = kind()(weight, indices, updates)
    np.testing.assert_array_equal(weight.asnumpy(), result.asnumpy())
    expected = {
        "Update": ROWS,
        "Add": ROWS * 2,
        "Sub": ROWS * 0,
        "Mul": ROWS * ROWS,
        "Div": ROWS / ROWS,
        "Max": ROWS,
        "Min": ROWS,
    }
    np.testing.assert_allclose(weight.asnumpy(), expected[name.removeprefix("Scatter").removeprefix("Nd")])


def test_assigning():
    p = Parameter(Tensor([1.0]), name="p")
    ops.Assign()(p, Tensor([5.0]))
    ops.AssignAdd()(p, 2.0)
    ops.AssignSub()(p, Tensor([1.0]))
    assert (p.tolist(), p.dtype) == ([6.0], float32)
