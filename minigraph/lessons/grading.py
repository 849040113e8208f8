"""Running a lesson with an answer: cell by cell, each with what it printed, and the last with its verdict."""

from __future__ import annotations

import ast
import contextlib
import io
import linecache
import traceback
from collections.abc import Iterator
from typing import Any, NamedTuple

from minigraph.core.errors import UsageError, did_you_mean
from minigraph.lessons.texts import EXERCISE, Cell, Lesson
from minigraph.lessons.told import NotYet

ANSWER = "<answer>"  # the file that an answer's lines belong to


class Ran(NamedTuple):
    """A cell that was run, and what it printed."""

    cell: Cell
    printed: str


def run(lesson: Lesson, answer: str | None = None) -> Iterator[Ran]:
    """Run the cells of a lesson in one namespace, one whenever the next is asked for, ``answer`` as its exercise.

    Raises ``NotYet`` from the checker, and what a cell raises.
    """
    space: dict[str, Any] = {"__name__": "__main__"}
    for cell in lesson.cells:
        yield _run(lesson, cell, answer, space)


def verdict(lesson: Lesson, answer: str) -> str:
    """What the checker says to a right answer. Raises ``NotYet`` with its hint, ``UsageError`` for one that fails."""
    try:
        return list(run(lesson, answer))[-1].printed.strip().splitlines()[-1]
    except NotYet:
        raise
    except (Exception, SystemExit) as error:
        text = " ".join(str(error).split())
        raise UsageError(
            f"the answer to {lesson.name} fails: {type(error).__name__}: {text}{_line_of(error)}"
        ) from None


def _run(lesson: Lesson, cell: Cell, answer: str | None, space: dict[str, Any]) -> Ran:
    """One cell run under the lesson's own file and lines, because ``@jit`` and errors read them there."""
    if cell.is_prose:
        return Ran(cell, "")
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        if cell.heading == EXERCISE and answer is not None:
            linecache.cache[ANSWER] = (len(answer), None, answer.splitlines(keepends=True), ANSWER)
            exec(compile(answer, ANSWER, "exec"), space)
            _check_names(names_in(cell.text) - space.keys(), names_in(answer))
        else:
            exec(compile("\n" * cell.line + cell.text, str(lesson.path), "exec"), space)
    return Ran(cell, printed.getvalue())


def names_in(text: str) -> set[str]:
    """The functions, classes and variables that a text defines at its top.

    >>> sorted(names_in("def f(x): y = 1\\nz = 2"))
    ['f', 'z']
    """
    found: set[str] = set()
    for statement in ast.parse(text).body:
        if isinstance(statement, ast.FunctionDef | ast.ClassDef):
            found.add(statement.name)
        elif isinstance(statement, ast.Assign):
            found |= {target.id for target in statement.targets if isinstance(target, ast.Name)}
    return found


def _check_names(missing: set[str], given: set[str]) -> None:
    for name in sorted(missing):
        raise NotYet(f"the answer has no '{name}'{did_you_mean(name, given)}; the exercise asks for one")


def _line_of(error: BaseException) -> str:
    """`` (line 3 of the answer)``: the innermost line of the answer in a traceback."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename == ANSWER]
    return f" (line {frames[-1].lineno} of the answer)" if frames else ""
