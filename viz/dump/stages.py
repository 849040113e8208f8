"""What ``save_graphs`` writes: every stage of a compilation that changed something, as MindSpore users know it.

::

    00_bootstrap_0000.ir          the function as captured
    01_fuse_elementwise_0001.ir   after the first pass that changed it; passes that did not are left out
    02_execute_0002.ir            what runs, with the program at the end

The number in front counts the stages of one compilation, the one behind all stages of the process. Level 1 writes
these, in the syntax of ``viz.dump.ir_text``. Level 2 adds what changed since the stage before, as
``diff_01_fuse_elementwise_0001.diff``, and ``index.html``, one page over all this process has saved in the folder.
Level 3 adds ``.dot`` and ``.svg``, with changes diff_html. Where a gradient is taken from outside of a compiled
function, ``bootstrap`` is what runs, op by op, so that it is eager mode's gradient.
"""

from __future__ import annotations

import itertools
import os
import re
import warnings
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from minigraph.core.location import in_expression, user_loc
from minigraph.execute.compile import compile_graph
from minigraph.ir.graph import Graph
from minigraph.ir.reading import GraphReader
from viz.common.files import write_atomically
from viz.drawing.diff import diff, text_diff
from viz.dump.ir_text import ir_text
from viz.dump.stage_index import Row, add_to_index, shorten
from viz.output.render import picture_of, svg

_UNSAFE = re.compile(r"[^A-Za-z0-9_-]+")
_serial = itertools.count()
_warned_folders: set[Path] = set()  # folders that were warned of


class NotSaved(UserWarning):
    """The files of ``save_graphs`` could not be written; the call went on without them."""


class Stage(NamedTuple):
    """A graph on its way: ``name`` is the pass that made it, ``before`` the graph that it came from."""

    name: str
    graph: GraphReader
    before: GraphReader | None = None
    rules: Mapping[str, Any] = {}
    notes: Sequence[str] = ()


def save_stages(
    captured: GraphReader, final: Graph, records: Sequence[Any], path: str | os.PathLike[str], level: int = 2
) -> list[Path]:
    """Write one compilation's stages into a folder, which is made if need be, and return the files' paths.

    ``captured`` is the graph before the pipeline, ``records`` what the passes did (with snapshots), ``final`` the
    graph that runs; ``level`` is 0 (nothing) to 3. Each file is written whole or not at all.

    Files are by-products of a call, and disks fill up in the middle of a training: where they cannot be written,
    the call goes on, and one ``NotSaved`` warning per folder says so.
    """
    written: list[Path] = []
    try:
        for file in _write(Path(path), captured, stages_of(captured, final, records), level) if level else ():
            written.append(file)  # one by one: what was written before an error counts
    except OSError as error:
        _warn_once(Path(path), error)
    return written


def stages_of(captured: GraphReader, final: Graph, records: Sequence[Any]) -> list[Stage]:
    """The stages that differ from the one before, between the first and the last, which are always there.

    Bodies of branches and loops go through the pipeline before the graph around them does: stage ``bodies``.
    """
    stages = [Stage("bootstrap", captured)]
    kept = [record for record in records if record.after is not None]
    opened = kept[0].before if kept else final
    if any(captured.regions(node) for node in captured) and ir_text(opened) != ir_text(captured):
        stages.append(Stage("bodies", opened, captured))
    stages += [Stage(record.name, record.after, record.before, record.rules) for record in kept if record.changed]
    return [*stages, Stage("execute", final, notes=_program_notes(final))]


def safe_name(text: str) -> str:
    """A piece of a file name out of any text.

    >>> safe_name("../net: step<1>")
    'net_step_1'
    """
    return _UNSAFE.sub("_", text).strip("_")[:60] or "stage"


def _program_notes(graph: Graph) -> list[str]:
    """The straight-line program a graph is compiled to, and how much memory it plans."""
    program = compile_graph(graph)
    plan = program.plan
    sizes = f"{len(plan.steps)} steps, {len(plan.buffers)} buffers of {plan.nbytes} bytes"
    return [f"Program: {sizes}", *program.source.splitlines()]


# ---- writing -----------------------------------------------------------------------------------------


def _write(folder: Path, captured: GraphReader, stages: Sequence[Stage], level: int) -> Iterator[Path]:
    """Write stage after stage, so that no more than two texts are held, then the page; yields each file."""
    rows, last = list[Row](), ("", "")
    for number, stage in enumerate(stages):
        stem = f"{number:02d}_{safe_name(stage.name)}_{next(_serial):04d}"
        contents = _contents(stem, stage, last, level)
        for name, content in contents.items():
            yield write_atomically(folder / name, content)
        last = f"{stem}.ir", contents[f"{stem}.ir"]
        told = contents.get(_diff_name(stem), last[1])
        rows.append(Row(stem, stage.graph, stage.before, stage.rules, shorten(told), tuple(contents)))
    if level >= 2:
        yield add_to_index(folder, captured, rows)


def _contents(stem: str, stage: Stage, last: tuple[str, str], level: int) -> dict[str, str]:
    """The files of a stage by name; ``last`` is name and text of the stage before, "" for the first."""
    text = ir_text(stage.graph, stage.notes)
    files = {f"{stem}.ir": text}
    if level >= 2 and last[0]:
        lines = text_diff(last[1].splitlines(), text.splitlines(), last[0], f"{stem}.ir")
        files[_diff_name(stem)] = "".join(f"{line}\n" for line in lines)
    if level >= 3:
        drawn: Any = stage.graph if stage.before is None else diff(stage.before, stage.graph, title=stage.name)
        picture = picture_of(drawn)
        files |= {f"{stem}.dot": picture if isinstance(picture, str) else picture.source, f"{stem}.svg": svg(drawn)}
    return files


def _diff_name(stem: str) -> str:
    return f"diff_{stem}.diff"  # begins with a identifier, for scripts that take what begins with a number for stages


def _warn_once(folder: Path, error: OSError) -> None:
    if folder not in _warned_folders:
        _warned_folders.add(folder)
        reason = f"save_graphs: cannot write into '{folder}': {error.strerror or error}{in_expression(user_loc())}"
        remedy = "nothing is saved there; name a folder that can be written by set_context(save_graphs_path=...)"
        warnings.warn(f"{reason}; {remedy}", NotSaved, stacklevel=2)
