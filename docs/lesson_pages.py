"""The lessons of ``tutorials/`` as pages, with the output and the picture of a run."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from minigraph import lessons
from minigraph.lessons import Lesson, WrongAnswerError, notebook_text

PICTURE = re.compile(r"^picture: (.+)\n?", re.MULTILINE)  # printed by ``show`` outside a notebook


def lesson_pages() -> dict[str, str]:
    """Each lesson as a page with its picture, its notebook, and an index of all: text by file name."""
    pages: dict[str, str] = {"lessons/index.md": _index()}
    for lesson in lessons.lessons():
        pages[f"lessons/{lesson.name}.ipynb"] = notebook_text(lesson)
        pages[f"lessons/{lesson.name}.md"] = "\n\n".join(_blocks(lesson, pages)) + "\n"
    return pages


def _index() -> str:
    text = (lessons.folder() / "README.md").read_text(encoding="utf-8").replace("# Tutorials", "# Lessons", 1)
    text = re.sub(r"\((\d\d_\w+)\.py\)", r"(\1.md)", text)
    text = re.sub(r"\[(`[^`]+`)\]\([^)]*\)", r"\1", text)  # folders of the repository
    return f"{text}\n```{{toctree}}\n:hidden:\n\n" + "\n".join(lesson.name for lesson in lessons.lessons()) + "\n```\n"


def _blocks(lesson: Lesson, pages: dict[str, str]) -> Iterator[str]:
    """Prose, code and output of each cell, up to the exercise; pictures are added to ``pages``."""
    runs = lessons.run(lesson)
    for cell in lesson.cells:
        yield cell.plain_text if cell.is_prose else f"```python\n{cell.plain_text}\n```"
        try:
            printed = next(runs).printed
        except WrongAnswerError as error:
            yield _output(f"WrongAnswerError: {error}")
            break
        yield from map(_output, filter(None, [PICTURE.sub("", printed).strip("\n")]))
        for path in map(Path, PICTURE.findall(printed)):
            pages[f"lessons/{path.name}"] = path.read_text(encoding="utf-8")
            yield f"![The picture of this lesson]({path.name})"
    number, notebook = lesson.number, f"{lesson.name}.ipynb"
    yield (
        f"Download {{download}}`the notebook <{notebook}>`, or write it with `minigraph learn {number} --to .`\n"
        f"`minigraph learn check {number} {notebook}` checks your answer; `minigraph learn hint {number}` shows a hint."
    )


def _output(text: str) -> str:
    return f"```text\n{text}\n```"
