"""Array manipulation against numpy."""

import numpy as np

from minigraph import Tensor, errors
from minigraph import numpy as mnp
from tests.numpy.checks import CUBE, INTEGERS, V, X, check
from tests.ops.functional.checks import check_gradient
from tests.tables import error_cases, every

CASES = [
    ("reshape", X, (3, 2)), ("reshape", X, -1), ("reshape", X, (3, -1)), ("reshape", V, [2, 2]),
    ("ravel", CUBE), ("transpose", CUBE), ("transpose", CUBE, (1, 0, 2)), ("transpose", X),
    ("swapaxes", CUBE, 0, 2), ("swapaxes", CUBE, -1, 1), ("moveaxis", CUBE, 0, -1),
    ("moveaxis", CUBE, (0, 1), (1, 2)), ("rollaxis", CUBE, 2), ("rollaxis", CUBE, 0, 3), ("rollaxis", CUBE, -1, 1),
    ("rollaxis", CUBE, 1, -1), ("expand_dims", X, 0), ("expand_dims", X, -1), ("expand_dims", X, (0, -1)),
    ("expand_dims", X, (0, 2)), ("squeeze", X[:1, :, None]), ("squeeze", X[:1, :, None], 0),
    ("squeeze", X[:1, :, None], (0, 2)), ("atleast_1d", np.float32(2) * np.ones(())), ("atleast_2d", V),
    ("atleast_3d", V), ("atleast_3d", X), ("broadcast_to", V, (2, 4)), ("broadcast_to", X[:, :1], (2, 3)),
    ("flip", X), ("flip", X, 0), ("flip", CUBE, (0, -1)), ("fliplr", X), ("flipud", CUBE), ("roll", X, 1),
    ("roll", X, -1, 1), ("roll", X, (1, 2), (0, 1)), ("rot90", X), ("rot90", X, 2), ("rot90", X, -1),
    ("rot90", CUBE, 1, (1, 2)), ("repeat", X, 2), ("repeat", X, 2, 0), ("repeat", X, [1, 2], 0),
    ("repeat", X, (1, 0, 2), 1), ("tile", X, 2), ("tile", X, (2, 1)), ("tile", X, (2, 1, 1)), ("tile", V, (2, 2)),
    ("tile", INTEGERS, [2, 3]),
]  # fmt: skip


@every(case=CASES, ids=lambda case: f"{case[0]} {case[2:]}")
def test_values(case):
    name, array, *args = case
    check(name, array, *args)


@every(case=CASES[::3], ids=lambda case: f"{case[0]} {case[2:]}")
def test_gradients(case):
    name, array, *args = case
    check_gradient(lambda x: getattr(mnp, name)(x, *args), array, tolerance=1e-4)


def test_several_tensors_and_lists():
    # several tensors are a list
    assert [tensor.shape for tensor in mnp.atleast_2d(2.0, [1.0, 2.0])] == [(1, 1), (1, 2)]
    result = mnp.broadcast_arrays(Tensor(V), mnp.ones((3, 1)), 2)
    assert [tensor.shape for tensor in result] == [(3, 4)] * 3
    assert result[2].asnumpy().tolist() == np.full((3, 4), 2).tolist()
    assert mnp.broadcast_arrays() == []
    # lists
    assert mnp.tile([1, 2], 2).asnumpy().tolist() == [1, 2, 1, 2]
    assert mnp.reshape([1, 2, 3, 4], (2, 2)).asnumpy().tolist() == [[1, 2], [3, 4]]


test_errors = error_cases(
    (lambda: mnp.reshape(Tensor(X), (4, 4)), "6 elements"),
    (lambda: mnp.swapaxes(Tensor(X), 0, 5), "5"),
    (lambda: mnp.expand_dims(Tensor(X), 5), "axis 5 is out of bounds"),
    (lambda: mnp.rollaxis(Tensor(X), 4), "axis 4 is out of bounds for array of dimension 2"),
    (lambda: mnp.transpose(Tensor(X), (0, 0)), "0"),
    error=errors.MinigraphError,
)
