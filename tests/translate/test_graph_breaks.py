"""Splitting functions: the remaining function, and its segments."""

import ast

import pytest

from minigraph.translate.graph_breaks import split_function
from tests.tables import cases

HEAD = "try:\n    mg_args = "
SEGMENT = "f(x)[0]; g(x)[0]"  # enough calls for a segment


def split(text, line, is_method=False):
    """The remaining function, with segments as one line each; and the signatures and results of the segments."""
    result = split_function(ast.parse(text).body[0], line, lambda s: not isinstance(s, ast.Try), is_method)
    if result is None:
        return None
    segments = [f"{ast.unparse(function.args)} -> {ast.unparse(function.body[-1])}" for function, *_ in result.segments]
    calls = [
        ast.unparse(node)
        for node in ast.walk(result.function)
        if isinstance(node, ast.Assign | ast.Return | ast.Expr) and "mg_segments" in ast.unparse(node)
    ]
    return sorted(calls), segments


@cases(
    (
        "def f(x):\n    y = x + g(x)\n    n = int(y)\n    return h(y, n)",
        3,
        ["return mg_segments[0](*mg_args)", "y, = mg_segments[1](*mg_args)"],
        ["n, y -> return h(y, n)", "x -> return (y,)"],
    ),
    (  # a return before the statement is flagged
        "def f(x):\n    if a:\n        return g(x)\n    y = g(x)\n    n = int(y)\n    return y + n",
        5,
        ["mg_out = mg_segments[0](*mg_args)"],
        ["x -> return (False, y)"],
    ),
    (  # in a loop, variables of its next iteration are live
        "def f(x):\n    for k in range(3):\n        x = g(x)\n        n = int(x)\n    return x",
        4,
        ["x, = mg_segments[0](*mg_args)"],
        ["x -> return (x,)"],
    ),
    (  # statements that jump stay Python
        "def f(x):\n    while a:\n        x = g(x)\n        if b:\n            break\n        n = int(x)\n    return x",
        6,
        ["x, = mg_segments[0](*mg_args)"],
        ["x -> return (x,)"],
    ),
    (  # another statement that cannot be captured
        "def f(x):\n    n = int(x)\n    y = g(x)\n    try: n = 1\n    finally: pass\n    return h(y) + n",
        2,
        ["return mg_segments[0](*mg_args)", "y, = mg_segments[1](*mg_args)"],
        ["n, y -> return h(y) + n", "x -> return (y,)"],
    ),
    (  # scopes of the function
        "def f(x):\n    global a\n    a = g(x)\n    n = int(a)\n    return h(a, n)",
        4,
        ["mg_segments[1](*mg_args)", "return mg_segments[0](*mg_args)"],
        ["n -> return h(a, n)", "x -> return ()"],
    ),
    (  # names bound in one branch only
        "def f(x):\n    if a:\n        y = g(x)\n    n = int(x)\n    return h(y, n)",
        4,
        ["return mg_segments[0](*mg_args)", "y, = mg_segments[1](*mg_args)"],
        ["n, y -> return h(y, n)", "x -> return (y,)"],
    ),
)
def test_the_remaining_graph_and_the_segments(text, line, calls, segments):
    assert split(text, line) == (calls, segments)


NOT_SPLIT = [
    "n = int(x)\n    m = 1\n    return n + 1",  # too little for a segment
    "y = g(x)\n    locals()\n    return h(y)",
    "y = g(x)\n    z = eval('y')\n    return h(z)",
    "y = g(x)\n    yield y\n    return h(y)",
    "later = lambda: y\n    y = g(x)\n    return later()",
    "def set_y():\n        nonlocal y\n        y = 1\n    y = g(x)\n    return h(set_y(), y)",
]


def test_functions_that_are_not_split():
    for body in NOT_SPLIT:
        assert split(f"def f(x):\n    {body}", 3) is None, body


def test_methods_keep_their_object():
    text = "def f(self, x):\n    y = self.g(x)\n    n = int(y)\n    return self.h(y, n)"
    assert split(text, 3, is_method=True)[1] == ["self, n, y -> return self.h(y, n)", "self, x -> return (y,)"]
    assert split(text.replace("n = int(y)", "self = int(y)"), 3, is_method=True) is None


def test_the_original_statements_run_if_a_variable_is_not_bound():
    tree = ast.parse("def f(x, a):\n    if a:\n        y = str(x) + str(x) + t(x)\n    n = int(x)\n    return n + t(y)")
    result = split_function(tree.body[0], 4, lambda s: True)
    namespace = {"mg_segments": [lambda *args: args] * 2, "t": str}
    exec(compile(ast.Module([result.function], []), "f.py", "exec"), namespace)
    assert namespace["f"](2, True) == (2, 2)
    with pytest.raises(UnboundLocalError):
        namespace["f"](2, False)


@cases(
    ("with c as k:\n        y = g(x) + k\n        n = int(y)\n        z = g(y) * n\n    return h(z)", 4, [2, 1, 1]),
    (
        "try:\n        y = g(x) + k\n        n = int(y)\n    except E as e:\n        y = g(e)\n    return h(y)",
        4,
        [2, 1, 1],
    ),
    ("k = 1\n    f = lambda: k\n    y = g(x)\n    k = int(y)\n    z = g(y)\n    return f() + g(z)", 5, [2, 1]),
    (
        "def f():\n        nonlocal k\n        k = g(x)\n    f()\n    y = g(x)\n    k = int(y)\n    return h(y)",
        7,
        [2, 1],
    ),
)
def test_with_and_try_are_split_and_what_functions_share_stays_python(body, line, lengths):
    result = split_function(ast.parse(f"def h(x, k):\n    {body}").body[0], line, lambda s: not isinstance(s, ast.Try))
    assert len(result.segments) == len(lengths)
    assert not any(
        name in ast.unparse(segment.function) for segment in result.segments for name in ("lambda", "f()", "k = ")
    )


@cases(
    ("y = g(x)\n        y = h(y)", ["y = g(x)", "y = h(y)"]),  # each alone: the handler may see the first one's
    ("t = g(x)\n        y = h(t)", ["t = g(x)\ny = h(t)"]),
    ("if x:\n            y = g(x)\n            y = h(y)", ["y = g(x)", "y = h(y)"]),
)
def test_an_exception_leaves_the_variables_that_a_handler_sees(body, segments):
    text = f"def f(x, y):\n    try:\n        {body}\n        int(x)\n    except E:\n        pass\n    return y"
    line = text.splitlines().index("        int(x)") + 1
    result = split_function(ast.parse(text).body[0], line, lambda s: not isinstance(s, ast.Try))
    bodies = ["\n".join(map(ast.unparse, segment.function.body[:-1])) for segment in result.segments]
    assert sorted(bodies) == segments
