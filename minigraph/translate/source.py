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
from functools import partial
from itertools import pairwise
from types import CellType, CodeType, FunctionType, MethodType
from typing import Any

from minigraph.capture.names_in_code import codes_in
from minigraph.capture.pure_calls import is_standard_file
from minigraph.capture.structure import TraceMode
from minigraph.capture.tracer import Tracer
from minigraph.core.errors import ArgAttributeError
from minigraph.core.location import Loc, is_internal_file, is_user_file, with_location
from minigraph.core.python_parser import compile_tree, copy_tree
from minigraph.core.weak_table import WeakTable
from minigraph.translate import control_flow_runtime
from minigraph.translate.call_conversion import call_method
from minigraph.translate.control_flow import translate_function
from minigraph.translate.host_arrays import HostArray
from minigraph.translate.jumps import UnsupportedSyntaxError
from minigraph.translate.range_loops import Place, tensor_ranges_in
from minigraph.translate.syntax_trees import FUTURES, has_other_source, register_tree, tree_of

# code -> the ranges in its file with tensor bounds -> the code to run, ``None`` for itself, which may be freed
_translations = WeakTable[CodeType, dict[frozenset[Place], CodeType | None]]()
_generated = WeakTable[CodeType, bool]()  # code generated here -> True
_unsupported = WeakTable[CodeType, UnsupportedSyntaxError]()
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
    stale = "import its file again: the function runs as written, because its file has other source"

    def __init__(self, strict: bool = False, fn: object = None) -> None:
        self.strict = strict
        if _has_no_source(fn):
            self.remedy = self.stale if has_other_source(_python_function(fn)) else self.sourceless

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
        raise with_location(ArgAttributeError(f"{text}\nasnumpy: numpy is not in the graph; {remedy}"))


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
        if (error := _unsupported.get(fn.__code__)) is not None:
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
    if _generated.get(code):
        return code
    ranges = tensor_ranges_in(code.co_filename)
    if (translations := _translations.get(code)) is None:
        _translations[code] = translations = {}
    if ranges not in translations:
        new = _compile(fn)
        translations[ranges] = None if new is code else new
        for inner in codes_in(new):
            if inner is not new:
                _generated[inner] = True
    return translations[ranges] or code


def _compile(fn: FunctionType) -> CodeType:
    code = fn.__code__
    if not is_user_file(code.co_filename):
        return code
    tree = tree_of(fn)
    if tree is None:
        return code
    try:
        function = translate_function(tree, tensor_ranges_in(code.co_filename))
    except UnsupportedSyntaxError as error:
        _unsupported[code] = error.with_traceback(None)  # its frames would keep the code
        return code
    return _compile_function(fn, function, "mg")


def _compile_function(fn: FunctionType, tree: ast.FunctionDef, name: str) -> CodeType:
    """The code of a tree that takes the place of a function, with the free variable ``name`` in addition."""
    code = fn.__code__
    module = _factory(tree, (name, *code.co_freevars), _class_around(code))
    inner = codes_in(compile_tree(module, code.co_filename, code.co_flags & FUTURES))
    return _rename(next(c for c in inner if c.co_name == GENERATED_NAME), code.co_name, code.co_qualname)


def function_of_tree(fn: FunctionType, tree: ast.FunctionDef, segments: CellType = _RUNTIME) -> FunctionType:
    """A function from a tree, in the scopes of ``fn``, in which ``mg_segments`` is the content of a cell."""
    new = _replace_code(fn, _compile_function(fn, copy_tree(tree), "mg_segments"), {"mg_segments": segments})
    register_tree(new.__code__, tree)
    return new


def _rename(code: CodeType, name: str, qualname: str) -> CodeType:
    """The code and its generated nested functions under the user's name, which tracebacks show."""
    consts = tuple(_rename(c, name, qualname) if _is_generated(c) else c for c in code.co_consts)
    return code.replace(co_name=name, co_qualname=qualname, co_consts=consts)


def _is_generated(const: object) -> bool:
    return isinstance(const, CodeType) and const.co_name.startswith("mg_")


def _class_around(code: CodeType) -> str:
    """The name of the innermost class around a function's definition, "" without one."""
    path = code.co_qualname.split(".")
    classes = [name for name, inner in pairwise(path) if "<locals>" not in (name, inner)]
    return classes[-1] if classes else ""


def _factory(function: ast.FunctionDef, names: tuple[str, ...], owner: str) -> ast.Module:
    """A module to compile: the function nested in scopes that define its free variables and its class."""
    function.name, body = GENERATED_NAME, list[ast.stmt]([function])
    if owner:  # private names such as self.__x are mangled with the class name
        body = [ast.ClassDef(owner, [], [], body, [])]
        if owner not in names:  # the class itself is found in its own scope
            body.insert(0, ast.Global([owner]))
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
