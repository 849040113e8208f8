"""``minigraph opt FILE --bisect CMD``: the first step that makes a program wrong, and what it did."""

from __future__ import annotations

import difflib
import subprocess
import sys
from collections.abc import Callable

from minigraph.cli.programs import Program
from minigraph.core.errors import UsageError
from minigraph.ir.graph import Graph
from minigraph.ir.text import to_text
from passes import Pipeline
from passes.bisection import bisect
from passes.validate.difference import FAULTS

UNUSABLE = (126, 127)  # what a shell exits with when a command is no program, or is not there


def bisected(program: Program, pipeline: Pipeline, command: str) -> int:
    """Print the graph as the first bad step leaves it; the step and its difference go to standard error.

    ``command``, the shell's, gets graphs on standard input and exits with 0 for those that are right; "" compares
    them by running. Raises ``UsageError`` when nothing is wrong, or the command cannot be run.
    """
    ok = _asking(command) if command else None
    if ok is not None:
        ok(program.graph)  # a command that cannot be run is refused before anything is
    found = bisect(program.graph, pipeline, ok, inputs=program.inputs, seed=program.seed)
    good, bad = (_text_after(program.graph, pipeline, limit) for limit in (found.number - 1, found.number))
    print("".join(bad), end="", flush=True)
    change = difflib.unified_diff(good, bad, f"--limit {found.number - 1}", f"--limit {found.number}", n=2)
    print(f"{found}\n{''.join(change)}", end="", file=sys.stderr)
    return 0


def _asking(command: str) -> Callable[[Graph], bool]:
    def ok(graph: Graph) -> bool:
        done = subprocess.run(command, shell=True, input=to_text(graph), text=True, capture_output=True, check=False)
        if done.returncode in UNUSABLE:
            told = done.stderr.strip().rpartition("\n")[2]
            raise UsageError(f"opt: --bisect '{command}' cannot be run: {told}; give a command of your shell")
        return done.returncode == 0

    return ok


def _text_after(graph: Graph, pipeline: Pipeline, limit: int) -> list[str]:
    """The graph after so many steps; one that a pass broke has a text all the same, with the error below."""
    twin = graph.clone()
    try:
        pipeline.run(twin, limit=limit, validate=False)
    except FAULTS as error:
        return [*to_text(twin).splitlines(keepends=True), f"# {error}\n"]
    return to_text(twin).splitlines(keepends=True)
