"""Tables of all passes, rules, operators and chips, from their registries, and the help of the command."""

from __future__ import annotations

import argparse
import inspect
import sys
from collections.abc import Iterable, Iterator

import passes
from minigraph.cli.main import command_parser
from minigraph.core.op import TABLE
from minigraph.npu import CHIPS, chip_named
from passes.core.registry import BUILT_IN, EXTRAS


def catalogue_pages() -> dict[str, str]:
    """The pages, as text by file name."""
    operators = ((f"`{name}`", op.family, op.unit, op.doc) for name, op in sorted(TABLE.items()))
    chips = ((f"`{name}`", chip_named(name).calibration) for name in sorted(CHIPS))
    return {
        "passes.md": pass_page(),
        "rules.md": rule_page(),
        "operators.md": _page("Operators", _table(("operator", "family", "unit", "what it computes"), operators)),
        "chips.md": _page("Chips", _table(("chip", "evidence"), chips)),
        "command_line.md": _page("The command line", *_helps(command_parser())),
    }


def pass_page() -> str:
    """Pipelines, a table of the passes, and the text of a graph before and after each pass."""
    pipelines = ((f"`{name}`", _pipeline_text(str(passes.Pipeline(p)))) for name, p in passes.PIPELINES.items())
    listed = [passes.pass_named(name) for name in pass_names()]
    rows = ((f"[`{step.name}`](#pass-{step.name})", step.summary, exactness(step)) for step in listed)
    return _page(
        "Passes and pipelines",
        "`minigraph passes` prints these tables, with the passes of files that you `--load`.",
        _table(("pipeline", "passes"), pipelines),
        "A pass keeps every bit of the results, or changes their rounding within a relative tolerance.",
        _table(("pass", "before → after", "bit-exact"), rows),
        *map(_pass_section, listed),
    )


def _pipeline_text(text: str) -> str:
    return f"`{text.replace(',', ', ').replace(',  ', ', ')}`" if text else "no pass"


def pass_names() -> list[str]:
    """The names of the passes that ship with minigraph, sorted."""
    return sorted([*" ".join(BUILT_IN.values()).split(), "fuse", "rewrite", *EXTRAS])


def exactness(pass_or_rule: passes.Pass | passes.AnyRule) -> str:
    """Whether a pass or rule keeps every bit, else its relative tolerance."""
    if pass_or_rule.tol:
        return f"{pass_or_rule.tol:.0e}".replace("e-0", "e-")
    return "depends on the rules" if "rules" in getattr(pass_or_rule, "options", ()) else "yes"


def _pass_section(step: passes.Pass) -> str:
    doc = inspect.cleandoc(sys.modules[step.__module__].__doc__ or "")
    return f"(pass-{step.name})=\n## `{step}`\n\n```{{eval-rst}}\n{doc}\n```"


def rule_page() -> str:
    """A table for each set of rules."""
    head = ("rule", "before → after", "bit-exact")
    sections = (f"## {name}\n\n{_table(head, _rule_rows(name))}" for name in passes.RULES)
    about = "`fuse{rules=...}` and `rewrite{rules=...}` apply these sets; `minigraph passes` prints them."
    return _page("Rules", about, *sections)


def _rule_rows(name: str) -> Iterator[tuple[str, ...]]:
    return ((f"`{rule.name}`", f"`{rule.summary}`", exactness(rule)) for rule in passes.RULES[name])


def _helps(parser: argparse.ArgumentParser) -> Iterator[str]:
    """The help of the command and of each of its commands."""
    yield f"```text\n{parser.format_help()}```"
    (commands,) = (action for action in parser._actions if isinstance(action, argparse._SubParsersAction))
    for name, command in commands.choices.items():
        yield f"## `minigraph {name}`\n\n```text\n{command.format_help()}```"


def _page(title: str, *blocks: str) -> str:
    return "\n\n".join((f"# {title}", *blocks)) + "\n"


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [head, ("---",) * len(head), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", r"\|") for cell in line) + " |" for line in lines)
