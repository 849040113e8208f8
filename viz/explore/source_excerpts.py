"""Excerpts of the user's source files: only the functions that nodes come from."""

from __future__ import annotations

import ast
from typing import Any

from viz.explore.pack import Tables
from viz.explore.source_text import MAX_LINE_CHARACTERS, first_line, lines_of, syntax_tree

CONTEXT_LINES = 3  # before and after a line outside of functions


def source_excerpts(tables: Tables) -> list[dict[str, Any]]:
    """The excerpts of every file with lines to show: ``file``, number of the ``first`` line, ``lines``."""
    lines_by_file: dict[str, set[int]] = {}
    for file, line in tables.shown:
        lines_by_file.setdefault(file, set()).add(line)
    return [excerpt for file, lines in lines_by_file.items() for excerpt in _file_excerpts(file, lines)]


def _file_excerpts(file: str, wanted_lines: set[int]) -> list[dict[str, Any]]:
    text = lines_of(file)
    lines: set[int] = set()
    for first, last in _function_spans(text):
        if any(first <= line <= last for line in wanted_lines):
            lines.update(range(first, last + 1))
    for line in wanted_lines:
        if line not in lines:
            lines.update(range(line - CONTEXT_LINES, line + CONTEXT_LINES + 1))
    return [
        {"file": file, "first": first, "lines": [line[:MAX_LINE_CHARACTERS] for line in text[first - 1 : last]]}
        for first, last in _consecutive_ranges(sorted(line for line in lines if 1 <= line <= len(text)))
    ]


def _function_spans(text: list[str]) -> list[tuple[int, int]]:
    """The first and last line of every function, with decorators; inner functions are included."""
    tree = syntax_tree(text)
    if tree is None:
        return []
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    return [(first_line(node), node.end_lineno or node.lineno) for node in functions]


def _consecutive_ranges(lines: list[int]) -> list[tuple[int, int]]:
    """Ascending numbers as ranges of consecutive ones.

    >>> _consecutive_ranges([3, 4, 5, 9])
    [(3, 5), (9, 9)]
    """
    ranges: list[tuple[int, int]] = []
    for line in lines:
        if ranges and line == ranges[-1][1] + 1:
            ranges[-1] = ranges[-1][0], line
        else:
            ranges.append((line, line))
    return ranges
