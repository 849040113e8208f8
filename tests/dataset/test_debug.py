"""Hooks of ``map`` in debug mode: what they see is MindSpore's."""

import numpy as np
import pytest

from minigraph.dataset import NumpySlicesDataset, config, debug
from minigraph.dataset.config import get_debug_mode, get_seed, set_debug_mode, set_seed
from tests.tables import cases

NAMES = "[Dataset debugger] Print the [{}] of the operation [{}]."


class Seen(debug.DebugHook):
    """Keeps what it sees."""

    def __init__(self):
        super().__init__()
        self.values = []

    def compute(self, *args):
        self.values.append(args)
        return "ignored"


@pytest.fixture(autouse=True)
def end_debug_mode():
    yield
    set_debug_mode(False)


def half(x):
    return x / 2


def rows(*operations):
    return [row.item() for (row,) in NumpySlicesDataset(np.float32([2, 6]), shuffle=False).map([*operations])]


def test_a_hook_sees_the_input_and_every_output(capsys):
    hook = Seen()
    set_debug_mode(True, [hook])
    assert rows(half, np.negative) == [-1, -3]
    assert [value for ((value,),) in hook.values] == [2, 1, -1, 6, 3, -3]
    expected = [NAMES.format("INPUT", "half"), NAMES.format("OUTPUT", "half"), NAMES.format("OUTPUT", "negative")]
    assert capsys.readouterr().out.splitlines() == expected * 2


def test_without_debug_mode_only_a_hook_between_operations_is_called(capsys):
    hook = Seen()
    set_debug_mode(False, [Seen()])
    assert rows(half, hook) == [1, 3]
    assert [value for ((value,),) in hook.values] == [1, 3]
    assert capsys.readouterr().out == ""


def test_the_default_hook_prints_dtypes_and_shapes(capsys):
    set_debug_mode(True)
    list(NumpySlicesDataset([[1, 2]], shuffle=False).map(lambda x: x * 2))
    lines = ["Column 0. The dtype is [int64]. The shape is [(2,)]."] * 2
    assert capsys.readouterr().out.splitlines()[1::2] == lines


def test_an_empty_list_keeps_the_hooks(capsys):
    set_debug_mode(True, [hook := Seen()])
    set_debug_mode(True, [])
    assert rows(half) == [1, 3] and len(hook.values) == 4


def test_a_hook_with_a_name_prints_it(capsys):
    hook = debug.PrintDataHook()
    hook.set_previous_op_name("Decode")
    hook.set_is_first(True)
    assert hook(np.array(3)) == (3,)
    assert capsys.readouterr().out.splitlines() == [NAMES.format("INPUT", "Decode"), "Column 0. The data is [3]."]


def test_the_seed_is_one_unless_it_was_set(capsys):
    set_debug_mode(True)
    assert (get_seed(), get_debug_mode()) == (1, True)
    set_seed(7)
    set_debug_mode(True)
    assert get_seed() == 7


@cases(
    (lambda: set_debug_mode(1), "debug_mode_flag isn't of type boolean."),
    (lambda: set_debug_mode(True, Seen()), "debug_hook_list is not a list."),
    (lambda: set_debug_mode(True, [print]), "All items in debug_hook_list must be of type DebugHook."),
    (debug.DebugHook, "abstract"),
)
def test_other_types_raise_and_change_nothing(call, text):
    with pytest.raises(TypeError, match=text):
        call()
    assert not get_debug_mode() and config.debug_hooks() == ()
