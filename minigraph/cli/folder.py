"""The story as a folder: pictures, texts, traces, tables and the page that shows them all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

from minigraph.cli.sections import sections_of
from minigraph.cli.story import Story
from minigraph.cli.words import spelled
from minigraph.errors import UsageError
from minigraph.ir.text import to_text
from minigraph.npu import chrome_trace, op_summary
from viz import Explorer, diff, explorer, save_page, svg


def write_folder(story: Story, folder: Path) -> Path:
    """Write every file of the story and return the path of ``index.html``.

    All files are made in a hidden folder beside ``folder`` first, so that an error leaves nothing behind.
    Raises ``UsageError`` when ``folder`` is a file or cannot be written.
    """
    check_folder(folder)
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=f".{folder.name}-", dir=folder.parent) as made:
            _write_all(story, Path(made))
            folder.mkdir(exist_ok=True)
            for file in sorted(Path(made).iterdir()):
                os.replace(file, folder / file.name)
    except OSError as error:
        raise UsageError(f"explain: cannot write to '{folder}': {error.strerror}; choose another --out") from None
    return folder / "index.html"


def check_folder(folder: Path) -> None:
    """Raise ``UsageError`` when a file stands where the folder should."""
    standing = next(path for path in (folder, *folder.parents) if path.exists())
    if not standing.is_dir():
        raise UsageError(f"explain: '{standing}' is a file, not a folder; choose another --out")


def _write_all(story: Story, folder: Path) -> None:
    listed = []
    for name, what, content in _files(story):
        (folder / name).write_text(content, encoding="utf-8")
        listed.append((name, what))
    subtitle = f"{spelled(story.pipeline)} · {story.chip}"
    save_page(
        folder / "index.html", f"minigraph explains {story.target.name}", sections_of(story, listed), subtitle=subtitle
    )


def explored(story: Story) -> Explorer:
    """The explorer of what a story tells."""
    return explorer(story.captured, pipeline=story.pipeline)


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
