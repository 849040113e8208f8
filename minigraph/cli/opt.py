"""``minigraph opt``: reads a graph, runs passes on it, prints the result; usable in a pipe."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import passes
import viz
from minigraph.cli.bisection import print_bisection
from minigraph.cli.programs import Program, load, load_program, register_rules
from minigraph.cli.target import LoadedModules, add_dim_option, parse_dims
from minigraph.core.context import get_context
from minigraph.core.errors import UsageError
from minigraph.core.files import decode_surrogates
from minigraph.ir.graph import Graph
from minigraph.ir.text import body_path, to_text
from minigraph.npu import chip_named, cycles
from passes.core.dump import DUMP_MODES, Dump
from passes.core.pass_verifier import Validation
from passes.core.records import Records

PRINT_HELP = {"changed": "after passes that changed it", "all": "after every pass", "failed": "before a failing pass"}


def add_opt(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add ``opt`` to the commands."""
    opt = commands.add_parser(
        "opt", help="run passes on a graph and print it",
        description="Read a graph, run passes on it, and print it to stdout. Diagnostics go to stderr.",
    )  # fmt: skip
    opt.add_argument(
        "program", metavar="FILE", help="graph text (- for stdin), FILE.py:function, FILE.onnx or FILE.pt2"
    )
    add_pipeline(opt)
    add_dim_option(opt)
    _add_printing(opt)
    opt.add_argument("--stats", action="store_true", help="print statistics per pass and per rule")
    opt.add_argument(
        "--chip", default=get_context("chip"), help="chip whose cycles --stats prints (default: %(default)s)"
    )
    opt.add_argument(
        "--validate", action="store_true", help="execute the graph before and after each pass; compare results"
    )
    opt.add_argument("--limit", type=int, metavar="N", help="run at most N passes and rewrites")
    opt.add_argument("--bisect", nargs="?", const="", metavar="CMD", help="find the first pass or rewrite after which "
                     "the graph is incorrect, and print that graph; CMD reads a graph from stdin and exits with 0 "
                     "if it is correct; without CMD, graphs are executed and compared")  # fmt: skip
    opt.add_argument("--why", metavar="RULE[@NODE]", help="explain why a rule does not match in the final graph")
    opt.add_argument("--picture", metavar="FILE", help="draw the final graph to this .svg, .png, .pdf or .dot file")
    opt.set_defaults(run=_opt)


def _add_printing(opt: argparse.ArgumentParser) -> None:
    choice = opt.add_mutually_exclusive_group()
    for kind in DUMP_MODES:
        choice.add_argument(f"--print-{kind}", action="store_const", const=kind, dest="shown", help="print the graph "
                           f"{PRINT_HELP[kind]}")  # fmt: skip
    opt.add_argument(
        "--only-pass", action="append", default=[], metavar="PASS", help="print the graph only after this pass"
    )
    opt.add_argument("--only-op", default="", metavar="OPERATOR", help="print only nodes with this operator")
    opt.add_argument("--only-line", default="", metavar="FILE:LINE", help="print only nodes from this source line")


def add_pipeline(parser: argparse.ArgumentParser) -> None:
    """Add the options that select passes."""
    parser.add_argument("-p", "--pipeline", type=decode_surrogates, help="passes to run, such as "
                        "'lower_depend,fix(cse,dce),fuse{rules=cube}'")  # fmt: skip
    add_load(parser)


def pipeline_option(arguments: argparse.Namespace) -> Any:
    """The pipeline of ``--pipeline``, the context's without it; the text "" is a pipeline without passes."""
    return get_context("pipeline") if arguments.pipeline is None else arguments.pipeline


def add_load(parser: argparse.ArgumentParser) -> None:
    """Add the option ``--load``, which runs files that define passes and rules."""
    parser.add_argument("--load", action="append", default=[], metavar="FILE.py", help="run this file first; the "
                        "pipeline can use its passes and rules, and those of the program's file")  # fmt: skip


def _opt(arguments: argparse.Namespace) -> int:
    loaded: LoadedModules = {}
    load(arguments.load, loaded)
    program = load_program(arguments.program, loaded, parse_dims(arguments.dim))
    own_rules = register_rules(loaded)
    pipeline = passes.as_pipeline(program.pipeline_or(arguments.pipeline))
    chip_named(arguments.chip)
    if arguments.bisect is not None:
        _check_alone(arguments)
        return print_bisection(program, pipeline, arguments.bisect)
    records = _run(arguments, program, pipeline)
    if arguments.picture:
        viz.save(program.graph, arguments.picture)
    if arguments.stats:
        chip_note = f"cycles: simulated on {chip_named(arguments.chip).label}\n"
        print(records.table(), chip_note, *map(_details, records), sep="", end="", file=sys.stderr)
    for explanation in _explain(program.graph, arguments.why, own_rules) if arguments.why else ():
        print(explanation, file=sys.stderr)
    print(to_text(program.graph), end="")
    return 0


def _run(arguments: argparse.Namespace, program: Program, pipeline: passes.Pipeline) -> Records:
    validation = Validation(program.seed, program.inputs, get_context("save_graphs_path"))
    return pipeline.run(
        program.graph,
        observers=[_dump(arguments)] if _print_mode(arguments) else [],
        cost=(lambda graph: cycles(graph, chip=arguments.chip)) if arguments.stats else None,
        validate=validation if arguments.validate else None,
        limit=arguments.limit,
    )


def _print_mode(arguments: argparse.Namespace) -> str:
    """When to print the graph: a key of ``PRINT_HELP``, or "" for never."""
    filtered = arguments.only_pass or arguments.only_op or arguments.only_line
    return arguments.shown or ("changed" if filtered else "")


def _dump(arguments: argparse.Namespace) -> Dump:
    return Dump(_print_mode(arguments), passes=arguments.only_pass, op=arguments.only_op, line=arguments.only_line)


def _check_alone(arguments: argparse.Namespace) -> None:
    if arguments.stats or arguments.why or arguments.validate or _print_mode(arguments) or arguments.limit is not None:
        raise UsageError("opt: --bisect takes no other options; pass the step number that it prints to --limit")


def _explain(graph: Graph, text: str, own_rules: Mapping[str, list[passes.AnyRule]]) -> list[passes.Explanation]:
    """The match attempts of the user's or registered rules with this name, at ``@%7`` or at the best partial match."""
    name, _, location = text.partition("@")
    node = location.removeprefix("%")
    if location and not node.isdecimal():
        raise UsageError(f"--why {text}: '{location}' is not a node; write --why {name}@%7")
    rules = own_rules.get(name) or passes.rules_named(name)
    if location:
        return [passes.explain_match(rule, graph, int(node)) for rule in rules]
    return [_explain_everywhere(rule, graph) for rule in rules]


def _explain_everywhere(rule: passes.AnyRule, graph: Graph) -> passes.Explanation:
    """The best partial match in a graph and in the bodies of its nodes; names the node whose body it is in."""
    best = passes.explain_match(rule, graph)
    for node, path, body in _bodies(graph):
        explanation = passes.explain_match(rule, body)
        if (bool(explanation), explanation.depth) > (bool(best), best.depth):
            owner = f"%{node} = {graph.op(node).label_of(graph.attrs(node))}"
            verdict, reason = (
                re.sub(r"%(?=\d)", f"%{path}", text) for text in (explanation.verdict, explanation.reason)
            )
            best = replace(explanation, verdict=f"in the body of {owner}: {verdict}", reason=reason)
    return best


def _bodies(graph: Graph) -> Iterator[tuple[int, str, Graph]]:
    """Every body with operators, with its outermost node, and its path."""
    worklist = [(node, "", graph, node) for node in graph]
    while worklist:
        outermost, path, owner, node = worklist.pop()
        for number, body in enumerate(owner.regions(node)):
            inner = body_path(path, node, number)
            if any(not body.op(node).is_leaf for node in body):
                yield outermost, inner, body
            worklist += [(outermost, inner, body, node) for node in body]


def _details(record: passes.PassRecord) -> str:
    """One line per rule with a match and per cost-based decision."""
    rules = [f"{record.name}: {name}: {stats}" for name, stats in record.rules.items() if stats.matches]
    return "".join(f"{line}\n" for line in (*rules, *(f"{record.name}: {choice}" for choice in record.choices)))
