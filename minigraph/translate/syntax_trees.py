"""The syntax trees of functions, from the text of their files, if that text is what they were compiled from.

A file may have been edited since it was imported, and a decorator, an import hook or an assignment to ``__code__`` may
have given a function other code. To translate the text would then run another program. So the text is compiled again,
without the module's other functions and classes, and the result must contain the code of the function: the same
instructions, constants and names, at the same place. Line tables are not compared: they change nothing that runs.

Functions of modules that pytest has imported are compared by less: pytest rewrites their ``assert`` statements, which
adds instructions. Not detected there is a change of such a function that leaves its names and arguments as they were.
"""

from __future__ import annotations
import __future__

import ast
import inspect
import linecache
from functools import lru_cache
from types import CodeType, FunctionType
from typing import Any

from minigraph.capture.names_in_code import codes_in
from minigraph.core.bytecode import has_same_instructions
from minigraph.core.python_parser import compile_tree, copy_tree, parse_python
from minigraph.core.python_stack import is_stack_short
from minigraph.core.scope_guard import reraise_handler_error
from minigraph.core.weak_table import WeakTable

_trees = WeakTable[CodeType, ast.FunctionDef]()  # of functions made from trees
FUTURES = sum({getattr(__future__, name).compiler_flag for name in __future__.all_feature_names})  # flags of code
COMPARED = (
    "co_name", "co_qualname", "co_firstlineno", "co_argcount", "co_posonlyargcount", "co_kwonlyargcount", "co_flags",
    "co_freevars",
)  # fmt: skip
UNREADABLE = (OSError, TypeError, ValueError, SyntaxError, RecursionError, MemoryError)


def tree_of(fn: FunctionType) -> ast.FunctionDef | None:
    """The syntax tree of a function, with its lines and columns in its file; ``None`` without source.

    A lambda is a function that returns its expression.
    """
    code = fn.__code__
    if (cached := _trees.get(code)) is not None:
        return copy_tree(cached)
    try:
        text = _text_of(code)
        node = _function_at(text, code)
        if node is None or not _compiles_to(node, text, fn):
            return None
    except UNREADABLE as error:
        reraise_handler_error(error)
        if isinstance(error, RecursionError) and is_stack_short():
            raise  # the text is not too deep, the stack is
        return None
    if isinstance(node, ast.FunctionDef):
        return copy_tree(node)
    new = copy_tree(node)
    body = ast.copy_location(ast.Return(new.body), new.body)
    return ast.copy_location(ast.FunctionDef("<lambda>", new.args, [body], []), new)


def register_tree(code: CodeType, tree: ast.FunctionDef) -> None:
    """Register the tree from which code was made."""
    _trees[code] = tree


def has_other_source(fn: FunctionType) -> bool:
    """Whether a function has a file, which does not contain it, or no longer.

    A name in angle brackets is no file, though Python 3.13 knows a text of ``<string>``: that of ``python -c``.

    >>> has_other_source(has_other_source), has_other_source(eval("lambda: 0"))
    (False, False)
    """
    try:
        return fn.__code__.co_filename[:1] != "<" and bool(_text_of(fn.__code__)) and tree_of(fn) is None
    except UNREADABLE as error:
        reraise_handler_error(error)
        return False


def _text_of(code: CodeType) -> str:
    """The text of a function's file; ``inspect.findsource`` also reads archives, but takes longer."""
    linecache.checkcache(code.co_filename)
    return "".join(linecache.getlines(code.co_filename) or inspect.findsource(code)[0])


# ---- the node of a function ----------------------------------------------------------------------------

Function = ast.FunctionDef | ast.Lambda
DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


@lru_cache(maxsize=16)
def _statements_of(text: str) -> list[ast.stmt]:
    return parse_python(text).body


def _statements_at(text: str, line: int) -> list[ast.stmt]:
    """The top-level statements of a file that contain a line: several, if semicolons separate them."""
    return [stmt for stmt in _statements_of(text) if _first_line(stmt) <= line <= (stmt.end_lineno or 0)]


def _first_line(node: Any) -> int:
    return min([node.lineno, *(decorator.lineno for decorator in getattr(node, "decorator_list", ()))])


def _function_at(text: str, code: CodeType) -> Function | None:
    """The function or lambda in a file that starts where code does, under its name."""
    statements = _statements_at(text, code.co_firstlineno)
    kind = ast.Lambda if code.co_name == "<lambda>" else ast.FunctionDef
    nodes: list[Any] = [inner for statement in statements for inner in ast.walk(statement) if isinstance(inner, kind)]
    nodes = [node for node in nodes if _first_line(node) == code.co_firstlineno]
    if kind is ast.Lambda:
        return _lambda_at(nodes, code)
    return next((node for node in nodes if node.name == code.co_name), None)


def _lambda_at(lambdas: list[Any], code: CodeType) -> ast.Lambda | None:
    """The one of the lambdas of a line that was compiled to ``code``; ``None`` if that is not certain.

    The columns of the code select it; code has none under ``-X no_debug_ranges``, and Python 3.12 gives none to some
    constants. Then only a single lambda is certain.
    """
    span = _span(code)
    if span is None:
        return lambdas[0] if len(lambdas) == 1 else None
    enclosing = [node for node in lambdas if _encloses(node.body, *span)]
    return enclosing[-1] if enclosing else None  # the innermost: ast.walk visits outer nodes first


Point = tuple[int, int]  # a line and a column


def _span(code: CodeType) -> tuple[Point, Point] | None:
    """The first and the last position of a function's instructions in its file; ``None`` without columns."""
    positions = [p for p in code.co_positions() if None not in p and p[2] != p[3]]
    firsts: list[Any] = [(p[0], p[2]) for p in positions]
    lasts: list[Any] = [(p[1], p[3]) for p in positions]
    return (min(firsts), max(lasts)) if positions else None


def _encloses(node: ast.expr, first: Point, last: Point) -> bool:
    return (node.lineno, node.col_offset) <= first and last <= (node.end_lineno or 0, node.end_col_offset or 0)


# ---- the code of a node --------------------------------------------------------------------------------


def _compiles_to(node: Function, text: str, fn: FunctionType) -> bool:
    """Whether a file compiles to code that does what the function does, at the place of a node."""
    code = fn.__code__
    is_rewritten = _is_rewritten(node, fn)
    first = next(iter(_statements_at(text, code.co_firstlineno)), None)  # a function or class begins its line
    for other in _codes_in(text, first, code.co_filename, code.co_flags & FUTURES):
        if _is_at_place_of(other, code):
            is_same = set(other.co_names) <= set(code.co_names) if is_rewritten else has_same_instructions(other, code)
            if is_same:
                return True
    return False


def _is_at_place_of(left: CodeType, right: CodeType) -> bool:
    """Whether two code objects belong to one function or lambda of a file."""
    is_lambda = left.co_name == "<lambda>"  # of which a line may have several
    return all(getattr(left, name) == getattr(right, name) for name in COMPARED) and (
        not is_lambda or _span(left) == _span(right)
    )


def _is_rewritten(node: Function, fn: FunctionType) -> bool:
    """Whether pytest has added instructions to the ``assert`` statements of a function."""
    spec = fn.__globals__.get("__spec__")
    loader = type(getattr(spec, "loader", None))
    is_pytests = loader.__module__ == "_pytest.assertion.rewrite"
    return is_pytests and any(isinstance(inner, ast.Assert) for inner in ast.walk(node))


@lru_cache(maxsize=64)
def _codes_in(text: str, statement: ast.stmt | None, file: str, flags: int) -> list[CodeType]:
    """The code objects of all functions in a top-level statement; the module's imports determine some instructions."""
    others = [stmt for stmt in _statements_of(text) if stmt is statement or not isinstance(stmt, DEFINITIONS)]
    flags |= ast.PyCF_ALLOW_TOP_LEVEL_AWAIT  # as in a notebook
    return list(codes_in(compile_tree(ast.Module(others, []), file, flags)))
