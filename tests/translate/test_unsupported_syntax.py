"""Unsupported syntax raises errors that name a replacement."""

import ast

import pytest

from minigraph.translate.unsupported_syntax import EXPRESSIONS, STATEMENTS, check_syntax

SOURCES = {
    "Try": "try:\n  pass\nexcept ValueError:\n  pass",
    "TryStar": "try:\n  pass\nexcept* ValueError:\n  pass",
    "Import": "import os",
    "ImportFrom": "from os import path",
    "ClassDef": "class A: pass",
    "Delete": "del x",
    "Match": "match x:\n  case 1: pass",
    "AsyncFor": "async for y in x: pass",
    "AsyncWith": "async with x: pass",
    "AsyncFunctionDef": "async def g(): pass",
    "NamedExpr": "(y := x)",
    "Yield": "yield x",
    "YieldFrom": "yield from x",
    "Await": "await x",
}


@pytest.mark.parametrize(("kind", "instead"), (STATEMENTS | EXPRESSIONS).items())
def test_each_error_names_a_replacement(kind, instead):
    function = ast.FunctionDef("f", None, ast.parse(SOURCES[kind.__name__]).body, [])
    with pytest.raises(RuntimeError, match=f"Unsupported .* '{kind.__name__}'.\n.*; {instead}") as caught:
        check_syntax(function)
    assert ("or use @jit(capture_mode='trace')" in str(caught.value)) == (not kind.__name__.startswith("Try"))


def test_supported_syntax_passes():
    check_syntax(ast.parse("def f(x):\n    while x: x = g(x)\n    return [y for y in x]").body[0])
