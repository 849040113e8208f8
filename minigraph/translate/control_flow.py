"""Second phase of the translation: branches and loop bodies become functions, for ``control_flow_runtime``.

::

    if x.sum() > 0:             def mg_then():
        y = x                       nonlocal y
    else:                           y = x
        y = -x          ->      def mg_else():
                                    nonlocal y
                                    y = -x
                                ...
                                mg.if_(x.sum() > 0, mg_then, mg_else, mg_get, mg_put, ("y",), ("y",))

Blocks become closures (the inverse of inlining), as in AutoGraph; liveness decides which of their variables leave them.
``source`` states the whole method, its invariants and what is not handled.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Sequence
from typing import Any

from minigraph.core.python_parser import parse_python
from minigraph.translate.jumps import Block, lower_jumps
from minigraph.translate.liveness import Names, live_before, live_into, names_read, nodes_in, stores
from minigraph.translate.range_loops import Place
from minigraph.translate.unsupported_syntax import check_syntax


def translate_function(function: ast.FunctionDef, tensor_ranges: Collection[Place] = ()) -> ast.FunctionDef:
    """Translate the control flow of a function; the tree is modified in place.

    ``tensor_ranges`` are the positions of ranges with tensor bounds. Raises ``RuntimeError`` for unsupported syntax.
    """
    check_syntax(function)
    function.decorator_list, function.returns = [], None  # evaluated where the user defined the function
    for argument in (node for node in ast.walk(function.args) if isinstance(node, ast.arg)):
        argument.annotation = None
    _translate(function, tensor_ranges)
    return ast.fix_missing_locations(function)


def _translate(function: ast.FunctionDef, tensor_ranges: Collection[Place]) -> None:
    lower_jumps(function, tensor_ranges)
    _ControlFlow(function, tensor_ranges).run()


class _ControlFlow(ast.NodeTransformer):
    """Translates one function; ``rebound`` are its variables that generated nested functions bind."""

    def __init__(self, function: ast.FunctionDef, tensor_ranges: Collection[Place]) -> None:
        self.function, self.tensor_ranges = function, tensor_ranges
        self.outer = {name for s in function.body if isinstance(s, ast.Nonlocal) for name in s.names}
        self.globals = {name for s in nodes_in(function) if isinstance(s, ast.Global) for name in s.names}
        self.rebound: set[str] = set()
        inner = [node for s in function.body for node in nodes_in(s) if isinstance(node, ast.FunctionDef | ast.Lambda)]
        self.always_live = frozenset(name for node in inner for name in names_read(node))  # by a later call

    def run(self) -> None:
        """Translate the body of the function in place."""
        body = self.block(self.function.body, self.always_live)
        self.function.body = self._bindings() + (body or [ast.Pass()])

    def _bindings(self) -> Block:
        """Code that never runs, but makes the names local variables of this function."""
        if not self.rebound:
            return []
        stmts = _parse(f"if False: {' = '.join(sorted(self.rebound))} = None")
        for node in (node for s in stmts for node in ast.walk(s)):
            ast.copy_location(node, self.function)
        return stmts

    # ---- statements --------------------------------------------------------------------------------

    def block(self, stmts: Sequence[ast.stmt], live: Names) -> Block:
        """Translate statements; ``live`` are the names that are live after them."""
        out: list[Block] = []
        for s in reversed(stmts):
            before = live_before(s, live)
            out.append(self._statement(s, live))
            live = before
        return [s for stmts in reversed(out) for s in stmts]

    def _statement(self, s: Any, live: Names) -> Block:
        if isinstance(s, ast.If):
            return [s] if hasattr(s, "is_generated") else self._tail(s) if hasattr(s, "is_tail") else self._if(s, live)
        if isinstance(s, ast.While):
            return self._while(s, live)
        if isinstance(s, ast.For):
            s.iter, again = _call("items_of_loop", self.visit(s.iter), at=s.iter), live | names_read(s)
            s.body = self.block(s.body, again)
            return [s]
        if isinstance(s, ast.With):
            s.items = [self.visit(item) for item in s.items]
            s.body = self.block(s.body, live)
            return [s]
        if isinstance(s, ast.AnnAssign) and isinstance(s.target, ast.Name):  # nonlocal names take no annotation
            self.rebound |= {s.target.id} if s.value is None else set()  # a local name, also without a value
            return [] if s.value is None else [ast.copy_location(ast.Assign([s.target], self.visit(s.value)), s)]
        if isinstance(s, ast.Raise) and s.exc is not None:
            s.exc = _call("check_raise", self.visit(s.exc), at=s)
            return [s]
        return [self.visit(s)]

    def _if(self, s: ast.If, live: Names) -> Block:
        names, defs, test = self._branches(s, live)
        live_names = [name for name in names if name in live]
        call = _call("if_", test, *_loads("then", "else", "get", "put"), _tuple(names), _tuple(live_names), at=test)
        return [*defs, ast.copy_location(ast.Expr(call), test)]

    def _tail(self, s: ast.If) -> Block:
        """An ``if`` in tail position: both branches return."""
        _, defs, test = self._branches(s, self.always_live)
        call = _call("if_return", test, *_loads("then", "else", "get", "put"), at=test)
        return [*defs, ast.copy_location(ast.Return(call), test)]

    def _branches(self, s: ast.If, live: Names) -> tuple[list[str], Block, Any]:
        """The names that an ``if`` binds, the functions generated for it, and its condition."""
        names = self._names(stores([*s.body, *s.orelse]))
        branches = [self._function("then", s.body, live, s), self._function("else", s.orelse, live, s)]
        return names, [*branches, *self._accessors(names, s)], self.condition(s.test)

    def _while(self, s: ast.While, live: Names) -> Block:
        names = self._names(stores(s.body))
        live_names = [name for name in names if name in live]
        head = live | names_read(s.test)
        head |= live_into(s.body, head)
        head |= live_into(s.body, head)  # names read by the second iteration are live after the first
        carried = [name for name in names if name in head]
        test = self.condition(s.test)
        test_function = _parse("def mg_test(): return 0")[0]
        test_function.body[0].value = test  # type: ignore[attr-defined]
        _set_location(test_function, s, keep=test)
        call = _call(
            "while_", *_loads("test", "body", "get", "put"), _tuple(names), _tuple(carried), _tuple(live_names), at=test
        )
        body = self._function("body", s.body, head, s)
        return [test_function, body, *self._accessors(names, s), ast.copy_location(ast.Expr(call), test)]

    # ---- generated functions -----------------------------------------------------------------------

    def _names(self, bound: Iterable[str]) -> list[str]:
        names = sorted(set(bound) - self.globals - self.outer)
        self.rebound.update(names)
        return names

    def _function(self, name: str, stmts: Block, live: Names, at: ast.stmt) -> ast.stmt:
        """``def mg_<name>(): ...`` around a block."""
        bound = set(stores(stmts))
        function: Any = _parse(f"def mg_{name}(): pass")[0]
        _set_location(function, at)
        header: Block = []
        if outer := [*self._names(bound), *sorted(bound & self.outer)]:
            header.append(ast.Nonlocal(outer))
        if bound & self.globals:
            header.append(ast.Global(sorted(bound & self.globals)))
        for s in header:
            ast.copy_location(s, at)
        function.body = [*header, *(self.block(stmts, live) or [ast.copy_location(ast.Pass(), at)])]
        return function

    def _accessors(self, names: Sequence[str], at: ast.stmt) -> Block:
        """``mg_get`` and ``mg_put``, which read and bind variables of this function."""
        thunks = ", ".join(f"lambda: {name}" for name in names)
        lines = ["def mg_get():", f"    return mg.values({thunks})", "def mg_put(mg_new):"]
        if names:
            lines += [f"    nonlocal {', '.join(names)}", f"    {', '.join(names)}, = mg_new"]
        lines += [f"    if mg.is_unbound({name}): del {name}" for name in names] or ["    pass"]
        functions = _parse("\n".join(lines))
        for s in functions:
            _set_location(s, at)
        return functions

    # ---- expressions -------------------------------------------------------------------------------

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        """Nested functions are translated separately; their decorators are called."""
        node.decorator_list = [_call("call", self.visit(item), at=item) for item in node.decorator_list]
        _translate(node, self.tensor_ranges)
        return node

    def visit_IfExp(self, node: ast.IfExp) -> ast.AST:
        """``a if test else b``."""
        test, a, b = self.condition(node.test), self.visit(node.body), self.visit(node.orelse)
        return _call("if_expression", test, _thunk(a), _thunk(b), at=node)

    def condition(self, node: ast.expr) -> Any:
        """An expression used as a condition: only its truth matters, so ``and`` and ``or`` may join any two tensors."""
        parts = node.values if isinstance(node, ast.BoolOp) else []
        for k, part in enumerate(parts):
            truth = isinstance(part, ast.Compare | ast.BoolOp) or getattr(part, "op", None).__class__ is ast.Not
            parts[k] = self.condition(part) if truth else _call("flag", self.visit(part), at=part)
        return self._bool_call(node) if isinstance(node, ast.BoolOp) else self.visit(node)

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.AST:
        """``a and b``, ``a or b``."""
        self.generic_visit(node)
        return self._bool_call(node)

    def _bool_call(self, node: ast.BoolOp) -> ast.Call:
        return _call("and_" if isinstance(node.op, ast.And) else "or_", *map(_thunk, node.values), at=node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        """``not a``."""
        if isinstance(node.op, ast.Not):
            return _call("not_", self.condition(node.operand), at=node)
        self.generic_visit(node)
        return node

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        """``a < b < c``: b is evaluated once, c only if a < b. ``a is b``: a tracer may be a Python number."""
        self.generic_visit(node)
        if len(node.ops) == 1:
            if not isinstance(node.ops[0], ast.Is | ast.IsNot) or _is_none(node.comparators[0]):
                return node
            is_same = _call("is_", node.left, node.comparators[0], at=node)
            return is_same if isinstance(node.ops[0], ast.Is) else _call("not_", is_same, at=node)
        steps: list[ast.expr] = []
        for op, right in zip(node.ops, node.comparators, strict=True):
            comparison: Any = _parse("lambda mg_a, mg_b: mg_a == mg_b")[0].value  # type: ignore[attr-defined]
            comparison.body.ops = [op]
            _set_location(comparison, node)
            steps.append(ast.Tuple([comparison, _thunk(right)], ast.Load()))
        return _call("compare", node.left, *steps, at=node)

    def visit_comprehension(self, node: ast.comprehension) -> ast.AST:
        """``for x in items`` in a comprehension."""
        self.generic_visit(node)
        node.iter = _call("items_of_loop", node.iter, at=node.iter)
        return node

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.AST:
        """f-strings: each value is formatted before the next one is evaluated."""
        self.generic_visit(node)
        return _call("join_texts", *map(_fstring_part, node.values), at=node)

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        """``"..." % values``."""
        self.generic_visit(node)
        is_format = isinstance(node.op, ast.Mod) and isinstance(getattr(node.left, "value", None), str)
        return _call("percent_format", node.left, node.right, at=node) if is_format else node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """Calls: the callee is converted, ``f(x)`` to ``mg.call(f)(x)``."""
        if isinstance(node.func, ast.Name) and node.func.id == "super":
            if not node.args and self.function.args.args:
                self_name = self.function.args.args[0].arg
                node.args = [ast.copy_location(ast.Name(n, ast.Load()), node) for n in ("__class__", self_name)]
            return node
        is_generated = hasattr(node, "is_generated")
        self.generic_visit(node)
        if not is_generated:
            node.func = _call("call", node.func, at=node.func)
        return node


# ---- syntax nodes ----------------------------------------------------------------------------------


def _parse(text: str) -> Block:
    return parse_python(text).body


def _set_location(node: ast.AST, at: ast.AST, keep: ast.AST | None = None) -> None:
    """Give generated code the location ``at``, except the user's code in ``keep``."""
    kept_ids = set(map(id, nodes_in(keep))) if keep is not None else set()
    for part in nodes_in(node):
        if id(part) not in kept_ids and "lineno" in part._attributes:
            ast.copy_location(part, at)
            part.end_lineno, part.end_col_offset = at.lineno, at.col_offset  # type: ignore[attr-defined]


def _call(name: str, *args: Any, at: Any) -> ast.Call:
    call = ast.Call(ast.Attribute(ast.Name("mg", ast.Load()), name, ast.Load()), list(args), [])
    return ast.copy_location(call, at)  # parts without a location later get the location of the whole


def _fstring_part(value: Any) -> ast.expr:
    """A part of an f-string: a text, or the formatted value."""
    if not isinstance(value, ast.FormattedValue):
        return value
    conversion, spec = ast.Constant(value.conversion), value.format_spec or ast.Constant("")
    return ast.fix_missing_locations(_call("format_value", value.value, conversion, spec, at=value.value))


def _thunk(value: Any) -> ast.Lambda:
    return ast.copy_location(ast.Lambda(ast.arguments([], [], None, [], [], None, []), value), value)


def _loads(*names: str) -> list[ast.expr]:
    return [ast.Name(f"mg_{name}", ast.Load()) for name in names]


def _tuple(names: Sequence[str]) -> ast.expr:
    return ast.Tuple([ast.Constant(name) for name in names], ast.Load())


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None
