"""``minigraph check-rule``: is a rule right?"""

from __future__ import annotations

import argparse
from pathlib import Path

import passes
from minigraph.cli.programs import rules_in
from minigraph.cli.target import module_of
from minigraph.core.errors import UsageError, did_you_mean
from passes import AnyRule
from passes.validate.check import examined


def add_check_rule(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the others."""
    check = commands.add_parser(
        "check-rule", help="try rules at many small places, and show a counterexample of those that are wrong",
        description="Check rules by type, value, gradient and effect. Exit code 1 when one is wrong.",
    )  # fmt: skip
    check.add_argument("rules", nargs="*", metavar="FILE.py[:rule]", help="or rules of the table by name; default: all")
    check.add_argument("--seed", type=int, default=0, help="of the shapes and values (default: %(default)s)")
    check.set_defaults(run=_check)


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
        raise UsageError(f"check-rule: no rule '{name}' in {file}{did_you_mean(name, found)}")
    if not found:
        raise UsageError(f"check-rule: {file} has no rules; make one with @rule or fuse(...)")
    return [found[name]] if colon else list(found.values())
