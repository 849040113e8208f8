"""The lessons as they are kept: text files of ``# %%`` cells, an exercise in each, its hints and answers beside them.

In a checkout they stand in ``tutorials/``; a wheel carries the same files as data.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from importlib import metadata
from pathlib import Path
from typing import NamedTuple

import minigraph
from minigraph.core.errors import UnknownName, UsageError, did_you_mean

FIRST = "01_tape.py"  # where this file is, the lessons are
MARKDOWN, EXERCISE = "[markdown]", "exercise"


class Cell(NamedTuple):
    """One cell: what stands after its ``# %%``, its text without that line, and the line before its first."""

    heading: str
    text: str
    line: int = 0

    @property
    def is_prose(self) -> bool:
        """Whether it is markdown, a comment in the file."""
        return self.heading == MARKDOWN

    @property
    def plain(self) -> str:
        """The text as a notebook holds it: prose without its comment signs, no blank lines at the ends."""
        text = re.sub(r"^# ?", "", self.text, flags=re.MULTILINE) if self.is_prose else self.text
        return text.strip("\n")


def cells_of(text: str) -> list[Cell]:
    """The cells of a text in percent format; what stands before the first belongs to none.

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
    """One lesson: its file; the answers stand in ``solutions/`` beside it, under the same name."""

    path: Path

    @property
    def name(self) -> str:
        """``05_depend``: the number and a word."""
        return self.path.stem

    @property
    def number(self) -> int:
        """Its place in the sequence, from 1."""
        return int(self.name.partition("_")[0])

    @cached_property
    def cells(self) -> list[Cell]:
        """Its cells, in order."""
        return cells_of(self.path.read_text(encoding="utf-8"))

    @property
    def title(self) -> str:
        """What its heading says, without the number."""
        return self.cells[0].plain.splitlines()[0].lstrip("# ").partition(". ")[2]

    @property
    def exercise(self) -> Cell:
        """The cell that the reader fills in."""
        return next(cell for cell in self.cells if cell.heading == EXERCISE)

    @cached_property
    def answers(self) -> list[Cell]:
        """Its hints, its solution and typical wrong answers, with what the checker says to each."""
        return cells_of((self.path.parent / "solutions" / self.path.name).read_text(encoding="utf-8"))

    @property
    def hints(self) -> list[str]:
        """What helps without being the answer, the gentlest first."""
        return [re.sub(r"^# ?", "", cell.text, flags=re.MULTILINE).strip() for cell in self._kind("hint")]

    @property
    def solution(self) -> str:
        """The answer, as it takes the place of the exercise."""
        return self._kind("solution")[0].text.strip("\n") + "\n"

    @property
    def wrong(self) -> list[tuple[str, str]]:
        """(what the checker says, as a regular expression; the answer) of typical wrong answers."""
        return [(cell.heading.partition(":")[2].strip(), cell.text) for cell in self._kind("wrong")]

    def answered(self, answer: str) -> str:
        """The whole program of the lesson, with an answer in place of the exercise; prose stays a comment."""
        return "\n".join(answer if cell.heading == EXERCISE else cell.text for cell in self.cells)

    def _kind(self, kind: str) -> list[Cell]:
        return [cell for cell in self.answers if cell.heading.partition(":")[0] == kind]


def lessons() -> list[Lesson]:
    """Every lesson, in order; raises ``UsageError`` where an installation came without them."""
    return [Lesson(path) for path in sorted(folder().glob("[0-9][0-9]_*.py"))]


def lesson_named(text: str) -> Lesson:
    """The lesson of a number, a name or a part of one: ``5``, ``05``, ``depend``, ``05_depend.py``.

    Raises ``UnknownName`` with the nearest name.
    """
    every = lessons()
    wanted = text.removesuffix(".py").removesuffix(".ipynb").lower()
    for lesson in every:
        if wanted in (lesson.name, lesson.name.partition("_")[2], str(lesson.number), f"{lesson.number:02d}"):
            return lesson
    within = [lesson for lesson in every if len(wanted) > 2 and wanted in lesson.name]
    if len(within) == 1:
        return within[0]
    near = did_you_mean(wanted, [word for lesson in every for word in lesson.name.split("_")[1:]])
    raise UnknownName(f"learn: no lesson '{text}'{near}")


def folder() -> Path:
    """Where the lessons are: beside the package in a checkout, else where the wheel's record says."""
    checkout = Path(minigraph.__file__).parents[1] / "tutorials"
    if (checkout / FIRST).is_file():
        return checkout
    try:
        installed = metadata.files("minigraph") or ()
    except metadata.PackageNotFoundError:
        installed = ()
    found = [Path(str(file.locate())) for file in installed if file.name == FIRST and file.parent.name == "tutorials"]
    if not found:
        raise UsageError("learn: this installation came without lessons; install minigraph from its checkout or wheel")
    return found[0].resolve().parent
