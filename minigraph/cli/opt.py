"""``minigraph opt``: a graph in, passes over it, a graph out; usable in a pipe."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence

import passes
from minigraph.cli.programs import load, program_named
from minigraph.context import get_context
from minigraph.errors import UsageError
from minigraph.ir.graph import Graph
from minigraph.ir.text import to_text
from minigraph.npu import chip_named, cycles
from passes.lab.guard import Validation
from passes.pipelines.dump import KINDS, Dump


def add_opt(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the others."""
    opt = commands.add_parser(
        "opt", help="run passes over a graph and print it",
        description="Read a graph (text, - for standard input, or FILE.py:function), run passes, print the graph.",
    )  # fmt: skip
    opt.add_argument("program", metavar="FILE")
    add_pipeline(opt)
    opt.add_argument("--validate", action="store_true", help="run the graph before and after every pass")
    opt.add_argument("--limit", type=int, metavar="N", help="let only the first N passes and rewrites happen")
    opt.add_argument("--stats", action="store_true", help="figures per pass on standard error")
    opt.add_argument("--chip", help="price the graph in cycles of this chip, for --stats")
    opt.add_argument("--dump", choices=KINDS, help="graphs on standard error, as the passes leave them")
    opt.add_argument("--dump-pass", action="append", default=[], metavar="PASS", help="only after this pass")
    opt.add_argument("--dump-op", default="", metavar="OPERATOR", help="only nodes of this operator")
    opt.add_argument("--dump-line", default="", metavar="FILE:LINE", help="only nodes of this line of the user's")
    opt.add_argument("--why", metavar="RULE[@NODE]", help="on standard error, why a rule does not apply to the result")
    opt.set_defaults(run=_opt)


def add_pipeline(parser: argparse.ArgumentParser) -> None:
    """Add the arguments that choose passes."""
    parser.add_argument("-p", "--pipeline", help="passes, such as 'lower_depend,fix(cse,dce),fuse{rules=cube}'")
    parser.add_argument("--load", action="append", default=[], metavar="FILE.py", help="run this file first: its "
                        "passes and rules may stand in the pipeline by name")  # fmt: skip


def _opt(arguments: argparse.Namespace) -> int:
    own = load(arguments.load)
    program = program_named(arguments.program)
    pipeline = passes.as_pipeline(program.pipeline_or(arguments.pipeline))
    if arguments.chip:
        chip_named(arguments.chip)
    validation = Validation(program.seed, program.inputs, get_context("save_graphs_path"))
    shown = arguments.dump or ("changed" if arguments.dump_pass or arguments.dump_op or arguments.dump_line else "")
    records = pipeline.run(
        program.graph,
        observers=[_dump(arguments, shown)] if shown else [],
        cost=(lambda graph: cycles(graph, chip=arguments.chip)) if arguments.chip else None,
        validate=validation if arguments.validate else None,
        limit=arguments.limit,
    )
    if arguments.stats:
        print(records.table(), *_choices(records), sep="", end="", file=sys.stderr)
    for explanation in _explained(program.graph, arguments.why, own) if arguments.why else ():
        print(explanation, file=sys.stderr)
    print(to_text(program.graph), end="")
    return 0


def _explained(graph: Graph, text: str, own: Mapping[str, passes.AnyRule]) -> list[passes.Explanation]:
    """What became of the rules of this name, the user's or the table's, at ``@%7`` or where they come nearest."""
    name, _, place = text.partition("@")
    node = place.removeprefix("%")
    if place and not node.isdecimal():
        raise UsageError(f"--why {text}: '{place}' is no node; write --why {name}@%7")
    rules = [own[name]] if name in own else passes.rules_named(name)
    return [passes.explain_match(rule, graph, int(node) if place else None) for rule in rules]


def _choices(records: Sequence[passes.PassRecord]) -> list[str]:
    """A line for every decision by cost."""
    return [f"{record.name}: {choice}\n" for record in records for choice in record.choices]


def _dump(arguments: argparse.Namespace, what: str) -> Dump:
    return Dump(what, passes=arguments.dump_pass, op=arguments.dump_op, line=arguments.dump_line)
