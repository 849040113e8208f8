"""Capturing a call leaves Python's state as it was."""

import pytest

from minigraph import Tensor, jit
from minigraph.capture.structure import UnknownState
from minigraph.compilation.capture_call import capture_call
from minigraph.compilation.op_by_op import RunsOpByOp
from minigraph.compilation.options import DEFAULT_SETTINGS

X = Tensor([1.0, 2.0])


def test_state_is_undone_and_reported():
    log = []

    def fn(x):
        log.append(1)
        return x * 2

    with pytest.raises(UnknownState, match="the list 'log' is changed in place") as caught:
        capture_call(fn, (X,), {}, DEFAULT_SETTINGS, "fn")
    assert caught.value.may_settle
    assert log == []
    captured, effects, _ = capture_call(fn, (X,), {}, DEFAULT_SETTINGS, "fn", may_have_effects=True)
    assert (log, len(effects)) == ([], 1)
    assert [str(captured.graph.op(node)) for node in captured.graph][-1] == "mul"


def test_one_list_given_twice_is_refused():
    items = [X]
    with pytest.raises(UnknownState, match="one list is given twice"):
        capture_call(lambda a, b: a[0], (items, items), {}, DEFAULT_SETTINGS, "fn")


class Own(Tensor):
    def double(self):
        return self + 10.0


def test_an_argument_of_a_subclass_of_tensor_runs_op_by_op():
    captured = jit(lambda x: x.double() * 1.0)
    assert captured(X).tolist() == [1.0, 2.0]
    with pytest.warns(RunsOpByOp, match="an argument is a Own, a subclass"):
        assert captured(Own([1.0, 2.0])).tolist() == [11.0, 12.0]
    assert captured(X).tolist() == [1.0, 2.0]
