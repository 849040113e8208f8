"""The error for state that no graph can represent."""

import asyncio
import gc
import warnings

import pytest

from minigraph import Tensor, jit
from minigraph.capture.structure import UnknownStateError, unknown_state
from minigraph.core.errors import CaptureError


def test_the_error_names_the_state_the_line_and_the_remedy():
    error = unknown_state("a clock is read", "read it outside")
    assert isinstance(error, CaptureError)
    assert isinstance(error, UnknownStateError)
    assert not error.is_transient
    assert str(error).startswith("a clock is read in `unknown_state(")
    assert str(error).endswith("; read it outside")


async def doubled(x):
    return x * 2


another_name = doubled


def closes_a_coroutine(x):
    unused = doubled(x)
    unused.close()
    return x + 1


def runs_a_coroutine(x):
    return asyncio.run(another_name(x))


def sends_to_a_coroutine(x):
    started = doubled(x)
    try:
        started.send(None)
    except StopIteration as end:
        return end.value + 1


def defines_a_coroutine(x):
    async def tripled(y):
        return y * 3

    started = tripled(x)
    x = x + 1
    try:
        started.send(None)
    except StopIteration as end:
        return end.value + x


@pytest.mark.parametrize("mode", ["ast", "trace"])
@pytest.mark.parametrize("program", [closes_a_coroutine, runs_a_coroutine, sends_to_a_coroutine, defines_a_coroutine])
def test_capture_creates_no_coroutine_that_nothing_awaits(program, mode):
    step, expected = jit(program, capture_mode=mode), program(Tensor([1.0, 2.0])).tolist()
    with warnings.catch_warnings(record=True, action="always") as caught:
        assert [step(Tensor([1.0, 2.0])).tolist() for _ in range(3)] == [expected] * 3
        gc.collect()
    assert {warning.category.__name__ for warning in caught} == {"OpByOpWarning"}
