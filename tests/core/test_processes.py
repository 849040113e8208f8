import os
import subprocess
import sys
import time

import pytest

from minigraph.core.processes import SerialExecutor, process_pool
from tests.structure import ROOT

UNGUARDED = """
import os
from minigraph.core.processes import process_pool
print("a big model is built", flush=True)
with process_pool(2) as pool:
    print(len({pool.submit(pow, 2, 3).result(), 8}), __name__)
"""

PARENT = """
import os, sys, time
from minigraph.core.processes import process_pool
if __name__ == "__main__":
    pool = process_pool(1)
    print(pool.submit(os.getpid).result(), flush=True)
    time.sleep(60)
"""


def test_serial_runs_at_once_keeps_errors_in_the_future_and_lets_an_interrupt_through():
    def interrupt():
        raise KeyboardInterrupt

    results = []
    future = SerialExecutor().submit(divmod, 7, 2)
    future.add_done_callback(results.append)
    assert future.result() == (3, 1) and results == [future]
    assert isinstance(SerialExecutor().submit(divmod, 7, 0).exception(), ZeroDivisionError)
    with pytest.raises(KeyboardInterrupt):
        SerialExecutor().submit(interrupt)
    with process_pool(1) as pool:
        assert pool.submit(os.getpid).result() != os.getpid()


@pytest.mark.parametrize("start", ["file", "stdin", "module"])
def test_a_script_needs_no_guard_and_is_not_run_again(tmp_path, start):
    script = tmp_path / "script.py"
    script.write_text(UNGUARDED)
    command = {"file": [script], "stdin": ["-"], "module": ["-m", "script"]}[start]
    process = subprocess.run(
        [sys.executable, *command], input=UNGUARDED, env={**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{tmp_path}"},
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert (process.stdout, process.returncode) == ("a big model is built\n1 __main__\n", 0), process.stderr


@pytest.mark.skipif(not hasattr(os, "kill") or sys.platform == "win32", reason="finds a process by signal 0")
def test_workers_exit_when_their_parent_is_killed(tmp_path):
    script = tmp_path / "parent.py"
    script.write_text(PARENT)
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen([sys.executable, script], stdout=subprocess.PIPE, text=True, env=environment) as parent:
        worker = int(parent.stdout.readline())
        parent.kill()
    for _ in range(1200):  # a minute; a busy machine needs some of it
        try:
            os.kill(worker, 0)
        except ProcessLookupError:
            return
        time.sleep(0.05)
    raise AssertionError("the worker outlives its parent")


@pytest.mark.parametrize("error", [ImportError("no sem_open"), NotImplementedError(), PermissionError(13, "denied")])
def test_without_processes_the_pool_is_serial(monkeypatch, error):
    def refuse(workers):
        raise error

    monkeypatch.setattr("minigraph.core.worker_processes.make_process_pool", refuse)
    assert isinstance(process_pool(2), SerialExecutor)
