"""Access of nested functions and of the frame to a function's variables, which decides whether it can be split."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any

from minigraph.translate.liveness import FUNCTIONS, Names, names_read, stores

SEES_FRAME = frozenset({"locals", "eval", "exec", "_getframe", "currentframe", "vars", "dir"})
CLOSURES = (*FUNCTIONS, ast.GeneratorExp)


class _ReplaceDeclarations(ast.NodeTransformer):
    """Replaces ``global`` and ``nonlocal`` statements by ``pass``, except in nested functions."""

    def visit(self, node: ast.AST) -> Any:
        """A statement, replaced if it is one of these."""
        if isinstance(node, ast.Global | ast.Nonlocal):
            return ast.copy_location(ast.Pass(), node)
        return node if isinstance(node, FUNCTIONS) else self.generic_visit(node)


def replace_declarations(function: ast.FunctionDef) -> None:
    """Replace the ``global`` and ``nonlocal`` statements of a function by ``pass``."""
    _ReplaceDeclarations().generic_visit(function)


def own_nodes(stmts: Iterable[ast.AST]) -> Iterator[Any]:
    """All nodes of statements, without those inside of nested functions."""
    worklist = list(stmts)
    while worklist:
        node = worklist.pop()
        yield node
        if not isinstance(node, FUNCTIONS):
            worklist += ast.iter_child_nodes(node)


def sees_frame(function: ast.FunctionDef) -> bool:
    """Whether a function suspends, or looks at its own local variables."""
    for node in own_nodes(function.body):
        name = getattr(node, "id", getattr(node, "attr", ""))
        if name in SEES_FRAME or isinstance(node, ast.Yield | ast.YieldFrom | ast.Await):
            return True
    return False


def closes_over(node: ast.AST, names: Collection[str]) -> bool:
    """Whether a nested function reads one of these variables, or may bind it."""
    return any(not _outer_names(inner).isdisjoint(names) for inner in ast.walk(node) if isinstance(inner, CLOSURES))


def _outer_names(node: ast.AST) -> set[str]:
    """The names that a nested function reads and does not bind itself, or declares as not its own."""
    declared = {name for inner in ast.walk(node) if isinstance(inner, ast.Nonlocal) for name in inner.names}
    if isinstance(node, ast.ClassDef):
        return set(names_read(node)) | declared
    is_function = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    own = {*stores(getattr(node, "body" if is_function else "generators", ()))}
    own |= {arg.arg for arg in ast.walk(getattr(node, "args", node)) if isinstance(arg, ast.arg)}
    return (set(names_read(node)) - own) | declared


def rebinds_closed_over(stmts: Sequence[ast.stmt], names: Names) -> bool:
    """Whether a variable changes after a statement whose nested functions see it, or nested functions change it."""
    declared = {name for s in stmts for node in ast.walk(s) if isinstance(node, ast.Nonlocal) for name in node.names}
    return not names.isdisjoint(declared) or any(
        closes_over(s, set(stores(stmts[k + 1 :])) & names) for k, s in enumerate(stmts)
    )
