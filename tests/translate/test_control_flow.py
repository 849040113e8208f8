"""The text of translated functions."""

import ast

import pytest

from minigraph.translate.control_flow import translate_function
from minigraph.translate.jumps import UnsupportedSyntaxError
from tests.tables import cases


def text_of(source):
    return ast.unparse(translate_function(ast.parse(source).body[0]))


def test_an_if_becomes_two_functions_and_a_call_and_a_while_has_loop_carried_variables():
    text = text_of("def f(x):\n    y = 0\n    if x:\n        y = 1\n        z = 2\n    return y")
    assert "mg.if_(x, mg_then, mg_else, mg_get, mg_put, ('y', 'z'), ('y',))" in text
    assert "nonlocal y, z" in text
    text = text_of("def f(x):\n    y = 0\n    while x:\n        t = x\n        x = t + y\n    return x")
    assert "('t', 'x'), ('x',), ('x',))" in text
    assert text_of("def f(x: int) -> int:\n    y: int = x\n    return y") == "def f(x):\n    y = x\n    return y"


@cases(("import math", "Import"), ("del x", "Delete"), ("class A: pass", "ClassDef"), ("yield x", "Yield"))
def test_unsupported_syntax_is_named(source, name):
    with pytest.raises(UnsupportedSyntaxError, match=f"'{name}'"):
        text_of(f"def f(x):\n    {source}")
