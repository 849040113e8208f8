"""What the commands on graphs read: graph text, a reproducer, or a function in a file."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from minigraph.cli.target import Ran, module_of, target_named
from minigraph.core.context import get_context
from minigraph.core.errors import UsageError, did_you_mean
from minigraph.core.tensor import Tensor
from minigraph.ir.graph import Graph
from minigraph.ir.text import parse
from passes import PASSES, RULES, AnyRule, Pass
from passes.core.registry import as_pass
from passes.validate.reproducer import is_reproducer, read


class Program(NamedTuple):
    """A graph, and what is known beside it: arrays to run it on, and the pipeline and seed of a reproducer."""

    graph: Graph
    inputs: list[Any] | None = None
    pipeline: str | None = None
    seed: int = 0

    def pipeline_or(self, chosen: str | None) -> Any:
        """The pipeline chosen on the command line, else the file's, else the context's."""
        return next(p for p in (chosen, self.pipeline, get_context("pipeline")) if p is not None)


def program_named(text: str, ran: Ran | None = None) -> Program:
    """The program of ``FILE.py:function``, of a file with graph text, or of standard input for ``-``.

    A file that runs for it is entered in ``ran``.

    Raises ``UsageError`` for a file that is not there, ``ParseError`` for text that is no graph.
    """
    file, colon, _ = text.rpartition(":")
    if colon and file.endswith(".py"):
        target = target_named(text, ran)
        graph = target.function.graph(*target.inputs, pipeline=())
        arrays = [value.array for value in target.inputs if isinstance(value, Tensor)]
        return Program(graph, arrays if len(arrays) == len(graph.inputs) else None)
    content = sys.stdin.read() if text == "-" else _content(Path(text))
    if is_reproducer(content):
        found = read(content)
        inputs = [literal.array for literal in found.inputs] if found.inputs is not None else None
        return Program(found.graph, inputs, found.pipeline, found.seed)
    return Program(parse(content))


def _content(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        near = did_you_mean(path.name, [p.name for p in path.parent.glob("*.*")] if path.parent.is_dir() else [])
        why = error.strerror if isinstance(error, OSError) else "it is no text"
        raise UsageError(f"cannot read '{path}': {why}{near if not path.exists() else ''}") from None


def load(files: list[str], ran: Ran) -> None:
    """Run users' files but those in ``ran``, for the operators, passes and chips they define."""
    for file in files:
        module_of(Path(file), ran)


def enter_rules(ran: Ran) -> dict[str, AnyRule]:
    """Let pipelines name the rules of the files that ran, as passes and in sets of rules; returns them by name."""
    found = {name: rule for module in ran.values() for name, rule in rules_in(module).items()}
    for name, rule in found.items():
        PASSES.setdefault(name, as_pass(rule))
        RULES.setdefault(name, (rule,))
    return found


def rules_in(module: ModuleType) -> dict[str, AnyRule]:
    """The rules that a module holds, by their own names, also those in tuples and lists."""
    values = [value for name, value in vars(module).items() if not name.startswith("__")]
    nested = [item for value in values if isinstance(value, tuple | list) for item in value]
    rules = (value.body if isinstance(value, Pass) else value for value in (*values, *nested))
    return {rule.name: rule for rule in rules if isinstance(rule, AnyRule)}
