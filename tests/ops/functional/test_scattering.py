"""Parameters changed in place against numpy's ``ufunc.at``, in both modes."""

import numpy as np
import pytest

from minigraph import Parameter, Tensor, errors, jit, ops
from minigraph.ops.functional import scattering
from tests.ops.functional.ways import both_ways, check_slope
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


@pytest.mark.parametrize("where", [1, (2, 0)])
def test_new_tensors_in_spite_of_the_name(where):
    value = UPDATES[: 1 if isinstance(where, int) else len(where)]
    rows = np.atleast_1d(where)
    for name, word in (("inplace_update", "update"), ("inplace_add", "add"), ("inplace_sub", "sub")):
        given = Tensor(X)
        found = both_ways(lambda x, v, name=name: getattr(ops, name)(x, v, where), given, Tensor(value))
        np.testing.assert_array_equal(found, changed(word, rows, value))
        np.testing.assert_array_equal(given.asnumpy(), X)
        check_slope(lambda x, v, name=name: getattr(ops, name)(x, v, where), X, value)


@pytest.mark.parametrize("name", [name for name in scattering.__all__ if name.startswith("scatter")])
def test_only_parameters_are_changed(name):
    with pytest.raises(errors.TypeArgument, match=f"{name}: a Parameter is wanted, got Tensor; ops.tensor_scatter"):
        getattr(ops, name)(Tensor(X), Tensor(CELLS), Tensor(UPDATES))


def test_pieces_are_replaced_in_a_new_tensor():
    diagonal, row = np.array([-1.0, -2.0, -3.0], np.float32), UPDATES[0]
    wanted = X.copy()
    wanted[np.arange(3), np.arange(3)] = diagonal
    np.testing.assert_array_equal(both_ways(ops.diagonal_scatter, Tensor(X), Tensor(diagonal)), wanted)
    wanted = X.copy()
    wanted[1] = row
    found = both_ways(lambda x, r: ops.select_scatter(x, r, 0, 1), Tensor(X), Tensor(row))
    np.testing.assert_array_equal(found, wanted)
    wanted = X.copy()
    wanted[::2] = UPDATES[:2]
    cut = lambda x, r: ops.slice_scatter(x, r, 0, 0, 4, 2)  # noqa: E731 - named for its two uses
    np.testing.assert_array_equal(both_ways(cut, Tensor(X), Tensor(UPDATES[:2])), wanted)
    check_slope(cut, X, UPDATES[:2])
