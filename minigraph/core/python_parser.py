"""Python's own parser behind a lock.

CPython counts the depth of syntax trees in one place per process. Two threads that convert trees at once raise
``SystemError: AST constructor recursion depth mismatch``. So everything that creates a tree or compiles one calls this
module; compiling from text, which creates no tree, needs no lock.
"""

from __future__ import annotations

import ast
import os
from threading import RLock
from types import CodeType
from typing import TypeVar

T = TypeVar("T", bound=ast.AST)

_parser_lock = RLock()


def parse_python(text: str) -> ast.Module:
    """The syntax tree of a Python text; raises the errors of ``ast.parse``.

    >>> len(parse_python("x = 1\\ny = 2").body)
    2
    """
    with _parser_lock:
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
    with _parser_lock:
        return compile(tree, file, "exec", flags, True)  # without the flags of this file


if hasattr(os, "register_at_fork"):  # a child process starts when no tree is being converted
    os.register_at_fork(
        before=_parser_lock.acquire, after_in_parent=_parser_lock.release, after_in_child=_parser_lock.release
    )
