"""Converters of arithmetic and reductions; torch is not needed."""

import numpy as np

from minigraph import Tensor
from minigraph.importers.torch.arithmetic import CONVERTERS, variance
from tests.tables import results

X = Tensor([[1.0, 2.0], [3.0, 5.0]])


def value(name, *args, **attrs):
    return CONVERTERS[name](*args, **attrs).tolist()


test_rows = results(
    lambda name, args, attrs: value(name, *args, **attrs),
    ("add", (X, X), {"alpha": 2}, [[3, 6], [9, 15]]),
    ("rsub", (X, 1), {}, [[0, -1], [-2, -4]]),
    ("sum", (X, [-1], True), {}, [[3], [8]]),
    ("sum", (Tensor([True, True]),), {}, 2),
    ("clamp", (X, 2, 3), {}, [[2, 2], [3, 3]]),
    ("addmm", (X, X, X), {"beta": 0, "alpha": 2}, [[14, 24], [36, 62]]),
)


def test_variance_corrects_the_count():
    array = X.asnumpy()
    np.testing.assert_allclose(variance(X, [1]).asnumpy(), array.var(1, ddof=1))
    np.testing.assert_allclose(variance(X, None, 0).asnumpy(), array.var())
