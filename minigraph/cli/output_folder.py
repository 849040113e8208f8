"""The output folder of ``minigraph explain``: pictures, graph texts, traces, tables, and ``index.html``."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

from minigraph.cli.formatting import pipeline_text
from minigraph.cli.sections import sections_of
from minigraph.cli.story import Story
from minigraph.core.errors import UsageError
from minigraph.core.files import PART, write_atomically
from minigraph.core.scope_guard import reraise_handler_error
from minigraph.ir.text import to_text
from minigraph.npu import chrome_trace, op_summary
from minigraph.npu.reports import fusion_op, op_statistic, task_time
from viz import Explorer, diff, explorer, page, svg
from viz.common.style import with_dark_mode

STAGE = re.compile(r'href="\./(\d\d_\w+\.(?:ir|svg))"')  # the link in ``index.html`` to a file of one pass


def write_folder(story: Story, folder: Path) -> Path:
    """Write every file of the story and return the path of ``index.html``; raises as ``write_files`` does.

    Files of passes that the folder's last ``index.html`` lists are removed if this run has no such pass.
    """
    old = _stage_files(folder)
    files = list(_files(story))
    sections = sections_of(story, [(name, description) for name, description, _ in files])
    subtitle = f"{pipeline_text(story.pipeline)} · {story.chip_name}"
    index = page(f"minigraph explains {story.target.name}", sections, subtitle=subtitle)
    written = write_files(folder, [*((name, content) for name, _, content in files), ("index.html", index)])
    for name in old.difference(written):
        (folder / name).unlink(missing_ok=True)
    return folder / "index.html"


def write_files(folder: Path, files: Iterable[tuple[str, str]]) -> list[str]:
    """Write (name, content) pairs into a folder and return the names.

    The files are written to a hidden temporary folder next to it first, so an error leaves nothing behind; a killed
    process leaves that folder, whose name ends with ``.part``.
    Raises ``UsageError`` when ``folder`` is a file or cannot be written.
    """
    check_folder(folder)
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(PART, f".{folder.name}-", folder.parent) as temporary:
            for name, content in files:
                text = with_dark_mode(content) if name.endswith(".svg") else content
                write_atomically(Path(temporary) / name, text)
            folder.mkdir(exist_ok=True)
            names = sorted(file.name for file in Path(temporary).iterdir())
            for name in names:
                os.replace(Path(temporary) / name, folder / name)
    except OSError as error:
        reraise_handler_error(error)
        raise UsageError(f"cannot write to '{folder}': {error.strerror}; choose another --out") from None
    return names


def _stage_files(folder: Path) -> set[str]:
    """The files of passes that an earlier run wrote into a folder."""
    index = folder / "index.html"
    return set(STAGE.findall(index.read_text(encoding="utf-8", errors="replace"))) if index.is_file() else set()


def check_folder(folder: Path) -> None:
    """Raise ``UsageError`` if the path, or one of its parents, is a file."""
    existing = next(path for path in (folder, *folder.parents) if path.exists())
    if not existing.is_dir():
        raise UsageError(f"'{existing}' is a file, not a folder; choose another --out")


def story_explorer(story: Story) -> Explorer:
    """The explorer page of the explained function."""
    return explorer(story.target.function, *story.target.inputs, pipeline=story.pipeline, chip=story.chip,
                    compare={"without passes": {"pipeline": ""}, **story.compare})  # fmt: skip


def _files(story: Story) -> Iterator[tuple[str, str, str]]:
    """Name, description and content of every file except ``index.html``."""
    yield "explorer.html", "interactive: every rewrite, linked to your source", story_explorer(story).html()
    yield "00_captured.ir", "the graph as captured", to_text(story.captured)
    yield "00_captured.svg", "the captured graph, drawn", svg(story.captured)
    for i, record in enumerate(story.records, 1):
        if record.changed and record.after is not None:
            yield f"{i:02d}_{record.name}.ir", f"the graph after {record.name}", to_text(record.after)
            yield f"{i:02d}_{record.name}.svg", f"what {record.name} changed", svg(diff(record))
    yield "timeline.svg", "simulated timeline of the instruction queues", svg(story.after)
    yield "trace.json", "the same timeline for Perfetto (ui.perfetto.dev)", chrome_trace(story.after)
    yield "op_summary.csv", "one row per task, in the profiler's format", op_summary(story.after)
    yield "op_statistic.csv", "totals per operator, in the profiler's format", op_statistic(story.after)
    yield "fusion_op.csv", "the operators inside each fused node, in the profiler's format", fusion_op(story.after)
    yield "task_time.csv", "start and end of each task, in the profiler's format", task_time(story.after)
