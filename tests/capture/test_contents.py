"""Plain values and what is in containers."""

from collections import deque
from functools import partial

import numpy as np
import pytest

from minigraph.capture.guards import is_plain, items_of, nested, restore


def test_plain_values():
    assert is_plain((1, "a", (None, 2.0), np.float32(1.0)))
    assert not is_plain([1])
    assert not is_plain((1, []))


def test_items_of_a_dict_are_keys_and_values():
    assert items_of({"a": 1, "b": 2}) == ("a", "b", 1, 2)


@pytest.mark.parametrize("container", [[1, 2], {"a": 1}, {1, 2}, deque([1, 2]), bytearray(b"ab")], ids=repr)
def test_what_was_in_a_container_is_put_back(container):
    before = items_of(container)
    same = type(container)(container)
    container.clear()
    restore(container, before)
    assert container == same


def test_what_is_nested_comes_once_and_plain_values_do_not():
    inner = [object()]
    value = {"a": (inner, 1.0), "b": [inner]}
    found = list(nested(value))
    assert [sum(one is item for one in found) for item in (value, value["a"], inner, inner[0])] == [1, 1, 1, 1]
    assert len(found) == 5


def test_a_value_may_hold_itself():
    inner = []
    inner.append(inner)
    assert list(nested(inner)) == [inner]


def test_a_partial_brings_its_function_and_arguments():
    given, by_name = [object()], {"k": object()}
    found = list(nested([partial(test_plain_values, given, name=by_name)]))
    assert all(any(one is item for one in found) for item in (test_plain_values, given, given[0], by_name["k"]))
