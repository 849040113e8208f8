import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress

import pytest

from minigraph import simulate
from minigraph.core.errors import ChipError, UnknownNameError, UsageError
from minigraph.core.processes import SerialExecutor, process_pool
from minigraph.npu import chip_named, sweep
from minigraph.npu.sweeps import run as module
from minigraph.npu.sweeps.space import Point
from minigraph.npu.sweeps.table import Table
from tests.npu.sweeps.designs import CHANGES, CHIPS, MODELS, X, fails, kill_worker, space_arguments, sweep_file
from tests.structure import ROOT
from tests.tables import cases

SCRIPT = """
import sys, time
from minigraph.npu.sweeps import sweep
from minigraph.core.processes import SerialExecutor
from tests.npu.sweeps.designs import space_arguments

def wait_to_be_killed(done, total):
    if done >= int(sys.argv[2]):
        time.sleep(600)

sweep(*space_arguments(), out=sys.argv[1], executor=SerialExecutor(), progress=wait_to_be_killed)
"""


@pytest.fixture(scope="module")
def expected(tmp_path_factory):
    """The complete file of the small design space, computed in one thread."""
    return sweep_file(tmp_path_factory.mktemp("serial") / "sweep.csv")


class Unreliable(Executor):
    """Loses some points with the process that ran them, and is broken after a while."""

    def __init__(self, seed, last=None):
        self.chance = random.Random(seed)
        self.left = self.chance.randrange(3, 20) if last is None else last

    def submit(self, fn, /, *args, **kwargs):
        """A future that is done, or whose process died."""
        future = Future()
        if not self.left:
            raise BrokenProcessPool("a child process terminated abruptly")
        self.left -= 1
        if self.chance.random() < 0.3:
            future.set_exception(BrokenProcessPool("a child process terminated abruptly"))
        else:
            future.set_result(fn(*args))
        return future


class Counting(SerialExecutor):
    """Keeps the submitted calls."""

    def __init__(self):
        self.sent = []

    def submit(self, fn, *args):
        self.sent.append(args)
        return super().submit(fn, *args)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "s.csv"


# ---- rows ------------------------------------------------------------------------------------------


def test_every_point_has_the_row_of_its_simulation():
    models, _, _, _ = space_arguments()
    table = sweep(*space_arguments(), executor=SerialExecutor(), engine="analytic")
    rows = table.records()
    assert len(rows) == 16 and not table.failures
    for row in rows:
        function, *arguments = models[row["model"]]
        cache = module.ModelCache({"m": (function, *arguments)}, {row["pipeline"]: row["pipeline"]})
        chip = chip_named(row["chip"]).replace(mte2_lat=row["mte2.lat"])
        model = cache._optimize(Point("m", row["pipeline"], chip.name), chip)
        report, captured = (simulate(graph, chip=chip, engine="analytic") for graph in (model.graph, model.captured))
        assert (row["cycles"], row["us"], row["eager_us"]) == (report.cycles, report.us, captured.eager_us)


def test_any_executor_leaves_the_same_file_to_the_byte(tmp_path, expected):
    executors = [ThreadPoolExecutor(3), process_pool(2), None]
    for number, executor in enumerate(executors):
        assert sweep_file(tmp_path / f"{number}.csv", executor, workers=2) == expected, executor
        if executor is not None:
            assert executor.submit(int).result() == 0  # it is the caller's, and stays open
            executor.shutdown()


def test_the_number_of_pending_points_is_bounded(monkeypatch, path, expected):
    monkeypatch.setattr(module, "MAX_IN_FLIGHT", 3)
    submitted = []

    class Few(ThreadPoolExecutor):
        def submit(self, *args):
            future = super().submit(*args)
            submitted.append(future)
            assert sum(not future.done() for future in submitted) <= 3
            return future

    with Few(2) as executor:
        assert sweep_file(path, executor) == expected and len(submitted) == 16


def test_with_one_thread_a_row_is_written_before_the_next_point_runs(path):
    lines = []

    class Watching(SerialExecutor):
        def submit(self, *args):
            lines.append(len(path.read_text().splitlines()))
            return super().submit(*args)

    sweep(*space_arguments(), out=path, executor=Watching())
    assert lines == list(range(1, 17))


def test_progress_is_reported_and_pipelines_default_to_the_contexts():
    report_progress = []
    sweep(*space_arguments(), executor=SerialExecutor(), progress=lambda *now: report_progress.append(now))
    assert report_progress == [(done, 16) for done in range(17)]
    for pipelines, name in (({}, "default"), ({"pipelines": {"mine": ["cse", "dce"]}}, "mine")):
        (record,) = sweep({"dense": MODELS["dense"]}, **pipelines, executor=SerialExecutor()).records()
        assert record["pipeline"] == name


# ---- errors ----------------------------------------------------------------------------------------


def test_a_model_that_fails_has_rows_with_errors_and_the_others_go_on(path):
    models = {"fails": (fails, X), **MODELS}
    table = sweep(models, CHIPS, ["default"], CHANGES, out=path, executor=SerialExecutor())
    assert [point.model for point, _ in table.failures] == ["fails"] * 4
    assert all("no such" in error for _, error in table.failures)
    assert [row["us"] is None for row in table.records()] == [True] * 4 + [False] * 8
    assert len(path.read_text().splitlines()) == 13


def test_an_error_that_no_longer_occurs_is_replaced(path):
    sweep({"m": (fails, X), "n": (fails, X)}, out=path, executor=SerialExecutor())
    counting = Counting()
    table = sweep({"m": MODELS["chain"], "n": (fails, X)}, out=path, executor=counting)
    assert len(counting.sent) == 1
    assert [(point.model, "no such" in error) for point, error in table.failures] == [("n", True)]
    assert len(path.read_text().splitlines()) == 3


@cases(
    ({"chips": ["ascend910b"]}, UnknownNameError, "no chip 'ascend910b'; did you mean"),
    ({"changes": {"mte2.latt": [1]}}, ChipError, r"did you mean 'mte2\.lat'"),
    ({"changes": {"mte2.lat": [150, 0]}}, ChipError, "use a positive finite number"),
    ({"changes": {"mte2.lat": []}}, UsageError, r"'mte2\.lat' has no values"),
    ({"pipelines": ["cse", "dec"]}, UnknownNameError, "no pass 'dec'; did you mean 'dce'"),
    ({"pipelines": ["cse", "cse"]}, UsageError, "given twice"),
    ({"engine": "evnt"}, UnknownNameError, "did you mean 'event'"),
    ({"host": "nowhere"}, UnknownNameError, "no host preset 'nowhere'"),
    ({"models": {}}, UsageError, "no model"),
    ({"models": {"m": 3}}, UsageError, "model 'm' is a int"),
    ({"workers": 0}, UsageError, "0 workers"),
    ({"out": "s.parquet"}, UsageError, "name a .csv file"),
)
def test_an_error_is_raised_before_anything_is_written(tmp_path, monkeypatch, changed, error, message):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(error, match=message):
        sweep(**{"models": MODELS, "out": "new/s.csv", "executor": SerialExecutor()} | changed)
    assert not list(tmp_path.iterdir())


# ---- resuming --------------------------------------------------------------------------------------


def test_completed_points_are_not_computed_again(path, expected):
    path.write_bytes(b"".join(expected.splitlines(keepends=True)[:7]) + b"dense,def")
    counting = Counting()
    assert sweep_file(path, counting) == expected and len(counting.sent) == 10
    assert sweep_file(path, Unreliable(0, last=0)) == expected, "nothing was left to submit"


def test_rows_of_another_program_or_chip_file_raise_and_are_kept(path, expected):
    path.write_bytes(expected)
    models, chips, pipelines, changes = space_arguments()
    with pytest.raises(UsageError, match="the row of dense on ascend910b1 is of another program, chip file"):
        sweep({**models, "dense": models["chain"]}, chips, pipelines, changes, out=path, executor=SerialExecutor())
    faster = chip_named("ascend310").replace(cube_head=1)
    with pytest.raises(UsageError, match="the row of dense on ascend310 is of another program, chip file"):
        sweep(models, ("ascend910b1", faster), pipelines, changes, out=path, executor=SerialExecutor())
    assert path.read_bytes() == expected


@pytest.mark.skipif(sys.platform == "win32", reason="kills with SIGKILL")
def test_killed_again_and_again_a_sweep_ends_with_the_same_file(tmp_path, path, expected):
    script, sizes = tmp_path / "script.py", []
    script.write_text(SCRIPT)
    for lines in (3, 9):
        command = [sys.executable, script, path, str(lines - 1)]  # without the line of the columns
        with subprocess.Popen(command, env={**os.environ, "PYTHONPATH": str(ROOT)}) as process:
            while process.poll() is None and len(path.read_bytes().splitlines() if path.exists() else ()) < lines:
                time.sleep(0.01)
            process.kill()
        assert process.returncode == -signal.SIGKILL
        sizes.append(len(path.read_bytes().splitlines()))
    assert sizes == [3, 9]
    assert sweep_file(path) == expected


def test_an_interrupt_keeps_completed_rows_and_cancels_the_rest(path, expected):

    def interrupt(done, total):
        if done == 5:
            raise KeyboardInterrupt

    with ThreadPoolExecutor(1) as executor, pytest.raises(KeyboardInterrupt):
        sweep(*space_arguments(), out=path, executor=executor, progress=interrupt)
    assert len(path.read_text().splitlines()) == 6
    assert sweep_file(path) == expected


# ---- workers that die ------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(12))
def test_an_unreliable_executor_loses_no_row_and_duplicates_none(seed, path, expected, monkeypatch):
    monkeypatch.setattr(module, "MAX_IN_FLIGHT", 2)
    added = Counter()
    real = Table.add
    monkeypatch.setattr(Table, "add", lambda table, point, row: added.update([point]) or real(table, point, row))
    for attempt in range(60):
        try:
            sweep(*space_arguments(), out=path, executor=Unreliable(seed * 100 + attempt))
            break
        except UsageError as error:
            assert "have no result (BrokenProcessPool" in str(error)
    assert path.read_bytes() == expected
    assert set(added.values()) == {1} and len(added) == 16


@pytest.mark.skipif(sys.platform == "win32", reason="kills with SIGKILL")
def test_our_own_processes_are_replaced_when_they_are_killed(path, expected, monkeypatch):
    pools = []
    monkeypatch.setattr(module, "process_pool", lambda workers: pools.append(process_pool(workers)) or pools[-1])

    def kill_once(done, total):
        if done == 3 and len(pools) == 1:
            for worker in pools[0].workers:
                with suppress(ProcessLookupError):  # the pool ends the others when it sees the first one dead
                    worker.process.send_signal(signal.SIGKILL)

    monkeypatch.setattr(module, "MAX_IN_FLIGHT", 4)
    assert sweep_file(path, None, workers=2, progress=kill_once) == expected and len(pools) == 2


class Canceling(SerialExecutor):
    def submit(self, fn, *args):
        future = Future()
        future.cancel()
        return future


def test_a_cancelled_point_has_no_row_and_processes_that_die_at_every_point_end_the_sweep(path, monkeypatch):
    with pytest.raises(UsageError, match=r"have no result \(cancelled\)"):
        sweep(*space_arguments(), out=path, executor=Canceling())
    assert len(path.read_text().splitlines()) == 1
    monkeypatch.setattr(module, "evaluate", kill_worker)
    with pytest.raises(UsageError, match=r"16 of 16 points have no result \(BrokenExecutor: .*the same call"):
        sweep(*space_arguments(), out=path, workers=1)


def test_a_point_that_an_executor_loses_is_submitted_again(path, expected):
    class Forgetful(SerialExecutor):
        """Loses the result of its third point, as dask does when the worker that has it dies."""

        calls = 0

        def submit(self, fn, *args):
            self.calls += 1
            if self.calls != 3:
                return super().submit(fn, *args)
            future = Future()
            future.set_exception(ValueError("too many values to unpack (expected 3)"))
            return future

    executor = Forgetful()
    assert sweep_file(path, executor) == expected and executor.calls == 17


def test_the_parquet_file_has_the_same_rows(tmp_path, path):
    reader = pytest.importorskip("pyarrow.parquet")
    table = sweep(*space_arguments(), out=path, executor=SerialExecutor())
    assert reader.read_table(tmp_path / "s.parquet").to_pylist() == table.records()
