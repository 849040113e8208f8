"""``minigraph``: the command, its arguments and its errors."""

from __future__ import annotations

import argparse
import io
import os
import sys
import webbrowser
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import passes
from minigraph._version import __version__
from minigraph.cli.bench import add_bench
from minigraph.cli.check_rule import add_check_rule
from minigraph.cli.completion import SHELLS, PrintCompletion
from minigraph.cli.console import CommandConsole
from minigraph.cli.learn import add_learn
from minigraph.cli.listing import add_list, add_passes
from minigraph.cli.npu import add_npu
from minigraph.cli.opt import add_load, add_opt
from minigraph.cli.output_folder import check_folder, write_folder
from minigraph.cli.programs import load, register_rules
from minigraph.cli.story import collect_story, run_segments
from minigraph.cli.sweep import add_sweep
from minigraph.cli.target import LoadedModules, add_dim_option, load_target, parse_dims
from minigraph.cli.terminal import print_segments, print_story
from minigraph.cli.workbench import add_workbench
from minigraph.core.context import get_context
from minigraph.core.errors import MinigraphError
from minigraph.core.files import decode_surrogates
from minigraph.core.location import raise_location
from minigraph.core.scope_guard import reraise_handler_error
from minigraph.examples import digits
from minigraph.npu import CHIPS, DEFAULT_HOST, chip_named, host_named
from minigraph.npu.library import pipeline_for
from minigraph.train.progress import Advance, call_with_progress_bar

INTERRUPTED = 130  # the exit code of a command that Ctrl-C ended: 128 + SIGINT
EPILOG = """\
examples:
  minigraph explain                     train a digit classifier, then explain
                                        its training step
  minigraph explain net.py:train_step   explain your function; net.py must
                                        define example_inputs()
  minigraph explain net.onnx --dim batch=8
                                        explain a model file
  minigraph explain net.py:step --chip ascend910b4 --pipeline "cse,dce"
  minigraph opt net.py:step -p "cse,dce" --stats
                                        run passes on a graph, print the result
  minigraph opt step.repro.ir --bisect  find the rewrite that introduced an
                                        error
  minigraph npu net.py:step --show tasks critical
                                        simulate your function on a chip: tasks
                                        and critical path
  minigraph check-rule rules.py         test your rules on generated inputs,
                                        gradients included
  minigraph passes                      list all passes and rules
  minigraph learn                       list the lessons; `minigraph learn 1`
                                        opens the first
  minigraph sweep --models net.py:step --chips all --set mte2.lat=150:250:25
                                        explore a design space
  minigraph workbench net.py:step       edit the pass pipeline in the browser
  minigraph bench eager --quick         measure operator overhead against numpy
                                        and the installed peers
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code: its own, or 2 after an error message on standard error."""
    if isinstance(sys.stdout, io.TextIOWrapper) and sys.stdout.errors in ("strict", "surrogateescape"):
        sys.stdout.reconfigure(errors="replace")  # where the encoding lacks a character, as in the C locale
    try:
        arguments = _parse_arguments(argv)
        code = int(arguments.run(arguments))
        _flush_output()
        return code
    except BrokenPipeError:  # the reader, such as `head`, closed the pipe
        _discard_output()
        return 0
    except MinigraphError as error:
        print(f"minigraph: {error}", *getattr(error, "__notes__", ()), sep="\n", file=sys.stderr)
        return 2
    except (OSError, MemoryError) as error:
        reraise_handler_error(error)
        if raise_location(error) is not None:  # in the user's program, whose traceback is more informative
            raise
        print(f"minigraph: {_problem_text(error)}", file=sys.stderr)
        _discard_output()
        return 2
    except KeyboardInterrupt as error:
        print(f"minigraph: {str(error) or 'interrupted'}", file=sys.stderr)
        return INTERRUPTED


def _parse_arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    try:
        return command_parser().parse_args(argv)
    except SystemExit:  # of ``--help``, ``--version`` and ``--completion``: errors of their output are reported, too
        _flush_output()
        raise


def _flush_output() -> None:
    if sys.stdout is not None:  # not closed, as by ``>&-``
        sys.stdout.flush()


def _discard_output() -> None:
    """Discard what standard output does not take: Python would report it again when the process ends."""
    try:
        _flush_output()
    except OSError as error:
        reraise_handler_error(error)
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _problem_text(error: OSError | MemoryError) -> str:
    if isinstance(error, MemoryError):
        return f"not enough memory: {str(error) or 'for the next step'}; use smaller sizes"
    where = f"'{error.filename}': " if error.filename is not None else ""
    return f"{where}{error.strerror or error}"


def command_parser() -> argparse.ArgumentParser:
    """The parser of the command with all its commands."""
    parser = argparse.ArgumentParser(
        prog="minigraph", epilog=EPILOG, formatter_class=argparse.RawDescriptionHelpFormatter,
        description="Inspect eager and compiled execution, graph passes, and their cost\non a simulated NPU.",
    )  # fmt: skip
    parser.add_argument("--version", action="version", version=f"minigraph {__version__}")
    about = "print the completion script for this shell"
    parser.add_argument("--completion", choices=SHELLS, action=PrintCompletion, metavar="SHELL", help=about)
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
    add_workbench(commands)
    return parser


def _add_explain(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    explain = commands.add_parser(
        "explain", help="run one function and report on its tape, graph, passes and simulated cycles",
        description="Run a function eagerly and as a graph, print a summary, and write a folder with pictures, graph "
        "texts, traces and an interactive explorer.",
    )  # fmt: skip
    explain.add_argument(
        "target",
        nargs="?",
        metavar="FILE.py:function",
        help="function to run, or a model file: FILE.onnx, FILE.pt2 (default: the training step of the digits example)",
    )
    explain.add_argument("--chip", default=get_context("chip"), help="chip to simulate (default: %(default)s)")
    explain.add_argument("--host", default=DEFAULT_HOST, help="host model (default: %(default)s)")
    help_text = "passes to run, such as 'cse,dce' (default: the pipeline '%(default)s')"
    explain.add_argument("--pipeline", type=decode_surrogates, default="default", help=help_text)
    add_load(explain)
    add_dim_option(explain)
    explain.add_argument(
        "--out", default="minigraph_out", metavar="FOLDER", help="output folder (default: %(default)s)"
    )
    explain.add_argument(
        "--compare", action="append", default=[], metavar="CHIP|PASSES",
        help="also show a run on this chip, or with these passes, in the explorer; may be repeated",
    )  # fmt: skip
    explain.add_argument("--open", action="store_true", help="open index.html in the browser when done")
    explain.set_defaults(run=_explain)


def _explain(arguments: argparse.Namespace) -> int:
    console = CommandConsole()
    chip, _ = chip_named(arguments.chip), host_named(arguments.host)  # refuse unknown names before writing anything
    check_folder(Path(arguments.out))
    loaded: LoadedModules = {}
    load(arguments.load, loaded)
    target = load_target(arguments.target, loaded, parse_dims(arguments.dim))
    register_rules(loaded)
    pipeline = pipeline_for(arguments.pipeline, chip)
    compare = {text: _run_options(text) for text in arguments.compare}
    accuracy = _train() if target.is_digits else None
    with console.status("explaining") as status:
        try:
            story = collect_story(target, arguments.chip, pipeline, lambda text: status.update(text), arguments.host)
        except MinigraphError:
            segments = run_segments(target)
            if not segments:
                raise
            print_segments(segments, console)
            return 0
        status.update("writing files")  # before anything is printed: the reader of a pipe may stop early
        index = write_folder(replace(story, compare=compare), Path(arguments.out))
    if accuracy is not None:
        console.print(f"Accuracy on 359 held-out digits: [bold]{accuracy:.1%}[/]")
    print_story(story, console)
    console.print(f"Wrote {len(list(index.parent.iterdir()))} files; start with [bold]{index}[/]")
    if arguments.open:
        webbrowser.open(index.resolve().as_uri())
    return 0


def _run_options(text: str) -> dict[str, str]:
    """The option of one ``--compare``: a chip if the text names one, else passes; raises ``UnknownNameError``."""
    if text in CHIPS or text.endswith(".toml"):
        chip_named(text)
        return {"chip": text}
    return {"pipeline": str(passes.as_pipeline(text))}


def _train() -> float:
    """Train the digits example, with a progress bar on a terminal; its accuracy on the held-out digits."""

    def train_epochs(advance: Advance | None) -> None:
        for _, loss in digits.train():
            if advance is not None:
                advance(f"training on 1,438 handwritten digits, loss {loss:.4f}")

    call_with_progress_bar(None, digits.EPOCHS, train_epochs)
    return digits.accuracy()
