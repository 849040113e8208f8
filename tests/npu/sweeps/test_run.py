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
from minigraph.core.errors import ChipError, UnknownName, UsageError
from minigraph.core.processes import Serial, processes
from minigraph.npu import chip_named, sweep
from minigraph.npu.sweeps import run as module
from minigraph.npu.sweeps.table import Table
from tests.npu.sweeps.designs import CHANGES, CHIPS, MODELS, X, dies, fails, space_arguments, swept
from tests.structure import ROOT
from tests.tables import cases

SCRIPT = """
import sys, time
from minigraph.npu.sweeps import sweep
from minigraph.core.processes import Serial
from tests.npu.sweeps.designs import space_arguments

class Slow(Serial):
    def submit(self, fn, *args):
        time.sleep(0.05)
        return super().submit(fn, *args)

if __name__ == "__main__":
    sweep(*space_arguments(), out=sys.argv[1], executor=Slow())
"""


@pytest.fixture(scope="module")
def expected(tmp_path_factory):
    """The finished file of the small design space, computed in one thread."""
    return swept(tmp_path_factory.mktemp("serial") / "sweep.csv")


class Unruly(Executor):
    """Loses some points with the process that ran them, and takes no more after a while."""

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


class Counting(Serial):
    """Keeps what was submitted."""

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
    table = sweep(*space_arguments(), executor=Serial(), engine="analytic")
    rows = table.records()
    assert len(rows) == 16 and not table.failed
    for row in rows:
        function, *arguments = models[row["model"]]
        programs = module.Programs({"m": (function, *arguments)}, {row["pipeline"]: row["pipeline"]})
        graph = programs._program("m", row["pipeline"]).graph
        chip = chip_named(row["chip"]).changed(mte2_lat=row["mte2.lat"])
        report = simulate(graph, chip=chip, engine="analytic")
        assert (row["cycles"], row["us"], row["eager_us"]) == (report.cycles, report.us, report.eager_us)


def test_any_executor_leaves_the_same_file_to_the_byte(tmp_path, expected):
    executors = [ThreadPoolExecutor(3), processes(2), None]
    for number, executor in enumerate(executors):
        assert swept(tmp_path / f"{number}.csv", executor, workers=2) == expected, executor
        if executor is not None:
            assert executor.submit(int).result() == 0  # it is the caller's, and stays open
            executor.shutdown()


def test_few_points_are_under_way_at_a_time(monkeypatch, path, expected):
    monkeypatch.setattr(module, "AHEAD", 3)
    under_way = []

    class Few(ThreadPoolExecutor):
        def submit(self, *args):
            future = super().submit(*args)
            under_way.append(future)
            assert sum(not one.done() for one in under_way) <= 3
            return future

    with Few(2) as executor:
        assert swept(path, executor) == expected and len(under_way) == 16


def test_with_one_thread_a_row_is_written_before_the_next_point_runs(path):
    lines = []

    class Watching(Serial):
        def submit(self, *args):
            lines.append(len(path.read_text().splitlines()))
            return super().submit(*args)

    sweep(*space_arguments(), out=path, executor=Watching())
    assert lines == list(range(1, 17))


def test_progress_is_told_and_pipelines_default_to_the_contexts_or_are_given_by_name():
    heard = []
    sweep(*space_arguments(), executor=Serial(), progress=lambda *now: heard.append(now))
    assert heard == [(done, 16) for done in range(17)]
    for pipelines, name in (({}, "default"), ({"pipelines": {"mine": ["cse", "dce"]}}, "mine")):
        (one,) = sweep({"dense": MODELS["dense"]}, **pipelines, executor=Serial()).records()
        assert one["pipeline"] == name


# ---- errors ----------------------------------------------------------------------------------------


def test_a_model_that_fails_is_rows_with_a_reason_and_the_others_go_on(path):
    models = {"fails": (fails, X), **MODELS}
    table = sweep(models, CHIPS, ["default"], CHANGES, out=path, executor=Serial())
    assert [point.model for point, _ in table.failed] == ["fails"] * 4
    assert all("no such" in error for _, error in table.failed)
    assert [row["us"] is None for row in table.records()] == [True] * 4 + [False] * 8
    assert len(path.read_text().splitlines()) == 13


def test_an_error_whose_cause_is_mended_is_replaced_and_one_that_is_not_stays(path):
    sweep({"m": (fails, X), "n": (fails, X)}, out=path, executor=Serial())
    counting = Counting()
    table = sweep({"m": MODELS["chain"], "n": (fails, X)}, out=path, executor=counting)
    assert len(counting.sent) == 1
    assert [(point.model, "no such" in error) for point, error in table.failed] == [("n", True)]
    assert len(path.read_text().splitlines()) == 3


@cases(
    ({"chips": ["ascend910b"]}, UnknownName, "no chip 'ascend910b'; did you mean"),
    ({"changes": {"mte2.latt": [1]}}, ChipError, r"did you mean 'mte2\.lat'"),
    ({"changes": {"mte2.lat": [150, 0]}}, ChipError, "which no chip has"),
    ({"changes": {"mte2.lat": []}}, UsageError, r"'mte2\.lat' has no values"),
    ({"pipelines": ["cse", "dec"]}, UnknownName, "no pass 'dec'; did you mean 'dce'"),
    ({"pipelines": ["cse", "cse"]}, UsageError, "given twice"),
    ({"engine": "evnt"}, UnknownName, "did you mean 'event'"),
    ({"host": "nowhere"}, UnknownName, "no host preset 'nowhere'"),
    ({"models": {}}, UsageError, "no model"),
    ({"models": {"m": 3}}, UsageError, "model 'm' is a int"),
    ({"workers": 0}, UsageError, "0 workers"),
    ({"out": "s.parquet"}, UsageError, "name a .csv file"),
)
def test_a_mistake_is_refused_before_anything_is_written(tmp_path, monkeypatch, changed, error, told):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(error, match=told):
        sweep(**{"models": MODELS, "out": "new/s.csv", "executor": Serial()} | changed)
    assert not list(tmp_path.iterdir())


# ---- going on --------------------------------------------------------------------------------------


def test_what_is_done_is_not_done_again(path, expected):
    path.write_bytes(b"".join(expected.splitlines(keepends=True)[:7]) + b"dense,def")
    counting = Counting()
    assert swept(path, counting) == expected and len(counting.sent) == 10
    assert swept(path, Unruly(0, last=0)) == expected, "nothing was left to submit"


def test_rows_of_another_program_or_chip_file_are_refused_and_kept(path, expected):
    path.write_bytes(expected)
    models, chips, pipelines, changes = space_arguments()
    with pytest.raises(UsageError, match="the row of dense on ascend910b1 is of another program, chip file"):
        sweep({**models, "dense": models["chain"]}, chips, pipelines, changes, out=path, executor=Serial())
    faster = chip_named("ascend310").changed(cube_head=1)
    with pytest.raises(UsageError, match="the row of dense on ascend310 is of another program, chip file"):
        sweep(models, ("ascend910b1", faster), pipelines, changes, out=path, executor=Serial())
    assert path.read_bytes() == expected


@pytest.mark.skipif(sys.platform == "win32", reason="kills with SIGKILL")
def test_killed_again_and_again_a_sweep_ends_with_the_same_file(tmp_path, path, expected):
    script, sizes = tmp_path / "script.py", []
    script.write_text(SCRIPT)
    for lines in (3, 9):
        with subprocess.Popen([sys.executable, script, path], env={**os.environ, "PYTHONPATH": str(ROOT)}) as process:
            while process.poll() is None and len(path.read_bytes().splitlines() if path.exists() else ()) < lines:
                time.sleep(0.01)
            process.send_signal(signal.SIGKILL)
        sizes.append(len(path.read_bytes().splitlines()))
    assert 3 <= sizes[0] <= sizes[1] < 17
    assert swept(path) == expected


def test_an_interrupt_keeps_what_is_done_and_calls_off_the_rest(path, expected):

    def interrupt(done, total):
        if done == 5:
            raise KeyboardInterrupt

    with ThreadPoolExecutor(1) as executor, pytest.raises(KeyboardInterrupt):
        sweep(*space_arguments(), out=path, executor=executor, progress=interrupt)
    assert len(path.read_text().splitlines()) == 6
    assert swept(path) == expected


# ---- workers that die ------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(12))
def test_an_unruly_executor_loses_no_row_and_gives_none_twice(seed, path, expected, monkeypatch):
    monkeypatch.setattr(module, "AHEAD", 2)
    added = Counter()
    real = Table.add
    monkeypatch.setattr(Table, "add", lambda table, point, row: added.update([point]) or real(table, point, row))
    for attempt in range(60):
        try:
            sweep(*space_arguments(), out=path, executor=Unruly(seed * 100 + attempt))
            break
        except UsageError as error:
            assert "did not come back (BrokenProcessPool" in str(error)
    assert path.read_bytes() == expected
    assert set(added.values()) == {1} and len(added) == 16


@pytest.mark.skipif(sys.platform == "win32", reason="kills with SIGKILL")
def test_our_own_processes_are_replaced_when_they_are_killed(path, expected, monkeypatch):
    pools = []
    monkeypatch.setattr(module, "processes", lambda workers: pools.append(processes(workers)) or pools[-1])

    def kill_once(done, total):
        if done == 3 and len(pools) == 1:
            for worker in list(pools[0]._processes):
                with suppress(ProcessLookupError):  # the pool ends the others when it sees the first one dead
                    os.kill(worker, signal.SIGKILL)

    monkeypatch.setattr(module, "AHEAD", 4)
    assert swept(path, None, workers=2, progress=kill_once) == expected and len(pools) == 2


class Cancelling(Serial):
    def submit(self, fn, *args):
        future = Future()
        future.cancel()
        return future


def test_a_cancelled_point_is_no_row_and_processes_that_die_at_every_point_end_the_sweep(path, monkeypatch):
    with pytest.raises(UsageError, match=r"did not come back \(cancelled\)"):
        sweep(*space_arguments(), out=path, executor=Cancelling())
    assert len(path.read_text().splitlines()) == 1
    monkeypatch.setattr(module, "measured", dies)
    with pytest.raises(UsageError, match=r"16 of 16 points did not come back \(BrokenProcessPool: .*the same call"):
        sweep(*space_arguments(), out=path, workers=1)


def test_a_point_that_an_executor_loses_is_given_out_again(path, expected):
    class Forgetful(Serial):
        """Loses the result of its third point, as dask does when the worker that has it dies."""

        given = 0

        def submit(self, fn, *args):
            self.given += 1
            if self.given != 3:
                return super().submit(fn, *args)
            future = Future()
            future.set_exception(ValueError("too many values to unpack (expected 3)"))
            return future

    executor = Forgetful()
    assert swept(path, executor) == expected and executor.given == 17


def test_parquet_beside_it_holds_the_same_rows(tmp_path, path):
    reader = pytest.importorskip("pyarrow.parquet")
    table = sweep(*space_arguments(), out=path, executor=Serial())
    assert reader.read_table(tmp_path / "s.parquet").to_pylist() == table.records()
