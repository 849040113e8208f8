import sys
import time

import pytest

from minigraph.cli.timing import Spread, limit_to_one_thread, time_in_turns

TIMED = {"number of rounds": ({"rounds": 3, "seconds": 0.0}, 4), "long calls": ({"patience": 0.0}, 3)}


@pytest.mark.parametrize(("settings", "rounds"), TIMED.values(), ids=TIMED)
def test_calls_are_timed_in_turns_and_slow_ones_in_fewer_rounds(settings, rounds):
    """The first round only warms up."""
    calls = []
    times = time_in_turns(lambda: calls.append("a"), lambda: calls.append("b"), **settings)
    assert calls == ["a", "b"] * rounds and [len(samples) for samples in times] == [rounds - 1] * 2


def test_short_calls_are_timed_for_a_while_so_that_one_slow_moment_does_not_decide():
    times = time_in_turns(lambda: None, rounds=3, seconds=0.5)
    assert len(times[0]) > 100


@pytest.mark.skipif(sys.platform == "win32", reason="its processor time counts in 16 ms")
def test_time_of_other_processes_does_not_count():
    (waiting,) = time_in_turns(lambda: time.sleep(0.02), rounds=3, seconds=0.0)
    assert all(0 < ms < 15 for ms in waiting)


def test_the_spread_of_one_sample_is_that_sample():
    assert Spread.from_samples([2.0]) == (2.0, 2.0, 2.0)


@pytest.mark.parametrize("available", [True, False])
def test_the_description_of_threads_is_true(available, monkeypatch):
    monkeypatch.setattr("minigraph.core.seams.is_available", lambda: available)
    call, threads = limit_to_one_thread(lambda: 3)
    assert call() == 3 and threads in ("1 BLAS thread", "BLAS as set")
    assert available or threads == "BLAS as set"


def test_a_processor_clock_that_stands_still_gives_the_elapsed_time(monkeypatch):
    monkeypatch.setattr("minigraph.cli.timing.processor_time", lambda: 1.0)
    assert min(time_in_turns(lambda: None, rounds=3, seconds=0.0)[0]) > 0
