"""The Python syntax that source translation does not support, and what to write instead."""

from __future__ import annotations

import ast

from minigraph.translate.jumps import UnsupportedSyntaxError
from minigraph.translate.liveness import nodes_in

STATEMENTS: dict[type[ast.AST], str] = {
    ast.Try: "check the condition beforehand, or put the try around the call",
    ast.TryStar: "check the condition beforehand, or put the try around the call",
    ast.Import: "import at the top of the file",
    ast.ImportFrom: "import at the top of the file",
    ast.ClassDef: "define the class outside",
    ast.Delete: "leave the del out",
    ast.Match: "write if and elif",
    ast.AsyncFor: "write a plain for",
    ast.AsyncWith: "write a plain with",
    ast.AsyncFunctionDef: "write a plain function",
}
EXPRESSIONS: dict[type[ast.AST], str] = {
    ast.NamedExpr: "assign it on a line before",
    ast.Yield: "return a list",
    ast.YieldFrom: "return a list",
    ast.Await: "write a plain function",
}


def is_translatable(statement: ast.stmt) -> bool:
    """Whether a statement has no syntax that is not supported.

    >>> is_translatable(ast.parse("del x").body[0])
    False
    """
    return not any(type(node) in STATEMENTS or type(node) in EXPRESSIONS for node in nodes_in(statement))


def check_syntax(function: ast.FunctionDef) -> None:
    """Raise ``RuntimeError`` for the first statement or expression that is not supported.

    >>> check_syntax(ast.parse("def f(x):\\n    del x").body[0])
    Traceback (most recent call last):
    ...
    minigraph.translate.jumps.UnsupportedSyntaxError: Unsupported statement 'Delete'.
    it cannot be translated; leave the del out, or use @jit(capture_mode='trace') if it needs no value of a tensor
    """
    for node in nodes_in(function):
        for kind, table in (("statement", STATEMENTS), ("expression", EXPRESSIONS)):
            if instead := table.get(type(node)):
                as_written = ", or use @jit(capture_mode='trace') if it needs no value of a tensor"
                remedy = instead + as_written * (
                    type(node) not in (ast.Try, ast.TryStar)
                )  # their handlers may catch it
                text = f"Unsupported {kind} '{type(node).__name__}'.\nit cannot be translated; {remedy}"
                raise UnsupportedSyntaxError(text, getattr(node, "lineno", 0))
