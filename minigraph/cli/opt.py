"""``minigraph opt``: a graph in, passes over it, a graph out; usable in a pipe."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping

import passes
from minigraph.cli.bisecting import bisected
from minigraph.cli.programs import Program, enter_rules, load, program_named
from minigraph.cli.target import Ran
from minigraph.core.context import get_context
from minigraph.core.errors import UsageError
from minigraph.ir.graph import Graph
from minigraph.ir.text import to_text
from minigraph.npu import chip_named, cycles
from passes.core.dump import KINDS, Dump
from passes.core.pass_verifier import Validation
from passes.core.records import Records

SHOWN = {"changed": "after every pass that changed it", "all": "after every pass", "failed": "that made a pass fail"}


def add_opt(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the others."""
    opt = commands.add_parser(
        "opt", help="run passes over a graph and print it",
        description="Read a graph (text, - for standard input, or FILE.py:function), run passes, print the graph. "
                    "Whatever else is told goes to standard error.",
    )  # fmt: skip
    opt.add_argument("program", metavar="FILE")
    add_pipeline(opt)
    _add_printing(opt)
    opt.add_argument("--stats", action="store_true", help="figures per pass and per rule")
    opt.add_argument("--chip", default=get_context("chip"), help="whose cycles --stats tells (default: %(default)s)")
    opt.add_argument("--validate", action="store_true", help="run the graph before and after every pass")
    opt.add_argument("--limit", type=int, metavar="N", help="let only the first N passes and rewrites happen")
    opt.add_argument("--bisect", nargs="?", const="", metavar="CMD", help="find the pass and rewrite that make the "
                     "graph wrong, and print what they leave: CMD gets a graph on standard input, and exits with 0 "
                     "when it is right; without CMD the graphs are run and compared")  # fmt: skip
    opt.add_argument("--why", metavar="RULE[@NODE]", help="why a rule does not apply to the result")
    opt.set_defaults(run=_opt)


def _add_printing(opt: argparse.ArgumentParser) -> None:
    which = opt.add_mutually_exclusive_group()
    for kind in KINDS:
        which.add_argument(f"--print-{kind}", action="store_const", const=kind, dest="shown", help="print the graph "
                           f"{SHOWN[kind]}")  # fmt: skip
    opt.add_argument("--only-pass", action="append", default=[], metavar="PASS", help="print after this pass alone")
    opt.add_argument("--only-op", default="", metavar="OPERATOR", help="print nodes of this operator alone")
    opt.add_argument("--only-line", default="", metavar="FILE:LINE", help="print nodes of this line of yours alone")


def add_pipeline(parser: argparse.ArgumentParser) -> None:
    """Add the arguments that choose passes."""
    parser.add_argument("-p", "--pipeline", help="passes, such as 'lower_depend,fix(cse,dce),fuse{rules=cube}'")
    parser.add_argument("--load", action="append", default=[], metavar="FILE.py", help="run this file first: its "
                        "passes and rules may stand in the pipeline by name, as may those of FILE itself")  # fmt: skip


def _opt(arguments: argparse.Namespace) -> int:
    ran: Ran = {}
    load(arguments.load, ran)
    program = program_named(arguments.program, ran)
    own = enter_rules(ran)
    pipeline = passes.as_pipeline(program.pipeline_or(arguments.pipeline))
    chip_named(arguments.chip)
    if arguments.bisect is not None:
        _check_alone(arguments)
        return bisected(program, pipeline, arguments.bisect)
    records = _run(arguments, program, pipeline)
    if arguments.stats:
        told = f"cycles: simulated on {chip_named(arguments.chip).label}\n"
        print(records.table(), told, *map(_details, records), sep="", end="", file=sys.stderr)
    for explanation in _explained(program.graph, arguments.why, own) if arguments.why else ():
        print(explanation, file=sys.stderr)
    print(to_text(program.graph), end="")
    return 0


def _run(arguments: argparse.Namespace, program: Program, pipeline: passes.Pipeline) -> Records:
    validation = Validation(program.seed, program.inputs, get_context("save_graphs_path"))
    return pipeline.run(
        program.graph,
        observers=[_dump(arguments)] if _shown(arguments) else [],
        cost=(lambda graph: cycles(graph, chip=arguments.chip)) if arguments.stats else None,
        validate=validation if arguments.validate else None,
        limit=arguments.limit,
    )


def _shown(arguments: argparse.Namespace) -> str:
    """After which passes the graph is printed; "" for none."""
    filtered = arguments.only_pass or arguments.only_op or arguments.only_line
    return arguments.shown or ("changed" if filtered else "")


def _dump(arguments: argparse.Namespace) -> Dump:
    return Dump(_shown(arguments), passes=arguments.only_pass, op=arguments.only_op, line=arguments.only_line)


def _check_alone(arguments: argparse.Namespace) -> None:
    if arguments.stats or arguments.why or arguments.validate or _shown(arguments) or arguments.limit is not None:
        raise UsageError("opt: --bisect goes alone; what it finds has a number that --limit takes")


def _explained(graph: Graph, text: str, own: Mapping[str, passes.AnyRule]) -> list[passes.Explanation]:
    """What became of the rules of this name, the user's or the table's, at ``@%7`` or where they come nearest."""
    name, _, place = text.partition("@")
    node = place.removeprefix("%")
    if place and not node.isdecimal():
        raise UsageError(f"--why {text}: '{place}' is no node; write --why {name}@%7")
    rules = [own[name]] if name in own else passes.rules_named(name)
    return [passes.explain_match(rule, graph, int(node) if place else None) for rule in rules]


def _details(record: passes.PassRecord) -> str:
    """A line for every rule that matched somewhere and for every decision by cost."""
    rules = [f"{record.name}: {name}: {stats}" for name, stats in record.rules.items() if stats.matches]
    return "".join(f"{line}\n" for line in (*rules, *(f"{record.name}: {choice}" for choice in record.choices)))
