"""Guards: which Python values captured code reads, and when they still hold."""

import functools
import math
import types

import pytest

from minigraph import Parameter, Tensor, float32, nn
from minigraph.guards import Guard, guards_of, is_plain

RATE, NAMES, WEIGHT = 0.5, {"not": "guarded"}, Parameter(Tensor([1.0]), name="w")


class Owner:
    value: object = None


def held(before, after):
    owner = Owner()
    owner.value = before
    guard = Guard(owner, "value", before)
    owner.value = after
    return guard.holds


@pytest.mark.parametrize("value", [1, 1.0, True, None, "a", b"a", (1, ("a", 2.0)), math.nan, 10**30, 1j])
def test_an_equal_plain_value_holds(value):
    again = eval(repr(value), {"nan": float("nan")})
    assert held(value, again)


@pytest.mark.parametrize(
    ("before", "after"), [(1, 1.0), (1, True), (0.0, -0.0), (1, 2), ("a", "b"), ((1,), (1.0,)), ((1,), [1])]
)
def test_another_value_or_another_kind_does_not(before, after):
    assert not held(before, after)


def test_tensors_hold_by_identity():
    tensor = Tensor([1.0])
    assert held(tensor, tensor)
    assert not held(tensor, Tensor([1.0]))


def test_a_deleted_value_does_not_hold():
    owner = Owner()
    assert not Guard(owner, "gone", 1).holds


def values(fn):
    return [guard.value for guard in guards_of(fn)]


def reads_globals(x):
    return x * RATE + WEIGHT if NAMES else float32


def test_globals_are_found_containers_are_not():
    assert values(reads_globals) == [RATE, WEIGHT, float32]


def test_closures_are_found():
    rate, empty = 3.0, []
    assert values(lambda x: (x * rate, empty)) == [3.0]


def test_a_closed_over_variable_that_is_not_set_yet_is_no_value():
    def early(x):
        return later(x)

    assert guards_of(early) == []
    later = reads_globals
    assert RATE in values(early)


def test_a_closed_over_variable_that_is_deleted_does_not_hold():
    cell = types.CellType(3.0)
    guard = Guard(cell, "cell_contents", 3.0)
    assert guard.holds
    del cell.cell_contents
    assert not guard.holds


def test_functions_inside_and_functions_called_are_looked_into():
    def outer(x):
        return [reads_globals(y) for y in (lambda: x)()]

    assert RATE in values(outer)


def test_wrapped_and_partial_functions_are_looked_into():
    @functools.wraps(reads_globals)
    def wrapper(x):
        return reads_globals(x)

    assert RATE in values(wrapper)
    assert RATE in values(functools.partial(reads_globals, 1))


def test_functions_that_call_each_other_are_looked_into_once():
    assert [guard for guard in values(ping) if guard == RATE] == [RATE]


def ping(x):
    return pong(x) * RATE


def pong(x):
    return ping(x)


class Model:
    def __init__(self):
        self.k, self.items = 2.0, [1]

    def run(self, x):
        return self.helper(x) + len(self.items)

    def helper(self, x):
        return x * self.k


def test_attributes_of_the_object_are_found_through_its_methods():
    model = Model()
    assert 2.0 in values(model.run)
    guard = next(guard for guard in guards_of(model.run) if guard.name == "k")
    model.k = 3.0
    assert not guard.holds
    assert guard.place == "'k'"


def test_a_cell_is_guarded_by_the_count_of_its_changes():
    class Net(nn.Cell):
        def construct(self, x):
            return x

    net = Net()
    guards = guards_of(net.construct)
    assert guards and all(guard.holds for guard in guards)
    net.extra = 1
    assert [guard.name for guard in guards if not guard.holds] == ["_version"]


def test_closures_are_not_named():
    rate = 1.0
    assert [guard.place for guard in guards_of(lambda: rate)] == ["a closed-over value"]


def test_our_own_functions_are_not_looked_into():
    assert guards_of(guards_of) == []


@pytest.mark.parametrize("callable_", [len, int, print, Model, object()])
def test_what_has_no_python_code_has_no_guards(callable_):
    assert guards_of(callable_) == []


def test_plain_values():
    assert is_plain((1, "a", (None, 2.0)))
    assert not is_plain([1])
    assert not is_plain((1, []))
