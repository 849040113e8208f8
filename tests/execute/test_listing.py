"""The text of a program is there for debuggers, as long as the program is."""

import bdb
import gc
import inspect
import linecache

import numpy as np
import pytest

from minigraph import Tensor, trace
from minigraph.execute.codegen import exec_with_source
from minigraph.execute.compile import compile_graph

X = Tensor(np.ones((2, 3), np.float32))


def listed():
    return {name for name in linecache.cache if name.startswith("<minigraph program")}


def program():
    return compile_graph(trace(lambda x: (x * x).tanh(), X))


def test_a_program_can_be_read_in_a_debugger():
    run = program()
    assert inspect.getsource(run.functions["run"]) in run.source
    seen = []

    class Stepping(bdb.Bdb):
        def user_line(self, frame):
            if frame.f_code.co_filename.startswith("<minigraph program"):
                seen.append(linecache.getline(frame.f_code.co_filename, frame.f_lineno))
            self.set_step()

    stepping = Stepping()
    stepping.runcall(run, X.array)
    assert any("mul" in line and "test_listing.py" in line for line in seen)
    assert all(line in run.source for line in seen)


def test_programs_have_files_of_their_own_which_go_with_them_and_what_does_not_compile_is_not_listed():
    gc.collect()
    before = listed()
    one, other = program(), program()
    assert len(listed() - before) == 2
    assert one.functions["run"].__code__.co_filename != other.functions["run"].__code__.co_filename
    del one, other
    gc.collect()
    with pytest.raises(SyntaxError):
        exec_with_source("def run(:\n", {}, "run")
    assert listed() == before
