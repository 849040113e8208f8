"""Jump elimination: the lowered function computes the same, and no jump is remaining in a block."""

import ast
import textwrap

import pytest

from minigraph.translate import control_flow_runtime as flow
from minigraph.translate.jumps import UnsupportedSyntaxError, lower_jumps

SOURCES = [
    """
    def f(n):
        for i in range(n):
            if i == 3:
                return i
            if i == 1:
                continue
            n = n + i
        else:
            n = -n
        return n
    """,
    """
    def f(n):
        while True:
            n = n - 1
            for k in range(4):
                if k + n == 5:
                    break
                if n < -3:
                    return k
        return n
    """,
    """
    def f(n):
        if n > 2:
            if n > 4:
                return "large"
        elif n < 0:
            if n < -1:
                return "small"
        return "middle"
    """,
]


def lower(source):
    tree = ast.parse(textwrap.dedent(source))
    lower_jumps(tree.body[0])
    return ast.fix_missing_locations(tree)


def run(tree, n):
    names = {"mg": flow}
    exec(compile(tree, "jumps", "exec"), names)
    return names["f"](n)


@pytest.mark.parametrize("source", SOURCES)
def test_the_lowered_function_computes_the_same_and_its_loops_have_no_jumps(source):
    for n in range(-4, 8):
        assert run(lower(source), n) == run(ast.parse(textwrap.dedent(source)), n)
    loops = [node for node in ast.walk(lower(source)) if isinstance(node, ast.While | ast.For)]
    jumps = [n for loop in loops for s in loop.body for n in ast.walk(s) if isinstance(n, ast.Return | ast.Continue)]
    assert not jumps


def test_a_jump_out_of_with_is_refused_with_its_line():
    with pytest.raises(UnsupportedSyntaxError, match="'With'") as caught:
        lower("\ndef f(n):\n    with n:\n        return 1\n")
    assert caught.value.line == 3
