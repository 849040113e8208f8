"""Python's own parser behind a lock.

CPython counts the depth of syntax trees in one place per process. Two threads that convert trees at once raise
``SystemError: AST constructor recursion depth mismatch``. So everything that creates a tree or compiles one calls this
module; compiling from text, which creates no tree, needs no lock.
"""

from __future__ import annotations

import ast
from types import CodeType
from typing import TypeVar

from minigraph.core.scope_guard import parser_lock

T = TypeVar("T", bound=ast.AST)


def parse_python(text: str) -> ast.Module:
    """The syntax tree of a Python text; raises the errors of ``ast.parse``.

    >>> len(parse_python("x = 1\\ny = 2").body)
    2
    """
    with parser_lock:
        return ast.parse(text)


def copy_tree(node: T) -> T:
    """A copy of a syntax tree; ``copy.deepcopy`` takes eight times as long.

    >>> ast.unparse(copy_tree(parse_python("x = [1, f(y)]")))
    'x = [1, f(y)]'
    """
    new = node.__class__.__new__(node.__class__)
    vars(new).update({name: _copy_part(part) for name, part in vars(node).items()})
    return new


def _copy_part(part: object) -> object:
    if part.__class__ is list:
        return [_copy_part(item) for item in part]
    return copy_tree(part) if isinstance(part, ast.AST) and part._fields else part


def compile_tree(tree: ast.Module, file: str, flags: int = 0) -> CodeType:
    """The code of a syntax tree, under the name of a file, with flags of ``__future__``; raises ``compile``'s errors.

    >>> compile_tree(parse_python("x = 1"), "net.py").co_filename
    'net.py'
    """
    with parser_lock:
        return compile(tree, file, "exec", flags, True)  # without the flags of this file
