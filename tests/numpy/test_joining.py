"""Joining and splitting against numpy."""

from minigraph import Tensor, errors, float32, int32
from minigraph import numpy as mnp
from tests.numpy.checks import CUBE, INTEGERS, V, W, X, Y, check
from tests.ops.functional.checks import check_gradient
from tests.tables import error_cases, every

JOIN_CASES = [
    ("concatenate", (X, Y)), ("concatenate", (X, Y), 1), ("concatenate", (X, Y), -1), ("concatenate", (X, V), None),
    ("append", V, W), ("append", X, V), ("stack", (X, Y)), ("stack", (X, Y), 1), ("stack", [X, Y], -1),
    ("vstack", (X, Y)), ("vstack", (V, W)), ("hstack", (X, Y)), ("hstack", (V, W)), ("dstack", (X, Y)),
    ("dstack", (V, W)), ("column_stack", (V, W)), ("column_stack", (X, Y)),
]  # fmt: skip
SPLIT_CASES = [
    ("split", X, 3, 1), ("split", V, 2), ("split", V, [1, 3]), ("split", X, [1], 1), ("array_split", V, 3),
    ("array_split", X, 2, 1), ("array_split", V, [1, 2]), ("hsplit", X, 3), ("hsplit", X, [1]), ("vsplit", X, 2),
    ("dsplit", CUBE, 2), ("dsplit", CUBE, [1, 2]),
]  # fmt: skip


@every(case=JOIN_CASES + SPLIT_CASES, ids=lambda case: f"{case[0]} {case[2:] if len(case) < 4 else ''}")
def test_values(case):
    name, *args = case
    check(name, *args)


def test_gradients_dtypes_and_types_of_results():
    # gradients
    check_gradient(lambda x, y: mnp.concatenate((x, y), 1), X, Y)
    check_gradient(lambda x: mnp.array_split(x, 3)[0], V)
    # dtypes are promoted
    assert mnp.concatenate((Tensor(X), Tensor(INTEGERS))).dtype is float32
    assert mnp.stack([[1, 2], [3, 4]]).dtype is int32
    assert mnp.vstack(Tensor(X)).shape == (2, 3)
    # a number of sections gives a tuple, indices give a list
    assert isinstance(mnp.split(Tensor(V), 2), tuple)
    assert isinstance(mnp.split(Tensor(V), [1]), list)


test_errors = error_cases(
    (lambda: mnp.split(Tensor(X), 5), "an axis of 2 does not split into 5 equal parts"),
    (lambda: mnp.concatenate(()), "there must be one tensor or more to join, got none"),
    (lambda: mnp.hsplit(Tensor(V), 2), "axis 1 is out of bounds for array of dimension 1"),
    error=errors.ShapeError,
)
