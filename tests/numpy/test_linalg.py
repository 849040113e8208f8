"""Linear algebra against numpy."""

import numpy as np

from minigraph import Tensor, errors, float32
from minigraph import numpy as mnp
from tests.numpy.checks import CUBE, INTEGERS, V, W, X, Y, assert_same, check
from tests.ops.functional.checks import check_gradient
from tests.tables import error_cases, every

SQUARE = CUBE[0, :, :3]
ONES = np.ones((4, 2), np.float32)
CASES = [
    ("matmul", X, Y.T), ("matmul", V, W), ("matmul", CUBE, W), ("matmul", INTEGERS, INTEGERS.T), ("dot", X, Y.T),
    ("dot", V, W), ("dot", CUBE, W), ("dot", X, 2), ("dot", CUBE, ONES), ("inner", X, Y), ("inner", V, W),
    ("inner", X, 2.0), ("inner", CUBE, W), ("outer", V, W), ("outer", X, Y), ("tensordot", X, Y),
    ("tensordot", X, Y.T, 1), ("tensordot", CUBE, CUBE, ((1, 2), (1, 2))), ("kron", X, Y), ("kron", V, W),
    ("kron", V, X), ("cross", X, Y), ("cross", X.T, Y.T), ("matrix_power", SQUARE, 3), ("matrix_power", SQUARE, 0),
]  # fmt: skip


@every(case=CASES, ids=lambda case: case[0])
def test_values(case):
    name, *args = case
    if name == "matrix_power":
        assert_same(mnp.matrix_power(Tensor(args[0]), args[1]), np.linalg.matrix_power(*args))
    elif name == "cross" and args[0].shape[-1] == 2:
        assert_same(mnp.cross(*map(Tensor, args)), args[0][:, 0] * args[1][:, 1] - args[0][:, 1] * args[1][:, 0])
    else:
        check(name, *args)


def test_cross_products_and_chains_of_products():
    # cross products in two and three dimensions
    assert_same(mnp.cross(Tensor(X[:, :2]), Tensor(Y)), np.cross(np.pad(X[:, :2], ((0, 0), (0, 1))), Y))
    assert_same(mnp.cross(Tensor(X.T), Tensor(Y.T), axis=0), np.cross(X.T, Y.T, axis=0))
    assert_same(mnp.cross(Tensor(X.T), Tensor(Y.T), axisa=0, axisb=0), np.cross(X.T, Y.T, axisa=0, axisb=0))
    # a chain of products
    assert_same(mnp.multi_dot([Tensor(X), Tensor(Y.T), Tensor(X)]), X @ Y.T @ X)
    assert_same(mnp.multi_dot([Tensor(V), Tensor(ONES), [1.0, 2.0]]), V @ ONES @ [1, 2])


@every(options=[
        {}, {"axis": 1}, {"ord": 1, "axis": 0}, {"ord": np.inf, "axis": 1}, {"ord": "fro"}, {"ord": 1},
        {"ord": 3, "axis": 1, "keepdims": True}, {"axis": (0, 1)}, {"ord": -np.inf},
    ], ids=str)  # fmt: skip
def test_norms(options):
    assert_same(mnp.norm(Tensor(X), **options), np.linalg.norm(X, **options))
    assert mnp.norm(Tensor(INTEGERS)).dtype is float32


@every(name=["dot", "inner", "outer", "kron"])
def test_gradients(name):
    check_gradient(getattr(mnp, name), V, W, tolerance=1e-4)


test_errors = error_cases(
    (lambda: mnp.matrix_power(Tensor(SQUARE), -1), "n must not be negative, got -1; take the power of ops.inverse"),
    (lambda: mnp.matrix_power(Tensor(X), 2), r"needs square matrices, got shape \[2, 3\]"),
    (lambda: mnp.multi_dot([Tensor(X)]), "needs at least two tensors, got 1"),
    (lambda: mnp.cross(Tensor(V), Tensor(V)), r"cross expects vectors of 2 or 3 elements, got shape \[4\]"),
    (lambda: mnp.matmul(Tensor(X), Tensor(Y)), "3"),
    error=errors.MinigraphError,
)
