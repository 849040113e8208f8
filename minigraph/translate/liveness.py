"""Live-variable analysis of Python source: which names are read later, at each point of a function.

The standard backward data-flow analysis (Aho, Lam, Sethi and Ullman, *Compilers*, section 9.2.5), on the syntax
tree: a name is live before a statement if the statement may read it, or if it is live after and not overwritten. A
loop's body is analysed with all names of the loop live at its end, which is conservative and needs no iteration. Only
plain assignments and targets of loops kill names. The caller treats names that nested functions read as live
everywhere.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
SCOPES = (*FUNCTIONS, *COMPREHENSIONS)
Names = frozenset[str]


def nodes_in(node: ast.AST) -> list[ast.AST]:
    """All nodes of a tree except contexts and operators, outer ones first; faster than ``ast.walk``."""
    nodes = [node]
    for each in nodes:
        nodes += children_of(each)
    return nodes


def children_of(node: ast.AST) -> list[ast.AST]:
    """The children of a node except contexts and operators; faster than ``ast.iter_child_nodes``."""
    children = list[ast.AST]()
    for value in node.__dict__.values():
        if value.__class__ is list:
            children += [item for item in value if isinstance(item, ast.AST)]
        elif isinstance(value, ast.AST) and value._fields:
            children.append(value)
    return children


def names_read(node: ast.AST) -> Names:
    """The names that a piece of code may read."""
    names = set[str]()
    for each in nodes_in(node):
        if isinstance(each, ast.Name) and not isinstance(each.ctx, ast.Store):
            names.add(each.id)
        elif isinstance(each, ast.AugAssign) and isinstance(each.target, ast.Name):
            names.add(each.target.id)
    return frozenset(names)


def stores(stmts: Iterable[ast.AST]) -> Iterator[str]:
    """The names that statements bind in their own scope."""
    worklist = list(stmts)
    while worklist:
        node = worklist.pop()
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, ast.FunctionDef | ast.ClassDef | ast.ExceptHandler | ast.MatchAs | ast.MatchStar):
            yield from filter(None, [node.name])
        elif isinstance(node, ast.MatchMapping):
            yield from filter(None, [node.rest])
        elif isinstance(node, ast.alias):
            yield (node.asname or node.name).partition(".")[0]
        if not isinstance(node, SCOPES):
            worklist += children_of(node)
        elif isinstance(node, COMPREHENSIONS):  # inside of these, only := binds names here
            worklist += [inner.target for inner in nodes_in(node) if isinstance(inner, ast.NamedExpr)]


def live_into(stmts: Sequence[ast.stmt], live: Names) -> Names:
    """The names that are live before the statements, given the names live after them."""
    for s in reversed(stmts):
        live = live_before(s, live)
    return live


def live_before(s: ast.stmt, live: Names) -> Names:
    """The names that are live before a statement, given the names live after it."""
    if isinstance(s, ast.If):
        return live_into(s.body, live) | live_into(s.orelse, live) | names_read(s.test)
    if isinstance(s, ast.While):
        return live | live_into(s.body, live | names_read(s)) | names_read(s.test)
    if isinstance(s, ast.For):
        again = live_into(s.body, live | names_read(s)) - set(stores([s.target]))
        return live | again | live_into(s.orelse, live) | names_read(s.iter)
    if isinstance(s, ast.Return | ast.Raise):
        return names_read(s)
    if isinstance(s, ast.Assign):
        return (live - set(stores(s.targets))) | names_read(s)
    return live | names_read(s)
