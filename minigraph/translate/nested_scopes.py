"""Access of nested functions and of the frame to a function's variables, which decides whether it can be split."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any

from minigraph.translate.liveness import FUNCTION_NODES, Names, names_read, stores

SEES_FRAME = frozenset({"locals", "eval", "exec", "_getframe", "currentframe", "vars", "dir"})
CLOSURES = (*FUNCTION_NODES, ast.GeneratorExp)
BLOCK_FIELDS = ("body", "orelse", "finalbody")


class _ReplaceDeclarations(ast.NodeTransformer):
    """Replaces ``global`` and ``nonlocal`` statements by ``pass``, except in nested functions."""

    def visit(self, node: ast.AST) -> Any:
        """A statement, replaced if it is one of these."""
        if isinstance(node, ast.Global | ast.Nonlocal):
            return ast.copy_location(ast.Pass(), node)
        return node if isinstance(node, FUNCTION_NODES) else self.generic_visit(node)


def replace_declarations(function: ast.FunctionDef) -> None:
    """Replace the ``global`` and ``nonlocal`` statements of a function by ``pass``."""
    _ReplaceDeclarations().generic_visit(function)


def own_nodes(stmts: Iterable[ast.AST]) -> Iterator[Any]:
    """All nodes of statements, without those inside of nested functions."""
    worklist = list(stmts)
    while worklist:
        node = worklist.pop()
        yield node
        if not isinstance(node, FUNCTION_NODES):
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
    bound = {*stores(getattr(node, "body" if is_function else "generators", ()))}
    bound |= {arg.arg for arg in ast.walk(getattr(node, "args", node)) if isinstance(arg, ast.arg)}
    return (set(names_read(node)) - bound) | declared


def shared_variables(stmts: Sequence[ast.stmt], names: Names) -> Names:
    """The variables that change after a statement whose nested functions see them, or that nested functions change."""
    shared = {name for s in stmts for node in ast.walk(s) if isinstance(node, ast.Nonlocal) for name in node.names}
    for block in _blocks(stmts):
        for k, s in enumerate(block):
            later = {*stores(block[k + 1 :])}
            inner = (node for node in ast.walk(s) if isinstance(node, CLOSURES))
            shared |= {name for node in inner for name in _outer_names(node) & later}
    return names & shared


def _blocks(stmts: Sequence[ast.stmt]) -> Iterator[list[Any]]:
    """The statements, and for each compound one those inside of it, in the order in which they may run."""
    worklist = [[*stmts]]
    while worklist:
        block = worklist.pop()
        yield block
        for s in block:
            if not isinstance(s, FUNCTION_NODES):
                parts = [s, *getattr(s, "handlers", ()), *getattr(s, "cases", ())]
                inner = [item for name in BLOCK_FIELDS for part in parts for item in getattr(part, name, ())]
                worklist += [inner] if inner else []


def unbinds(s: ast.stmt) -> bool:
    """Whether a statement may leave a variable unbound: ``del``, or the name after ``except ... as``."""
    return any(isinstance(node, ast.Delete | ast.ExceptHandler) for node in own_nodes([s]))


def names_of_closures(stmts: Sequence[ast.stmt], variables: Collection[str]) -> Names:
    """The names bound by simple statements and definitions whose nested functions see one of these variables."""
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Assign, ast.AnnAssign)
    nodes = [node for node in own_nodes(stmts) if isinstance(node, kinds) and closes_over(node, variables)]
    return frozenset(stores(nodes))
