"""Code that is compiled once and run in many namespaces."""

import pytest

from minigraph.ground.codes import code_of


def test_names_are_those_of_the_namespace_it_runs_in():
    spaces = [{"x": 1}, {"x": 2}]
    for space in spaces:
        exec(code_of("def f(): return x", "<f>"), space)
    assert [space["f"]() for space in spaces] == [1, 2]


def test_another_file_is_other_code():
    assert [code_of("x = 1", file).co_filename for file in ("<a>", "<b>")] == ["<a>", "<b>"]


def test_what_is_no_python_is_refused():
    with pytest.raises(SyntaxError):
        code_of("def", "<broken>")
