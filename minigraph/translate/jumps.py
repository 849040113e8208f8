"""Translation, first half: ``return``, ``break`` and ``continue`` become values, so that blocks can be functions.

A ``return`` under an ``if`` takes the rest of the block with it, into the other branch; in loops, and where
both branches may go on, flags say that a jump has happened and the statements behind it are guarded by them.

::

    if a:                   if a:                       while a:            stop = False
        return x                return x                    if b:           while proceed(stop, a):
    y = f(x)          ->    else:                               break   ->      if b:
    return y                    y = f(x)                    x = f(x)                stop = True
                                return y                                        if clear(stop):
                                                                                    x = f(x)
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Collection, Iterator, Sequence
from itertools import count
from typing import Any, NamedTuple

from minigraph.core.errors import RuntimeArgument

DONE, VALUE, ITEM = "mg_done", "mg_value", "mg_item"
LOOPS = (ast.While, ast.For)
Block = list[ast.stmt]


class Flags(NamedTuple):
    """The flags of the loop around (``""``: it needs none)."""

    stop: str = ""
    skip: str = ""


class Unsupported(RuntimeArgument):  # type: ignore[valid-type, misc]
    """A statement that cannot be translated; ``line`` is where it stands."""

    __name__ = "RuntimeError"

    def __init__(self, text: str, line: int) -> None:
        super().__init__(text)
        self.line = line


Unsupported.__name__ = "RuntimeError"


def lower_jumps(function: ast.FunctionDef, counting: Collection[tuple[int, int]] = ()) -> None:
    """Rewrite the body of a function in place; loops over a range at a place in ``counting`` become ``while``."""
    if ast.Return in _jumps([s for s in function.body if not isinstance(s, ast.Return)]):
        if not _ends(function.body):
            function.body.append(_placed(ast.Return(ast.Constant(None)), function.body[-1]))
        lowered = _Jumps(counting).block(function.body, None)
        function.body = [_assign(DONE, ast.Constant(False), function.body[0]), *lowered]
    else:
        function.body = _Jumps(counting).block(function.body, None)


class _Jumps:
    """Carries the counter that makes names of flags unique in a function."""

    def __init__(self, counting: Collection[tuple[int, int]]) -> None:
        self.fresh, self.counting = count(), counting

    def block(self, stmts: Sequence[ast.stmt], flags: Flags | None) -> Block:
        """The statements without jumps; ``flags`` is ``None`` where a ``return`` may stay."""
        out: Block = []
        for k, s in enumerate(stmts):
            made, rest_done = self._one(s, list(stmts[k + 1 :]), flags)
            out += made
            if rest_done:
                break
        return out

    def _one(self, s: ast.stmt, rest: Block, flags: Flags | None) -> tuple[Block, bool]:
        """What a statement becomes, and whether the rest of the block is in it."""
        if isinstance(s, ast.Return | ast.Break | ast.Continue):
            return ([s] if flags is None else list(_raised_flags(s, flags))), True
        if isinstance(s, ast.With) and _jumps(s.body):
            raise Unsupported("Unsupported statement 'With'.", s.lineno)
        if isinstance(s, ast.With):
            s.body = self.block(s.body, flags)
        elif isinstance(s, ast.For) and (s.iter.lineno, s.iter.col_offset) in self.counting:
            start, loop = _counted(s, next(self.fresh))
            made, rest_done = self._loop(loop, rest, flags)
            return [start, *made], rest_done
        elif isinstance(s, LOOPS):
            return self._loop(s, rest, flags)
        elif isinstance(s, ast.If):
            return self._if(s, rest, flags)
        return [s], False

    def _if(self, s: ast.If, rest: Block, flags: Flags | None) -> tuple[Block, bool]:
        jumps = _jumps([s])
        if flags is not None or not jumps or not (_ends(s.body) or _ends(s.orelse)):
            inner = flags if flags is not None or not jumps else Flags()
            s.body, s.orelse = self.block(s.body, inner), self.block(s.orelse, inner)
            return ([s], False) if not jumps else ([s, *self._after(s, jumps, rest, flags)], True)
        twin = copy.deepcopy(rest) if not _ends(s.body) and not _ends(s.orelse) else rest
        s.body = self.block(s.body if _ends(s.body) else [*s.body, *rest], None)
        s.orelse = self.block(s.orelse if _ends(s.orelse) else [*s.orelse, *twin], None)
        s.tail = True  # type: ignore[attr-defined]
        return [s], True

    def _after(self, s: ast.stmt, jumps: set[type], rest: Block, flags: Flags | None) -> Block:
        """The rest of a block behind a statement that may have jumped."""
        lowered = self.block(rest, flags)
        if flags is None:  # only a return can have happened
            leave = _placed(ast.Return(_name(VALUE)), s)
            chosen = _placed(ast.If(_name(DONE), [leave], lowered or [_placed(ast.Return(ast.Constant(None)), s)]), s)
            chosen.tail = True
            return [chosen]
        names = {ast.Return: DONE, ast.Break: flags.stop, ast.Continue: flags.skip}
        return [_guarded([names[kind] for kind in jumps], lowered, s)] if lowered else []

    def _loop(self, s: Any, rest: Block, flags: Flags | None) -> tuple[Block, bool]:
        number, inside = next(self.fresh), _jumps(s.body)
        own = Flags(f"mg_stop_{number}" * (ast.Break in inside), f"mg_skip_{number}" * (ast.Continue in inside))
        if _jumps(s.orelse):
            raise Unsupported("Unsupported statement: a jump in the 'else' of a loop.", s.orelse[0].lineno)
        body = self.block(s.body, own)
        if own.skip:
            body = [_assign(own.skip, ast.Constant(False), s.body[0]), *body]
        stops = [own.stop] * bool(own.stop) + [DONE] * (ast.Return in inside)
        out: Block = [_assign(own.stop, ast.Constant(False), s)] if own.stop else []
        out.append(_for(s, body, stops) if isinstance(s, ast.For) else _while(s, body, stops))
        otherwise = self.block(s.orelse, flags)
        out += [_guarded(stops, otherwise, s)] if stops and otherwise else otherwise
        s.orelse = []
        if ast.Return not in inside:
            return out, False
        return [*out, *self._after(s, {ast.Return}, rest, flags)], True


def _while(s: ast.While, body: Block, stops: list[str]) -> ast.stmt:
    if stops:
        test = ast.Lambda(ast.arguments([], [], None, [], [], None, []), s.test)
        s.test = _placed(_helper("proceed", test, *map(_name, stops)), s.test)
    s.body = body
    return s


def _counted(s: ast.For, number: int) -> tuple[ast.stmt, ast.While]:
    """``for i in range(...)`` as a ``while``, and what comes before it."""
    at, end, step = (f"mg_{what}_{number}" for what in ("at", "end", "step"))
    names = ast.Tuple([ast.Name(name, ast.Store()) for name in (at, end, step)], ast.Store())
    start = _placed(ast.Assign([names], _helper("bounds", *s.iter.args)), s.iter)  # type: ignore[attr-defined]
    item = _placed(ast.Assign([s.target], _name(at)), s.target)
    following = _assign(at, ast.BinOp(_name(at), ast.Add(), _name(step)), s.target)
    test = _placed(_helper("more", _name(at), _name(end), _name(step)), s.iter)
    return start, ast.copy_location(ast.While(test, [item, following, *s.body], s.orelse), s)


def _for(s: ast.For, body: Block, stops: list[str]) -> ast.stmt:
    if stops:
        item = _placed(ast.Assign([s.target], _name(ITEM)), s.target)
        leave = _placed(ast.If(_helper("surely", *map(_name, stops)), [ast.Break()], []), s)
        leave.plain = True
        s.target = _placed(ast.Name(ITEM, ast.Store()), s.target)
        body = [_guarded(stops, [item, *body], s), leave]
    s.body = body
    return s


# ---- small pieces ----------------------------------------------------------------------------------


def _raised_flags(s: ast.stmt, flags: Flags) -> Iterator[ast.stmt]:
    if isinstance(s, ast.Return):
        yield _assign(VALUE, s.value or ast.Constant(None), s)
        yield _assign(DONE, ast.Constant(True), s)
    else:
        yield _assign(flags.stop if isinstance(s, ast.Break) else flags.skip, ast.Constant(True), s)


def _guarded(names: Sequence[str], body: Block, at: ast.AST) -> ast.stmt:
    return _placed(ast.If(_helper("clear", *map(_name, names)), body, []), at)


def _helper(name: str, *args: ast.expr) -> ast.expr:
    call = ast.Call(ast.Attribute(_name("mg"), name, ast.Load()), list(args), [])
    call.ours = True  # type: ignore[attr-defined]
    return call


def _name(name: str) -> ast.expr:
    return ast.Name(name, ast.Load())


def _assign(name: str, value: ast.expr, at: ast.AST) -> ast.stmt:
    return _placed(ast.Assign([ast.Name(name, ast.Store())], value), at)


def _placed(node: Any, at: ast.AST) -> Any:
    """The node and what it is made of, standing where ``at`` stands."""
    ast.copy_location(node, at)
    return ast.fix_missing_locations(node)


def _jumps(stmts: Sequence[ast.stmt]) -> set[type]:
    """The kinds of jumps that leave these statements."""
    found: set[type] = set()
    for s in stmts:
        if isinstance(s, ast.Return | ast.Break | ast.Continue):
            found.add(type(s))
        elif isinstance(s, LOOPS):
            found |= (_jumps(s.body) & {ast.Return}) | _jumps(s.orelse)
        elif isinstance(s, ast.If):
            found |= _jumps(s.body) | _jumps(s.orelse)
        elif isinstance(s, ast.With):
            found |= _jumps(s.body)
    return found


def _ends(stmts: Sequence[ast.stmt]) -> bool:
    """Whether nothing behind these statements can be reached, for a ``return`` or an error."""
    if not stmts:
        return False
    last = stmts[-1]
    if isinstance(last, ast.If):
        return _ends(last.body) and _ends(last.orelse)
    return isinstance(last, ast.Return | ast.Raise)
