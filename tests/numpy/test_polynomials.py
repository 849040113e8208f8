"""Polynomials against numpy."""

import numpy as np

from minigraph import errors
from minigraph import numpy as mnp
from tests.numpy.checks import INTEGERS, V, X, check, check_each
from tests.ops.functional.checks import check_gradient
from tests.tables import error_cases, every

POINTS = np.array([1.0, 2.0, 4.0], np.float32)


def test_polynomials():
    for first, second in ((V, POINTS), (INTEGERS[0], np.abs(INTEGERS[0]) + 1), (POINTS, V)):
        for name in ("polyadd", "polysub", "polymul"):
            check(name, first, second)
    check_each("polyval", (POINTS, 5.0), (POINTS, X), (INTEGERS[0], INTEGERS))
    check_each("polyder", (V,), (V, 2), (INTEGERS[0],))
    check_each("polyint", (V,), (V, 2))
    check("polyint", V, k=5)
    check("polyint", V, 2, k=[5, 6])


@every(name=["polyder", "polyint"])
def test_gradients(name):
    check_gradient(getattr(mnp, name), V, tolerance=1e-4)


test_errors = error_cases(
    (lambda: mnp.polyint([1.0], 2, k=[1]), "polyint: expected 2 constants, got 1"),
    error=errors.MinigraphError,
)
