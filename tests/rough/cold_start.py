"""Interrupts while minigraph is imported and called for the first time; each in a process of its own, by ``fork``.

Run as a program with a number of samples, it prints what went wrong, and last the number of interrupts.
"""

from __future__ import annotations

import gc
import os
import sys
import traceback
from collections.abc import Callable
from typing import Any

import numpy as np

# Libraries that minigraph imports: only imports of minigraph's own files are traced and interrupted.
import networkx  # noqa: F401  # isort: skip

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FOLDERS = tuple(os.path.join(ROOT, package) + os.sep for package in ("minigraph", "passes"))


class Interrupted(KeyboardInterrupt):
    """The exception that is raised."""


class Interrupter:
    """A trace function that counts the instructions of minigraph, and raises at number ``at``."""

    def __init__(self, at: int = -1) -> None:
        self.count, self.at, self.where = 0, at, ""

    def __call__(self, frame: Any, event: str, _: Any) -> Any:
        if not frame.f_code.co_filename.startswith(FOLDERS):
            return None
        frame.f_trace_opcodes = True
        if event == "opcode":
            self.count += 1
            if self.count == self.at:
                self.where = f"{frame.f_code.co_filename}:{frame.f_lineno} ({frame.f_code.co_name})"
                raise Interrupted
        return self


def first_calls() -> list[Any]:
    """Import minigraph; the results of eager, differentiated and compiled calls."""
    import minigraph as ms  # noqa: PLC0415  # it is what is interrupted

    def function(x: Any) -> Any:
        return (ms.ops.softmax(x @ x * 2.0) * x).sum()

    x = ms.Tensor(np.float32([[1, 2], [3, 4]]))
    runs = (function, ms.grad(function), ms.jit(function), ms.jit(ms.grad(function)))
    return [run(x).tolist() for run in runs]


def run_interrupted(at: int) -> Interrupter:
    """Call ``first_calls`` and interrupt it."""
    tracer = Interrupter(at)
    sys._getframe().f_trace_opcodes = True  # 3.12 traces instructions only if some frame says so before
    sys.settrace(tracer)
    try:
        first_calls()
    except BaseException as error:
        tracer.where += f", {type(error).__name__}"
    finally:
        sys.settrace(None)
    return tracer


def fault_after(at: int, expected: str) -> str:
    """The faults after an interrupt: state that is left open, or wrong results of the next calls; empty if there are
    none.
    """
    where = run_interrupted(at).where
    left = {
        "profile": sys.getprofile() is not None,
        "gc": not gc.isenabled(),
        "stdout": sys.stdout is not sys.__stdout__,
    }
    open_resources = ", ".join(name for name, is_open in left.items() if is_open)
    try:
        results = repr(first_calls())
    except BaseException:
        return f"{where}: {open_resources}\n{traceback.format_exc(limit=-3)}"
    return f"{where}: {open_resources} {results}" if open_resources or results != expected else ""


def in_child(function: Callable[[], object]) -> str:
    """The result of a function in a forked process, as text."""
    reader, writer = os.pipe()
    if os.fork() == 0:
        with os.fdopen(writer, "w") as file:
            file.write(str(function()))
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as file:
        text = file.read()
    os.wait()
    return text


def main(samples: int) -> None:
    """Interrupt at instructions spread evenly over the whole."""
    expected = in_child(first_calls)
    count = int(in_child(lambda: run_interrupted(-1).count))
    for k in range(samples):
        at = 1 + k * (count - 1) // max(1, samples - 1)
        if fault := in_child(lambda at=at: fault_after(at, expected)):  # type: ignore[misc]
            print(f"instruction {at}: {fault}")
    print(f"{samples} of {count:,}")


if __name__ == "__main__":
    main(int(sys.argv[1]))
