"""A lesson as a page: its prose, its code, and what the code prints and draws, run here and now."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from minigraph.lessons import Cell, Lesson, NotYet, run
from viz import Block, Drawing, Section, Text, save_page
from viz.common.elements import escaped

PICTURE = re.compile(r"^picture: (.+)\n?", re.MULTILINE)  # what ``show`` prints outside of a notebook


@dataclass(frozen=True)
class Prose:
    """Paragraphs and lists in the little markdown that lessons use; what is no markdown is text."""

    text: str

    def html(self) -> str:
        """The paragraphs."""
        return "".join(_paragraph(part) for part in self.text.split("\n\n") if part.strip())


def write_lesson_page(lesson: Lesson, path: Path) -> Path:
    """Run a lesson as it is and write its page, with what the checker says to the empty exercise; returns the path.

    Raises what a cell raises.
    """
    return save_page(path, f"{lesson.number}. {lesson.title}", list(_sections(lesson)), subtitle="a minigraph lesson")


def _sections(lesson: Lesson) -> Iterator[Section]:
    """A section from each heading to the next."""
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
    ran = run(lesson)
    for cell in lesson.cells:
        yield from _source(cell)
        try:
            printed = next(ran).printed
        except NotYet as told:
            yield Text(str(told), "not yet")
            return
        pictures = [Path(name).read_text(encoding="utf-8") for name in PICTURE.findall(printed)]
        text = PICTURE.sub("", printed).strip("\n")
        yield from ([Text(text, "prints")] if text else [])
        yield from map(Drawing, pictures)


def _source(cell: Cell) -> Iterator[Block]:
    """The prose of a cell, a block from each heading on; or its code."""
    if not cell.is_prose:
        yield Text(cell.plain)
        return
    yield from (Prose(part) for part in re.split(r"\n(?=#)", cell.plain) if part.strip())


def _paragraph(text: str) -> str:
    items = re.split(r"(?:^|\n)- ", text)
    if len(items) > 1 and not items[0].strip():
        return "<ul>" + "".join(f"<li>{_inline(item)}</li>" for item in items[1:]) + "</ul>"
    return f"<p>{_inline(text)}</p>"


def _inline(text: str) -> str:
    """Code, strong and stressed words; everything else is escaped, and so is what is inside them."""
    parts = re.split(r"(`[^`]+`|\*\*[^*]+\*\*|(?<![\w*])\*[^*\s][^*]*\*(?![\w*]))", text)
    return "".join(_marked(part) if i % 2 else escaped(part) for i, part in enumerate(parts))


def _marked(part: str) -> str:
    if part.startswith("`"):
        return f"<code>{escaped(part.strip('`'))}</code>"
    tag = "strong" if part.startswith("**") else "em"
    return f"<{tag}>{escaped(part.strip('*'))}</{tag}>"
