"""The three conditions of the benchmarks: environment variables, the clock, and the busy neighbour."""

import os
import subprocess
import time

import pytest

from benchmarks.cases import step
from benchmarks.measuring import conditions, harness, neighbor
from benchmarks.measuring.conditions import CONDITIONS, NAMES, condition_named
from benchmarks.measuring.harness import Case, Contender, Seconds, Timing, check_agreement, current_timing, measure
from benchmarks.peers import remote
from tests.tables import cases

SET = {
    "OMP_NUM_THREADS": "7", "OPENBLAS_NUM_THREADS": "7", "GOTO_NUM_THREADS": "7", "MALLOC_ARENA_MAX": "1",
    "XLA_FLAGS": "--x", "HOME": "/home", "MINIGRAPH_MINDSPORE": "python",
}  # fmt: skip
KEPT_VARIABLES = {"HOME": "/home", "MINIGRAPH_MINDSPORE": "python"}


@cases(("one_thread", conditions.SINGLE_THREAD), ("nothing_set", {}), ("busy", {}))
def test_processes_have_exactly_the_variables_of_their_condition(name, variables):
    assert condition_named(name).environment(SET) == KEPT_VARIABLES | dict(variables)


def test_every_condition_is_described():
    assert NAMES == ("one_thread", "nothing_set", "busy")
    assert [(c.timing.uses_wall_clock, c.is_busy, c.slack) for c in CONDITIONS] == [
        (False, False, 1.0), (True, False, 0.9), (True, True, 1.0),
    ]  # fmt: skip
    assert condition_named("busy").rounds >= 10
    assert all(condition.title and condition.description.endswith(".") for condition in CONDITIONS)


@pytest.mark.parametrize("uses_wall_clock", [False, True])
def test_a_condition_sets_the_clock_of_speeds(uses_wall_clock):
    spinning = Contender("spinning", lambda: None, timer=lambda times: Seconds(4.0 * times, 1.0 * times))
    idle = Contender("alone", lambda: None, timer=lambda times: Seconds(2.0 * times, 2.0 * times))
    token = current_timing.set(Timing(uses_wall_clock=uses_wall_clock))
    try:
        result = measure(Case("row", [idle, spinning]), 3, 1e-6)
    finally:
        current_timing.reset(token)
    assert result.speed["spinning"] == (2.0 if uses_wall_clock else 0.5)
    assert result.wall_speed["spinning"] == 2.0
    assert result.seconds == ({"alone": 2.0, "spinning": 1.0} if uses_wall_clock else {"alone": 2.0, "spinning": 4.0})
    assert result.samples["spinning"] == [result.seconds["spinning"]] * 3


def test_a_condition_holds_inside_a_block_only(monkeypatch):
    timings = []
    monkeypatch.setattr(conditions, "neighbor", lambda: timings.append("busy") or neighbor.neighbor(30.0))
    for condition in CONDITIONS:
        with condition.apply():
            assert current_timing.get() is condition.timing
        assert current_timing.get() == Timing()
    assert timings == ["busy"]


def test_libraries_use_one_thread_under_one_condition(monkeypatch):
    for condition in CONDITIONS:
        with monkeypatch.context() as patch:
            patch.setattr(os, "environ", condition.environment(os.environ))
            assert harness.is_single_threaded() is (condition.name == "one_thread")


def test_the_neighbour_is_busy_until_the_block_ends():
    with neighbor.neighbor(60.0) as process:
        assert process.poll() is None
    assert process.poll() is not None


@pytest.mark.parametrize("message", ["ended before", "did not start"])
def test_a_neighbour_that_does_not_run_all_the_time_raises(message, monkeypatch):
    if message == "did not start":
        monkeypatch.setattr(neighbor, "READY_MESSAGE", "hello")
    with pytest.raises(neighbor.NeighborEndedError, match=message), neighbor.neighbor(0.0) as process:
        process.wait(60)


def test_the_neighbour_ends_after_its_time_or_with_its_parent(monkeypatch):
    begun = time.monotonic()
    assert neighbor.multiply(1.0) >= 1
    assert time.monotonic() - begun < 30
    parents = iter([1, 1, 2, 3, 4])
    monkeypatch.setattr(os, "getppid", lambda: next(parents))
    assert neighbor.multiply(30.0) == 1


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="this platform has no CPU affinity")
def test_processes_are_restricted_to_two_cores():
    before = os.sched_getaffinity(0)
    with conditions.two_cores():
        assert os.sched_getaffinity(0) == {*sorted(before)[:2]}
    assert os.sched_getaffinity(0) == before


def test_the_reference_runs_in_a_process_without_the_accelerator(monkeypatch):
    arrays = [harness.np.linspace(0.1, 0.9, 4, dtype="float32"), harness.np.ones(4, "float32")]
    monkeypatch.setattr(remote, "mindspore", lambda mode: None)
    remote_contenders = remote.contenders("chain", arrays, length=6)
    assert [c.name for c in remote_contenders] == ["minigraph eager, reference", "minigraph jit, reference"]
    assert all(c.run()[0].shape == (4,) and min(c.timer(1)) >= 0 for c in remote_contenders)
    monkeypatch.setattr(step, "STEPS_PER_CALL", 2)
    batch = step.first_batch()
    programs = step.text_contenders(batch)
    check_agreement(Case("step", [next(step.minigraph_contenders(batch)), *programs]))
    assert [c.name for c in programs] == [c.name for c in remote_contenders]
    monkeypatch.setattr(remote, "workers_enabled", False)
    assert remote.contenders("chain", arrays, length=6) == []
    remote.reference().close()
    remote.reference.cache_clear()


def test_the_reference_raises_if_the_accelerator_is_on():
    with pytest.raises(remote.WorkerError):
        remote.RemoteWorker(remote.sys.executable, "reference", MINIGRAPH_ACCEL="1")


def test_a_program_is_sent_with_the_imports_of_the_framework(monkeypatch):
    sent = []

    class FakeWorker:
        def __init__(self, name):
            self.name = name

        def contender(self, mode, workload, arrays, **details):
            sent.append((self.name, mode, details["text"]))

    monkeypatch.setattr(remote, "reference", lambda: FakeWorker("minigraph"))
    monkeypatch.setattr(remote, "mindspore", lambda mode: FakeWorker("mindspore"))
    remote.contenders("network", [], ("jit",), text="import minigraph as ms\nfrom minigraph import ops\n")
    assert sent == [
        ("minigraph", "jit, reference", "import minigraph as ms\nfrom minigraph import ops\n"),
        ("mindspore", "jit", "import mindspore as ms\nfrom mindspore import ops\n"),
    ]


def test_the_neighbour_is_a_program():
    command = [remote.sys.executable, "-m", "benchmarks.measuring.neighbor", "0"]
    assert subprocess.run(command, cwd=neighbor.ROOT, capture_output=True, text=True, check=True).stdout == "busy\n"
