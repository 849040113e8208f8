"""Functions mapped over examples (vmap) against loops, in both modes."""

import numpy as np

from minigraph import Tensor, grad, jit, nn, ops, vmap
from minigraph.core.errors import ArgRuntimeError, ArgTypeError
from tests.ops.functional.checks import value_test
from tests.tables import error_cases

X, Y = np.array([0.5, 1.0, 2.0]), np.array([4.0, 5.0, 6.0])
MATRIX = np.arange(6.0).reshape(2, 3)


def two_results(x, y):
    return x * y, x.sum() - y * y


MAPPED = [
    (vmap(lambda row: row * 2), (MATRIX,), MATRIX * 2),
    (vmap(lambda row: row.sum(), in_axes=1), (MATRIX,), MATRIX.sum(0)),
    (vmap(lambda row: row * 2, 1, 1), (MATRIX,), MATRIX * 2),
    (vmap(lambda row: row * 2, -1, -2), (MATRIX,), MATRIX.T * 2),
    (vmap(lambda row, y: (row * y).sum(), (0, None)), (MATRIX, Y), MATRIX @ Y),
    (vmap(lambda a, b: a - b, (0, 1)), (MATRIX, MATRIX.T), MATRIX * 0),
    (vmap(vmap(lambda a, b: a * b, (None, 0)), (0, None)), (X, Y), np.outer(X, Y)),
    (vmap(grad(lambda row: (row**3).sum())), (MATRIX,), 3 * MATRIX**2),
    (vmap(lambda row: 1.0), (MATRIX,), np.ones(2)),
]


test_many_cases = value_test(MAPPED, rtol=1e-7)


def test_several_results():
    total, rows = vmap(lambda row: (row.sum(), row + 1), out_axes=(0, 1))(Tensor(MATRIX))
    np.testing.assert_allclose(total.asnumpy(), MATRIX.sum(1))
    np.testing.assert_allclose(rows.asnumpy(), (MATRIX + 1).T)
    gradient = jit(grad(lambda m: vmap(lambda row: row.sum() ** 2)(m).sum()))(Tensor(MATRIX))
    np.testing.assert_allclose(gradient.asnumpy(), np.broadcast_to(2 * MATRIX.sum(1, keepdims=True), MATRIX.shape))


def test_no_examples():
    # the shapes are those of the results of one example
    nothing = Tensor(np.zeros((0, 3)))
    total, rows = vmap(lambda row: (row.sum(), row + 1), out_axes=(0, 1))(nothing)
    assert (total.shape, rows.shape) == ((0,), (3, 0))
    assert vmap(lambda row, w: w @ row, (0, None), 1)(nothing, Tensor(MATRIX)).shape == (2, 0)
    assert jit(lambda x: vmap(ops.sin)(x))(nothing).shape == (0, 3)


U = Tensor(MATRIX)


test_errors = error_cases(
    (lambda: vmap(3), ArgTypeError, "vmap: expected a function, got int"),
    (lambda: vmap(ops.add, (0, 0, 0))(U, U), ArgRuntimeError, "vmap: in_axes has 3 axes for 2 tensors"),
    (lambda: vmap(ops.add, (0, 1))(U, U), ArgRuntimeError, "one batch size along in_axes, got 2 and 3"),
    (lambda: vmap(ops.add, None)(U, U), ArgRuntimeError, "but all axes are None"),
    (lambda: vmap(ops.sin, 2)(U), ArgRuntimeError, "in_axes has 2 for a tensor of 2 axes"),
    (lambda: vmap(ops.sin, "a")(U), ArgRuntimeError, "in_axes has 'a' for a tensor of 2 axes"),
    (lambda: vmap(ops.sin, 0, None)(U), ArgRuntimeError, "out_axes must be an integer, got None"),
    (lambda: vmap(two_results, 0, (0, 5))(U, U), ArgRuntimeError, "out_axes has 5 for a tensor of 2 axes"),
)


def test_tuples_have_an_axis_per_member_and_lists_of_cells_an_example_per_cell():
    def both(pair):
        return pair[0] + pair[1]

    rows = Tensor(MATRIX)
    assert vmap(both, in_axes=((0, None),))((rows, rows[0])).asnumpy().tolist() == (MATRIX + MATRIX[0]).tolist()
    assert vmap(both)((rows, rows)).asnumpy().tolist() == (2 * MATRIX).tolist()
    nets = nn.CellList([nn.Dense(3, 1, weight, "zeros") for weight in ("ones", "zeros")])
    ones = ops.ones((2, 4, 3))
    assert vmap(nets)(ones).asnumpy().tolist() == [[[3.0]] * 4, [[0.0]] * 4]
    assert vmap(nets, in_axes=None)(ones[0]).asnumpy().tolist() == [[[3.0]] * 4, [[0.0]] * 4]
