"""First phase of the translation: ``return``, ``break`` and ``continue`` are eliminated, so blocks can be functions.

Jumps are eliminated as in structured programming (Erosa and Hendren, *Taming Control Flow*, ICCL 1994): a jump sets a
flag, and the statements after it are guarded by the flag. Where an ``if`` with a ``return`` ends a function's block, no
flag is needed: the rest of the block is moved (or duplicated) into the branches that do not return.

::

    if a:                   if a:                       while a:            stop = False
        return x                return x                    if b:           while loop_condition(stop, a):
    y = f(x)          ->    else:                               break   ->      if b:
    return y                    y = f(x)                    x = f(x)                stop = True
                                return y                                        if none_set(stop):
                                                                                    x = f(x)
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Sequence
from itertools import count
from typing import Any, NamedTuple

from minigraph.core.errors import ArgRuntimeError
from minigraph.core.python_parser import copy_tree
from minigraph.translate.liveness import FUNCTION_NODES

DONE, VALUE, ITEM = "mg_done", "mg_value", "mg_item"  # whether the function returned; its result; a loop's next item
LOOP_NODES = (ast.While, ast.For)
Block = list[ast.stmt]


class Flags(NamedTuple):
    """The flags of the enclosing loop for ``break`` and ``continue`` (``""``: not needed)."""

    stop: str = ""
    skip: str = ""


class UnsupportedSyntaxError(ArgRuntimeError):
    """A statement that cannot be translated, in ``line``."""

    __name__ = "RuntimeError"

    def __init__(self, text: str, line: int) -> None:
        super().__init__(text)
        self.line = line


UnsupportedSyntaxError.__name__ = "RuntimeError"


def lower_jumps(function: ast.FunctionDef, tensor_ranges: Collection[tuple[int, int]] = ()) -> None:
    """Eliminate jumps in a function in place; loops over ranges at ``tensor_ranges`` become ``while`` loops."""
    if ast.Return in _jumps([s for s in function.body if not isinstance(s, ast.Return)]):
        if not _always_exits(function.body):
            function.body.append(_copy_location(ast.Return(ast.Constant(None)), function.body[-1]))
        lowered = _JumpElimination(tensor_ranges).block(function.body, None)
        function.body = [_assign(DONE, ast.Constant(False), function.body[0]), *lowered]
    else:
        function.body = _JumpElimination(tensor_ranges).block(function.body, None)


class _JumpElimination:
    """Eliminates the jumps of one function; ``fresh`` numbers its flags."""

    def __init__(self, tensor_ranges: Collection[tuple[int, int]]) -> None:
        self.fresh, self.tensor_ranges = count(), tensor_ranges

    def block(self, stmts: Sequence[ast.stmt], flags: Flags | None) -> Block:
        """The statements without jumps; ``flags`` is ``None`` where a ``return`` is allowed."""
        out: Block = []
        for k, s in enumerate(stmts):
            lowered, includes_rest = self._lower(s, list(stmts[k + 1 :]), flags)
            out += lowered
            if includes_rest:
                break
        return out

    def _lower(self, s: ast.stmt, rest: Block, flags: Flags | None) -> tuple[Block, bool]:
        """The lowered statement, and whether it includes the rest of the block."""
        if isinstance(s, ast.Return | ast.Break | ast.Continue):
            return ([s] if flags is None else list(_set_flags(s, flags))), True
        if isinstance(s, ast.With) and _jumps(s.body):
            raise UnsupportedSyntaxError("Unsupported statement 'With'.", s.lineno)
        if isinstance(s, ast.With):
            s.body = self.block(s.body, flags)
        elif isinstance(s, ast.For) and (s.iter.lineno, s.iter.col_offset) in self.tensor_ranges:
            start, loop = _range_while(s, next(self.fresh))
            lowered, includes_rest = self._loop(loop, rest, flags)
            return [start, *lowered], includes_rest
        elif isinstance(s, LOOP_NODES):
            return self._loop(s, rest, flags)
        elif isinstance(s, ast.If):
            return self._if(s, rest, flags)
        return [s], False

    def _if(self, s: ast.If, rest: Block, flags: Flags | None) -> tuple[Block, bool]:
        jumps = _jumps([s])
        if flags is not None or not jumps or not (_always_exits(s.body) or _always_exits(s.orelse)):
            inner = flags if flags is not None or not jumps else Flags()
            s.body, s.orelse = self.block(s.body, inner), self.block(s.orelse, inner)
            return ([s], False) if not jumps else ([s, *self._rest_after_jump(s, jumps, rest, flags)], True)
        rest_copy = [*map(copy_tree, rest)] if not _always_exits(s.body) and not _always_exits(s.orelse) else rest
        s.body = self.block(s.body if _always_exits(s.body) else [*s.body, *rest], None)
        s.orelse = self.block(s.orelse if _always_exits(s.orelse) else [*s.orelse, *rest_copy], None)
        s.is_tail = True  # type: ignore[attr-defined]
        return [s], True

    def _rest_after_jump(self, s: ast.stmt, jumps: set[type], rest: Block, flags: Flags | None) -> Block:
        """The rest of a block after a statement that may have jumped."""
        lowered = self.block(rest, flags)
        if flags is None:  # the jump can only be a return
            exit_statement = _copy_location(ast.Return(_name(VALUE)), s)
            choice = _copy_location(
                ast.If(_name(DONE), [exit_statement], lowered or [_copy_location(ast.Return(ast.Constant(None)), s)]), s
            )
            choice.is_tail = True
            return [choice]
        names = {ast.Return: DONE, ast.Break: flags.stop, ast.Continue: flags.skip}
        return [_guard_by_flags([names[kind] for kind in jumps], lowered, s)] if lowered else []

    def _loop(self, s: Any, rest: Block, flags: Flags | None) -> tuple[Block, bool]:
        number, inside = next(self.fresh), _jumps(s.body)
        inner_flags = Flags(f"mg_stop_{number}" * (ast.Break in inside), f"mg_skip_{number}" * (ast.Continue in inside))
        if _jumps(s.orelse):
            raise UnsupportedSyntaxError("Unsupported statement: a jump in the 'else' of a loop.", s.orelse[0].lineno)
        body = self.block(s.body, inner_flags)
        if inner_flags.skip:
            body = [_assign(inner_flags.skip, ast.Constant(False), s.body[0]), *body]
        stops = [inner_flags.stop] * bool(inner_flags.stop) + [DONE] * (ast.Return in inside)
        out: Block = [_assign(inner_flags.stop, ast.Constant(False), s)] if inner_flags.stop else []
        out.append(_rewrite_for(s, body, stops) if isinstance(s, ast.For) else _rewrite_while(s, body, stops))
        otherwise = self.block(s.orelse, flags)
        out += [_guard_by_flags(stops, otherwise, s)] if stops and otherwise else otherwise
        s.orelse = []
        if ast.Return not in inside:
            return out, False
        return [*out, *self._rest_after_jump(s, {ast.Return}, rest, flags)], True


def _rewrite_while(s: ast.While, body: Block, stops: list[str]) -> ast.stmt:
    if stops:
        test = ast.Lambda(ast.arguments([], [], None, [], [], None, []), s.test)
        s.test = _copy_location(_helper("loop_condition", test, *map(_name, stops)), s.test)
    s.body = body
    return s


def _range_while(s: ast.For, number: int) -> tuple[ast.stmt, ast.While]:
    """``for i in range(...)`` as a ``while``, and the statement before it that sets its bounds."""
    at, end, step = (f"mg_{what}_{number}" for what in ("at", "end", "step"))
    names = ast.Tuple([ast.Name(name, ast.Store()) for name in (at, end, step)], ast.Store())
    start = _copy_location(ast.Assign([names], _helper("range_bounds", *s.iter.args)), s.iter)  # type: ignore[attr-defined]
    item = _copy_location(ast.Assign([s.target], _name(at)), s.target)
    following = _assign(at, ast.BinOp(_name(at), ast.Add(), _name(step)), s.target)
    test = _copy_location(_helper("in_range", _name(at), _name(end), _name(step)), s.iter)
    return start, ast.copy_location(ast.While(test, [item, following, *s.body], s.orelse), s)


def _rewrite_for(s: ast.For, body: Block, stops: list[str]) -> ast.stmt:
    if stops:
        item = _copy_location(ast.Assign([s.target], _name(ITEM)), s.target)
        exit_statement = _copy_location(ast.If(_helper("any_set", *map(_name, stops)), [ast.Break()], []), s)
        exit_statement.is_generated = True
        s.target = _copy_location(ast.Name(ITEM, ast.Store()), s.target)
        body = [_guard_by_flags(stops, [item, *body], s), exit_statement]
    s.body = body
    return s


# ---- syntax nodes ----------------------------------------------------------------------------------


def _set_flags(s: ast.stmt, flags: Flags) -> Iterator[ast.stmt]:
    if isinstance(s, ast.Return):
        yield _assign(VALUE, s.value or ast.Constant(None), s)
        yield _assign(DONE, ast.Constant(True), s)
    else:
        yield _assign(flags.stop if isinstance(s, ast.Break) else flags.skip, ast.Constant(True), s)


def _guard_by_flags(names: Sequence[str], body: Block, at: ast.AST) -> ast.stmt:
    return _copy_location(ast.If(_helper("none_set", *map(_name, names)), body, []), at)


def _helper(name: str, *args: ast.expr) -> ast.expr:
    call = ast.Call(ast.Attribute(_name("mg"), name, ast.Load()), list(args), [])
    call.is_generated = True  # type: ignore[attr-defined]
    return call


def _name(name: str) -> ast.expr:
    return ast.Name(name, ast.Load())


def _assign(name: str, value: ast.expr, at: ast.AST) -> ast.stmt:
    return _copy_location(ast.Assign([ast.Name(name, ast.Store())], value), at)


def _copy_location(node: Any, at: ast.AST) -> Any:
    """The node, with the location of ``at`` for it and its parts."""
    ast.copy_location(node, at)
    return ast.fix_missing_locations(node)


def _jumps(stmts: Sequence[ast.stmt]) -> set[type]:
    """The kinds of jumps that leave these statements."""
    kinds: set[type] = set()
    for s in stmts:
        if isinstance(s, ast.Return | ast.Break | ast.Continue):
            kinds.add(type(s))
        elif isinstance(s, LOOP_NODES):
            kinds |= (_jumps(s.body) & {ast.Return}) | _jumps(s.orelse)
        elif isinstance(s, ast.If):
            kinds |= _jumps(s.body) | _jumps(s.orelse)
        elif isinstance(s, ast.With):
            kinds |= _jumps(s.body)
    return kinds


def _always_exits(stmts: Sequence[ast.stmt]) -> bool:
    """Whether control never reaches the end of these statements, because of a ``return`` or ``raise``."""
    if not stmts:
        return False
    last = stmts[-1]
    if isinstance(last, ast.If):
        return _always_exits(last.body) and _always_exits(last.orelse)
    return isinstance(last, ast.Return | ast.Raise)


def jumps_out(s: ast.stmt) -> bool:
    """Whether a statement may jump to the end or the start of a loop around it."""
    worklist: list[ast.AST] = [s]
    while worklist:
        node = worklist.pop()
        if isinstance(node, ast.Break | ast.Continue):
            return True
        if isinstance(node, LOOP_NODES):
            worklist += node.orelse
        elif not isinstance(node, FUNCTION_NODES):
            worklist += ast.iter_child_nodes(node)
    return False
