"""Functions of Python numbers and tuples, and second names of functions of tensors."""

import inspect

import numpy as np
import pytest

from minigraph import Tensor, float64, grad, int64, jit, ops
from minigraph import bool_ as boolean
from minigraph.ops.functional import math, plain
from tests.ops.functional.ways import both_ways, check_slope

SECOND = [name for name in plain.__all__ if name.startswith("tensor_") and name != "tensor_range"]


@pytest.mark.parametrize("name", SECOND)
def test_second_names_are_the_functions_of_mindspores_operators(name):
    function = inspect.unwrap(getattr(plain, name))
    assert function in map(inspect.unwrap, filter(callable, vars(math).values()))


NUMBERS = {
    "add": 9, "sub": 5, "mul": 14, "div": 3.5, "pow": 49, "mod": 1, "floordiv": 3, "eq": False, "ne": True,
    "lt": False, "le": False, "gt": True, "ge": True,
}  # fmt: skip


def test_numbers_words_and_tuples():
    # numbers
    found = {name.removeprefix("scalar_") for name in plain.__all__ if name.startswith("scalar_")}
    assert found == {*NUMBERS, "cast", "to_array", "uadd", "usub"}
    assert {name: getattr(ops, f"scalar_{name}")(7, 2) for name in NUMBERS} == NUMBERS
    assert (ops.scalar_uadd(7), ops.scalar_usub(7)) == (7, -7)
    assert [ops.scalar_cast(2.5, dtype) for dtype in (boolean, int64, float64)] == [True, 2, 2.5]
    assert ops.array_to_scalar(ops.scalar_to_array(3)) == 3
    # words and tuples
    assert ops.string_concat("a", "b") == "ab"
    assert ops.string_eq("a", "a")
    assert ops.is_(None, None)
    assert ops.is_not(1, None)
    assert (ops.make_tuple(1, 2), ops.make_list(1, 2)) == ((1, 2), [1, 2])
    assert (ops.tuple_len((4, 5)), ops.tuple_getitem((4, 5), 1), ops.tuple_reversed((4, 5))) == (2, 5, (5, 4))


def test_tensors():
    x, y = np.array([0.0, 1.0, 4.0]), np.array([0.0, 2.0, 3.0])
    near = both_ways(lambda a, b: ops.approximate_equal(a, b, 1.5), Tensor(x), Tensor(y))
    assert near.tolist() == [True, True, True]
    np.testing.assert_array_equal(both_ways(ops.xdivy, Tensor(x), Tensor(y)), [0, 0.5, 4 / 3])
    check_slope(ops.xdivy, x[1:], y[1:])
    assert grad(ops.xdivy)(Tensor(x), Tensor(y)).asnumpy()[0] == 0  # and no NaN
    np.testing.assert_array_equal(both_ways(lambda a, b: ops.accumulate_n([a, b, a]), Tensor(x), Tensor(y)), 2 * x + y)
    assert ops.is_nonzero(Tensor([3.0]))
    own = ops.deepcopy(first := Tensor([1.0]))
    first[0] = 2.0
    assert own.item() == 1


def test_what_is_known_before_a_graph_runs():
    def thrice_if_computed(x):
        return x if ops.isconstant(x) else x * 3

    assert thrice_if_computed(Tensor([1.0])).item() == 1
    assert jit(thrice_if_computed)(Tensor([1.0])).item() == 3
