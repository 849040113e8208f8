"""numpy calls whose shapes or dtypes depend on values run op by op, and give eager mode's results."""

import warnings

import numpy as np
import pytest

from minigraph import Tensor, jit
from minigraph.compilation import OpByOpWarning

VALUE_DEPENDENT = {
    "a mask": lambda a: len(a[a > 1]),
    "elements by a mask": lambda a: float(a[a > 1].sum()),
    "a mask of rows": lambda a: np.outer(a, a)[a > 1].shape[0],
    "a slice": lambda a: len(a[: a.argmax()]),
    "a loop": lambda a: sum(1 for _ in a[a > 1]),
    "nonzero": lambda a: np.nonzero(a)[0].size,
    "nonzero, the method": lambda a: a.nonzero()[0].size,
    "where": lambda a: len(np.where(a > 1)[0]),
    "flatnonzero": lambda a: len(np.flatnonzero(a > 1)),
    "argwhere": lambda a: len(np.argwhere(a > 1)),
    "compress": lambda a: np.compress(a > 1, a).size,
    "extract": lambda a: np.extract(a > 1, a).size,
    "unique": lambda a: np.unique(a).size,
    "bincount": lambda a: np.bincount(a.astype(int)).size,
    "trim_zeros": lambda a: len(np.trim_zeros(a)),
    "arange": lambda a: np.arange(a[1]).size,
    "zeros": lambda a: np.zeros(a.astype(int)).size,
    "repeat": lambda a: np.repeat(a, a.astype(int)).size,
    "delete": lambda a: np.delete(np.arange(9), a.astype(int)).size,
    "setdiff1d": lambda a: np.setdiff1d(a, [0.0]).size,
    "complex roots": lambda a: np.emath.sqrt(a - 1).dtype.itemsize,
    "eigenvalues": lambda a: np.linalg.eigvals(np.array([[0.0, 1.0], [1.0, 0.0]]) * (a - 1)).dtype.itemsize,
    "an axis": lambda a: np.outer(a, a[:1]).sum(axis=int(a[0]) % 2).shape[0],
    "memory layout": lambda a: np.outer(a, a + 1).T.ravel(order="K")[1].item(),
    "strides": lambda a: np.outer(a, a[:1]).T.strides[0],
    "no copy": lambda a: 1 + (a[0:1].base is None),
}


@pytest.mark.parametrize("name", VALUE_DEPENDENT)
def test_calls_whose_types_depend_on_values_give_the_results_of_eager_mode(name):
    call = VALUE_DEPENDENT[name]

    def program(x):
        return x * call(x.asnumpy())

    compiled = jit(program)
    with warnings.catch_warnings(record=True, action="always", category=OpByOpWarning) as shown:
        for values in ([1.0, 1.0], [0.0, 2.0], [2.0, 2.0]):
            result, expected = compiled(Tensor(values)), program(Tensor(values))
            assert (result.tolist(), result.dtype) == (expected.tolist(), expected.dtype)
    assert len([each for each in shown if each.category is OpByOpWarning]) == 1
