"""Loads the program of a command: graph text, a reproducer, or a function in a Python file."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from minigraph.cli.target import MODEL_FILES, LoadedModules, load_module, load_target
from minigraph.core.aliases import Array
from minigraph.core.context import get_context
from minigraph.core.errors import UsageError, did_you_mean
from minigraph.core.scope_guard import reraise_handler_error
from minigraph.core.tensor import Tensor
from minigraph.ir.graph import Graph
from minigraph.ir.text import parse
from passes import PASSES, RULES, AnyRule, Pass, apply_rules
from passes.core.registry import Options, as_pass
from passes.validate.reproducer import is_reproducer, read_reproducer


class Program(NamedTuple):
    """A graph with the arrays to run it on, and the pipeline and seed of a reproducer, where known."""

    graph: Graph
    inputs: list[Array] | None = None
    pipeline: str | None = None
    seed: int = 0

    def pipeline_or(self, option: str | None) -> Any:
        """The pipeline of the command line, else the file's, else the context's."""
        return next(p for p in (option, self.pipeline, get_context("pipeline")) if p is not None)


def load_program(
    text: str, loaded: LoadedModules | None = None, dims: Mapping[str, int] | None = None
) -> Program:  # fmt: skip
    """Load ``FILE.py:function``, ``FILE.onnx``, a file with graph text, or graph text from standard input for ``-``.

    A Python file that runs for it is added to ``loaded``.

    Raises ``UsageError`` for a file that cannot be read, ``ParseError`` for malformed graph text, ``VerifyError`` for
    an invalid graph.
    """
    file, colon, _ = text.rpartition(":")
    if (colon and file.endswith(".py")) or dims or text.endswith(MODEL_FILES):
        target = load_target(text, loaded, dims)
        graph = target.function.graph(*target.inputs, pipeline=())
        arrays = [value.array for value in target.inputs if isinstance(value, Tensor)]
        return Program(graph, arrays if len(arrays) == len(graph.inputs) else None)
    content = sys.stdin.read() if text == "-" else _read_text(Path(text))
    if is_reproducer(content):
        reproducer = read_reproducer(content)
        inputs = [literal.array for literal in reproducer.inputs] if reproducer.inputs is not None else None
        return Program(reproducer.graph, inputs, reproducer.pipeline, reproducer.seed)
    return Program(parse(content))


def _read_text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reraise_handler_error(error)
        suggestion = did_you_mean(path.name, [p.name for p in path.parent.glob("*.*")] if path.parent.is_dir() else [])
        reason = error.strerror if isinstance(error, OSError) else "not a text file"
        raise UsageError(f"cannot read '{path}': {reason}{suggestion if not path.exists() else ''}") from None


def load(files: list[str], loaded: LoadedModules) -> None:
    """Run the user's files that are not in ``loaded`` yet, so that they register operators, passes and chips."""
    for file in files:
        load_module(Path(file), loaded)


def register_rules(loaded: LoadedModules) -> dict[str, list[AnyRule]]:
    """Register the rules of loaded files as passes and as rule sets, for use in pipelines; returns them by name."""
    by_name: dict[str, list[AnyRule]] = {}
    for module in loaded.values():
        for rule in rules_in(module):
            by_name.setdefault(rule.name, []).append(rule)
    for name, rules in by_name.items():
        PASSES.setdefault(name, _pass_of(name, rules))
        RULES.setdefault(name, tuple(rules))
    return by_name


def _pass_of(name: str, rules: Sequence[AnyRule]) -> Pass:
    """One rule as a pass, or several rules of one name."""

    def apply_all(graph: Graph, *, options: Options) -> None:
        apply_rules(graph, rules, options.statistics)

    return as_pass(rules[0]) if len(rules) == 1 else Pass(apply_all, {}, name)


def rules_in(module: ModuleType) -> list[AnyRule]:
    """The rules defined in a module, also inside tuples and lists, each once; several may have one name."""
    values = [value for name, value in vars(module).items() if not name.startswith("__")]
    nested = [item for value in values if isinstance(value, tuple | list) for item in value]
    rules = (value.body if isinstance(value, Pass) else value for value in (*values, *nested))
    return list({id(rule): rule for rule in rules if isinstance(rule, AnyRule)}.values())
