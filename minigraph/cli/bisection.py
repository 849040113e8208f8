"""``minigraph opt FILE --bisect CMD``: finds the first pass or rewrite that makes a program wrong, and shows it."""

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
from passes.validate.difference import RUN_ERRORS

SHELL_FAILURES = (126, 127)  # POSIX exit codes of a shell: command not executable, command not found


def print_bisection(program: Program, pipeline: Pipeline, command: str) -> int:
    """Print the graph after the first wrong step; the step and a diff of the graph go to standard error.

    ``command`` is a shell command that reads a graph on standard input and exits with 0 if it is right; with "" the
    graphs are executed and compared. Raises ``UsageError`` when nothing is wrong, or the command cannot be run.
    """
    ok = _shell_check(command) if command else None
    if ok is not None:
        ok(program.graph)  # refuse an unusable command before any pass runs
    culprit = bisect(program.graph, pipeline, ok, inputs=program.inputs, seed=program.seed)
    good, bad = (_text_after(program.graph, pipeline, limit) for limit in (culprit.number - 1, culprit.number))
    print("".join(bad), end="", flush=True)
    change = difflib.unified_diff(good, bad, f"--limit {culprit.number - 1}", f"--limit {culprit.number}", n=2)
    print(f"{culprit}\n{''.join(change)}", end="", file=sys.stderr)
    return 0


def _shell_check(command: str) -> Callable[[Graph], bool]:
    def check(graph: Graph) -> bool:
        text = to_text(graph).encode()
        process = subprocess.run(command, shell=True, input=text, capture_output=True, check=False)
        if process.returncode in SHELL_FAILURES:
            reason = process.stderr.decode(errors="replace").strip().rpartition("\n")[2]
            raise UsageError(f"opt: --bisect '{command}' cannot be run: {reason}; give a shell command")
        return process.returncode == 0

    return check


def _text_after(graph: Graph, pipeline: Pipeline, limit: int) -> list[str]:
    """The text of the graph after ``limit`` steps; if a pass broke the graph, the error follows as a comment."""
    copy = graph.clone()
    try:
        pipeline.run(copy, limit=limit, validate=False)
    except RUN_ERRORS as error:
        return [*to_text(copy).splitlines(keepends=True), f"# {error}\n"]
    return to_text(copy).splitlines(keepends=True)
