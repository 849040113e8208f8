"""A lesson as an HTML page: its prose and code, with the output and pictures of a run."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from minigraph.lessons import Cell, Lesson, WrongAnswerError, run
from viz import Block, Drawing, Section, Text, save_page
from viz.common.elements import escape

PICTURE = re.compile(r"^picture: (.+)\n?", re.MULTILINE)  # printed by ``show`` outside a notebook


@dataclass(frozen=True)
class Prose:
    """Paragraphs and lists in the subset of Markdown that lessons use."""

    text: str

    def html(self) -> str:
        """The paragraphs and lists as HTML."""
        return "".join(_paragraph(part) for part in self.text.split("\n\n") if part.strip())


def write_lesson_page(lesson: Lesson, path: Path) -> Path:
    """Run a lesson with its exercise unsolved, write its page with the checker's message, and return the path.

    Raises the exception of a failing cell.
    """
    return save_page(path, f"{lesson.number}. {lesson.title}", list(_sections(lesson)), subtitle="a minigraph lesson")


def _sections(lesson: Lesson) -> Iterator[Section]:
    """One section per heading."""
    title, blocks = lesson.title, list[Block]()
    for block in _blocks(lesson):
        heading = re.match(r"#+ (.+)\n*", block.text) if isinstance(block, Prose) else None
        if heading is not None and isinstance(block, Prose):
            if blocks:
                yield Section(title, blocks)
            title, blocks = heading[1].removeprefix(f"{lesson.number}. "), []
            block = Prose(block.text[heading.end() :])
        blocks.append(block)
    yield Section(title, blocks)


def _blocks(lesson: Lesson) -> Iterator[Block]:
    runs = run(lesson)
    for cell in lesson.cells:
        yield from _source(cell)
        try:
            printed = next(runs).printed
        except WrongAnswerError as error:
            yield Text(str(error), "not yet")
            return
        pictures = [Path(name).read_text(encoding="utf-8") for name in PICTURE.findall(printed)]
        text = PICTURE.sub("", printed).strip("\n")
        yield from ([Text(text, "output")] if text else [])
        yield from map(Drawing, pictures)


def _source(cell: Cell) -> Iterator[Block]:
    """The code of a cell, or its prose with one block per heading."""
    if not cell.is_prose:
        yield Text(cell.plain_text)
        return
    yield from (Prose(part) for part in re.split(r"\n(?=#)", cell.plain_text) if part.strip())


def _paragraph(text: str) -> str:
    items = re.split(r"(?:^|\n)- ", text)
    if len(items) > 1 and not items[0].strip():
        return "<ul>" + "".join(f"<li>{_inline(item)}</li>" for item in items[1:]) + "</ul>"
    return f"<p>{_inline(text)}</p>"


def _inline(text: str) -> str:
    """Text with inline code, strong and emphasised words as HTML; all text is escaped."""
    parts = re.split(r"(`[^`]+`|\*\*[^*]+\*\*|(?<![\w*])\*[^*\s][^*]*\*(?![\w*]))", text)
    return "".join(_inline_element(part) if i % 2 else escape(part) for i, part in enumerate(parts))


def _inline_element(part: str) -> str:
    if part.startswith("`"):
        return f"<code>{escape(part.strip('`'))}</code>"
    tag = "strong" if part.startswith("**") else "em"
    return f"<{tag}>{escape(part.strip('*'))}</{tag}>"
