"""Values that tests compare: tensors as lists or bits, the operators of a graph, the output of a program."""

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from contextlib import suppress

import numpy as np

from minigraph import Tensor
from minigraph.core.pytree import leaves_of
from tests.structure import ROOT


def to_lists(item):
    """Tensors as lists, everything else as it is."""
    if isinstance(item, Tensor):
        return item.tolist()
    if isinstance(item, dict):
        return {key: to_lists(value) for key, value in item.items()}
    if isinstance(item, tuple | list):
        return type(item)(*map(to_lists, item)) if hasattr(item, "_fields") else type(item)(map(to_lists, item))
    return item


def bits(structure):
    """Shapes, dtypes and bytes of all tensors and arrays of a structure."""
    leaves = leaves_of(structure, lambda item: isinstance(item, Tensor | np.ndarray | np.generic))
    arrays = [np.asarray(leaf.array if isinstance(leaf, Tensor) else leaf) for leaf in leaves]
    return [(array.shape, array.dtype, array.tobytes()) for array in arrays]


def at_depth(part, fn, *args):
    """The result of ``fn(*args)``, called where this part of Python's stack is used."""
    frame, depth = sys._getframe(), 0
    while frame is not None:
        frame, depth = frame.f_back, depth + 1
    return _at_depth(int(part * sys.getrecursionlimit()) - depth - 1, fn, args)


def _at_depth(frames, fn, args):
    return fn(*args) if frames <= 0 else _at_depth(frames - 1, fn, args)


def operators(graph):
    """The names of a graph's operators in topological order."""
    return [str(graph.op(node)) for node in graph.topological() if not graph.op(node).is_leaf]


def run_program(program, *arguments):
    """The output of a program that runs in a new Python process."""
    command = [sys.executable, "-c", textwrap.dedent(program), *arguments]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def fork_while_held(lock, fn):
    """The exit code of a forked process that calls ``fn``, forked while another thread holds a lock for a moment."""
    held = threading.Event()

    def hold():
        with lock:
            held.set()
            time.sleep(0.2)

    thread = threading.Thread(target=hold)
    thread.start()
    held.wait(10)
    child = os.fork()
    if child == 0:
        with suppress(BaseException):
            signal.alarm(20)
            fn()
            os._exit(0)
        os._exit(1)
    thread.join()
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
