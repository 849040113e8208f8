"""Capturing a call leaves Python's state as it was."""

import pytest

from minigraph import Tensor, jit
from minigraph.capture.side_effects import SideEffectWarning
from minigraph.capture.structure import UnknownStateError
from minigraph.compilation import capture_call as module
from minigraph.compilation.capture_call import capture_call
from minigraph.compilation.op_by_op import OpByOpWarning
from minigraph.compilation.options import DEFAULT_SETTINGS
from minigraph.core.output import call_printing_to

X = Tensor([1.0, 2.0])


def test_state_is_undone_and_reported():
    log = []

    def fn(x):
        log.append(1)
        return x * 2

    with pytest.raises(UnknownStateError, match="the list 'log' is changed in place") as caught:
        capture_call(fn, (X,), {}, DEFAULT_SETTINGS, "fn")
    assert caught.value.is_transient
    assert log == []
    captured, effects, _ = capture_call(fn, (X,), {}, DEFAULT_SETTINGS, "fn", may_have_effects=True)
    assert (log, len(effects)) == ([], 1)
    assert [str(captured.graph.op(node)) for node in captured.graph][-1] == "mul"


def test_one_list_given_twice_is_refused():
    items = [X]
    with pytest.raises(UnknownStateError, match="one list is given twice"):
        capture_call(lambda a, b: a[0], (items, items), {}, DEFAULT_SETTINGS, "fn")


class Own(Tensor):
    def double(self):
        return self + 10.0


def test_an_argument_of_a_subclass_of_tensor_runs_op_by_op():
    captured = jit(lambda x: x.double() * 1.0)
    assert captured(X).tolist() == [1.0, 2.0]
    with pytest.warns(OpByOpWarning, match="an argument is a Own, a subclass"):
        assert captured(Own([1.0, 2.0])).tolist() == [11.0, 12.0]
    assert captured(X).tolist() == [1.0, 2.0]


def test_the_screen_is_replaced_only_while_a_function_is_traced_that_prints(monkeypatch, capsys):
    captured = []
    monkeypatch.setattr(module, "call_printing_to", lambda *args: captured.append(args) or call_printing_to(*args))

    def doubled(x):
        return x * 2.0

    def printed(x):
        print("traced")
        return x * 2.0

    x = Tensor([1.0])
    assert jit(doubled, capture_mode="trace")(x).tolist() == [2.0] and not captured
    with pytest.warns(SideEffectWarning, match="print is called"):
        assert jit(printed, capture_mode="trace")(x).tolist() == [2.0]
    assert (len(captured), capsys.readouterr().out) == (1, "traced\n")
