"""``capture_mode="ast"``: a function's source is translated, so that its ``if`` and ``while`` may ask tensors.

The translated function is compiled under the name and lines of the user's file, shares globals and closure with
the original, and calls ``control_flow_runtime`` where Python would decide. What is decided there is decided
while tracing: plain Python conditions stay plain Python.
"""

from __future__ import annotations

import ast
import copy
import inspect
from collections.abc import Callable
from functools import lru_cache, partial
from types import CellType, CodeType, FunctionType, MethodType
from typing import Any
from weakref import WeakKeyDictionary

from minigraph.capture.reachable_state import codes_in
from minigraph.capture.structure import AsWritten
from minigraph.capture.tracer import Tracer
from minigraph.core.errors import AttributeArgument
from minigraph.core.location import Loc, is_user_file, located
from minigraph.translate import control_flow_runtime as flow
from minigraph.translate.call_conversion import method_called
from minigraph.translate.control_flow import translated_function
from minigraph.translate.host_arrays import HostArray
from minigraph.translate.jumps import Unsupported
from minigraph.translate.range_loops import Place, counting_in

# code -> its file and the loops in it that count by tensors -> the code to run
_translated: WeakKeyDictionary[CodeType, dict[tuple[str, frozenset[Place]], CodeType]] = WeakKeyDictionary()
_made: WeakKeyDictionary[CodeType, set[str]] = WeakKeyDictionary()  # code that was made here, and for which files
_refused: WeakKeyDictionary[CodeType, Unsupported] = WeakKeyDictionary()
MADE = "mg_function"  # not the user's name: a function that calls itself finds itself where it was
_RUNTIME = CellType(flow)


class Translating(AsWritten):
    """Each function translated; ``strict``: everything is in the graph, so that numpy has no part in it.

    ``fn`` is the function that is captured, whose source may not be there to be read.
    """

    way_out = (
        "use ops.where or another operator, if and while on the tensor itself, x.asnumpy() for numpy, or compute it "
        "outside of @jit"
    )
    unread = "use ops.where or another operator, or put the function in a file: without its source it runs as written"

    def __init__(self, strict: bool = False, fn: Any = None) -> None:
        self.strict = strict
        if _is_unread(fn):
            self.way_out = self.unread

    def __call__(self, fn: Any) -> Any:
        """The function that is called instead of ``fn``."""
        return translated(fn)

    def to_numpy(self, tracer: Tracer) -> Any:
        """An array of the time when the graph runs; raises ``AttributeError`` when that is too late."""
        if tracer.closed:
            return tracer.array
        if not self.strict:
            return HostArray(tracer)
        text = "In JIT strict mode, cannot get attributes asnumpy or the "
        text += f"Tensor[{tracer.dtype}] object has no attribute: 'asnumpy'."
        remedy = "use operators of minigraph.ops, or leave fullgraph=True out"
        raise located(AttributeArgument(f"{text}\nasnumpy: numpy is not in the graph; {remedy}"))


def translated(fn: Any) -> Any:
    """The function with its source translated; as it is when it is not the user's or its source cannot be read.

    >>> translated(len)
    <built-in function len>
    """
    if isinstance(fn, partial):
        return partial(translated(fn.func), *fn.args, **fn.keywords)
    if isinstance(fn, MethodType):
        inner = translated(fn.__func__)
        return fn if inner is fn.__func__ else MethodType(inner, fn.__self__)
    if not isinstance(fn, FunctionType):
        method = method_called(fn)
        return fn if method is None or (inner := translated(method)) is method else inner
    code = _code_for(fn)
    return fn if code is fn.__code__ else _with_code(fn, code)


def check_translatable(fn: Any) -> None:
    """Raise ``RuntimeError`` when the source of a function has a statement that cannot be translated."""
    fn = _plain(fn)
    if isinstance(fn, FunctionType):
        _code_for(fn)
        if fn.__code__ in _refused:
            error = _refused[fn.__code__]
            place = Loc(fn.__code__.co_filename, error.line)
            raise located(error.__class__(f"{error}", error.line), place) from None


def _plain(fn: Any) -> Any:
    """The function in a partial, a method or an object that can be called."""
    while not isinstance(fn, FunctionType):
        inner = fn.func if isinstance(fn, partial) else fn.__func__ if isinstance(fn, MethodType) else method_called(fn)
        if inner is None:
            return fn
        fn = inner
    return fn


def _is_unread(fn: Any) -> bool:
    """Whether a user's function runs as written because there is no source to translate."""
    fn = _plain(fn)
    return isinstance(fn, FunctionType) and is_user_file(fn.__code__.co_filename) and _code_for(fn) is fn.__code__


def _code_for(fn: FunctionType) -> CodeType:
    code = fn.__code__
    if code.co_filename in _made.get(code, ()):
        return code
    place = code.co_filename, counting_in(code.co_filename)  # code of two files may be equal, but not its lines
    by_place = _translated.setdefault(code, {})
    if place not in by_place:
        by_place[place] = made = _compiled(fn)
        for inner in codes_in(made):
            if inner is not made:
                _made.setdefault(inner, set()).add(inner.co_filename)
    return by_place[place]


def _compiled(fn: FunctionType) -> CodeType:
    code = fn.__code__
    if not is_user_file(code.co_filename):
        return code
    tree = _lambda_of(code) if code.co_name == "<lambda>" else _tree_of(code)
    if tree is None:
        return code
    try:
        function = translated_function(tree, counting_in(code.co_filename))
    except Unsupported as error:
        _refused[code] = error
        return code
    names = ("mg", *code.co_freevars)
    module = compile(_factory(function, names, fn.__qualname__.split(".")[:-1]), code.co_filename, "exec")
    found = next(inner for inner in codes_in(module) if inner.co_name == MADE)
    return _renamed(found, code.co_name, code.co_qualname)


def _renamed(code: CodeType, name: str, qualname: str) -> CodeType:
    """The code and the blocks made of it under the user's name, which tracebacks and places show."""
    consts = tuple(_renamed(c, name, qualname) if _is_block(c) else c for c in code.co_consts)
    return code.replace(co_name=name, co_qualname=qualname, co_consts=consts)


def _is_block(const: object) -> bool:
    return isinstance(const, CodeType) and const.co_name.startswith("mg_")


def _tree_of(code: CodeType) -> ast.FunctionDef | None:
    """The syntax tree of a function, with the lines and columns it has in its file; ``None`` without source."""
    try:
        lines, first = inspect.getsourcelines(code)
        indented = lines[0][:1].isspace()
        tree = ast.parse("".join(["if True:\n", *lines] if indented else lines))
    except (OSError, TypeError, SyntaxError, IndexError):
        return None
    found: Any = tree.body[0].body[0] if indented else tree.body[0]  # type: ignore[attr-defined]
    ast.increment_lineno(tree, max(first, 1) - 1 - indented)
    return found if isinstance(found, ast.FunctionDef) and found.name == code.co_name else None


def _lambda_of(code: CodeType) -> ast.FunctionDef | None:
    """A lambda as a function that returns its expression; ``None`` without source.

    Of several on a line, it is the one whose expression has the columns of the code.
    """
    try:
        lambdas = _lambdas_in("".join(inspect.findsource(code)[0]))
    except (OSError, TypeError, SyntaxError, IndexError):
        return None
    first, last = _span(code)
    around = [node for node in lambdas if node.lineno == code.co_firstlineno and _holds(node.body, first, last)]
    if not around:
        return None
    found = copy.deepcopy(around[-1])  # the innermost, because the tree has outer ones first
    body = ast.copy_location(ast.Return(found.body), found.body)
    return ast.copy_location(ast.FunctionDef("<lambda>", found.args, [body], []), found)


@lru_cache(maxsize=16)
def _lambdas_in(text: str) -> list[ast.Lambda]:
    return [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Lambda)]


Point = tuple[int, int]  # a line and a column


def _span(code: CodeType) -> tuple[Point, Point]:
    """Where the instructions of a function begin and end in its file."""
    places = [p for p in code.co_positions() if None not in p and p[2] != p[3]]
    firsts: list[Any] = [(p[0], p[2]) for p in places]
    lasts: list[Any] = [(p[1], p[3]) for p in places]
    return min(firsts), max(lasts)


def _holds(node: Any, first: Point, last: Point) -> bool:
    return (node.lineno, node.col_offset) <= first and last <= (node.end_lineno, node.end_col_offset)


def _factory(function: ast.FunctionDef, names: tuple[str, ...], path: list[str]) -> ast.Module:
    """A module whose only use is to be compiled: the function where its free names and its class are around it."""
    function.name, body = MADE, list[ast.stmt]([function])
    if path and path[-1] != "<locals>":  # names such as self.__x depend on the class
        body = [ast.ClassDef(path[-1], [], [], body, [])]
        if path[-1] not in names:  # the class itself is found where it was
            body.insert(0, ast.Global([path[-1]]))
    arguments = ast.arguments([], [ast.arg(name) for name in names], None, [], [], None, [])
    outer = ast.FunctionDef("mg_factory", arguments, body, [])
    for node in (outer, *body):
        ast.copy_location(node, function)
    return ast.fix_missing_locations(ast.Module([outer], []))


def _with_code(fn: FunctionType, code: CodeType) -> Callable[..., Any]:
    cells = dict(zip(fn.__code__.co_freevars, fn.__closure__ or (), strict=True)) | {"mg": _RUNTIME}
    twin = FunctionType(code, fn.__globals__, fn.__name__, fn.__defaults__, tuple(cells[n] for n in code.co_freevars))
    twin.__kwdefaults__, twin.__qualname__, twin.__module__ = fn.__kwdefaults__, fn.__qualname__, fn.__module__
    twin.__dict__.update(fn.__dict__)
    return twin
