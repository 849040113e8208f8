"""Parameters changed in place against numpy's ``ufunc.at``, in both modes."""

from functools import partial

import numpy as np
import pytest

from minigraph import Parameter, Tensor, errors, jit, ops
from minigraph.ops.functional import scattering
from tests.ops.functional.ways import check_function
from tests.tables import every

X = np.arange(1.0, 13.0, dtype=np.float32).reshape(4, 3)
ROWS = np.array([2, 0, 2])
CELLS = np.array([[2, 1], [0, 0], [2, 1]])
UPDATES = np.array([[2.0, 4.0, 8.0], [16.0, 2.0, 4.0], [8.0, 2.0, 0.5]], np.float32)
AT = {"add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide, "max": np.maximum, "min": np.minimum}


def changed(word, place, updates):
    found = X.copy()
    if word == "update":
        found[place] = updates
    else:
        AT[word].at(found, place, updates)
    return found


@every(word=scattering.CHANGES, compiled=[False, True])
def test_slices_and_elements(word, compiled):
    for name, indices, place, updates in (
        (f"scatter_{word}", ROWS, ROWS, UPDATES),
        (f"scatter_nd_{word}", CELLS, tuple(CELLS.T), UPDATES[:, 1]),
    ):
        weight = Parameter(Tensor(X.copy()), name="weight")
        call = lambda i, u, name=name, weight=weight: getattr(ops, name)(weight, i, u)  # noqa: E731 - one way or both
        found = (jit(call) if compiled else call)(Tensor(indices), Tensor(updates))
        np.testing.assert_allclose(found.asnumpy(), changed(word, place, updates), rtol=1e-6)
        np.testing.assert_array_equal(weight.asnumpy(), found.asnumpy())


def test_the_words_and_an_axis_of_a_parameter():
    # the words are those of the names
    named = {name.removeprefix("scatter_").removeprefix("nd_") for name in scattering.__all__ if name[:4] == "scat"}
    assert named == set(scattering.CHANGES)
    # an axis of a parameter
    weight = Parameter(Tensor(X.copy()), name="weight")
    ops.inplace_index_add(weight, Tensor([0, 2]), Tensor(np.ones((4, 2), np.float32)), 1)
    np.testing.assert_array_equal(weight.asnumpy(), X + np.array([1, 0, 1]))


@every(where=[1, (2, 0)])
@pytest.mark.parametrize(("name", "word"), [(f"inplace_{word}", word) for word in ("update", "add", "sub")])
def test_new_tensors_in_spite_of_the_name(where, name, word):
    value, given = UPDATES[: 1 if isinstance(where, int) else len(where)], Tensor(X)
    call = partial(getattr(ops, name), indices=where)
    check_function(lambda x, v: call(x, v=v), changed(word, np.atleast_1d(where), value), X, value, rtol=0)
    call(given, v=Tensor(value))
    np.testing.assert_array_equal(given.asnumpy(), X)


@pytest.mark.parametrize("name", [name for name in scattering.__all__ if name.startswith("scatter")])
def test_only_parameters_are_changed(name):
    with pytest.raises(errors.TypeArgument, match=f"{name}: a Parameter is wanted, got Tensor; ops.tensor_scatter"):
        getattr(ops, name)(Tensor(X), Tensor(CELLS), Tensor(UPDATES))


def test_pieces_are_replaced_in_a_new_tensor():
    diagonal, of_diagonal, of_row, of_slices = np.float32([-1, -2, -3]), X.copy(), X.copy(), X.copy()
    of_diagonal[np.arange(3), np.arange(3)] = diagonal
    of_row[1] = UPDATES[0]
    of_slices[::2] = UPDATES[:2]
    check_function(ops.diagonal_scatter, of_diagonal, X, diagonal, rtol=0)
    check_function(lambda x, r: ops.select_scatter(x, r, 0, 1), of_row, X, UPDATES[0], rtol=0)
    check_function(lambda x, r: ops.slice_scatter(x, r, 0, 0, 4, 2), of_slices, X, UPDATES[:2], rtol=0)
