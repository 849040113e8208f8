"""The size of the reference path of ``relu(x @ w + b)`` in every mode: files and lines loaded, and lines to read."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

PROGRAM = """
import builtins, json, sys
import numpy as np

from_text = []
def watched(name):
    plain = getattr(builtins, name)
    def run(source, *args, **kwargs):
        if isinstance(source, (str, bytes)):
            from_text.append((sys._getframe(1).f_globals.get("__name__", ""), name))
        return plain(source, *args, **kwargs)
    setattr(builtins, name, run)
for name in ("exec", "eval", "compile"):
    watched(name)

from minigraph.capture.trace import trace
from minigraph.core.autodiff.grad import grad
from minigraph.core.op import apply
from minigraph.core.tensor import Tensor
from minigraph.execute.compile import Program
from minigraph.execute.interpret import interpret
from passes.optimize.dce import dce

x, w, b = (Tensor(np.ones(shape, np.float32)) for shape in ((2, 3), (3, 4), (4,)))

def layer(x, w, b):
    return apply("relu", x @ w + b)

want = layer(x, w, b).tolist()
assert [g.shape for g in grad(layer, (0, 1, 2))(x, w, b)] == [(2, 3), (3, 4), (4,)]
graph = trace(layer, x, w, b)
dce(graph)
assert interpret(graph, x, w, b)[0].tolist() == want
assert Program(graph)(x.array, w.array, b.array)[0].tolist() == want

packages = ("minigraph", "passes", "viz")
files = {name: module.__file__ for name, module in list(sys.modules.items()) if name.split(".")[0] in packages}
print(json.dumps([files, [call for call in from_text if call[0].split(".")[0] in packages]]))
"""

# files to read: the operator call, eager mode, the tape, the tracer, the interpreter, one pass, the compiler
READ = """
    minigraph/core/op.py minigraph/core/dispatch.py
    minigraph/core/tensor/operator_methods.py minigraph/core/tensor/promotion.py minigraph/core/tensor/eager.py
    minigraph/core/autodiff/entry.py minigraph/core/autodiff/tape.py minigraph/core/autodiff/grad.py
    minigraph/capture/tracer.py minigraph/capture/trace.py
    minigraph/execute/interpret.py
    passes/optimize/dce.py
    minigraph/execute/compile.py minigraph/execute/memory.py minigraph/execute/codegen.py
"""
MAX_FILES, MAX_LINES, MAX_LINES_TO_READ = 70, 9500, 2500


def lines(path):
    return len(Path(path).read_text("utf-8").splitlines())


@pytest.fixture(scope="module")
def reference():
    """Our files that the program imports, by module, and our source texts that it executes."""
    environment = {**os.environ, "MINIGRAPH_ACCEL": "0", "PYTHONPATH": str(ROOT)}
    process = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True, env=environment, check=False
    )
    assert process.returncode == 0, process.stderr
    return json.loads(process.stdout)


def test_the_reference_path_is_short(reference):
    sizes = {name: lines(path) for name, path in reference[0].items()}
    table = "\n".join(f"{size:5} {name}" for name, size in sorted(sizes.items()))
    assert (len(sizes) <= MAX_FILES, sum(sizes.values()) <= MAX_LINES) == (True, True), (
        f"{len(sizes)} files, {sum(sizes.values())} lines\n{table}"
    )


def test_the_files_to_read_are_short(reference):
    read = [ROOT / path for path in READ.split()]
    assert set(map(str, read)) <= set(reference[0].values())
    assert sum(map(lines, read)) <= MAX_LINES_TO_READ, [(path.name, lines(path)) for path in read]


def test_no_text_is_executed_but_the_compiled_program(reference):
    assert {module for module, _ in reference[1]} == {"minigraph.core.location"}
    assert sorted(name for _, name in reference[1]) in (["compile"], ["exec"], ["compile", "exec"])
