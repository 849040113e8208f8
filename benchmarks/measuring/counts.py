"""Work that is counted, not timed: deterministic on every machine, so that changes can be compared.

Python calls, C calls and bytecodes are counted in this process; processor instructions by ``perf`` or ``valgrind``, as
the difference of two runs of different length.
"""

from __future__ import annotations

import gc
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple

import numpy as np

import minigraph as ms
from benchmarks.measuring.conditions import SINGLE_THREAD
from benchmarks.work.workloads import OPERATORS, add, repeat_operator
from minigraph import Tensor, ops
from minigraph.core.autodiff.tape import Tape
from minigraph.core.op import record_on
from minigraph.core.seams import current_implementation

ROOT = Path(__file__).parents[2]
Call = Callable[[], Any]
WARM_UP_CALLS = 100  # calls of every measured function before anything is counted


class Counts(NamedTuple):
    """The cost of one call: calls of Python functions, calls of C functions, bytecodes."""

    calls: int
    c_calls: int
    bytecodes: int


def count(call: Call) -> Counts:
    """The cost of a call after warm-up, without garbage collection.

    >>> count(lambda: abs(-1))[:2]
    (1, 1)
    """
    for _ in range(20):
        call()
    return Counts(*min(count_calls(call) for _ in range(5)), min(count_bytecodes(call) for _ in range(5)))


def count_calls(call: Call) -> tuple[int, int]:
    """The number of calls of Python functions, and of C functions, during one call."""
    counts = {"call": 0, "c_call": 0}

    def observe(frame: FrameType, event: str, event_argument: Any) -> None:
        if event in counts:
            counts[event] += 1

    sys.setprofile(observe)
    try:
        call()
    finally:
        sys.setprofile(None)
    return counts["call"], counts["c_call"] - 1  # the last one is setprofile itself


def count_bytecodes(call: Call) -> int:
    """The number of bytecodes that one call executes."""
    count = 0

    def observe(frame: FrameType, event: str, event_argument: Any) -> Any:
        nonlocal count
        frame.f_trace_opcodes = True
        count += event == "opcode"
        return observe

    before = sys.gettrace()
    sys._getframe().f_trace_opcodes = True  # 3.12 traces instructions only if some frame says so before
    sys.settrace(observe)
    try:
        call()
    finally:
        sys.settrace(before)
    return count


# ---- counted processes ---------------------------------------------------------------------------------


def measured_functions() -> dict[str, Call]:
    """numpy's addition; eager operators; an operator recorded on a tape, and its gradients; a compiled call."""
    arrays = [np.linspace(0.1, 0.9, 4, dtype=np.float32).reshape(shape) for shape in (4, 4, (2, 2))]
    x, y, m = map(Tensor, arrays)
    bare = repeat_operator("add", 1)
    by_name: dict[str, Call] = {"numpy add": lambda: bare(np, *arrays)}
    by_name |= {f"eager {name}": partial(repeat_operator(name, 1), ops, x, y, m) for name in OPERATORS}
    gradient, compiled = ms.grad(lambda x, y: x * y, (0, 1)), ms.jit(add)
    by_name["eager add, on a tape"] = lambda: _record_addition(x, y)
    by_name["value and gradients of x * y"] = lambda: gradient(x, y)
    by_name["compiled call of x + y"] = lambda: compiled(x, y)
    return by_name


def _record_addition(x: Tensor, y: Tensor) -> Tape:
    tape = current_implementation("tape", Tape)()
    tape.watch(x)
    with record_on(tape):
        _ = x + y
    return tape


# ---- processor instructions ----------------------------------------------------------------------------


def count_instructions(names: Sequence[str], times: int = 5000) -> dict[str, int]:
    """Processor instructions of one call of each measured function; empty without ``perf`` and ``valgrind``.

    One process only warms up all functions; for each function, another process calls it ``times`` more times. Under
    valgrind a process takes half a minute; as many run in parallel as there are processors.
    """
    counter = next((fn for fn in (_count_with_perf, _count_with_valgrind) if fn(("-c", "pass")) is not None), None)
    if counter is None:
        return {}
    runs = [("-m", "benchmarks.measuring.counts", str(times), *name) for name in [(), *((name,) for name in names)]]
    with ThreadPoolExecutor(os.cpu_count()) as threads:
        warm_up_total, *totals = threads.map(counter, runs)
    if warm_up_total is None:
        return {}
    by_name = zip(names, totals, strict=True)
    return {name: round((total - warm_up_total) / times) for name, total in by_name if total}


def _count_with_perf(arguments: Sequence[str]) -> int | None:
    return _count_in(
        ["perf", "stat", "-x,", "-e", "instructions:u", sys.executable, *arguments], r"(\d+),,instructions"
    )


def _count_with_valgrind(arguments: Sequence[str]) -> int | None:
    tool = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", sys.executable]
    return _count_in([*tool, *arguments], r"Collected : (\d+)")


def _count_in(command: Sequence[str], pattern: str) -> int | None:
    """The number that a command prints; the environment is fixed, so that two runs differ in their calls only."""
    if shutil.which(command[0]) is None:
        return None
    variables = os.environ | SINGLE_THREAD | {"PYTHONHASHSEED": "0", "PYTHONDONTWRITEBYTECODE": "1"}
    process = subprocess.run(command, cwd=ROOT, env=variables, capture_output=True, text=True, check=False)
    match = re.search(pattern, process.stderr)
    return int(match[1]) if match else None


ABOUT = """## Counted, not timed

The same on every machine: the calls, bytecodes and processor instructions of one call (numpy's work
included; instructions are blank without `perf` and `valgrind`)."""


def section(with_instructions: bool = False) -> str:
    """All measured functions as a section of RESULTS.md."""
    return f"{ABOUT}\n\n{table(with_instructions)}"


def table(with_instructions: bool = False) -> str:
    """All measured functions as a Markdown table."""
    lines = ["| what | Python calls | C calls | bytecodes | instructions |", "|---|---:|---:|---:|---:|"]
    by_name = measured_functions()
    totals = count_instructions(list(by_name)) if with_instructions else {}
    for name, call in by_name.items():
        calls, c_calls, bytecodes = count(call)
        total = f"{totals[name]:,}" if name in totals else ""
        lines.append(f"| {name} | {calls} | {c_calls} | {bytecodes} | {total} |")
    return "\n".join(lines)


if __name__ == "__main__":  # the process whose instructions are counted
    gc.disable()  # a collection would add millions of instructions
    functions = measured_functions()
    for function in functions.values():
        for _ in range(WARM_UP_CALLS):
            function()
    for name in sys.argv[2:]:
        for _ in range(int(sys.argv[1])):
            functions[name]()
