"""Writes the files of ``save_graphs``: every stage of a compilation that changed the graph, in MindSpore's format.

::

    00_bootstrap_0000.ir          the captured graph
    01_fuse_elementwise_0001.ir   after the first pass that changed it; passes without changes are omitted
    02_execute_0002.ir            the executed graph, followed by the compiled program

The first number counts the stages of one compilation, the last number all stages of the process. Level 1 writes these
files, in the syntax of ``viz.dump.ir_text``. Level 2 adds the changes since the previous stage, as
``diff_01_fuse_elementwise_0001.diff``, and ``index.html``, an index of everything this process has saved in the folder.
Level 3 adds ``.dot`` and ``.svg`` files with marked changes. If a compiled function is differentiated from outside,
``bootstrap`` is the function that runs, op by op, so that the gradient equals eager mode.
"""

from __future__ import annotations

import itertools
import os
import re
import warnings
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from minigraph.core.files import write_atomically
from minigraph.core.location import expression_text, user_loc
from minigraph.core.scope_guard import reraise_handler_error
from minigraph.execute.compile import compile_graph
from minigraph.ir.graph import Graph
from minigraph.ir.graph_reader import GraphReader
from viz.drawing.diff import diff, text_diff
from viz.dump.ir_text import ir_text
from viz.dump.stage_index import Row, add_to_index, shorten
from viz.output.render import picture_of, svg

_UNSAFE_CHARACTERS = re.compile(r"[^A-Za-z0-9_-]+")
_serial = itertools.count()
_warned_folders: set[Path] = set()  # folders for which a warning was issued
MAX_WARNED_FOLDERS = 1000


class NotSavedWarning(UserWarning):
    """The files of ``save_graphs`` could not be written; the call continues without them."""


class Stage(NamedTuple):
    """One stage of a compilation: ``name`` is the pass that produced the graph from ``before``."""

    name: str
    graph: GraphReader
    before: GraphReader | None = None
    rules: Mapping[str, Any] = {}
    notes: Sequence[str] = ()


def save_stages(
    captured: GraphReader, final: Graph, records: Sequence[object], path: str | os.PathLike[str], level: int = 2
) -> list[Path]:
    """Write the stages of one compilation to a folder, creating it if necessary, and return the paths.

    ``captured`` is the graph before the pipeline, ``records`` are the pass records (with snapshots), ``final`` is the
    executed graph, and ``level`` is 0 (nothing) to 3. Each file is written atomically.

    The files are by-products of a call, and disks can fill up during training: if they cannot be written, the call
    continues, with one ``NotSavedWarning`` per folder.
    """
    paths: list[Path] = []
    try:
        for file in _write_files(Path(path), captured, stages_of(captured, final, records), level) if level else ():
            paths.append(file)  # one by one, to keep what was written before an error
    except OSError as error:
        reraise_handler_error(error)
        _warn_once(Path(path), error)
    return paths


def stages_of(captured: GraphReader, final: Graph, records: Sequence[Any]) -> list[Stage]:
    """The first stage, every stage that differs from the previous one, and the last stage.

    Bodies of branches and loops are optimised before the enclosing graph: stage ``bodies``.
    """
    stages = [Stage("bootstrap", captured)]
    snapshots = [record for record in records if record.after is not None]
    initial = snapshots[0].before if snapshots else final
    if any(captured.regions(node) for node in captured) and ir_text(initial) != ir_text(captured):
        stages.append(Stage("bodies", initial, captured))
    stages += [Stage(record.name, record.after, record.before, record.rules) for record in snapshots if record.changed]
    return [*stages, Stage("execute", final, notes=_program_notes(final))]


def safe_name(text: str) -> str:
    """A valid part of a file name, from any text.

    >>> safe_name("../net: step<1>")
    'net_step_1'
    """
    return _UNSAFE_CHARACTERS.sub("_", text).strip("_")[:60] or "stage"


def _program_notes(graph: Graph) -> list[str]:
    """The straight-line program of a graph, and the size of its memory plan."""
    program = compile_graph(graph)
    plan = program.plan
    sizes = f"{len(plan.steps)} steps, {len(plan.buffers)} buffers of {plan.nbytes} bytes"
    return [f"Program: {sizes}", *program.source.splitlines()]


# ---- writing -----------------------------------------------------------------------------------------


def _write_files(folder: Path, captured: GraphReader, stages: Sequence[Stage], level: int) -> Iterator[Path]:
    """Write the stages one by one, holding at most two texts, then the index page; yields each file."""
    rows, previous = list[Row](), ("", "")
    for number, stage in enumerate(stages):
        stem = f"{number:02d}_{safe_name(stage.name)}_{next(_serial):04d}"
        contents = _contents(stem, stage, previous, level)
        for name, content in contents.items():
            yield write_atomically(folder / name, content)
        previous = f"{stem}.ir", contents[f"{stem}.ir"]
        text = contents.get(_diff_name(stem), previous[1])
        rows.append(Row(stem, stage.graph, stage.before, stage.rules, shorten(text), tuple(contents)))
    if level >= 2:
        yield add_to_index(folder, captured, rows)


def _contents(stem: str, stage: Stage, previous: tuple[str, str], level: int) -> dict[str, str]:
    """The files of a stage by name; ``previous`` is the name and text of the stage before, "" for the first."""
    text = ir_text(stage.graph, stage.notes)
    files = {f"{stem}.ir": text}
    if level >= 2 and previous[0]:
        lines = text_diff(previous[1].splitlines(), text.splitlines(), previous[0], f"{stem}.ir")
        files[_diff_name(stem)] = "".join(f"{line}\n" for line in lines)
    if level >= 3:
        subject: Any = stage.graph if stage.before is None else diff(stage.before, stage.graph, title=stage.name)
        picture = picture_of(subject)
        files |= {f"{stem}.dot": picture if isinstance(picture, str) else picture.source, f"{stem}.svg": svg(subject)}
    return files


def _diff_name(stem: str) -> str:
    return f"diff_{stem}.diff"  # no leading digit: scripts read names with one as stages


def _warn_once(folder: Path, error: OSError) -> None:
    if folder not in _warned_folders:
        if len(_warned_folders) >= MAX_WARNED_FOLDERS:
            _warned_folders.clear()
        _warned_folders.add(folder)
        reason = f"save_graphs: cannot write into '{folder}': {error.strerror or error}{expression_text(user_loc())}"
        remedy = "nothing is saved there; choose a writable folder with set_context(save_graphs_path=...)"
        warnings.warn(f"{reason}; {remedy}", NotSavedWarning, stacklevel=2)
