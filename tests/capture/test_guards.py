"""Guards: the state on which traced code depends, and when it is unchanged."""

import gc
import math
import types
from collections import deque

import numpy as np
import pytest

from minigraph import Parameter, Tensor
from minigraph.capture.guards import (
    MISSING,
    ContentsGuard,
    FailingGuard,
    Guard,
    elements_guard,
    guards_inside,
    unique_guards,
)
from minigraph.capture.parameter_types import ParameterTypesGuard, types_of
from tests.tables import every


class Owner:
    value: object = None


def guard_holds(before, after):
    owner = Owner()
    owner.value = before
    guard = Guard(owner, "value", before)
    owner.value = after
    return guard.holds


@pytest.mark.parametrize("value", [1, 1.0, True, None, "a", b"a", (1, ("a", 2.0)), math.nan, 10**30, 1j])
def test_an_equal_plain_value_holds(value):
    assert guard_holds(value, eval(repr(value), {"nan": math.nan}))


TENSOR = Tensor([1.0])
DIFFERENT_VALUES = [  # pairs
    (1, 1.0), (1, True), (0.0, -0.0), (1, 2), ("a", "b"), ((1,), (1.0,)), ((1,), [1]), (TENSOR, Tensor([1.0])),
]  # fmt: skip


@pytest.mark.parametrize(("before", "after"), DIFFERENT_VALUES)
def test_another_value_or_type_does_not_hold_and_tensors_hold_by_identity(before, after):
    assert not guard_holds(before, after)
    assert guard_holds(TENSOR, TENSOR)


def test_a_deleted_attribute_does_not_hold_and_never_does_not_hold():
    cell = types.CellType(3.0)
    guard = Guard(cell, "cell_contents", 3.0)
    assert guard.holds
    del cell.cell_contents
    assert not guard.holds and not Guard(Owner(), "gone", 1).holds
    never = FailingGuard("the weather")
    assert (never.holds, never.description) == (False, "the weather")


# ---- the contents of a value ---------------------------------------------------------------------------

THING, ARRAY = Owner(), np.ones(3)
CHANGES = {
    "another item": ([1, 2], lambda c: c.__setitem__(0, 5)),
    "one more": ([1, 2], lambda c: c.append(3)),
    "another kind": ([1, 2], lambda c: c.__setitem__(0, 1.0)),
    "another sign of zero": ([0.0], lambda c: c.__setitem__(0, -0.0)),
    "another order": ([1, 2], lambda c: c.reverse()),
    "an equal object": ([THING], lambda c: c.__setitem__(0, Owner())),
    "an equal tensor": ([Tensor([1.0])], lambda c: c.__setitem__(0, Tensor([1.0]))),
    "a value of a dict": ({"a": 1}, lambda c: c.__setitem__("a", 2)),
    "a key of a dict": ({"a": 1}, lambda c: c.__setitem__("b", 2)),
    "a dict's order": ({"a": 1, "b": 1}, lambda c: c.__setitem__("a", c.pop("a"))),
    "a set": ({1}, lambda c: c.add(2)),
    "a deque": (deque([1]), lambda c: c.append(2)),
    "bytes": (bytearray(b"a"), lambda c: c.append(2)),
    "deeper": (([{"a": [1]}],), lambda c: c[0][0]["a"].append(2)),
    "an array in it": ([ARRAY], lambda c: c[0].__setitem__(0, 7.0)),
}


@pytest.mark.parametrize(("value", "change"), CHANGES.values(), ids=CHANGES)
def test_changed_contents_are_detected(value, change):
    guards = list(guards_inside(value, "log"))
    assert guards and all(guard.holds for guard in guards)
    change(value)
    broken = [guard for guard in guards if not guard.holds]
    assert len(broken) == 1
    assert broken[0].description in ("the contents of 'log'", "the elements of 'log'")


def test_equal_contents_hold_and_recursive_lists_terminate():
    items, itself = [1.5, "a", THING], []
    guards = list(guards_inside(items, "items"))
    items[:] = [float("1.5"), "a", THING]
    assert all(guard.holds for guard in guards)
    itself.append(itself)
    assert [guard.holds for guard in guards_inside(itself, "items")] == [True]


@pytest.mark.parametrize("value", [1, "a", (1, ("b",)), frozenset({1}), Parameter(Tensor([1.0]), name="w"), Owner()])
def test_immutable_values_and_parameters_have_no_guard(value):
    assert list(guards_inside(value, "it")) == []


@every(dtype=[np.float32, np.int8, np.complex128], size=[3, 5000, 5001])
def test_elements_are_compared_by_their_bits(size, dtype):
    tensor, checks = Tensor(np.zeros(size, dtype)), []
    guard = elements_guard(tensor)
    for last in (0, 1, 0):
        tensor.asnumpy()[-1] = last
        checks.append(guard.holds)
    for array in (np.zeros((1, size), dtype), np.zeros(size, ">f8")):
        tensor.array = array
        checks.append(guard.holds)
    assert checks == [True, False, True, False, False]


def test_elements_of_an_array_are_guarded_zeros_of_either_sign_and_nan():
    array = np.array([0.0, math.nan])
    guard = elements_guard(array)
    assert type(guard).__name__ == "ElementsGuard" and guard.holds
    array[0] = -0.0
    assert not guard.holds


def test_guards_of_garbage_hold():
    tensor = Tensor([1.0])
    guard = elements_guard(tensor)
    assert unique_guards([guard]) == [guard]
    del tensor
    gc.collect()
    assert guard.holds
    assert unique_guards([guard]) == []


def test_guards_are_unique():
    owner, items = Owner(), []
    tensor = Tensor([1.0])
    kinds = (
        lambda: Guard(owner, "value", None),
        lambda: ContentsGuard(items, (), "items"),
        lambda: elements_guard(tensor, "named"),
        lambda: FailingGuard("the weather"),
    )
    assert len(unique_guards([make() for make in kinds for _ in range(2)])) == len(kinds)


def test_guards_detect_every_change_and_its_undo():
    owner, cell, items, tensor = Owner(), types.CellType(1), [1], Tensor([1.0])
    owner.value = 1.5
    scope = {"rate": 2}
    guards = [
        Guard(owner, "value", 1.5), Guard(scope, "rate", 2), Guard(scope, "missing", MISSING),
        Guard(cell, "cell_contents", 1), ContentsGuard(items, (1,), "items"), elements_guard(tensor),
        ParameterTypesGuard((tensor,), types_of([tensor])),
    ]  # fmt: skip
    for change, undo, seen in [
        (lambda: setattr(owner, "value", 1), lambda: setattr(owner, "value", float("1.5")), 1),
        (lambda: delattr(owner, "value"), lambda: setattr(owner, "value", 1.5), 1),
        (lambda: scope.update(rate=3), lambda: scope.update(rate=2), 1),
        (lambda: scope.update(missing=3), lambda: scope.pop("missing"), 1),
        (lambda: setattr(cell, "cell_contents", 2), lambda: setattr(cell, "cell_contents", 1), 1),
        (lambda: items.append(2), lambda: items.pop(), 1),
        (lambda: setattr(tensor, "array", tensor.array + 1), lambda: setattr(tensor, "array", tensor.array - 1), 1),
        (lambda: setattr(tensor, "array", np.ones(2)), lambda: setattr(tensor, "array", np.ones(1, np.float32)), 2),
    ]:
        change()
        assert [guard.holds for guard in guards].count(False) == seen
        undo()
        assert all(guard.holds for guard in guards)
