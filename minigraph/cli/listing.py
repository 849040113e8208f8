"""``minigraph passes`` and ``minigraph list``: one line per pass, rule, chip, host or operator."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator

import passes
from minigraph.cli.programs import load, register_rules
from minigraph.cli.target import LoadedModules
from minigraph.core.definitions import RULES_GROUP, entry_point_names
from minigraph.core.op import TABLE
from minigraph.npu import CHIPS, HOSTS, chip_named
from passes.core.registry import pass_names

LISTS = {
    "chips": lambda: {name: chip_named(name).calibration for name in sorted(CHIPS)},
    "hosts": lambda: {name: host.note for name, host in sorted(HOSTS.items())},
    "operators": lambda: {name: op.doc for name, op in sorted(TABLE.items())},
}


def add_list(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add ``list`` to the commands."""
    listing = commands.add_parser(
        "list", help="list all chips, hosts or operators",
        description="List names with one line of description each.",
    )  # fmt: skip
    listing.add_argument("what", choices=sorted(LISTS), help="simulated chips, host models, or operators")
    listing.set_defaults(run=_list)


def add_passes(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add ``passes`` to the commands."""
    command = commands.add_parser(
        "passes", help="list all passes and rules (before -> after)",
        description="List all pipelines, passes and rules by name, each with the rewrite it makes (before -> after).",
    )  # fmt: skip
    command.add_argument("--load", action="append", default=[], metavar="FILE.py", help="run this file first "
                         "and list its passes and rules too")  # fmt: skip
    command.set_defaults(run=_passes)


def _list(arguments: argparse.Namespace) -> int:
    print("\n".join(_rows(LISTS[arguments.what]().items())))
    return 0


def _passes(arguments: argparse.Namespace) -> int:
    loaded: LoadedModules = {}
    load(arguments.load, loaded)
    register_rules(loaded)
    for name in pass_names():
        passes.pass_named(name)
    for name in entry_point_names(RULES_GROUP):
        passes.rules_named(name)
    print("\n\n".join(map("\n".join, _sections())))
    return 0


def _sections() -> Iterator[list[str]]:
    """The lines of each section: pipelines, passes, and every rule set."""
    pipelines = {name: str(passes.Pipeline(steps)) for name, steps in sorted(passes.PIPELINES.items())}
    yield ["# pipelines", *_rows(pipelines.items())]
    yield ["# passes", *_rows((name, pass_.summary) for name, pass_ in sorted(passes.PASSES.items()))]
    for name, rules in passes.RULES.items():
        verb = "fuse" if any(rule.is_fusion for rule in rules) else "rewrite"
        yield [f"# {verb}{{rules={name}}}", *_rows((rule.name, rule.summary) for rule in rules)]


def _rows(entries: Iterable[tuple[str, str]]) -> Iterator[str]:
    return (f"{name:24} {text}".rstrip() for name, text in entries)
