import ast

from minigraph.translate.nested_scopes import (
    closes_over,
    names_of_closures,
    own_nodes,
    sees_frame,
    shared_variables,
    unbinds,
)
from tests.tables import cases


def body(text):
    return ast.parse(text).body


@cases(
    ("g = lambda: x", True),
    ("g = lambda x: x", False),
    ("def g(y):\n    x = y\n    return x", False),
    ("def g(y):\n    nonlocal x\n    x = y", True),
    ("class C:\n    y = x", True),
    ("g = (k for k in x)", True),
    ("g = (x for x in k)", False),
    ("g = [x for k in y]", False),  # runs at once
)
def test_which_nested_functions_see_a_variable(text, expected):
    assert closes_over(body(text)[0], {"x"}) is expected


@cases(
    ("x = 1\ng = lambda: x", False),
    ("g = lambda: x\nx = 1", True),
    ("def g():\n    nonlocal x\nh()", True),
    ("for k in y:\n    g = lambda: x\n    x = 1", True),
    ("try:\n    g = lambda: x\nexcept E:\n    x = 1", True),
    ("try:\n    x = 1\nexcept E:\n    g = lambda: x", False),
)
def test_variables_that_change_after_a_nested_function_is_created(text, expected):
    assert shared_variables(body(text), frozenset({"x", "own"})) == ({"x"} if expected else set())


def test_names_of_functions_that_see_a_variable():
    text = "if k:\n    g = lambda: x\nclass C:\n    y = x\ndef h(): C\nz = x"
    assert names_of_closures(body(text), {"x"}) == {"g", "C"}


def test_statements_that_leave_a_variable_unbound():
    assert [unbinds(s) for s in body("del x\ndef f(): del x\nx = 1\nif x:\n    del x")] == [True, False, False, True]


def test_nodes_of_nested_functions_are_not_the_functions_own():
    names = {node.id for node in own_nodes(body("a = b\ndef g(): c\nd = lambda: e")) if isinstance(node, ast.Name)}
    assert names == {"a", "b", "d"}
    assert sees_frame(body("def f(): vars()")[0]) and not sees_frame(body("def f():\n    def g(): vars()")[0])
