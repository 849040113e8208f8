"""``minigraph check`` and ``minigraph bisect``: is a rule right, and which rewrite made a program wrong."""

from __future__ import annotations

import argparse
import difflib
import shlex
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import passes
from minigraph.cli.opt import add_pipeline
from minigraph.cli.programs import load, program_named, rules_in
from minigraph.cli.target import module_of
from minigraph.errors import UsageError, did_you_mean
from minigraph.ir.graph import Graph
from minigraph.ir.text import to_text
from passes import AnyRule
from passes.lab.bisect import bisect
from passes.lab.check import examined


def add_check(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add ``check`` to the other commands."""
    check = commands.add_parser(
        "check", help="try rules at many small places, and show a counterexample of those that are wrong",
        description="Check rules by type, value, gradient and effect. Exit code 1 when one is wrong.",
    )  # fmt: skip
    check.add_argument("rules", nargs="*", metavar="FILE.py[:rule]", help="or rules of the table by name; default: all")
    check.add_argument("--seed", type=int, default=0, help="of the shapes and values (default: %(default)s)")
    check.set_defaults(run=_check)


def add_bisect(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add ``bisect`` to the other commands."""
    command = commands.add_parser(
        "bisect", help="find the pass, the rule and the rewrite that made a program wrong",
        description="Read a graph, a reproducer or FILE.py:function, and halve the pipeline down to one step.",
    )  # fmt: skip
    command.add_argument("program", metavar="FILE")
    add_pipeline(command)
    command.add_argument("--ok", metavar="COMMAND", help="gets an optimised graph on standard input, and exits with 0 "
                         "when it is right; default: both graphs are run and compared")  # fmt: skip
    command.set_defaults(run=_bisect)


# ---- check -----------------------------------------------------------------------------------------


def _check(arguments: argparse.Namespace) -> int:
    rules = [rule for text in arguments.rules for rule in _rules(text)]
    code = 0
    for rule in rules if arguments.rules else [rule for _, rule in passes.every_rule()]:
        report = examined(rule, seed=arguments.seed)
        print(f"{'right' if report else 'WRONG'}  {report}")
        if report.counterexample is not None:
            print(report.counterexample.snippet)
        code = code or int(not report)
    return code


def _rules(text: str) -> list[AnyRule]:
    file, colon, name = text.rpartition(":") if not text.endswith(".py") else (text, "", "")
    if not file.endswith(".py"):
        return passes.rules_named(text)
    found = rules_in(module_of(Path(file)))
    if colon and name not in found:
        raise UsageError(f"check: no rule '{name}' in {file}{did_you_mean(name, found)}")
    if not found:
        raise UsageError(f"check: {file} has no rules; make one with @rule or fuse(...)")
    return [found[name]] if colon else list(found.values())


# ---- bisect ----------------------------------------------------------------------------------------


def _bisect(arguments: argparse.Namespace) -> int:
    load(arguments.load)
    program = program_named(arguments.program)
    pipeline = passes.as_pipeline(program.pipeline_or(arguments.pipeline))
    ok = _asking(arguments.ok) if arguments.ok else None
    found = bisect(program.graph, pipeline, ok, inputs=program.inputs, seed=program.seed)
    print(found)
    print("".join(_changes(program.graph, pipeline, found.number)), end="")
    return 0


def _asking(command: str) -> Callable[[Graph], bool]:
    words = shlex.split(command)

    def ok(graph: Graph) -> bool:
        try:
            done = subprocess.run(words, input=to_text(graph), text=True, capture_output=True, check=False)
        except OSError as error:
            raise SystemExit(f"minigraph: bisect: cannot run '{command}': {error.strerror}") from None
        return done.returncode == 0

    return ok


def _changes(graph: Graph, pipeline: Any, number: int) -> list[str]:
    """What the guilty step did to the text of the graph."""
    texts = []
    for limit in (number - 1, number):
        twin = graph.clone()
        try:
            pipeline.run(twin, limit=limit, validate=False)
        except Exception as error:  # a graph that a pass broke has a text all the same
            texts.append([*to_text(twin).splitlines(keepends=True), f"# {error}\n"])
        else:
            texts.append(to_text(twin).splitlines(keepends=True))
    return list(difflib.unified_diff(texts[0], texts[1], "before", "after", n=2))
