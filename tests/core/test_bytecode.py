import os
import subprocess
import sys
import time
import warnings
from runpy import run_path
from types import SimpleNamespace

import numpy as np
import pytest

from minigraph import Tensor, grad, jit
from minigraph.accel import vjp_formulas
from minigraph.capture.bytecode import loads_of
from minigraph.compilation import OpByOpWarning
from minigraph.core import bytecode
from minigraph.core.bytecode import has_same_instructions, instructions_of, is_arithmetic, operand_names
from tests.bytecode import NEED_INSTRUCTIONS
from tests.rough.program import digest
from tests.structure import ROOT

LOG = []
COUNT = 0
SIGNS = frozenset("+-*/")


def program(x, owner):
    global COUNT
    COUNT += 1
    owner.field, owner.other.part = x, 1
    return LOG.append(1)


def test_the_instructions_of_this_python_are_known():
    assert bytecode.IS_SUPPORTED
    assert operand_names(program.__code__, "STORE_GLOBAL") == {"COUNT"}
    assert operand_names(program.__code__, "STORE_ATTR") == {"field", "part"}
    loads = {
        (step.name, step.names[0], step.line - program.__code__.co_firstlineno)
        for step in instructions_of(program.__code__)
    }
    assert {("STORE_GLOBAL", "COUNT", 2), ("STORE_ATTR", "part", 3), ("LOAD_GLOBAL", "LOG", 4)} <= loads
    assert any(name in bytecode.ATTRIBUTE_LOAD_OPCODES and names == "append" for name, names, _ in loads)


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        (lambda g, out, x, y: g / y - 2.5 * x, True),
        (lambda g, out, x: -(g * out), True),
        (lambda g, out, x: g * (1 << 3), True),  # a constant of the compiler
        (lambda g, out, x: g @ x, False),
        (lambda g, out, x: g * abs(x), False),
        (lambda g, out, x: g * 1e999, False),
        (len, False),
    ],
)
def test_arithmetic(rule, expected, monkeypatch):
    assert is_arithmetic(rule, SIGNS) is expected
    monkeypatch.setattr(bytecode, "IS_SUPPORTED", False)
    assert not is_arithmetic(rule, SIGNS)


@pytest.mark.parametrize(("name", "version", "known"), [
    ("cpython", (3, 14, 9), True), ("cpython", (3, 15, 0), False), ("cpython", (4, 0, 0), False),
    ("pypy", (3, 11, 0), False)])  # fmt: skip
def test_a_later_python_and_another_implementation_get_the_fallbacks(name, version, known, monkeypatch):
    monkeypatch.setattr(sys, "version_info", (*version, "final", 0))
    monkeypatch.setattr(sys, "implementation", SimpleNamespace(**{**vars(sys.implementation), "name": name}))
    assert run_path(bytecode.__file__)["IS_SUPPORTED"] is known


def test_results_stay_right_with_instructions_that_are_not_known(monkeypatch):
    monkeypatch.setattr(bytecode, "IS_SUPPORTED", False)
    assert instructions_of(program.__code__) == [] and operand_names(program.__code__, "x") >= {"field", "COUNT"}
    assert not vjp_formulas.is_arithmetic(lambda g, out, x: g * x)
    LOG.clear()

    def changes(x):
        LOG.append(1)
        return x * float(len(LOG))

    x = Tensor(np.float32([1, 2]))
    with warnings.catch_warnings(record=True, action="always") as caught:
        compiled = jit(changes, capture_mode="trace")
        assert [compiled(x).tolist() for _ in range(3)] == [[1, 2], [2, 4], [3, 6]]
        assert grad(lambda y: (jit(lambda z: z * z)(y)).sum())(x).tolist() == [2, 4]
    assert "the list 'LOG' is changed in place" in str(caught[0].message)


class Settings:
    rate = 2.0

    def __enter__(self):
        return self

    def __exit__(self, *error):
        return True


def reads_a_clock(x):
    return x * (time.perf_counter_ns() % 1000)


def catches(x):
    with Settings() as settings:
        x = x * settings.rate
        raise ValueError
    return x


def maps(x):
    return x * next(map(os.stat, ["."])).st_ino


@pytest.mark.parametrize("mode", ["ast", "trace"])
@pytest.mark.parametrize("program", [reads_a_clock, catches, maps])
def test_code_whose_instructions_are_not_known_is_searched_by_its_names(program, mode, monkeypatch):
    monkeypatch.setattr(bytecode, "IS_SUPPORTED", False)
    with pytest.warns(OpByOpWarning, match=f"{program.__name__}.*|the function reads a clock"):
        assert jit(program, capture_mode=mode)(Tensor([1.0])).shape == (1,)


def test_fallbacks(monkeypatch):
    monkeypatch.setattr(bytecode, "IS_SUPPORTED", False)
    code = compile("from .. import k\ntry: f()\nexcept ValueError: g(getattr)", "", "exec")
    assert bytecode.Import(2, "", False) in bytecode.imports_in(code)
    assert bytecode.line_of_handler(code) == 1 and bytecode.line_of_handler(program.__code__) == 0
    reads = frozenset({"getattr"})
    assert bytecode.calls_with_computed_name(code, reads)
    assert not bytecode.calls_with_computed_name(program.__code__, reads)
    clock = time.perf_counter_ns
    assert [loaded.names for loaded, value in loads_of(reads_a_clock) if value is clock] == [("perf_counter_ns",)]


@pytest.mark.parametrize("reason", NEED_INSTRUCTIONS)
def test_what_needs_known_instructions_is_documented(reason):
    assert reason in " ".join((ROOT / "docs" / "concepts" / "capture.md").read_text("utf-8").split())
    for name in NEED_INSTRUCTIONS[reason]:
        file, _, test = name.partition("[")[0].partition("::")
        assert any(f"def {test}(" in path.read_text("utf-8") for path in (ROOT / "tests").rglob(file)), name


def test_every_part_computes_the_same_with_instructions_that_are_not_known():
    forced = "from minigraph.core import bytecode; bytecode.IS_SUPPORTED = False; "
    script = forced + "from tests.rough.program import digest; print(digest())"
    process = subprocess.run([sys.executable, "-W", "ignore", "-c", script], capture_output=True, text=True, cwd=ROOT)
    assert process.stdout.strip() == digest(), process.stderr


def test_a_missing_name_without_known_instructions():
    script = "from minigraph.core import bytecode; bytecode.IS_SUPPORTED = False; from minigraph import no_such_name"
    process = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, cwd=ROOT)
    assert process.stderr.splitlines()[-1].startswith("ImportError: cannot import name 'no_such_name'")


def test_no_other_module_reads_instructions():
    module = ROOT / "minigraph" / "core" / "bytecode.py"
    files = (path for package in ("minigraph", "passes", "viz") for path in (ROOT / package).rglob("*.py"))
    assert [
        path
        for path in files
        if path != module and ("import dis\n" in path.read_text() or "co_code" in path.read_text())
    ] == []


def test_constants_are_compared_by_type_and_bits():
    functions = [lambda: 0.0, lambda: -0.0, lambda: 0, lambda: False, lambda: (0.0,), lambda: (False,), lambda: "0"]
    codes = [fn.__code__ for fn in functions]
    assert [[has_same_instructions(a, b) for a in codes] for b in codes] == [[a is b for a in codes] for b in codes]
    nested = [fn.__code__ for fn in (lambda: lambda: 1, lambda: lambda: 2)]
    assert not has_same_instructions(*nested)
    sets = [fn.__code__ for fn in (lambda x: x in {"a", "b", "c"}, lambda x: x in {"c", "b", "a"})]
    assert has_same_instructions(*sets)
