"""The source of a program is available to debuggers while the program lives."""

import bdb
import gc
import inspect
import linecache

import numpy as np

from minigraph import Tensor, trace
from minigraph.core.location import SOURCES
from minigraph.execute.compile import compile_graph

X = Tensor(np.ones((2, 3), np.float32))


def listed_programs():
    return {name for name in SOURCES if name.startswith("<minigraph program")}


def program():
    return compile_graph(trace(lambda x: (x * x).tanh(), X))


def test_the_source_of_a_program_is_shown_by_debuggers():
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
    assert any("mul" in line and "test_program_listing.py" in line for line in seen)
    assert all(line in run.source for line in seen)


def test_each_program_has_a_source_file_until_it_is_garbage_and_invalid_code_is_not_registered():
    gc.collect()
    before = listed_programs()
    first, second = program(), program()
    assert len(listed_programs() - before) == 2
    assert first.functions["run"].__code__.co_filename != second.functions["run"].__code__.co_filename
    del first, second
    gc.collect()
    assert listed_programs() == before
