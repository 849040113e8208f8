"""Guards: what captured code reads beside its arguments, and whether it is still the same."""

from __future__ import annotations

import functools
import types
from collections.abc import Callable
from typing import Any

import pytest

import minigraph as ms
from minigraph import Tensor, nn, ops
from minigraph.guards import Guard, guards_of, is_plain

SCALE = 2.0
WEIGHT = Tensor([1.0])
BESIDE = "read by nobody"
KIND = ms.float32
NUMBERS = [1.0, 2.0]


def scaled(x: Any) -> Any:
    return x * SCALE


def twice(x: Any) -> Any:
    return scaled(x) + scaled(x)


def endless(x: Any) -> Any:
    return endless(x) if NUMBERS else x.astype(KIND)


def values(fn: Callable[..., Any]) -> list[Any]:
    """The guarded values that are not functions, which stand for themselves."""
    return [guard.value for guard in guards_of(fn) if not isinstance(guard.value, types.FunctionType)]


def holder(value: Any) -> types.SimpleNamespace:
    """An object with one attribute, ``value``."""
    return types.SimpleNamespace(value=value)


def test_globals_that_are_read_are_guarded_and_others_are_not() -> None:
    assert values(scaled) == [2.0]
    assert values(lambda x: x + WEIGHT)[0] is WEIGHT


def test_functions_that_are_called_are_looked_into_once() -> None:
    assert values(twice) == [2.0]
    assert [guard.name for guard in guards_of(twice)] == ["scaled", "SCALE"]


def test_recursion_ends_and_containers_are_left_alone() -> None:
    assert values(endless) == [KIND]


def test_closures_partials_and_functions_inside_of_functions() -> None:
    factor = 3.0

    def outer(x: Any) -> Any:
        return (lambda y: y * factor * SCALE)(x)

    assert sorted(values(functools.partial(outer, 1))) == [2.0, 3.0]


def test_a_wrapped_function_is_unwrapped() -> None:
    @functools.wraps(scaled)
    def wrapper(x: Any) -> Any:
        return BESIDE

    assert values(wrapper) == [2.0]


def test_attributes_of_the_object_and_its_other_methods() -> None:
    class Model:
        def __init__(self) -> None:
            self.gain, self.unused, self.items = 5, 6, [7]

        def run(self, x: Any) -> Any:
            return self.help(x) * len(self.items)

        def help(self, x: Any) -> Any:
            return x * self.gain

    model = Model()
    assert values(model.run) == [5]
    (guard,) = guards_of(model.run)
    model.gain = 8
    assert not guard.holds and guard.place == "'gain'"
    del model.gain
    assert not guard.holds


def test_a_cell_is_guarded_by_its_version() -> None:
    class Net(nn.Cell):
        def __init__(self) -> None:
            super().__init__()
            self.gain = 2.0

        def construct(self, x: Any) -> Any:
            return x * self.gain

    net = Net()
    guards = guards_of(net.construct)
    assert all(guard.holds for guard in guards)
    net.extra = 1
    assert [guard.name for guard in guards if not guard.holds] == ["_version"]


def test_our_own_functions_are_taken_as_they_are() -> None:
    assert guards_of(ops.relu) == []
    assert values(lambda x: ops.relu(x)) == []


@pytest.mark.parametrize("fn", [int, len, None, 3, "text", nn.Dense])
def test_what_is_no_python_function_reads_nothing(fn: Any) -> None:
    assert guards_of(fn) == []


def test_an_unfilled_closure_is_no_value() -> None:
    def early(x: Any) -> Any:
        return later(x)

    assert guards_of(early) == []
    later = scaled
    assert values(early) == [2.0]


def test_a_closure_whose_variable_is_deleted_no_longer_holds() -> None:
    cell = types.CellType(3.0)
    guard = Guard(cell, "cell_contents", 3.0)
    assert guard.holds
    del cell.cell_contents
    assert not guard.holds


@pytest.mark.parametrize(
    ("old", "new", "holds"),
    [
        (2.0, 2.0, True), (float("nan"), float("nan"), True), (0.0, -0.0, False), (1, True, False), (1, 1.0, False),
        ("a", "b", False), ((1, (2.0,)), (1, (2.0,)), True), ((1, (2.0,)), (1, (2,)), False), (None, 0, False),
        (ms.float32, ms.float32, True), (ms.float32, ms.float16, False),
    ],
)  # fmt: skip
def test_plain_values_are_compared_to_the_bit(old: object, new: object, holds: bool) -> None:
    owner = holder(old)
    guard = Guard(owner, "value", old)
    assert guard.holds
    owner.value = new
    assert guard.holds is holds


def test_tensors_and_functions_are_compared_by_identity() -> None:
    for old, new in ((WEIGHT, Tensor([1.0])), (scaled, lambda x: x * SCALE)):
        owner = holder(old)
        guard = Guard(owner, "value", old)
        assert guard.holds
        owner.value = new
        assert not guard.holds


def test_places_in_words() -> None:
    value = 1.0

    def reads(x: Any) -> Any:
        return x * value * SCALE

    assert {guard.place for guard in guards_of(reads)} == {"a closed-over value", "'SCALE'"}


@pytest.mark.parametrize("value", [1, True, 1.5, 1j, "a", b"a", None, (), (1, ("a", None))])
def test_plain(value: object) -> None:
    assert is_plain(value)


@pytest.mark.parametrize("value", [[], {}, (1, []), WEIGHT, scaled, ms.float32, object()])
def test_not_plain(value: object) -> None:
    assert not is_plain(value)
