"""Diagonals, triangles and their indices against numpy."""

from minigraph import Tensor, errors, float16, int32
from minigraph import numpy as mnp
from tests.numpy.checks import CUBE, INTEGERS, V, X, check
from tests.ops.functional.checks import check_gradient
from tests.tables import error_cases, every

SQUARE = CUBE[0, :, :3]
CASES = [
    ("diag", V), ("diag", V, 1), ("diag", SQUARE), ("diag", SQUARE, -1), ("diagflat", SQUARE), ("diagflat", V, -1),
    ("diagonal", X, 1), ("diagonal", CUBE), ("diagonal", CUBE, 0, 1, 2), ("trace", SQUARE), ("trace", SQUARE, 1),
    ("trace", CUBE), ("trace", CUBE, 0, 1, 2), ("trace", INTEGERS), ("tri", 3), ("tri", 3, 4, 1), ("tri", 3, 4, -1),
    ("tril", X), ("tril", INTEGERS, 1), ("tril", CUBE, -1), ("triu", X), ("triu", INTEGERS, 1), ("triu", CUBE, -1),
    ("tril_indices", 3), ("tril_indices", 3, 1), ("tril_indices", 3, -1, 4), ("triu_indices", 3),
    ("triu_indices", 3, 1, 4), ("tril_indices_from", X), ("triu_indices_from", SQUARE, 1), ("diag_indices", 3),
    ("diag_indices", 2, 3),
]  # fmt: skip


@every(case=CASES, ids=lambda case: case[0])
def test_values(case):
    name, *args = case
    check(name, *args)


def test_dtypes():
    assert mnp.tri(3, dtype=int32).dtype is mnp.tril_indices(3)[0].dtype is int32
    assert mnp.trace(Tensor(SQUARE), dtype=float16).dtype is float16


@every(name=["diag", "diagflat", "tril", "triu", "diagonal", "trace"])
def test_gradients(name):
    check_gradient(getattr(mnp, name), SQUARE, tolerance=1e-4)


test_errors = error_cases(
    (lambda: mnp.diag(Tensor(CUBE)), r"diag takes a vector or a matrix, got shape \[2, 3, 4\]"),
    (lambda: mnp.tril_indices_from(Tensor(V)), r"expected a matrix, got shape \[4\]"),
    error=errors.ShapeError,
)
