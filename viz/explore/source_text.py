"""Source text by file and line: of whole files, and of the one thing that is written at a line."""

from __future__ import annotations

import ast
import linecache
import textwrap
from collections.abc import Iterable
from functools import lru_cache

MAX_LINE_CHARACTERS = 400  # letters of a line that are kept
MAX_LINES = 60  # lines of one thing


def lines_of(file: str) -> list[str]:
    """The lines of a file, of a notebook's cell as well; none when it is not at hand."""
    try:
        return [line.rstrip("\n") for line in linecache.getlines(file)]
    except (ValueError, OSError):  # a name read from a graph's text need not be one a file system takes
        return []


def syntax_tree(lines: Iterable[str]) -> ast.Module | None:
    """The lines as a syntax tree; ``None`` when they are no Python."""
    return _parsed("\n".join(lines))


@lru_cache(maxsize=32)  # many rules stand in one file
def _parsed(text: str) -> ast.Module | None:
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError):
        return None


def first_line(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Where a function begins, its decorators included."""
    return min([function.lineno, *(one.lineno for one in function.decorator_list)])


def source_at(file: str, line: int) -> str:
    """The function that begins at a line, else the call or statement that stands there; "" when it is not at hand."""
    lines = lines_of(file)
    span = _span(lines, line) if 0 < line <= len(lines) else None
    if span is None:
        return ""
    text = [one[:MAX_LINE_CHARACTERS] for one in lines[span[0] - 1 : span[1]]]
    kept = text[:MAX_LINES] + ["..."] * (len(text) > MAX_LINES)
    return textwrap.dedent("\n".join(kept))


def _span(lines: list[str], line: int) -> tuple[int, int] | None:
    """First and last line of what is written at a line: the least that stands on whole lines."""
    tree = syntax_tree(lines)
    if tree is None:
        return None
    spans = []
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            if first_line(node) == line:
                return line, node.end_lineno or line
        elif isinstance(node, ast.Call | ast.stmt) and node.lineno <= line <= (node.end_lineno or 0):
            spans.append((node.lineno, node.end_lineno or line))
    return min(spans, key=lambda span: span[1] - span[0], default=None)
