"""Which names a piece of source reads and sets, and whose values are still wanted at a point."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence

SCOPES = (ast.FunctionDef, ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
Names = frozenset[str]


def reads(node: ast.AST) -> Names:
    """Every name that a piece of code may read."""
    found = {name.id for name in ast.walk(node) if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Load)}
    added = {s.target.id for s in ast.walk(node) if isinstance(s, ast.AugAssign) and isinstance(s.target, ast.Name)}
    return frozenset(found | added)


def stores(stmts: Iterable[ast.AST]) -> Iterator[str]:
    """Every name that statements set in their own scope."""
    waiting = list(stmts)
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        if isinstance(node, ast.FunctionDef):
            yield node.name
        if not isinstance(node, SCOPES):
            waiting += ast.iter_child_nodes(node)


def live_into(stmts: Sequence[ast.stmt], live: Names) -> Names:
    """The names whose values before the statements may be read in or after them."""
    for s in reversed(stmts):
        live = live_before(s, live)
    return live


def live_before(s: ast.stmt, live: Names) -> Names:
    """The same for one statement."""
    if isinstance(s, ast.If):
        return live_into(s.body, live) | live_into(s.orelse, live) | reads(s.test)
    if isinstance(s, ast.While):
        return live | live_into(s.body, live | reads(s)) | reads(s.test)
    if isinstance(s, ast.Return | ast.Raise):
        return reads(s)
    if isinstance(s, ast.Assign):
        return (live - {target.id for target in s.targets if isinstance(target, ast.Name)}) | reads(s)
    return live | reads(s)
