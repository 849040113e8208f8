"""Whether the stack is short, and errors that come from the machine or from a deadline."""

import signal

import pytest

from minigraph.core.python_stack import error_of_machine, is_stack_short
from tests.inspection import at_depth


def test_the_stack_is_short_if_its_callers_use_more_than_half_of_it():
    assert [at_depth(depth, is_stack_short) for depth in (0.3, 0.9)] == [False, True]


def caused(error, cause):
    try:
        raise error from cause
    except Exception as raised:
        return raised


def test_the_cause_of_an_error_may_be_a_lack_of_memory():
    memory, loop = MemoryError(), ValueError()
    loop.__cause__ = loop
    assert error_of_machine(memory) is memory is error_of_machine(caused(ValueError(), memory))
    assert error_of_machine(caused(KeyError(), ValueError())) is None is error_of_machine(loop)


@pytest.mark.skipif(not hasattr(signal, "SIGUSR1"), reason="needs signals of POSIX")
def test_the_cause_of_an_error_may_be_a_deadline():
    def stop(*_):
        raise TimeoutError("too late")

    before = signal.signal(signal.SIGUSR1, stop)
    try:
        with pytest.raises(TimeoutError) as late:
            signal.raise_signal(signal.SIGUSR1)
        assert error_of_machine(caused(ValueError(), late.value)) is late.value
        assert error_of_machine(TimeoutError()) is None
    finally:
        signal.signal(signal.SIGUSR1, before)
