"""Graph breaks: a function is split at a statement that no graph can represent.

Problem: capture all of a function but one statement, with the same results. Method: outlining of statements into
functions, as TorchDynamo does for bytecode (Ansel et al., "PyTorch 2", ASPLOS 2024), with live-variable analysis (Aho
et al., "Compilers", section 9.2.5) in ``liveness``. The statements before and after the break become *segments*,
functions that can be captured; the statement itself stays Python. The rest of the function calls the segments in order.
Parameters of a segment are the variables live into it, its results those that it binds and that are live after it::

    def f(x):                       def f(x):
        y = x * 2                       y, = mg_segments[1](x)          # def segment(x): y = x * 2; return y,
        n = int(y.max())      ->        n = int(y.max())
        return y * n                    return mg_segments[0](n, y)     # def segment(n, y): return y * n

The body of a loop, an ``if``, ``with`` or ``try`` that contains the statement is split likewise.

Invariants: statements run in their order, each once; generated code has the lines of the original. If a variable that a
segment needs is not bound, the original statements run and raise as before. What binds or sees a variable that a nested
function shares stays Python. Not handled: functions that suspend or read their own frame; they are not split.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from minigraph.core.machine import MIN_OPERATOR_CALLS
from minigraph.core.python_parser import copy_tree, parse_python
from minigraph.translate.jumps import LOOP_NODES, jumps_out
from minigraph.translate.liveness import NO_EXITS, Exits, Names, live_into, names_read, stores
from minigraph.translate.nested_scopes import (
    closes_over,
    names_of_closures,
    own_nodes,
    replace_declarations,
    sees_frame,
    shared_variables,
    unbinds,
)

CHEAP_FUNCTIONS = frozenset(
    {"print", "len", "range", "int", "float", "bool", "str", "isinstance", "type", "list", "dict", "tuple"}
)
FEW_OPERATORS = f"fewer than {MIN_OPERATOR_CALLS} operators"
Block = list[ast.stmt]


class SegmentSource(NamedTuple):
    """A segment: its function, and the lines at which it binds its results; ``None`` if it returns for the function."""

    function: ast.FunctionDef
    result_lines: tuple[int, ...] | None

    @property
    def lines(self) -> tuple[int, int]:
        """The first and the last line."""
        return self.function.lineno, max(s.end_lineno or s.lineno for s in self.function.body)


class Split(NamedTuple):
    """A function whose statements are partly calls of ``mg_segments[k]``; ``segments`` are these functions.

    ``python_parts``: the first and last line of other statements with operators, and why they are no segment.
    """

    function: ast.FunctionDef
    segments: list[SegmentSource]
    python_parts: list[tuple[int, int, str]]


def split_function(
    function: ast.FunctionDef, line: int, can_capture: Callable[[ast.stmt], bool], is_method: bool = False
) -> Split | None:  # fmt: skip
    """Split a function at the statement in a line; ``None`` if that is not possible, or leaves nothing to capture.

    ``can_capture``: which other statements may be part of a segment. Segments of a method are methods.

    >>> text = "def f(x):\\n    y = x * 2 + 1\\n    n = int(y.max())\\n    return y * n - 1"
    >>> split = split_function(ast.parse(text).body[0], 3, lambda statement: True)
    >>> [ast.unparse(segment.function.args) for segment in split.segments]
    ['n, y', 'x']
    """
    function = copy_tree(function)
    splitter = _Splitter(function, line, can_capture, is_method)
    rebinds_self = set(stores(function.body)) & set(splitter.receiver)
    if rebinds_self or sees_frame(function):
        return None
    body = splitter.block(function.body, frozenset(), splitter.parameters, is_tail=True)
    function.body, function.decorator_list, function.returns = [*splitter.declarations(), *body], [], None
    if not splitter.segments:
        return None
    return Split(ast.fix_missing_locations(function), splitter.segments, splitter.python_parts)


class _Splitter:
    """Splits the body of one function; ``names`` are its local variables."""

    def __init__(
        self, function: ast.FunctionDef, line: int, can_capture: Callable[[ast.stmt], bool], is_method: bool
    ) -> None:
        self.function, self.line, self.can_capture = function, line, can_capture
        self.segments: list[SegmentSource] = []
        self.python_parts: list[tuple[int, int, str]] = []
        arguments = [node.arg for node in ast.walk(function.args) if isinstance(node, ast.arg)]
        self.receiver = arguments[:1] if is_method else []
        self.parameters = frozenset(arguments)
        self.outer_decls = [node for node in own_nodes(function.body) if isinstance(node, ast.Global | ast.Nonlocal)]
        replace_declarations(function)
        outer_names = {name for node in self.outer_decls for name in node.names}
        self.names = (self.parameters | frozenset(stores(function.body))) - outer_names
        self.shared = shared_variables(function.body, self.names)
        self.closures = names_of_closures(function.body, self.shared)
        self.exits = NO_EXITS  # of the statements that are split

    @property
    def caught(self) -> Names:
        """The names that are live where the function goes on after an exception, or on the way to its caller."""
        return self.exits.raised | self.exits.returned

    def declarations(self) -> Block:
        """The ``global`` and ``nonlocal`` statements of the function."""
        return [copy_tree(node) for node in self.outer_decls]

    def block(self, stmts: Sequence[ast.stmt], live: Names, bound: Names, is_tail: bool = False) -> Block:
        """Split statements; ``live`` are the names live after them, ``bound`` those that may be bound before."""
        out: list[Block] = []
        for group, in_graph in reversed(self._groups(stmts, live, bound)):
            before = bound | self._names_bound_by(stmts[: stmts.index(group[0])])
            live_before = live_into(group, live, self.exits)
            context = (live, before, is_tail)
            out.append(self._segment(group, *context) if in_graph else self._keep_python(group[0], *context))
            is_tail, live = False, live_before
        return [s for group in reversed(out) for s in group]

    def _groups(self, stmts: Sequence[ast.stmt], live: Names, bound: Names) -> list[tuple[Block, bool]]:
        """Runs of statements that may be one segment, and the other statements one by one."""
        python = {id(s) for s in stmts if self._must_stay(s) or not self.can_capture(s)}
        while True:
            groups: list[tuple[Block, bool]] = []
            for s in stmts:
                if id(s) in python:
                    groups.append(([s], False))
                elif groups and groups[-1][1] and self.caught.isdisjoint(stores(groups[-1][0])):
                    groups[-1][0].append(s)
                else:
                    groups.append(([s], True))
            uncertain = self._uncertain_binding(stmts, groups, live, bound)
            if uncertain is None:
                return groups
            python.add(uncertain)

    def _uncertain_binding(
        self, stmts: Sequence[ast.stmt], groups: list[tuple[Block, bool]], live: Names, bound: Names
    ) -> int | None:
        """The id of a statement of a segment that may or may not bind a variable which is read later."""
        for group, in_graph in groups:
            first, last = stmts.index(group[0]), stmts.index(group[-1])
            before = bound | self._names_bound_by(stmts[:first])
            for name in self._results(group, live_into(stmts[last + 1 :], live, self.exits)) if in_graph else ():
                if name not in before and name in live_into(group, frozenset({name})):
                    return next(id(s) for s in reversed(group) if name in set(stores([s])))
        return None

    def _names_bound_by(self, stmts: Iterable[ast.AST]) -> Names:
        return frozenset(stores(stmts)) & self.names

    def _must_stay(self, s: ast.stmt) -> bool:
        """Whether a statement is the one to split at, jumps, or changes or reads a variable that functions share."""
        if self._contains_line(s) or jumps_out(s) or unbinds(s) or not self.shared.isdisjoint(stores([s])):
            return True
        binds_early = hasattr(s, "body") or any(isinstance(node, ast.NamedExpr) for node in own_nodes([s]))
        if binds_early and not self.caught.isdisjoint(stores([s])):
            return True
        return closes_over(s, self.shared) or not self.closures.isdisjoint(names_read(s))

    def _contains_line(self, s: ast.stmt) -> bool:
        lines = [s.lineno, *(node.lineno for node in getattr(s, "decorator_list", ()))]
        return min(lines) <= self.line <= (s.end_lineno or s.lineno)

    def _results(self, stmts: Sequence[ast.stmt], live: Names) -> list[str]:
        return sorted(self._names_bound_by(stmts) & live)

    # ---- statements that stay Python ---------------------------------------------------------------

    def _keep_python(self, s: Any, live: Names, bound: Names, is_tail: bool) -> Block:
        """A statement that stays Python; the bodies of a compound one may contain segments."""
        if isinstance(s, ast.If):
            s.body, s.orelse = (self.block(part, live, bound, is_tail) for part in (s.body, s.orelse))
        elif isinstance(s, ast.With):
            exits = self.exits._replace(raised=self.exits.raised | live)  # it may go on after an exception
            s.body = self._split_inner_block(exits, s.body, live, bound | self._names_bound_by(s.items))
        elif isinstance(s, ast.Try):
            self._split_try(s, live, bound, is_tail)
        elif isinstance(s, LOOP_NODES) and not closes_over(s, set(stores([s])) & self.names):
            inner = self.exits.loop_exits(s, live)
            s.body = self._split_inner_block(inner, s.body, inner.continued, bound | self._names_bound_by([s]))
        return [s]

    def _split_inner_block(self, exits: Exits, stmts: Block, live: Names, bound: Names, is_tail: bool = False) -> Block:
        """Split a block in which jumps and exceptions go elsewhere."""
        outer, self.exits = self.exits, exits
        out, self.exits = self.block(stmts, live, bound, is_tail), outer
        return out

    def _split_try(self, s: ast.Try, live: Names, bound: Names, is_tail: bool) -> None:
        """Split a ``try``. An exception leaves a segment's variables as they were: only its last statement may bind
        those that a handler or ``finally`` reads.
        """
        exits, live_after = self.exits.try_exits(s.finalbody), live_into(s.finalbody, live, self.exits)
        is_tail = is_tail and not s.finalbody
        handlers = frozenset[str]().union(*map(names_read, s.handlers), live_after if s.handlers else ())
        bound_after_body = bound | self._names_bound_by(s.body)
        protected = exits._replace(raised=exits.raised | handlers)
        s.body = self._split_inner_block(protected, s.body, live_into(s.orelse, live_after, exits), bound)
        s.orelse = self._split_inner_block(exits, s.orelse, live_after, bound_after_body, is_tail)
        for handler in s.handlers:
            names = bound_after_body | frozenset(filter(None, [handler.name]))
            handler.body = self._split_inner_block(exits, handler.body, live_after, names, is_tail and not handler.name)
        s.finalbody = self.block(s.finalbody, live, bound_after_body | self._names_bound_by([s]))

    # ---- segments ------------------------------------------------------------------------------------

    def _segment(self, stmts: Block, live: Names, bound: Names, is_tail: bool) -> Block:
        """The call of a new segment of these statements; or the statements, if they are too few to gain anything."""
        unbound = (live_into(stmts, frozenset()) & self.names) - bound - self._names_bound_by(stmts)
        cost = sum(map(_cost, stmts))
        if unbound or cost < MIN_OPERATOR_CALLS:
            last = stmts[-1].end_lineno or stmts[-1].lineno
            reason = f"'{min(unbound)}', which may be unbound" if unbound else FEW_OPERATORS
            self.python_parts += [(stmts[0].lineno, last, reason)] * (cost > 0)
            return stmts
        results = [] if is_tail else self._results(stmts, live)
        parameters = sorted((live_into(stmts, frozenset(results)) & bound & self.names) - set(self.receiver))
        returns = not is_tail and any(isinstance(node, ast.Return) for node in own_nodes(stmts))
        function = self._function(stmts, parameters, results, is_tail, returns)
        lines = tuple(max(s.lineno for s in stmts if name in set(stores([s]))) for name in results)
        number = len(self.segments)
        flag = tuple(s.lineno for s in stmts if any(isinstance(node, ast.Return) for node in own_nodes([s])))[:1]
        self.segments.append(SegmentSource(function, None if is_tail else (flag if returns else ()) + lines))
        return self._call(number, parameters, results, is_tail, returns, stmts)

    def _function(
        self, stmts: Block, parameters: list[str], results: list[str], is_tail: bool, returns: bool
    ) -> ast.FunctionDef:
        """The function of a segment; if it ``returns``, its first result says whether it does."""
        body: Block = [*self.declarations(), *map(copy_tree, stmts)]
        if returns:
            for node in own_nodes(body):
                if isinstance(node, ast.Return):
                    node.value = _add_return_flag(node)
        if not is_tail:
            end = "".join(f"{item}, " for item in [*["False"] * returns, *results])
            body.append(_set_lines(parse_python(f"return ({end})").body[0], stmts[-1]))
        arguments = ast.arguments([], [ast.arg(name) for name in (*self.receiver, *parameters)], None, [], [], None, [])
        function = ast.FunctionDef(self.function.name, arguments, body, [])
        return ast.fix_missing_locations(ast.copy_location(function, stmts[0]))

    def _call(
        self, number: int, parameters: list[str], results: list[str], is_tail: bool, returns: bool, stmts: Block
    ) -> Block:
        """The statements that call a segment, or run it as written if a variable is not bound."""
        call = f"mg_segments[{number}](*mg_args)"
        names = f"{', '.join(results)}, = " if results else ""
        lines = [f"return {call}"] if is_tail else [f"{names}{call}", "mg_args = None"]
        if returns:
            lines = [f"mg_out = {call}", "mg_args = None", "if mg_out[0]: return mg_out[1]"]
            lines += [f"{names}mg_out[1:]"] if results else []
        text = f"try:\n    mg_args = ({''.join(f'{name}, ' for name in parameters)})\nexcept UnboundLocalError:\n"
        text += "    mg_args = None\nif mg_args is None:\n    pass\nelse:\n"
        block: Any = parse_python(text + "\n".join(f"    {line}" for line in lines)).body
        for s in block:
            _set_lines(s, stmts[0])
        block[1].body = [*map(copy_tree, stmts)]
        return list(block)


# ---- the syntax tree -----------------------------------------------------------------------------------


def _add_return_flag(node: ast.Return) -> ast.expr:
    """The value of a ``return`` of a segment, after the flag that the function returns it."""
    value = node.value or ast.copy_location(ast.Constant(None), node)
    return ast.copy_location(ast.Tuple([ast.Constant(True), value], ast.Load()), node)


def _set_lines(node: Any, at: Any) -> Any:
    """Give generated code the location of other code."""
    for part in ast.walk(node):
        if "lineno" in part._attributes:
            ast.copy_location(part, at)
    return node


def _cost(s: ast.stmt) -> int:
    """An estimate of the operators that a statement calls; calls of functions count more, since they may call many."""
    kinds = (ast.BinOp, ast.UnaryOp, ast.AugAssign, ast.Subscript)
    calls = [getattr(node.func, "id", "") not in CHEAP_FUNCTIONS for node in ast.walk(s) if isinstance(node, ast.Call)]
    return sum(isinstance(node, kinds) for node in ast.walk(s)) + MIN_OPERATOR_CALLS * sum(calls)
