"""``minigraph workbench``: a page on localhost in which the passes of a function are edited and run again."""

from __future__ import annotations

import argparse
import webbrowser
from pathlib import Path

import passes
import viz
from minigraph.cli.console import CommandConsole
from minigraph.cli.opt import add_pipeline, pipeline_option
from minigraph.cli.programs import load, register_rules
from minigraph.cli.target import LoadedModules, load_target
from minigraph.core.context import get_context
from minigraph.npu import chip_named


def add_workbench(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add ``workbench`` to the commands."""
    bench = commands.add_parser(
        "workbench", help="edit a pass pipeline in the browser and see the effect of every change",
        description="Serve a page on localhost in which the passes of a pipeline can be switched off, reordered and "
        "added. After each edit the pipeline runs again, and the page shows its records, simulated cycles and the "
        "graph. --save writes a page with precomputed pipelines instead.",
    )  # fmt: skip
    bench.add_argument("target", nargs="?", metavar="FILE.py:function", help="default: the step of the digits example")
    bench.add_argument("--chip", default=get_context("chip"), help="chip to simulate (default: %(default)s)")
    add_pipeline(bench)
    bench.add_argument("--port", type=int, default=0, help="port on localhost (default: any free one)")
    help_text = "write a page with precomputed pipelines instead of serving one"
    bench.add_argument("--save", metavar="FILE.html", help=help_text)
    bench.add_argument("--open", action="store_true", help="open the page in the browser")
    bench.set_defaults(run=_workbench)


def _workbench(arguments: argparse.Namespace) -> int:
    console = CommandConsole()
    chip_named(arguments.chip)
    loaded: LoadedModules = {}
    load(arguments.load, loaded)
    target = load_target(arguments.target, loaded)
    register_rules(loaded)
    pipeline = passes.as_pipeline(pipeline_option(arguments))
    bench = viz.workbench(target.function, *target.inputs, pipeline=pipeline, chip=arguments.chip)
    if arguments.save:
        path = bench.save(Path(arguments.save))
        console.print(f"Wrote [bold]{path}[/]")
        _open(arguments, path.resolve().as_uri())
        return 0

    def on_start(url: str) -> None:
        console.print(f"Serving [bold]{target.name}[/] on [bold]{url}[/] until Ctrl-C", soft_wrap=True)
        _open(arguments, url)

    viz.serve(bench, arguments.port, on_start)
    return 0


def _open(arguments: argparse.Namespace, url: str) -> None:
    if arguments.open:
        webbrowser.open(url)
