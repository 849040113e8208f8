"""Live-variable analysis of Python source: which names are read later, at each point of a function.

Problem: a branch or a loop body becomes a function, which must return the variables that are read after it, but no
others. Method: backward data-flow analysis (Aho, Lam, Sethi and Ullman, *Compilers*, section 9.2.5) on the syntax
tree: a name is live before a statement if the statement may read it, or if it is live after and not overwritten.

Invariant: the result contains every live name. A loop's body is analysed with all names of the loop live at its end,
which is conservative and needs no iteration to a fixed point. Not handled: only plain assignments and targets of
loops kill names; the caller treats names that nested functions read as live everywhere.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

FUNCTION_NODES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
COMPREHENSION_NODES = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
BINDING_NODES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.ExceptHandler, ast.MatchAs, ast.MatchStar)
SCOPE_NODES = (*FUNCTION_NODES, *COMPREHENSION_NODES)
Names = frozenset[str]
NO_NAMES: Names = frozenset()


class Exits(NamedTuple):
    """The names that are live at the targets of jumps and exceptions: where control may go but to the next statement.

    ``broken`` at the target of ``break``, ``continued`` of ``continue``, ``returned`` of ``return``, ``raised`` at the
    handler of an exception.
    """

    broken: Names = NO_NAMES
    continued: Names = NO_NAMES
    returned: Names = NO_NAMES
    raised: Names = NO_NAMES

    def loop_exits(self, loop: ast.For | ast.While, live: Names) -> Exits:
        """The exits of the body of a loop, from the names that are live after the loop (``live``)."""
        head = live.union(names_read(loop), self.returned, self.raised)
        return self._replace(broken=live, continued=head)

    def try_exits(self, finalbody: Sequence[ast.stmt]) -> Exits:
        """The exits of a block with a ``finally`` clause, which runs at every exit."""
        return Exits(*(live_into(finalbody, names, self) for names in self)) if finalbody else self


NO_EXITS = Exits()


def nodes_in(node: ast.AST) -> list[ast.AST]:
    """All nodes of a tree except contexts and operators, outer ones first; faster than ``ast.walk``."""
    nodes = [node]
    for child in nodes:
        nodes += children_of(child)
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
    for child in nodes_in(node):
        if isinstance(child, ast.Name) and not isinstance(child.ctx, ast.Store):
            names.add(child.id)
        elif isinstance(child, ast.AugAssign) and isinstance(child.target, ast.Name):
            names.add(child.target.id)
    return frozenset(names)


def stores(stmts: Iterable[ast.AST]) -> Iterator[str]:
    """The names that statements bind in their own scope."""
    worklist = list(stmts)
    while worklist:
        node = worklist.pop()
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, BINDING_NODES):
            yield from filter(None, [node.name])
        elif isinstance(node, ast.MatchMapping):
            yield from filter(None, [node.rest])
        elif isinstance(node, ast.alias):
            yield (node.asname or node.name).partition(".")[0]
        if not isinstance(node, SCOPE_NODES):
            worklist += children_of(node)
        else:  # inside of these, only := binds names here
            parts = [node] if isinstance(node, COMPREHENSION_NODES) else evaluated_at_definition(node)
            nodes = (inner for part in parts for inner in nodes_in(part))
            worklist += [inner.target for inner in nodes if isinstance(inner, ast.NamedExpr)]


def evaluated_at_definition(node: Any) -> list[ast.AST]:
    """The parts of a definition that are evaluated where it stands: decorators, defaults, annotations, base classes."""
    parts = [*getattr(node, "decorator_list", ()), *getattr(node, "bases", ()), *getattr(node, "keywords", ())]
    parts += [child for child in (getattr(node, "args", None), getattr(node, "returns", None)) if child is not None]
    return parts


def live_into(stmts: Sequence[ast.stmt], live: Names, exits: Exits = NO_EXITS) -> Names:
    """The names that are live before the statements, given the names live after them and where jumps in them go."""
    for s in reversed(stmts):
        live = live_before(s, live, exits)
    return live


def live_before(s: ast.stmt, live: Names, exits: Exits = NO_EXITS) -> Names:
    """The names that are live before a statement, given the names live after it and where jumps in it go.

    Any statement may raise, before it binds anything.
    """
    return _live_before(s, live, exits) | exits.raised


def _live_before(s: ast.stmt, live: Names, exits: Exits) -> Names:
    if isinstance(s, ast.If):
        return live_into(s.body, live, exits) | live_into(s.orelse, live, exits) | names_read(s.test)
    if isinstance(s, ast.While | ast.For):
        inner = exits.loop_exits(s, live)
        again = live_into(s.body, inner.continued, inner)
        if isinstance(s, ast.For):
            again -= set(stores([s.target]))
        first = s.test if isinstance(s, ast.While) else s.iter
        return live | again | live_into(s.orelse, live, exits) | names_read(first)
    if isinstance(s, ast.Return):
        return names_read(s) | exits.returned
    if isinstance(s, ast.Raise):
        return names_read(s)
    if isinstance(s, ast.Break | ast.Continue):
        return exits.broken if isinstance(s, ast.Break) else exits.continued
    if isinstance(s, ast.Assign):
        return (live - set(stores(s.targets))) | names_read(s)
    if isinstance(s, ast.With | ast.Try | ast.TryStar | ast.Match):
        return live.union(names_read(s), *exits)
    return live | names_read(s)
