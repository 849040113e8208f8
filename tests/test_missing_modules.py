"""Features that work without a module or a system service, as in a browser's Python or on a locked-down machine."""

import subprocess
import sys

import pytest

from tests.structure import ROOT

BLOCK = """
import importlib.abc, sys

class Blocked(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.startswith(BLOCKED) or name in BLOCKED:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Blocked())
"""
NO_THREADS = """
import threading

def start(thread):
    raise RuntimeError("can't start new thread")

threading.Thread.start = start
"""
NO_PROCESSES = """
import os
os.fork = os.posix_spawn = None
import minigraph.core.processes, subprocess

def refused(*arguments, **options):
    raise PermissionError(13, "Permission denied")

subprocess.Popen.__init__ = refused
"""
PROGRAM = """
import numpy as np
import minigraph as ms
from minigraph import Parameter, Tensor, nn, ops

x, w = Tensor(np.ones((4, 8), np.float32)), Parameter(Tensor(np.ones((8, 2), np.float32)), name="w")

def f(x):
    return ops.relu(x @ w + 1.0).sum()

@ms.jit
def compiled(x):
    return f(x)

assert f(x).item() == compiled(x).item() == 72.0
assert ms.grad(f)(x).shape == ms.jit(ms.grad(f))(x).shape == (4, 8)

import passes
graph = ms.trace(f, x)
dense = passes.fuse("Dense", lambda x, w, b: ops.relu(x @ w + b))
(record,) = passes.Pipeline([dense]).run(graph)
assert record.changed and passes.examined(dense)

from minigraph.npu import simulate
from minigraph.npu.sweeps import sweep
assert simulate(f, x).cycles > 0
assert len(sweep({"f": (f, x)}, workers=1).records()) == 1

import os, tempfile, viz
from minigraph import dataset
assert [row for row in dataset.NumpySlicesDataset([1, 2], ["x"]).create_tuple_iterator(output_numpy=True)]
path = os.path.join(tempfile.mkdtemp(), "net.ckpt")
ms.save_checkpoint(nn.Dense(3, 2), path)
assert ms.load_checkpoint(path)["weight"].shape == (2, 3)
assert viz.svg(graph).startswith("<svg") and "</html>" in viz.explorer(f, x).html()
big = Tensor(np.ones((2048, 8192), np.float32))
assert ms.jit(lambda x: ops.tanh(x * 2.0) + x)(big).shape == big.shape
print("all of it")
"""
BLOCKED = {
    "safetensors": ("safetensors",),
    "pygraphviz": ("pygraphviz",),
    "processes": ("_multiprocessing", "multiprocessing", "concurrent.futures.process"),
    "ctypes": ("ctypes", "_ctypes"),
}
# Pyodide has the module threading, but cannot start a thread; it lacks these modules. The module threading itself
# cannot be missing: Python's own library imports it (functools, queue, concurrent.futures).
BROWSER = (
    "safetensors", "pygraphviz", "_multiprocessing", "_ssl", "_sqlite3", "_lzma", "_curses", "_dbm", "termios",
    "resource", "syslog", "grp", "pwd", "fcntl", "tkinter", "venv", "ensurepip",
)  # fmt: skip
SETTINGS = {name: f"BLOCKED = {modules}\n{BLOCK}" for name, modules in BLOCKED.items()}
SETTINGS |= {"a browser's Python": f"BLOCKED = {BROWSER}\n{BLOCK}{NO_THREADS}"}
SETTINGS |= {"threads": NO_THREADS, "permission for processes": NO_PROCESSES}


@pytest.mark.parametrize("setting", SETTINGS.values(), ids=SETTINGS)
def test_everything_works_except_missing_packages(setting):
    process = subprocess.run(
        [sys.executable, "-c", setting + PROGRAM], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert (process.stdout, process.returncode) == ("all of it\n", 0), process.stderr
