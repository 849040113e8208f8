"""Workers that are killed, started from scripts, and end with their parent are in test_processes.py."""

import gc
import os
import pickle
import subprocess
import sys
import time
from concurrent.futures import BrokenExecutor

import pytest

from minigraph.core.worker_processes import make_process_pool


@pytest.fixture(scope="module")
def pool():
    with make_process_pool(1) as pool:
        yield pool


class Unpicklable(Exception):
    def __reduce__(self):
        raise TypeError("not to be pickled")


def raises():
    raise Unpicklable("wrong")


FAILING = {  # call -> its error, and the text of that
    "of the call": (divmod, (1, 0), ZeroDivisionError, "integer division or modulo by zero"),
    "of an argument": (len, (lambda: 1,), (pickle.PicklingError, AttributeError), "pickle"),
    "of a result": (compile, ("1", "", "eval"), TypeError, "cannot pickle"),
    "that is not pickled itself": (raises, (), RuntimeError, "Unpicklable: wrong"),
    "of SystemExit": (sys.exit, (3,), SystemExit, "3"),
}


@pytest.mark.parametrize("name", FAILING)
def test_an_error_is_returned_and_the_worker_continues(name, pool):
    fn, args, kind, text = FAILING[name]
    error = pool.submit(fn, *args).exception()
    assert isinstance(error, kind) and text in str(error)
    assert pool.submit(os.getpid).result() == pool.workers[0].process.pid != os.getpid()


def test_the_error_of_a_call_names_its_lines_in_the_worker(pool):
    (note,) = pool.submit(divmod, 1, 0).exception().__notes__
    assert note.startswith("in a worker process:\nTraceback")


def test_output_of_a_call_is_not_part_of_the_answer(pool):
    assert pool.submit(print, "printed").result() is None
    assert pool.submit(os.write, 1, b"written\n").result() == 8


def test_a_pool_whose_worker_ends_is_broken_at_once():
    with make_process_pool(2) as pool:
        with pytest.raises(BrokenExecutor, match="a worker process ended before its call"):
            pool.submit(os._exit, 1).result()
        with pytest.raises(BrokenExecutor, match="start another pool"):
            pool.submit(pow, 2, 3)
    assert [worker.process.returncode is None for worker in pool.workers] == [False, False]


@pytest.mark.parametrize("end", ["shut down", "dropped"])
def test_workers_end_when_a_pool_that_does_not_wait_has_done_its_calls(end):
    pool = make_process_pool(1)
    process, call = pool.workers[0].process, pool.submit(time.sleep, 0.01)
    if end == "shut down":
        pool.shutdown(wait=False)
    assert call.result() is None
    del pool
    gc.collect()
    assert process.wait(60) == 0


WATCHED = """
import builtins, os, sys
from minigraph.core.processes import process_pool

def state():
    return [sys.modules["__main__"], sys.argv, sys.stdout, builtins.print, dict(os.environ), list(sys.path)]

def trace(frame, event, arg):
    assert state() == before, (frame.f_code.co_filename, frame.f_lineno)
    return trace

with process_pool(1) as pool:
    pool.submit(pow, 2, 3).result()
before = state()
sys.settrace(trace)
with process_pool(1) as pool:
    pool.submit(pow, 2, 3).result()
sys.settrace(None)
print("the same")
"""


def test_nothing_global_is_replaced_while_workers_start(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(WATCHED)
    process = subprocess.run(
        [sys.executable, script], env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert process.stdout == "the same\n", process.stderr


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_a_forked_process_leaves_the_pool_to_its_parent():
    pool = make_process_pool(1)
    assert pool.submit(pow, 2, 3).result() == 8
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            pool.submit(pow, 2, 3)
        except BrokenExecutor:
            os.write(writing, b"b")
        time.sleep(60)
        os._exit(0)
    try:
        assert os.read(reading, 1) == b"b"
        begin = time.monotonic()
        pool.shutdown()
        assert time.monotonic() - begin < 30
    finally:
        os.kill(child, 9)
        os.waitpid(child, 0)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_a_process_that_is_forked_during_a_call_ends_its_copy_of_the_pool():
    with make_process_pool(1) as pool:
        pool.submit(pow, 2, 3).result()
        result = pool.submit(time.sleep, 0.5)
        time.sleep(0.1)
        child = os.fork()
        if child == 0:
            pool.shutdown()
            del pool
            gc.collect()
            os._exit(0)
        end = time.monotonic() + 30
        while os.waitpid(child, os.WNOHANG)[0] == 0:
            if time.monotonic() > end:
                os.kill(child, 9)
                pytest.fail("the child hangs")
            time.sleep(0.01)
        assert result.result() is None


def test_a_large_argument_and_a_large_result(pool):
    assert pool.submit(bytes.upper, b"a" * 5_000_000).result() == b"A" * 5_000_000
