"""An exception raised at any instruction leaves nothing open: no tape, interpreter, print, gc or context state."""

import ast
import re
import subprocess
import sys
from types import SimpleNamespace

import numpy as np
import pytest

from minigraph import Tensor, grad, jit, nn, ops, value_and_grad
from minigraph.capture.trace import trace
from minigraph.core import dispatch
from tests.inspection import bits
from tests.rough.interrupts import Interrupted, count_instructions, interrupt, open_state, positions
from tests.structure import modules

X = Tensor(np.float32([[1, 2], [3, 4]]))
NET = nn.SequentialCell(nn.Dense(2, 3), nn.ReLU(), nn.Dense(3, 1))
OPTIMIZER = nn.SGD(NET.trainable_params(), 0.01)
STEP = value_and_grad(lambda x: ops.softmax(NET(x)).sum() * 2, None, OPTIMIZER.parameters)
TRAIN = jit(lambda x: OPTIMIZER(STEP(x)[1]))


def program(x):
    return grad(lambda z: (z * z).sum())(ops.softmax(x @ x))


def with_cell(x):
    return program(NET(x) * x) + 1


def eager_loop():
    for _ in range(2):
        OPTIMIZER(STEP(X)[1])


RUNS = {
    "eager loop": eager_loop,
    "nested gradients": lambda: grad(grad(lambda x: (x**3).sum()))(X),
    "capture": lambda: trace(program, X),
    "compile": lambda: jit(with_cell)(X),
    "compile as traced": lambda: jit(lambda x: with_cell(x), capture_mode="trace")(X),
    "compile a Cell": lambda: jit(lambda x: ops.softmax(NET(x)))(X),
    "call": lambda: TRAIN(X),
}


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # Python ignores errors in finalizers
@pytest.mark.parametrize("name", RUNS)
def test_an_exception_at_any_instruction_leaves_nothing_open(name, effort, report):
    run, kept = RUNS[name], []
    run()
    run()
    count_instructions(run)  # the first call that is traced executes more, on Python 3.13
    before, expected, count = open_state(), bits(program(X)), count_instructions(run)
    assert count > 1000
    for at in positions(count, effort.samples(200)):
        kept.append(interrupt(run, at))  # with its traceback, which keeps the frames and their variables
        assert open_state() == before, str(kept[-1])
    raised = sum(isinstance(error, Interrupted) for error in kept)
    assert raised >= len(kept) * 0.95  # the rest: raised in a finaliser, or after the last instruction of a shorter run
    assert bits(program(X)) == expected
    run()
    report(f"exception in: {name}", f"{raised} of {count:,} instructions", "no tape, interpreter, gc or context open")


def test_all_locks_are_made_where_interrupts_and_forks_know_them():
    """But that of the editor's server, which no child process shares; and no property has the lock of Python 3.11."""
    pattern = r"\bR?Lock\(|threading\.R?Lock\b|from functools import .*\bcached_property\b|functools\.cached_property\b"
    found = {module.name for module in modules() if re.search(pattern, ast.unparse(module.tree))}
    assert found == {"minigraph.core.scope_guard", "minigraph.capture.fork_locks", "minigraph.core.lazy",
                     "minigraph.capture.readable_attributes", "viz.editor.server"}  # fmt: skip


def test_free_threaded_python_is_refused_by_name(monkeypatch):
    monkeypatch.setattr(dispatch, "sys", SimpleNamespace(_is_gil_enabled=lambda: False))
    with pytest.raises(ImportError, match="free-threaded Python is not supported.*; start Python with -X gil=1"):
        dispatch.require_gil()
    script = "import sys; sys._is_gil_enabled = lambda: False; import minigraph; minigraph.Tensor"
    process = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert process.returncode and process.stderr.strip().splitlines()[-1].startswith(
        "ImportError: minigraph: free-threaded"
    )
