"""``minigraph check-rule``: tests rewrite and fusion rules on generated inputs."""

from __future__ import annotations

import argparse
from pathlib import Path

import passes
from minigraph.cli.programs import load_program, rules_in
from minigraph.cli.target import MODEL_FILES, add_dim_option, load_module, parse_dims
from minigraph.core.errors import UsageError, did_you_mean
from minigraph.core.files import decode_surrogates
from minigraph.ir.graph import Graph
from passes import AnyRule
from passes.validate.check import examine


def add_check_rule(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add ``check-rule`` to the commands."""
    check = commands.add_parser(
        "check-rule", help="test rewrite rules on generated inputs; print a counterexample for each incorrect one",
        description="Test rewrite rules: run pattern and replacement on generated inputs, and compare their types, "
        "values, gradients and effects. The exit code is 1 if any rule is incorrect.",
    )  # fmt: skip
    check.add_argument("rules", nargs="*", metavar="FILE.py[:rule]", help="a file's rules, or registered rules by name "
                       "(default: all registered rules); with FILE.onnx or FILE.pt2, also on that model, "
                       "and how often each rule applies to it")  # fmt: skip
    add_dim_option(check)
    check.add_argument("--seed", type=int, default=0, help="random seed for generated shapes and values")
    check.set_defaults(run=_check_rules)


def _check_rules(arguments: argparse.Namespace) -> int:
    models = [text for text in arguments.rules if text.endswith(MODEL_FILES)]
    named = [rule for text in arguments.rules if text not in models for rule in _load_rules(text)]
    graphs = {text: load_program(text, dims=parse_dims(arguments.dim)).graph for text in models}
    exit_code = 0
    for rule in named or [rule for _, rule in passes.every_rule()]:
        report = examine(rule, examples=list(graphs.values()), seed=arguments.seed)
        print(f"{'right' if report else 'WRONG'}  {report}")
        for model, graph in graphs.items() if report else ():
            count = _rewrites(rule, graph)
            print(f"       {count} rewrite{'s' * (count != 1)} in {model}")
        if report.counterexample is not None:
            print(report.counterexample.snippet)
        exit_code = exit_code or int(not report)
    return exit_code


def _rewrites(rule: AnyRule, graph: Graph) -> int:
    """The number of rewrites of a rule in a copy of a graph."""
    statistics = passes.Statistics()
    passes.apply_rules(graph.clone(), [rule], statistics)
    return statistics[rule.name].rewrites


def _load_rules(text: str) -> list[AnyRule]:
    """The rules of ``FILE.py``, one of them as ``FILE.py:rule``, or registered ones by name."""
    file, colon, name = text.rpartition(":") if not text.endswith(".py") else (text, "", "")
    name = decode_surrogates(name)
    if not file.endswith(".py"):
        return passes.rules_named(decode_surrogates(text))
    rules = rules_in(load_module(Path(file)))
    if not rules:
        raise UsageError(f"check-rule: {file} has no rules; define one with @rule or fuse(...)")
    selection = [rule for rule in rules if not colon or rule.name == name]
    if not selection:
        suggestion = did_you_mean(name, [rule.name for rule in rules])
        raise UsageError(f"check-rule: no rule '{name}' in {file}{suggestion}")
    return selection
