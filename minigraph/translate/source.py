"""Source translation, ``capture_mode="ast"``: rewrites control flow so that tracing can record it.

A tracer sees operator calls only, so it cannot record Python's ``if`` and ``while`` on a tensor. As in AutoGraph
(Moldovan et al., *AutoGraph: Imperative-style Coding with Graph-based Performance*, MLSys 2019), the source is
rewritten before tracing: jumps become flags (``jumps``); then branches and loop bodies become nested functions, which
are passed to ``control_flow_runtime`` with the variables that they bind (``control_flow``, by ``liveness``); callees
are converted, too (``call_conversion``). The runtime tests each condition during tracing: on plain Python values it
behaves like Python; on a tracer it adds a node with the branches, or the loop's test and body, as its bodies.

Invariants: translated code has the file, lines and columns of the original, so that errors and debuggers show the
user's source; it shares globals and closure cells with the original; every code object is translated once, and again
only if a ``range`` in it turns out to have tensor bounds. Functions that are not the user's, or without source, run
as written. Not handled: the syntax in ``unsupported_syntax``, jumps out of ``with`` and out of the ``else`` of loops.
"""

from __future__ import annotations

import ast
import inspect
import linecache
from functools import lru_cache, partial
from types import CellType, CodeType, FunctionType, MethodType
from typing import Any
from weakref import WeakKeyDictionary

from minigraph.capture.pure_calls import is_standard_file
from minigraph.capture.reachable_state import codes_in
from minigraph.capture.structure import TraceMode
from minigraph.capture.tracer import Tracer
from minigraph.core.errors import AttributeArgument
from minigraph.core.location import Loc, is_internal_file, is_user_file, with_location
from minigraph.core.python_parser import compile_tree, copy_tree, parse_python
from minigraph.translate import control_flow_runtime
from minigraph.translate.call_conversion import call_method
from minigraph.translate.control_flow import translate_function
from minigraph.translate.host_arrays import HostArray
from minigraph.translate.jumps import Unsupported
from minigraph.translate.range_loops import Place, tensor_ranges_in

# code -> (its file, the ranges in it with tensor bounds) -> the code to run, ``None`` for itself, which may be freed
_translations: WeakKeyDictionary[CodeType, dict[tuple[str, frozenset[Place]], CodeType | None]] = WeakKeyDictionary()
_generated: WeakKeyDictionary[CodeType, set[str]] = WeakKeyDictionary()  # code generated here -> the files it is for
_unsupported: WeakKeyDictionary[CodeType, Unsupported] = WeakKeyDictionary()
_trees: WeakKeyDictionary[CodeType, dict[str, ast.FunctionDef]] = WeakKeyDictionary()  # of functions made from trees
GENERATED_NAME = "mg_function"  # unlike any user's name: a recursive function must find itself
_RUNTIME = CellType(control_flow_runtime)


class AstMode(TraceMode):
    """``capture_mode="ast"``: functions are translated; ``strict``: everything must be in the graph, numpy is an error.

    ``fn`` is the traced function, whose source may be unavailable.
    """

    remedy = (
        "use ops.where or another operator, if and while on the tensor itself, x.asnumpy() for numpy, or compute it "
        "outside of @jit"
    )
    sourceless = "use ops.where or another operator, or put the function in a file: without source it runs as written"

    def __init__(self, strict: bool = False, fn: object = None) -> None:
        self.strict = strict
        if _has_no_source(fn):
            self.remedy = self.sourceless

    def __call__(self, fn: object) -> Any:
        """The function that is called instead of ``fn``."""
        return translate(fn)

    def to_numpy(self, tracer: Tracer) -> Any:
        """The host array of a tracer; raises ``AttributeError`` in strict mode."""
        if tracer.is_closed:
            return tracer.array
        if not self.strict:
            return HostArray(tracer)
        text = "In JIT strict mode, cannot get attributes asnumpy or the "
        text += f"Tensor[{tracer.dtype}] object has no attribute: 'asnumpy'."
        remedy = "use operators of minigraph.ops, or leave fullgraph=True out"
        raise with_location(AttributeArgument(f"{text}\nasnumpy: numpy is not in the graph; {remedy}"))


def translate(fn: object) -> Any:
    """The translated function; the function itself if it is not the user's or its source is unavailable.

    >>> translate(len)
    <built-in function len>
    """
    if isinstance(fn, partial):
        return partial(translate(fn.func), *fn.args, **fn.keywords)
    if isinstance(fn, MethodType):
        inner = translate(fn.__func__)
        return fn if inner is fn.__func__ else MethodType(inner, fn.__self__)
    if not isinstance(fn, FunctionType):
        method = call_method(fn)
        return fn if method is None or (inner := translate(method)) is method else inner
    code = _code_for(fn)
    return fn if code is fn.__code__ else _replace_code(fn, code, {"mg": _RUNTIME})


def check_translatable(fn: object) -> None:
    """Raise ``RuntimeError`` if the source of a function has a statement that cannot be translated."""
    fn = _python_function(fn)
    if isinstance(fn, FunctionType):
        _code_for(fn)
        if fn.__code__ in _unsupported:
            error = _unsupported[fn.__code__]
            loc = Loc(fn.__code__.co_filename, error.line)
            raise with_location(error.__class__(f"{error}", error.line), loc) from None


def _python_function(fn: object) -> Any:
    """The Python function of a partial, a method or a callable object."""
    while not isinstance(fn, FunctionType):
        inner = fn.func if isinstance(fn, partial) else fn.__func__ if isinstance(fn, MethodType) else call_method(fn)
        if inner is None:
            return fn
        fn = inner
    return fn


def runs_as_written(fn: FunctionType, translates: bool = True) -> bool:
    """Whether captured code calls a function as it is; if it ``translates``, because the source is unavailable.

    Python's own functions, and methods that ``dataclasses`` generates, do not count; they query the types of their own
    objects.
    """
    is_generated = fn.__code__.co_filename == "<string>" and fn.__name__.startswith("__")
    is_own = is_generated or _is_known(fn.__code__.co_filename)
    return not is_own and not (translates and _code_for(fn) is not fn.__code__)


def _is_known(file: str) -> bool:
    """Whether a file belongs to minigraph, Python or numpy."""
    return is_internal_file(file) or (is_standard_file(file) and not is_user_file(file))


def _has_no_source(fn: object) -> bool:
    """Whether a user's function runs as written because its source is unavailable."""
    fn = _python_function(fn)
    return isinstance(fn, FunctionType) and is_user_file(fn.__code__.co_filename) and _code_for(fn) is fn.__code__


def _code_for(fn: FunctionType) -> CodeType:
    code = fn.__code__
    if code.co_filename in _generated.get(code, ()):
        return code
    key = code.co_filename, tensor_ranges_in(code.co_filename)  # equal code in two files differs in its ranges
    translations = _translations.setdefault(code, {})
    if key not in translations:
        new = _compile(fn)
        translations[key] = None if new is code else new
        for inner in codes_in(new):
            if inner is not new:
                _generated.setdefault(inner, set()).add(inner.co_filename)
    return translations[key] or code


def _compile(fn: FunctionType) -> CodeType:
    code = fn.__code__
    if not is_user_file(code.co_filename):
        return code
    tree = _lambda_of(code) if code.co_name == "<lambda>" else tree_of(code)
    if tree is None:
        return code
    try:
        function = translate_function(tree, tensor_ranges_in(code.co_filename))
    except Unsupported as error:
        _unsupported[code] = error.with_traceback(None)  # its frames would keep the code
        return code
    return _compile_function(fn, function, "mg")


def _compile_function(fn: FunctionType, tree: ast.FunctionDef, name: str) -> CodeType:
    """The code of a tree that takes the place of a function, with the free variable ``name`` in addition."""
    code = fn.__code__
    module = _factory(tree, (name, *code.co_freevars), fn.__qualname__.split(".")[:-1])
    inner = codes_in(compile_tree(module, code.co_filename))
    return _rename(next(each for each in inner if each.co_name == GENERATED_NAME), code.co_name, code.co_qualname)


def function_of_tree(fn: FunctionType, tree: ast.FunctionDef, segments: CellType = _RUNTIME) -> FunctionType:
    """A function from a tree, in the scopes of ``fn``, in which ``mg_segments`` is the content of a cell."""
    new = _replace_code(fn, _compile_function(fn, copy_tree(tree), "mg_segments"), {"mg_segments": segments})
    _trees.setdefault(new.__code__, {})[new.__code__.co_filename] = tree
    return new


def _rename(code: CodeType, name: str, qualname: str) -> CodeType:
    """The code and its generated nested functions under the user's name, which tracebacks show."""
    consts = tuple(_rename(c, name, qualname) if _is_generated(c) else c for c in code.co_consts)
    return code.replace(co_name=name, co_qualname=qualname, co_consts=consts)


def _is_generated(const: object) -> bool:
    return isinstance(const, CodeType) and const.co_name.startswith("mg_")


def tree_of(code: CodeType) -> ast.FunctionDef | None:
    """The syntax tree of a function, with its lines and columns in its file; ``None`` without source."""
    if (known := _trees.get(code, {}).get(code.co_filename)) is not None:
        return copy_tree(known)
    try:
        lines, first = _source_lines(code), code.co_firstlineno
        indented = lines[0][:1].isspace()
        before = "\n" * (max(first, 1) - 1 - indented)  # so that the tree has the lines of the file
        tree = parse_python("".join([before, "if True:\n", *lines] if indented else [before, *lines]))
    except (OSError, TypeError, SyntaxError, IndexError):
        return None
    node: Any = tree.body[0].body[0] if indented else tree.body[0]  # type: ignore[attr-defined]
    return node if isinstance(node, ast.FunctionDef) and node.name == code.co_name else None


def _source_lines(code: CodeType) -> list[str]:
    """The lines of a function; faster than ``inspect.getsourcelines``, which looks at all modules."""
    linecache.checkcache(code.co_filename)
    lines = linecache.getlines(code.co_filename) or inspect.findsource(code)[0]  # the latter also reads archives
    return inspect.getblock(lines[code.co_firstlineno - 1 :])


def _lambda_of(code: CodeType) -> ast.FunctionDef | None:
    """The syntax tree of a lambda, as a function that returns its expression; ``None`` without source.

    Among several lambdas on a line, the columns of the code select the right one; code has none under
    ``-X no_debug_ranges``, and Python 3.12 gives none to some constants. Then only a single lambda is certain.
    """
    try:
        lambdas = _lambdas_in("".join(inspect.findsource(code)[0]))
    except (OSError, TypeError, SyntaxError, IndexError):
        return None
    expression = _lambda_at([node for node in lambdas if node.lineno == code.co_firstlineno], code)
    if expression is None:
        return None
    node = copy_tree(expression)
    body = ast.copy_location(ast.Return(node.body), node.body)
    return ast.copy_location(ast.FunctionDef("<lambda>", node.args, [body], []), node)


def _lambda_at(lambdas: list[ast.Lambda], code: CodeType) -> ast.Lambda | None:
    """The one of the lambdas of a line that was compiled to ``code``; ``None`` if that is not certain."""
    span = _span(code)
    if span is None:
        return lambdas[0] if len(lambdas) == 1 else None
    enclosing = [node for node in lambdas if _encloses(node.body, *span)]
    return enclosing[-1] if enclosing else None  # the innermost: ast.walk visits outer nodes first


@lru_cache(maxsize=16)
def _lambdas_in(text: str) -> list[ast.Lambda]:
    return [node for node in ast.walk(parse_python(text)) if isinstance(node, ast.Lambda)]


Point = tuple[int, int]  # a line and a column


def _span(code: CodeType) -> tuple[Point, Point] | None:
    """The first and the last position of a function's instructions in its file; ``None`` without columns."""
    positions = [p for p in code.co_positions() if None not in p and p[2] != p[3]]
    firsts: list[Any] = [(p[0], p[2]) for p in positions]
    lasts: list[Any] = [(p[1], p[3]) for p in positions]
    return (min(firsts), max(lasts)) if positions else None


def _encloses(node: ast.stmt | ast.expr, first: Point, last: Point) -> bool:
    return (node.lineno, node.col_offset) <= first and last <= (node.end_lineno, node.end_col_offset)


def _factory(function: ast.FunctionDef, names: tuple[str, ...], path: list[str]) -> ast.Module:
    """A module to compile: the function nested in scopes that define its free variables and its class."""
    function.name, body = GENERATED_NAME, list[ast.stmt]([function])
    if path and path[-1] != "<locals>":  # private names such as self.__x are mangled with the class name
        body = [ast.ClassDef(path[-1], [], [], body, [])]
        if path[-1] not in names:  # the class itself is found in its own scope
            body.insert(0, ast.Global([path[-1]]))
    arguments = ast.arguments([], [ast.arg(name) for name in names], None, [], [], None, [])
    outer = ast.FunctionDef("mg_factory", arguments, body, [])
    for node in (outer, *body, *arguments.args):
        ast.copy_location(node, function)
    return ast.Module([outer], [])


def _replace_code(fn: FunctionType, code: CodeType, more: dict[str, CellType]) -> FunctionType:
    cells = dict(zip(fn.__code__.co_freevars, fn.__closure__ or (), strict=True)) | more
    new = FunctionType(code, fn.__globals__, fn.__name__, fn.__defaults__, tuple(cells[n] for n in code.co_freevars))
    new.__kwdefaults__, new.__qualname__, new.__module__ = fn.__kwdefaults__, fn.__qualname__, fn.__module__
    new.__dict__.update(fn.__dict__)
    return new
