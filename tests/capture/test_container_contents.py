"""Plain values and the contents of containers."""

from collections import deque
from functools import partial

import numpy as np
import pytest

from minigraph.capture.guards import is_plain_value, items_of, nested_values, restore


def test_plain_values_and_items_of_a_dict():
    values = (1, "a", (None, 2.0), np.float32(1.0)), [1], (1, [])
    assert [is_plain_value(value) for value in values] == [True, False, False]
    assert items_of({"a": 1, "b": 2}) == ("a", "b", 1, 2)


@pytest.mark.parametrize("container", [[1, 2], {"a": 1}, {1, 2}, deque([1, 2]), bytearray(b"ab")], ids=repr)
def test_the_contents_of_a_container_are_restored(container):
    before = items_of(container)
    same = type(container)(container)
    container.clear()
    restore(container, before)
    assert container == same


def test_nested_values_come_once_and_plain_values_are_left_out():
    inner, itself, given, by_name = [object()], [], [object()], {"k": object()}
    value = {"a": (inner, 1.0), "b": [inner]}
    items = list(nested_values(value))
    assert [sum(candidate is item for candidate in items) for item in (value, value["a"], inner, inner[0])] == [
        1,
        1,
        1,
        1,
    ]
    assert len(items) == 5
    itself.append(itself)
    assert list(nested_values(itself)) == [itself]
    items = list(nested_values([partial(items_of, given, name=by_name)]))
    assert all(any(container is item for container in items) for item in (items_of, given, given[0], by_name["k"]))
