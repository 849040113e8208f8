"""Source text by file and line: whole files, and the function or statement at a line."""

from __future__ import annotations

import ast
import linecache
import textwrap
from collections.abc import Iterable
from functools import lru_cache

from minigraph.core.python_parser import parse_python
from minigraph.core.scope_guard import reraise_handler_error

MAX_LINE_CHARACTERS = 400
MAX_LINES = 60  # of a function or statement


def lines_of(file: str) -> list[str]:
    """The lines of a file or notebook cell; none if it cannot be read."""
    try:
        return [line.rstrip("\n") for line in linecache.getlines(file)]
    except (ValueError, OSError) as error:  # names parsed from graph text need not be valid file names
        reraise_handler_error(error)
        return []


def syntax_tree(lines: Iterable[str]) -> ast.Module | None:
    """The lines as a syntax tree; ``None`` if they are not valid Python."""
    return _parse("\n".join(lines))


@lru_cache(maxsize=32)  # many rules are in one file
def _parse(text: str) -> ast.Module | None:
    try:
        return parse_python(text)
    except (SyntaxError, ValueError):
        return None


def first_line(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """The first line of a function, including its decorators."""
    return min([function.lineno, *(decorator.lineno for decorator in function.decorator_list)])


def source_at(file: str, line: int) -> str:
    """The function that starts at a line, else the call or statement at that line; "" if it cannot be read."""
    lines = lines_of(file)
    span = _span(lines, line) if 0 < line <= len(lines) else None
    if span is None:
        return ""
    text = [row[:MAX_LINE_CHARACTERS] for row in lines[span[0] - 1 : span[1]]]
    return textwrap.dedent("\n".join(text[:MAX_LINES] + ["..."] * (len(text) > MAX_LINES)))


def _span(lines: list[str], line: int) -> tuple[int, int] | None:
    """The first and last line of the function or the smallest statement at a line."""
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
