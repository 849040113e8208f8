"""Parameters assigned and updated by scatter, against numpy's ``ufunc.at``, in both modes."""

import numpy as np
import pytest

from minigraph import Parameter, Tensor, errors, float16, jit, ops
from minigraph.ops.functional import parameters
from tests.tables import every

TABLE = np.arange(1.0, 13.0, dtype=np.float32).reshape(4, 3)
ROWS = np.array([2, 0, 2])
CELLS = np.array([[2, 1], [0, 0], [2, 1]])
UPDATES = np.array([[2.0, 4.0, 8.0], [16.0, 2.0, 4.0], [8.0, 2.0, 0.5]], np.float32)
AT = {"add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide, "max": np.maximum, "min": np.minimum}


def scatter(update, index, updates):
    result = TABLE.copy()
    if update == "update":
        result[index] = updates
    else:
        AT[update].at(result, index, updates)
    return result


@every(update=parameters.SCATTER_FUNCTIONS, compiled=[False, True])
def test_scatter_and_scatter_nd(update, compiled):
    for name, indices, index, updates in (
        (f"scatter_{update}", ROWS, ROWS, UPDATES),
        (f"scatter_nd_{update}", CELLS, tuple(CELLS.T), UPDATES[:, 1]),
    ):
        weight = Parameter(Tensor(TABLE.copy()), name="weight")
        call = lambda i, u, name=name, weight=weight: getattr(ops, name)(weight, i, u)  # noqa: E731 - one way or both
        result = (jit(call) if compiled else call)(Tensor(indices), Tensor(updates))
        np.testing.assert_allclose(result.asnumpy(), scatter(update, index, updates), rtol=1e-6)
        np.testing.assert_array_equal(weight.asnumpy(), result.asnumpy())


def test_keyword_arguments_and_inplace_index_add():
    # the words of the names
    named = {name.removeprefix("scatter_").removeprefix("nd_") for name in parameters.__all__ if name[:4] == "scat"}
    assert named == set(parameters.SCATTER_FUNCTIONS)
    # an axis of a parameter
    weight = Parameter(Tensor(TABLE.copy()), name="weight")
    ops.inplace_index_add(weight, Tensor([0, 2]), Tensor(np.ones((4, 2), np.float32)), 1)
    np.testing.assert_array_equal(weight.asnumpy(), TABLE + np.array([1, 0, 1]))


@pytest.mark.parametrize("name", [name for name in parameters.__all__ if name.startswith("scatter")])
def test_tensors_other_than_parameters_raise(name):
    with pytest.raises(errors.ArgTypeError, match=f"{name}: expected a Parameter, got Tensor; ops.tensor_scatter"):
        getattr(ops, name)(Tensor(TABLE), Tensor(CELLS), Tensor(UPDATES))


def test_assign_casts_accepts_tensors_and_rejects_other_shapes():
    # assign casts to the variables dtype
    p = Parameter(Tensor([1.0], float16), name="p")
    assert ops.assign(p, Tensor([2.5])).dtype is float16
    assert p.tolist() == [2.5]
    # assign takes a plain tensor too
    x = Tensor([1.0])
    ops.assign(x, Tensor([4.0]))
    assert x.tolist() == [4.0]
    # assign refuses another shape
    p = Parameter(Tensor([1.0]), name="p")
    with pytest.raises(errors.ShapeError, match="assign to 'p'"):
        ops.assign_add(p, Tensor([1.0, 2.0]))
    assert p.tolist() == [1.0]
