import gc
import sys
from contextvars import ContextVar

import numpy as np
import pytest

from minigraph import Tensor
from minigraph.core import scope_guard
from minigraph.core.autodiff.differentiability import GRADIENT_HOOKS
from minigraph.core.autodiff.tape import Tape
from minigraph.core.location import SOURCES, exec_with_source
from minigraph.core.op import apply, record_on, use_interpreter
from minigraph.core.scope_guard import (
    VariableBlock,
    call_ignoring_float_errors,
    call_with_variables,
)
from minigraph.operators.iteration_limit import limit_iterations
from tests.rough.interrupts import Interrupted, count_instructions, interrupt, open_state
from tests.structure import ROOT

DEPTH = ContextVar("depth of a test", default=0)
X = Tensor([1.0])


def work():
    return apply("add", X, X)


GUARDED = {
    "variables": lambda: call_with_variables({DEPTH: 1}, work),
    "block": lambda: VariableBlock(DEPTH, 1).call(work),
    "tape": lambda: record_on(Tape()).call(work),
    "interpreter": lambda: record_on(Tape()).call(lambda: use_interpreter(None, alone=True).call(work)),
    "floats": lambda: call_ignoring_float_errors(work),
    "limit": lambda: limit_iterations(3).call(work),
}


def open_instructions(run):
    """The instructions at which an exception leaves something open; tracebacks keep all frames alive."""
    DEPTH.set(0)
    run()
    before, kept, wrong = open_state(), [], []
    for at in range(1, count_instructions(run) + 1):
        kept.append(interrupt(run, at))
        assert isinstance(kept[-1], Interrupted)
        if open_state() != before:
            wrong.append(str(kept[-1]))
            np.seterr(**before["floating-point errors"])
            DEPTH.set(0)
    return wrong


@pytest.mark.parametrize("name", GUARDED)
def test_an_exception_at_every_instruction_restores_the_state(name):
    assert not open_instructions(GUARDED[name])


@pytest.mark.skipif(sys.version_info >= (3, 13), reason="specialised code may have no instruction where it fails")
@pytest.mark.parametrize("name", ["variables"])
def test_a_finally_alone_is_not_enough(name, monkeypatch):
    monkeypatch.setattr(scope_guard, "_guard", lambda fn, restore: fn)
    assert open_instructions(GUARDED[name])


def test_a_block_left_half_way_is_not_closed_later():
    DEPTH.set(0)
    block = VariableBlock(DEPTH, 1)
    block.__enter__()
    DEPTH.set(5)
    del block
    gc.collect()
    assert DEPTH.get() == 5
    DEPTH.set(0)


def test_blocks_nest_and_restore_after_errors():
    DEPTH.set(0)
    with VariableBlock(DEPTH, 1):
        with pytest.raises(ZeroDivisionError), VariableBlock(DEPTH, 2):
            _ = 1 / 0
        assert DEPTH.get() == 1
    assert DEPTH.get() == 0


def test_settings_of_floats_hold_during_the_call_only():
    with np.errstate(over="raise", divide="print"):
        before = np.geterr()
        assert {*call_ignoring_float_errors(np.geterr).values()} == {"ignore"}
        with pytest.raises(ZeroDivisionError):
            call_ignoring_float_errors(divmod, 1, 0)
        assert np.geterr() == before


def drop_hooked_tensor():
    x = Tensor([1.0])
    x.register_hook(lambda gradient: gradient)
    return [x], GRADIENT_HOOKS


def drop_generated_function():
    return [exec_with_source("def double(x):\n    return x + x\n", {}, "double")], SOURCES


@pytest.mark.parametrize("make", [drop_hooked_tensor, drop_generated_function])
def test_what_belongs_to_an_object_is_dropped_with_it_in_c(make):
    """In Python, a signal handler's exception would be lost, and a hook would stay for the next tensor at its place."""
    gc.collect()
    called, before = [], len(make()[1])
    owner, mapping = make()
    assert len(mapping) == before + 1
    sys.setprofile(lambda frame, event, _: called.append(frame.f_code.co_qualname) if event == "call" else None)
    try:
        owner.clear()
    finally:
        sys.setprofile(None)
    assert len(mapping) == before and called == []


@pytest.mark.parametrize("folder", ["minigraph", "passes", "viz"])
def test_no_block_sets_numpys_error_state(folder):
    # An exception that a signal handler raises in its __enter__ would leave the state set.
    files = (ROOT / folder).rglob("*.py")
    assert [str(file) for file in files if "with np.errstate(" in file.read_text("utf-8")] == []
