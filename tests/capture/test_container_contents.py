"""Plain values, the contents of containers, and what objects of Python's own types refer to."""

import operator
import sys
import types
from collections import deque
from functools import partial
from typing import ClassVar

import numpy as np
import pytest

from minigraph import Tensor, jit
from minigraph.capture.container_contents import (
    is_plain_value,
    items_of,
    nested_values,
    restore,
)


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


class Levels:
    levels: ClassVar = [1.0]


class Child(Levels):
    """A class whose base holds the levels."""


def frame_with(box):
    return sys._getframe()


BOX = Levels.levels
CELL = types.CellType(1.0)
SLICE, ALIAS, PARENT = slice(BOX, None), types.GenericAlias(list, (BOX,)), super(Child, Child())
UNION, DTYPE, FRAME = ALIAS | None, np.dtype("f4", metadata={"levels": BOX}), frame_with(BOX)
FIRST, RECORD = operator.itemgetter(0), np.zeros(1, np.dtype([("a", DTYPE)]))
READS = {
    "slice": lambda x: x * SLICE.start[0],
    "cell": lambda x: x * CELL.cell_contents,
    "generic alias": lambda x: x * ALIAS.__args__[0][0],
    "union": lambda x: x * UNION.__args__[0].__args__[0][0],
    "super": lambda x: x * PARENT.levels[0],
    "dtype": lambda x: x * DTYPE.metadata["levels"][0],
    "field": lambda x: x * RECORD.dtype["a"].metadata["levels"][0],
    "frame": lambda x: x * FRAME.f_locals["box"][0],
    "item getter": lambda x: x * FIRST(BOX),
}


@pytest.mark.filterwarnings("ignore::minigraph.compilation.OpByOpWarning")
@pytest.mark.parametrize("mode", ["ast", "trace"])
@pytest.mark.parametrize("kind", READS)
def test_what_objects_of_pythons_types_refer_to_is_read_at_every_call(kind, mode):
    captured = jit(READS[kind], capture_mode=mode)
    for level in (1.0, 2.0, 3.0, 2.0):
        BOX[0] = CELL.cell_contents = level
        assert captured(Tensor([1.0])).tolist() == READS[kind](Tensor([1.0])).tolist() == [level]
    if kind != "frame":
        jit(READS[kind], capture_mode=mode, fullgraph=True)(Tensor([1.0]))
