"""Lesson files: Python files of ``# %%`` cells with one exercise each; hints and answers are in ``solutions/``.

In a checkout they are in ``tutorials/``; a wheel contains the same files as data.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import NamedTuple

import minigraph
from minigraph.core.deprecated_names import warn_renamed
from minigraph.core.errors import UnknownNameError, UsageError, did_you_mean
from minigraph.core.lazy import cached_property

FIRST_LESSON = "01_tape.py"  # identifies the folder of the lessons
MARKDOWN, EXERCISE = "[markdown]", "exercise"


class Cell(NamedTuple):
    """One cell: the heading after its ``# %%``, its text without that line, and the number of lines before it."""

    heading: str
    text: str
    line: int = 0

    @property
    def is_prose(self) -> bool:
        """Whether it is a Markdown cell, which is a comment in the file."""
        return self.heading == MARKDOWN

    @property
    def plain_text(self) -> str:
        """The text as in a notebook: prose without comment signs, no leading or trailing blank lines."""
        text = re.sub(r"^# ?", "", self.text, flags=re.MULTILINE) if self.is_prose else self.text
        return text.strip("\n")

    @property
    def plain(self) -> str:
        """The deprecated name of ``plain_text``."""
        warn_renamed("Cell.plain", "Cell.plain_text")
        return self.plain_text


def cells_of(text: str) -> list[Cell]:
    """The cells of a text in percent format; text before the first cell is ignored.

    >>> cells_of("# %% [markdown]\\n# Hello.\\n# %%\\nprint(1)\\n")
    [Cell(heading='[markdown]', text='# Hello.\\n', line=1), Cell(heading='', text='print(1)\\n', line=3)]
    """
    starts = list(re.finditer(r"^# %%(.*)\n", text, flags=re.MULTILINE))
    ends = [*(start.start() for start in starts), len(text)][1:]
    return [
        Cell(start[1].strip(), text[start.end() : end], text.count("\n", 0, start.end()))
        for start, end in zip(starts, ends, strict=True)
    ]


@dataclass(frozen=True)
class Lesson:
    """One lesson: its file; hints and answers are in ``solutions/`` under the same name."""

    path: Path

    @property
    def name(self) -> str:
        """Number and short name, such as ``05_depend``."""
        return self.path.stem

    @property
    def number(self) -> int:
        """Its position in the sequence, from 1."""
        return int(self.name.partition("_")[0])

    @cached_property
    def cells(self) -> list[Cell]:
        """Its cells, in order."""
        return cells_of(self.path.read_text(encoding="utf-8"))

    @property
    def title(self) -> str:
        """Its heading without the number."""
        return self.cells[0].plain_text.splitlines()[0].lstrip("# ").partition(". ")[2]

    @property
    def exercise(self) -> Cell:
        """The cell that the reader fills in."""
        return next(cell for cell in self.cells if cell.heading == EXERCISE)

    @cached_property
    def answers(self) -> list[Cell]:
        """The cells of its solutions file: hints, the solution, and typical wrong answers."""
        return cells_of((self.path.parent / "solutions" / self.path.name).read_text(encoding="utf-8"))

    @property
    def hints(self) -> list[str]:
        """The hints, from general to specific."""
        return [re.sub(r"^# ?", "", cell.text, flags=re.MULTILINE).strip() for cell in self._answers_of_kind("hint")]

    @property
    def solution(self) -> str:
        """The code that solves the exercise."""
        return self._answers_of_kind("solution")[0].text.strip("\n") + "\n"

    @property
    def wrong(self) -> list[tuple[str, str]]:
        """Typical wrong answers: (regular expression of the checker's message, answer) pairs."""
        return [(cell.heading.partition(":")[2].strip(), cell.text) for cell in self._answers_of_kind("wrong")]

    def program_with_answer(self, answer: str) -> str:
        """The whole program of the lesson with an answer in place of the exercise."""
        return "\n".join(answer if cell.heading == EXERCISE else cell.text for cell in self.cells)

    def _answers_of_kind(self, kind: str) -> list[Cell]:
        return [cell for cell in self.answers if cell.heading.partition(":")[0] == kind]


def lessons() -> list[Lesson]:
    """All lessons, in order; raises ``UsageError`` if the installation has none."""
    return [Lesson(path) for path in sorted(folder().glob("[0-9][0-9]_*.py"))]


def lesson_named(text: str) -> Lesson:
    """The lesson with this number, name or part of a name: ``5``, ``05``, ``depend``, ``05_depend.py``.

    Raises ``UnknownNameError`` with the closest name.
    """
    all_lessons = lessons()
    query = text.removesuffix(".py").removesuffix(".ipynb").lower()
    for lesson in all_lessons:
        if query in (lesson.name, lesson.name.partition("_")[2], str(lesson.number), f"{lesson.number:02d}"):
            return lesson
    matches = [lesson for lesson in all_lessons if len(query) > 2 and query in lesson.name]
    if len(matches) == 1:
        return matches[0]
    names = dict.fromkeys(word for lesson in all_lessons for word in lesson.name.split("_")[1:])
    numbers = f"; lessons have the numbers 1 to {len(all_lessons)}" if query.isdecimal() else did_you_mean(query, names)
    raise UnknownNameError(f"learn: no lesson '{text}'{numbers}")


def folder() -> Path:
    """The folder of the lessons: next to the package in a checkout, else according to the wheel's file record."""
    checkout = Path(minigraph.__file__).parents[1] / "tutorials"
    if (checkout / FIRST_LESSON).is_file():
        return checkout
    try:
        installed = metadata.files("minigraph") or ()
    except metadata.PackageNotFoundError:
        installed = ()
    files = [
        Path(str(file.locate())) for file in installed if file.name == FIRST_LESSON and file.parent.name == "tutorials"
    ]
    if not files:
        raise UsageError("learn: this installation has no lessons; install minigraph from its checkout or wheel")
    return files[0].resolve().parent
