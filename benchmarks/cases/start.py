"""The cost of ``import``: CPU seconds of a whole process that does nothing else."""

from __future__ import annotations

import importlib.util
import os
import resource
import subprocess
import sys
from pathlib import Path

from benchmarks.measuring.harness import Case, Contender, Table, measure
from benchmarks.peers import remote

MODULES = ("numpy", "minigraph", "minigraph, passes, viz", "networkx", "autograd", "torch", "jax")
ADD_STATEMENT = "minigraph as ms; ms.Tensor(1) + 1"
ROOT = Path(__file__).parents[2]


def children_seconds() -> float:
    """CPU seconds of all child processes that have ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def run_import(modules: str, python: str = sys.executable) -> None:
    """Run a process that imports some modules, with bytecode caches; raises if it fails."""
    statement = f"import {modules}" if modules else ""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    subprocess.run([python, "-c", statement], check=True, cwd=ROOT, capture_output=True, env=environment)


def case(modules: tuple[str, ...] = MODULES) -> Case:
    """numpy, the interpreter alone, minigraph, and the installed peers."""
    available = [m for m in modules if all(importlib.util.find_spec(part) for part in m.split(", "))]
    contenders = [Contender(f"import {m}", lambda m=m: run_import(m)) for m in available]
    contenders.insert(1, Contender("python alone", lambda: run_import("")))
    if "minigraph" in available:  # it imports most of its modules lazily
        contenders.append(Contender("import minigraph, and add", lambda: run_import(ADD_STATEMENT)))
    if python := remote.interpreter():
        contenders.append(Contender("import mindspore", lambda: run_import("mindspore", python)))
    return Case("import", contenders, clock=children_seconds, unit="ms")


def table(rounds: int = 5) -> Table:
    """The case, measured."""
    return Table("Import", "whole processes, interpreter included; ms", [measure(case(), rounds)])
