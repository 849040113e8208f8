"""Work that is counted, not timed: the same on every machine, today and tomorrow, so that changes can be compared.

Python's own calls, calls into C and bytecodes are counted in this process; processor instructions, where ``perf`` or
``valgrind`` can count them, as the difference of two runs of different length.
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
from benchmarks.work.workloads import OPERATORS, add, repeated
from minigraph import Tensor, ops
from minigraph.core.autodiff.tape import Tape
from minigraph.core.op import listening
from minigraph.core.seams import switched

ROOT = Path(__file__).parents[2]
Call = Callable[[], Any]
WARM = 100  # calls of everything, before anything is counted


class Counts(NamedTuple):
    """What one call costs: calls of Python functions, calls of C functions, bytecodes."""

    calls: int
    c_calls: int
    bytecodes: int


def counted(call: Call) -> Counts:
    """What a call costs once everything is warm, and when nothing is tidied up meanwhile.

    >>> counted(lambda: abs(-1))[:2]
    (1, 1)
    """
    for _ in range(20):
        call()
    return Counts(*min(calls(call) for _ in range(5)), min(bytecodes(call) for _ in range(5)))


def calls(call: Call) -> tuple[int, int]:
    """How many Python functions, and how many C functions, one call calls."""
    seen = {"call": 0, "c_call": 0}

    def note(frame: FrameType, event: str, what: Any) -> None:
        if event in seen:
            seen[event] += 1

    sys.setprofile(note)
    try:
        call()
    finally:
        sys.setprofile(None)
    return seen["call"], seen["c_call"] - 1  # the last one is setprofile itself


def bytecodes(call: Call) -> int:
    """How many bytecodes one call runs."""
    count = 0

    def note(frame: FrameType, event: str, what: Any) -> Any:
        nonlocal count
        frame.f_trace_opcodes = True
        count += event == "opcode"
        return note

    before = sys.gettrace()
    sys.settrace(note)
    try:
        call()
    finally:
        sys.settrace(before)
    return count


# ---- what is counted -----------------------------------------------------------------------------------


def subjects() -> dict[str, Call]:
    """numpy's own addition; our eager operators; an operator on a tape, and differentiated; a compiled call."""
    arrays = [np.linspace(0.1, 0.9, 4, dtype=np.float32).reshape(shape) for shape in (4, 4, (2, 2))]
    x, y, m = map(Tensor, arrays)
    bare = repeated("add", 1)
    found: dict[str, Call] = {"numpy add": lambda: bare(np, *arrays)}
    found |= {f"eager {name}": partial(repeated(name, 1), ops, x, y, m) for name in OPERATORS}
    gradient, compiled = ms.grad(lambda x, y: x * y, (0, 1)), ms.jit(add)
    found["eager add, on a tape"] = lambda: _taped(x, y)
    found["value and gradients of x * y"] = lambda: gradient(x, y)
    found["compiled call of x + y"] = lambda: compiled(x, y)
    return found


def _taped(x: Tensor, y: Tensor) -> Tape:
    tape = switched("tape", Tape)()
    tape.watch(x)
    with listening(tape):
        _ = x + y
    return tape


# ---- processor instructions ----------------------------------------------------------------------------


def instructions(names: Sequence[str], times: int = 5000) -> dict[str, int]:
    """Processor instructions of one call of each subject; none where nothing can count them.

    A process that warms up all subjects is counted, and one for each that then goes on with it. Under valgrind each
    takes half a minute; as many run beside each other as there are processors.
    """
    counter = next((fn for fn in (_by_perf, _by_valgrind) if fn(("-c", "pass")) is not None), None)
    if counter is None:
        return {}
    runs = [("-m", "benchmarks.measuring.counts", str(times), *name) for name in [(), *((name,) for name in names)]]
    with ThreadPoolExecutor(os.cpu_count()) as threads:
        warm, *totals = threads.map(counter, runs)
    found = dict(zip(names, totals, strict=True))
    return {name: round((total - warm) / times) for name, total in found.items() if warm is not None and total}


def _by_perf(arguments: Sequence[str]) -> int | None:
    return _told(["perf", "stat", "-x,", "-e", "instructions:u", sys.executable, *arguments], r"(\d+),,instructions")


def _by_valgrind(arguments: Sequence[str]) -> int | None:
    tool = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", sys.executable]
    return _told([*tool, *arguments], r"Collected : (\d+)")


def _told(command: Sequence[str], pattern: str) -> int | None:
    if shutil.which(command[0]) is None:
        return None
    alike = os.environ | SINGLE_THREAD | {"PYTHONHASHSEED": "0", "PYTHONDONTWRITEBYTECODE": "1"}  # two runs differ by
    done = subprocess.run(command, cwd=ROOT, env=alike, capture_output=True, text=True, check=False)  # their calls only
    found = re.search(pattern, done.stderr)
    return int(found[1]) if found else None


ABOUT = """## Counted, not timed

The same on every machine: what one call costs in calls, bytecodes and processor instructions (of a
whole call, numpy's work included; blank where neither `perf` nor `valgrind` counts them)."""


def section(with_instructions: bool = False) -> str:
    """All subjects as a section of RESULTS.md."""
    return f"{ABOUT}\n\n{table(with_instructions)}"


def table(with_instructions: bool = False) -> str:
    """All subjects as a Markdown table."""
    lines = ["| what | Python calls | C calls | bytecodes | instructions |", "|---|---:|---:|---:|---:|"]
    found = subjects()
    totals = instructions(list(found)) if with_instructions else {}
    for name, call in found.items():
        calls, c_calls, bytecodes = counted(call)
        total = f"{totals[name]:,}" if name in totals else ""
        lines.append(f"| {name} | {calls} | {c_calls} | {bytecodes} | {total} |")
    return "\n".join(lines)


if __name__ == "__main__":  # the process whose instructions are counted
    gc.disable()  # a collection takes millions of instructions, now and then
    warm = subjects()
    for subject in warm.values():
        for _ in range(WARM):
            subject()
    for name in sys.argv[2:]:
        for _ in range(int(sys.argv[1])):
            warm[name]()
