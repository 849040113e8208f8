"""Functions applied along axes and piecewise, against numpy."""

import numpy as np

from minigraph import Tensor, errors
from minigraph import numpy as mnp
from tests.numpy.checks import CUBE, V, X, assert_same, check
from tests.ops.functional.checks import check_gradient
from tests.tables import error_cases, every


def test_piecewise_and_over_axes():
    # piecewise
    check("piecewise", X, [X < 0, X >= 0], [lambda a: -a, lambda a: a])
    check("piecewise", X, [X < 0], [lambda a: a * 2, lambda a: a + 1])
    assert mnp.piecewise(Tensor(X), Tensor(X < 0), [-1.0]).asnumpy().tolist() == np.where(X < 0, -1, 0).tolist()
    assert mnp.piecewise(Tensor(V), [Tensor(V < 0)], [lambda a, n: a * n], 3).asnumpy().tolist() == [0, -4.5, 0, 0]
    # over axes
    assert_same(mnp.apply_over_axes(mnp.sum, Tensor(CUBE), [0, 2]), np.apply_over_axes(np.sum, CUBE, [0, 2]))
    assert_same(mnp.apply_over_axes(mnp.cumsum, Tensor(CUBE), 1), np.apply_over_axes(np.cumsum, CUBE, 1))


@every(axis=[0, 1, -1])
def test_along_an_axis(axis):
    for own, other in ((lambda v: v * v[0], None), (mnp.sum, np.sum), (mnp.diag, np.diag), (mnp.outer, None)):
        if own is mnp.outer:
            own, other = (lambda v: mnp.outer(v, v)), (lambda v: np.outer(v, v))
        assert_same(mnp.apply_along_axis(own, axis, Tensor(CUBE)), np.apply_along_axis(other or own, axis, CUBE))


def test_gradients():
    check_gradient(lambda x: mnp.apply_along_axis(lambda v: v * v, 1, x), X)


test_errors = error_cases(
    (lambda: mnp.piecewise(Tensor(X), [Tensor(X > 0)], [1, 2, 3]), "1 conditions need as many functions or one"),
    (lambda: mnp.apply_along_axis(mnp.sum, 3, Tensor(X)), "axis 3 is out of bounds for array of dimension 2"),
    error=errors.MinigraphError,
)
