"""The user's program beside the graph: the functions that nodes come from, and no line more than those have."""

from __future__ import annotations

import ast
from typing import Any

from viz.explore.pack import Tables
from viz.explore.source_text import MAX_LINE_CHARACTERS, first_line, lines_of, syntax_tree

CONTEXT_LINES = 3  # lines around a place that stands in no function


def source_excerpts(tables: Tables) -> list[dict[str, Any]]:
    """The pieces of every file that places to be shown lie in: ``file``, number of the ``first`` line, ``lines``."""
    wanted: dict[str, set[int]] = {}
    for file, line in tables.shown:
        wanted.setdefault(file, set()).add(line)
    return [piece for file, lines in wanted.items() for piece in _file_excerpts(file, lines)]


def _file_excerpts(file: str, wanted: set[int]) -> list[dict[str, Any]]:
    text = lines_of(file)
    shown: set[int] = set()
    for first, last in _function_spans(text):
        if any(first <= line <= last for line in wanted):
            shown.update(range(first, last + 1))
    for line in wanted:
        if line not in shown:
            shown.update(range(line - CONTEXT_LINES, line + CONTEXT_LINES + 1))
    return [
        {"file": file, "first": first, "lines": [line[:MAX_LINE_CHARACTERS] for line in text[first - 1 : last]]}
        for first, last in _consecutive_ranges(sorted(line for line in shown if 1 <= line <= len(text)))
    ]


def _function_spans(text: list[str]) -> list[tuple[int, int]]:
    """First and last line of every function, decorators and inner functions included."""
    tree = syntax_tree(text)
    if tree is None:
        return []
    found = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    return [(first_line(node), node.end_lineno or node.lineno) for node in found]


def _consecutive_ranges(lines: list[int]) -> list[tuple[int, int]]:
    """Ascending numbers as stretches without holes.

    >>> _consecutive_ranges([3, 4, 5, 9])
    [(3, 5), (9, 9)]
    """
    found: list[tuple[int, int]] = []
    for line in lines:
        if found and line == found[-1][1] + 1:
            found[-1] = found[-1][0], line
        else:
            found.append((line, line))
    return found
