"""``minigraph``: the command, its arguments and its errors."""

from __future__ import annotations

import argparse
import os
import sys
import webbrowser
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

import passes
from minigraph._version import __version__
from minigraph.cli.bench import add_bench
from minigraph.cli.check_rule import add_check_rule
from minigraph.cli.folder import check_folder, write_folder
from minigraph.cli.learn import add_learn
from minigraph.cli.listing import add_list, add_passes
from minigraph.cli.npu import add_npu
from minigraph.cli.opt import add_opt
from minigraph.cli.programs import enter_rules
from minigraph.cli.story import Story, gathered
from minigraph.cli.sweep import add_sweep
from minigraph.cli.target import Ran, target_named
from minigraph.cli.tell import tell
from minigraph.core.context import get_context
from minigraph.core.errors import MinigraphError
from minigraph.examples import digits
from minigraph.npu import CHIPS, DEFAULT_HOST, chip_named, host_named

EPILOG = """\
examples:
  minigraph explain                      train a digit classifier, then explain its training step
  minigraph explain net.py:train_step    explain your function; net.py has def example_inputs()
  minigraph explain net.py:step --chip ascend910b4 --pipeline "lower_depend,cse,dce"
  minigraph opt net.py:step -p "cse,dce" --stats    run passes over a graph and print it
  minigraph npu net.py:step --show tasks critical   where a simulated chip spends its time, task by task
  minigraph opt step.repro.ir --bisect              the rewrite that made a program wrong
  minigraph check-rule rules.py          try your rules at many places, with gradients
  minigraph passes                       every pass and rule there is, before -> after
  minigraph learn                        lessons with exercises; `minigraph learn 1` opens the first
  minigraph sweep --models net.py:step --chips all --set mte2.lat=150:250:25    a table of a design space
  minigraph bench eager --quick          what an operator costs, beside numpy and the peers installed
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code: 0, or 2 after one line on what was wrong."""
    arguments = _parser().parse_args(argv)
    try:
        code = int(arguments.run(arguments))
        sys.stdout.flush()
        return code
    except BrokenPipeError:  # the reader, such as `head`, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except MinigraphError as error:
        print(f"minigraph: {error}", file=sys.stderr)
        return 2


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="minigraph", epilog=EPILOG, formatter_class=argparse.RawDescriptionHelpFormatter,
        description="See dynamic and static graphs, what passes do to them, and what that saves on an NPU.",
    )  # fmt: skip
    parser.add_argument("--version", action="version", version=f"minigraph {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    _add_explain(commands)
    add_opt(commands)
    add_npu(commands)
    add_check_rule(commands)
    add_passes(commands)
    add_list(commands)
    add_bench(commands)
    add_learn(commands)
    add_sweep(commands)
    return parser


def _add_explain(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    explain = commands.add_parser(
        "explain", help="tell the whole story of one function, and write it to a folder",
        description="Run a function eagerly and as a graph, and show what happened: tape, graph, passes, cycles.",
    )  # fmt: skip
    explain.add_argument("target", nargs="?", metavar="FILE.py:function", help="default: the digits training step")
    explain.add_argument("--chip", default=get_context("chip"), help="simulated chip (default: %(default)s)")
    explain.add_argument("--host", default=DEFAULT_HOST, help="host preset (default: %(default)s)")
    explain.add_argument("--pipeline", default="default", help="passes to run, such as 'lower_depend,cse,dce'")
    explain.add_argument(
        "--out", default="minigraph_out", metavar="FOLDER", help="where to write (default: %(default)s)"
    )
    explain.add_argument(
        "--compare", action="append", default=[], metavar="CHIP|PASSES",
        help="in the explorer one more run, on another chip or with other passes; may be given several times",
    )  # fmt: skip
    explain.add_argument("--open", action="store_true", help="open index.html in the browser afterwards")
    explain.set_defaults(run=_explain)


def _explain(arguments: argparse.Namespace) -> int:
    console = Console()
    chip_named(arguments.chip), host_named(arguments.host)  # wrong names are refused before anything is written
    check_folder(Path(arguments.out))
    ran: Ran = {}
    target = target_named(arguments.target, ran)
    enter_rules(ran)
    pipeline = passes.as_pipeline(arguments.pipeline)
    compare = {text: _other_run(text) for text in arguments.compare}
    if target.is_digits:
        _train(console)
    with console.status("explaining") as status:
        story = gathered(target, arguments.chip, pipeline, lambda text: status.update(text), arguments.host)
    tell(story, console)
    index = _written(replace(story, compare=compare), Path(arguments.out), console)
    if arguments.open:
        webbrowser.open(index.resolve().as_uri())
    return 0


def _other_run(text: str) -> dict[str, str]:
    """What a run to compare differs in: the chip, when the text names one, else the passes; raises ``UnknownName``."""
    if text in CHIPS or text.endswith(".toml"):
        chip_named(text)
        return {"chip": text}
    return {"pipeline": str(passes.as_pipeline(text))}


def _written(story: Story, folder: Path, console: Console) -> Path:
    index = write_folder(story, folder)
    console.print(f"Wrote {len(list(folder.iterdir()))} files; start with [bold]{index}[/]")
    return index


def _train(console: Console) -> None:
    """The digits program trained, with a bar, and what it reads correctly of digits it has not seen."""
    columns = (TextColumn("training on 1,438 handwritten digits"), BarColumn(), TextColumn("{task.fields[loss]}"))
    with Progress(*columns, TimeElapsedColumn(), console=console) as progress:
        task = progress.add_task("epochs", total=digits.EPOCHS, loss="")
        for epoch, loss in digits.train():
            progress.update(task, completed=epoch + 1, loss=f"loss {loss:.4f}")
    console.print(f"It reads [bold]{digits.accuracy():.1%}[/] of the 359 held-back digits correctly.")
