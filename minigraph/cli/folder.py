"""The story as a folder: pictures, texts, traces, tables and the page that shows them all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

from minigraph.cli.sections import sections_of
from minigraph.cli.story import Story
from minigraph.cli.words import spelled
from minigraph.core.errors import UsageError
from minigraph.ir.text import to_text
from minigraph.npu import chrome_trace, op_summary
from minigraph.npu.reports import fusion_op, op_statistic, task_time
from viz import Explorer, diff, explorer, page, svg


def write_folder(story: Story, folder: Path) -> Path:
    """Write every file of the story and return the path of ``index.html``; raises as ``fill_folder`` does."""
    made = list(_files(story))
    sections = sections_of(story, [(name, what) for name, what, _ in made])
    subtitle = f"{spelled(story.pipeline)} · {story.on}"
    index = page(f"minigraph explains {story.target.name}", sections, subtitle=subtitle)
    fill_folder(folder, [*((name, content) for name, _, content in made), ("index.html", index)])
    return folder / "index.html"


def fill_folder(folder: Path, files: Iterable[tuple[str, str]]) -> list[str]:
    """Write files, given as names and contents, into a folder and return their names.

    All are made in a hidden folder beside it first, so that an error leaves nothing behind.
    Raises ``UsageError`` when ``folder`` is a file or cannot be written.
    """
    check_folder(folder)
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=f".{folder.name}-", dir=folder.parent) as made:
            for name, content in files:
                (Path(made) / name).write_text(content, encoding="utf-8")
            folder.mkdir(exist_ok=True)
            written = sorted(file.name for file in Path(made).iterdir())
            for name in written:
                os.replace(Path(made) / name, folder / name)
    except OSError as error:
        raise UsageError(f"cannot write to '{folder}': {error.strerror}; choose another --out") from None
    return written


def check_folder(folder: Path) -> None:
    """Raise ``UsageError`` when a file stands where the folder should."""
    standing = next(path for path in (folder, *folder.parents) if path.exists())
    if not standing.is_dir():
        raise UsageError(f"'{standing}' is a file, not a folder; choose another --out")


def explored(story: Story) -> Explorer:
    """The explorer of what a story tells."""
    return explorer(story.target.function, *story.target.inputs, pipeline=story.pipeline, chip=story.chip,
                    compare={"without passes": {"pipeline": ""}, **story.compare})  # fmt: skip


def _files(story: Story) -> Iterator[tuple[str, str, str]]:
    """Name, description and content of every file but the page."""
    yield "explorer.html", "look around in it: every rewrite, step by step, with your lines", explored(story).html()
    yield "00_captured.ir", "the graph as captured", to_text(story.captured)
    yield "00_captured.svg", "its picture", svg(story.captured)
    for i, record in enumerate(story.records, 1):
        if record.changed and record.after is not None:
            yield f"{i:02d}_{record.name}.ir", f"after {record.name}", to_text(record.after)
            yield f"{i:02d}_{record.name}.svg", f"what {record.name} changed", svg(diff(record))
    yield "timeline.svg", "cycles of every instruction queue", svg(story.after)
    yield "trace.json", "the same for Perfetto (ui.perfetto.dev)", chrome_trace(story.after)
    yield "op_summary.csv", "one row per task, in the profiler's columns", op_summary(story.after)
    yield "op_statistic.csv", "tasks by operator, in the profiler's columns", op_statistic(story.after)
    yield "fusion_op.csv", "what fused nodes were made of, in the profiler's columns", fusion_op(story.after)
    yield "task_time.csv", "when each task ran, in the profiler's columns", task_time(story.after)
