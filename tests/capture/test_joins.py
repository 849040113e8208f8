"""Joins of alternatives."""

import pytest

from minigraph import Tensor
from minigraph.capture.joins import ITERATIONS, UNDEFINED, join, join_variables
from minigraph.core.errors import BranchShapeError
from minigraph.core.types import TensorType, bool_, float32, int64
from tests.tables import cases, error_cases, results

test_joined_types = results(
    lambda values: join(values).types,
    ((1, 1), [None]),
    ((1, 2), [TensorType((), int64)]),
    ((False, True), [TensorType((), bool_)]),
    ((0, Tensor(1.5)), [TensorType((), float32)]),
    (((1, Tensor([1.0])), (1, Tensor([2.0]))), [None, TensorType((1,), float32)]),
)


@cases(
    ((None, Tensor(1.0)), "None in one branch and f32[] in the other"),
    ((Tensor(1), Tensor(1.0)), "i64[] in one branch and f32[] in the other"),
    (((1, 2), [1]), "a tuple of 2 in one branch and a list of 1 in the other"),
    ((Tensor(1), 1.5), "i64[] in one branch and a float in the other"),
    (("a", "b"), "'a' in one branch and 'b' in the other"),
    (({"a": 1}, {}), "a dict of 'a' in one branch and a dict of nothing in the other"),
)
def test_values_that_cannot_be_joined_are_named_with_both_types(values, words):
    with pytest.raises(TypeError) as caught:
        join(values)
    first, second = str(caught.value).splitlines()
    assert first == "Cannot join the return values of different branches, perhaps you need to make them equal."
    assert f"the result is {words}" in second


BRANCHES = r"a \w+ of {} in one branch and a \w+ of {} in the other"
ITERATION = r"a value is f32\[\] before an iteration and i64\[\] after it"
test_iterations_of_loops_and_shapes_that_differ = error_cases(
    (((Tensor(1.0), Tensor(1)), "a value", ITERATIONS), TypeError, ITERATION),
    (((Tensor([1.0]), Tensor(1.0)),), BranchShapeError, r"f32\[1\] in one branch and f32\[\]"),
    ((((1, 2), (1,)),), BranchShapeError, BRANCHES.format(2, 1)),
    ((([], [1]),), BranchShapeError, BRANCHES.format(0, 1)),
    by=lambda arguments: join(*arguments),
)


def test_unbound_generated_variables_are_zeros_and_the_users_are_refused():
    (joined,) = join_variables(["mg_value"], [(Tensor([3.0]),), (UNDEFINED,)], "mg_")
    assert joined.columns[0][1].asnumpy().tolist() == [0.0]
    with pytest.raises(UnboundLocalError, match="not defined in true branch, but defined in false branch"):
        join_variables(["z"], [(UNDEFINED,), (Tensor(1.0),)], "mg_")
