"""Converts a lesson to a Jupyter notebook (format 4.5, plain JSON), and extracts the answer from one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from minigraph.core.errors import UsageError
from minigraph.core.scope_guard import reraise_handler_error
from minigraph.lessons.lesson_files import EXERCISE, Cell, Lesson, cells_of

NOTEBOOK_FORMAT = 4
KERNEL = {"display_name": "Python 3", "language": "python", "name": "python3"}


def as_notebook(lesson: Lesson, answer: str | None = None) -> dict[str, Any]:
    """The notebook of a lesson, without outputs; ``answer`` replaces the exercise."""
    return {
        "nbformat": NOTEBOOK_FORMAT,
        "nbformat_minor": 5,
        "metadata": {"kernelspec": KERNEL, "language_info": {"name": "python"}, "title": lesson.title},
        "cells": [_cell(number, cell, answer) for number, cell in enumerate(lesson.cells)],
    }


def notebook_text(lesson: Lesson) -> str:
    """The notebook as the text of an ``.ipynb`` file."""
    return json.dumps(as_notebook(lesson), indent=1, ensure_ascii=False) + "\n"


def _cell(number: int, cell: Cell, answer: str | None) -> dict[str, Any]:
    is_exercise = cell.heading == EXERCISE
    text = answer.strip("\n") if is_exercise and answer is not None else cell.plain_text
    fields = {
        "id": f"cell-{number}",
        "metadata": {"tags": [EXERCISE]} if is_exercise else {},
        "source": text.splitlines(keepends=True),
    }
    if cell.is_prose:
        return {"cell_type": "markdown", **fields}
    return {"cell_type": "code", "execution_count": None, "outputs": [], **fields}


def answer_in(path: Path) -> str:
    """The answer in a file: the exercise cell of a notebook or lesson, else the whole Python file.

    Raises ``UsageError`` for an unreadable file, and for a notebook without the exercise cell.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reraise_handler_error(error)
        raise UsageError(
            f"learn: cannot read '{path}': {getattr(error, 'strerror', None) or 'not UTF-8 text'}"
        ) from None
    if path.suffix == ".ipynb":
        return _answer_in_notebook(path, text)
    exercises = [cell.text for cell in cells_of(text) if cell.heading == EXERCISE]
    return exercises[0] if exercises else text


def _answer_in_notebook(path: Path, text: str) -> str:
    try:
        notebook = json.loads(text)
        version = notebook.get("nbformat", NOTEBOOK_FORMAT)
        if version == NOTEBOOK_FORMAT:
            sources = [cell["source"] for cell in notebook["cells"] if EXERCISE in cell["metadata"].get("tags", ())]
            return "".join(sources[0])
        problem = f"is in the notebook format {str(version)[:20]}, not {NOTEBOOK_FORMAT}; save it in that"
    except (ValueError, KeyError, TypeError, AttributeError, IndexError, RecursionError):
        problem = f"has no cell tagged '{EXERCISE}'"
    raise UsageError(f"learn: '{path}' {problem}; or write only the answer to a .py file")
