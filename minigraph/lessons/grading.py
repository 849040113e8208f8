"""Runs a lesson with an answer, cell by cell, and returns the verdict of its checker."""

from __future__ import annotations

import ast
import linecache
import traceback
from collections.abc import Iterator
from io import StringIO
from typing import Any, NamedTuple

from minigraph.core.errors import UsageError, did_you_mean
from minigraph.core.output import call_printing_to
from minigraph.core.python_parser import parse_python
from minigraph.core.scope_guard import reraise_handler_error
from minigraph.lessons.feedback import WrongAnswerError
from minigraph.lessons.lesson_files import EXERCISE, Cell, Lesson

ANSWER = "<answer>"  # file name in tracebacks of the answer


class CellRun(NamedTuple):
    """A cell and what it printed when it ran."""

    cell: Cell
    printed: str


def run(lesson: Lesson, answer: str | None = None) -> Iterator[CellRun]:
    """Run the cells of a lesson lazily in one namespace, with ``answer`` in place of the exercise.

    Raises ``WrongAnswerError`` from the checker, and the exception of a failing cell.
    """
    namespace: dict[str, Any] = {"__name__": "__main__"}
    for cell in lesson.cells:
        yield _run_cell(lesson, cell, answer, namespace)


def verdict(lesson: Lesson, answer: str) -> str:
    """The checker's message for a right answer; raises ``WrongAnswerError``, ``UsageError`` if it fails."""
    try:
        return list(run(lesson, answer))[-1].printed.strip().splitlines()[-1]
    except WrongAnswerError:
        raise
    except (Exception, SystemExit) as error:
        reraise_handler_error(error)
        text = " ".join(str(error).split())
        raise UsageError(
            f"the answer to {lesson.name} fails: {type(error).__name__}: {text}{_line_of(error)}"
        ) from None


def _run_cell(lesson: Lesson, cell: Cell, answer: str | None, namespace: dict[str, object]) -> CellRun:
    """Run one cell with the file name and line numbers of the lesson, where ``@jit`` and errors read its source."""
    if cell.is_prose:
        return CellRun(cell, "")
    printed = StringIO()
    if cell.heading == EXERCISE and answer is not None:
        linecache.cache[ANSWER] = (len(answer), None, answer.splitlines(keepends=True), ANSWER)
        call_printing_to(printed, exec, compile(answer, ANSWER, "exec"), namespace)
        _check_names(names_in(cell.text) - namespace.keys(), names_in(answer))
    else:
        code = compile("\n" * cell.line + cell.text, str(lesson.path), "exec")
        call_printing_to(printed, exec, code, namespace)
    return CellRun(cell, printed.getvalue())


def names_in(text: str) -> set[str]:
    """The functions, classes and variables that a program defines at top level.

    >>> sorted(names_in("def f(x): y = 1\\nz = 2"))
    ['f', 'z']
    """
    names: set[str] = set()
    for statement in parse_python(text).body:
        if isinstance(statement, ast.FunctionDef | ast.ClassDef):
            names.add(statement.name)
        elif isinstance(statement, ast.Assign):
            names |= {target.id for target in statement.targets if isinstance(target, ast.Name)}
    return names


def _check_names(missing: set[str], defined: set[str]) -> None:
    for name in sorted(missing):
        raise WrongAnswerError(f"the answer has no '{name}'{did_you_mean(name, defined)}; the exercise requires it")


def _line_of(error: BaseException) -> str:
    """`` (line 3 of the answer)``: the innermost line of the answer in a traceback."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename == ANSWER]
    return f" (line {frames[-1].lineno} of the answer)" if frames else ""
