"""Source locations: the frame, the expression, and their text in errors."""

import linecache
import types
import warnings
from pathlib import Path

import pytest

import minigraph
from minigraph import Tensor, trace
from minigraph.core import location
from minigraph.core.errors import ShapeError, TypeArgument
from minigraph.core.location import (
    Loc,
    expression_text,
    is_internal_file,
    is_user_file,
    raise_location,
    user_loc,
    warn,
    with_location,
)


def test_the_innermost_frame_that_is_not_ours():
    loc = user_loc()
    assert (loc.file, loc.function) == (__file__, "test_the_innermost_frame_that_is_not_ours")
    assert (loc.text, str(loc)) == ("user_loc()", f"test_location.py:{loc.line}")
    graph = trace(lambda x: minigraph.ops.relu(x), Tensor([1.0]))
    assert [loc.text for loc in graph.loc(graph.outs[0])] == ["minigraph.ops.relu(x)"]


def test_files_of_ours_and_the_users():
    assert is_internal_file(minigraph.core.op.__file__) and is_internal_file(minigraph.__file__)
    assert not is_internal_file(__file__)
    assert not is_internal_file(minigraph.__file__.replace("__init__.py", "examples/digits.py"))
    assert is_user_file(__file__)
    assert not is_user_file(minigraph.__file__) and not is_user_file(linecache.__file__)


def evaluated(source, file):
    linecache.cache[file] = (len(source), None, [source + "\n"], file)
    return eval(compile(source, file, "eval"), {"user_loc": user_loc})


def test_equal_code_in_two_files_has_two_locations_and_columns_are_decoded():
    """Code objects compare equal also if they come from different files; their columns count bytes."""
    assert [evaluated("user_loc()", file).file for file in ("<cell 1>", "<cell 2>")] == ["<cell 1>", "<cell 2>"]
    assert evaluated("user_loc()", "<cell 1>").text == evaluated("'é' and user_loc()", "<cell é>").text == "user_loc()"


def test_an_expression_over_several_lines_is_its_first_line():
    loc = (
        user_loc(
        )
    )  # fmt: skip
    assert loc.text == "user_loc("


@pytest.mark.parametrize("file", ["<nowhere>", "/no/such/file.py", "a\0b", "\ud800.py", ""])
def test_an_unreadable_file_has_no_text(file):
    assert Loc(file, 3).text == ""
    assert expression_text(Loc(file, 3)).startswith(" (")


def test_without_a_location_there_is_no_text_or_the_current_line():
    assert expression_text(None) == ""
    assert "test_location.py:" in str(with_location(ShapeError("a: wrong")))


# ---- in errors ---------------------------------------------------------------------------------------

PLACE = Loc("<test>", 3)


PLACED = [
    (ShapeError("a: wrong"), "a: wrong (<test>:3)"),
    (ShapeError("a: wrong; do this; or that"), "a: wrong (<test>:3); do this; or that"),
    (TypeArgument("MindSpore's line."), "MindSpore's line.\n(<test>:3)"),
    (TypeArgument("MindSpore's; line.\na: ours; do"), "MindSpore's; line.\na: ours (<test>:3); do"),
    (ShapeError("a: wrong (<test>:3)"), "a: wrong (<test>:3)"),
]


@pytest.mark.parametrize(("error", "expected"), PLACED)
def test_the_location_precedes_the_remedy(error, expected):
    assert with_location(error, PLACE) is error
    assert str(error) == expected
    assert str(with_location(error, PLACE)) == expected, "named twice"


def test_where_an_error_comes_from_is_named():
    with pytest.raises(ShapeError) as caught:
        _ = Tensor([1.0]) + Tensor([[1.0], [2.0]]) @ Tensor([1.0, 2.0, 3.0])
    assert raise_location(caught.value).text == "Tensor([[1.0], [2.0]]) @ Tensor([1.0, 2.0, 3.0])"
    assert "in `Tensor([[1.0], [2.0]]) @ Tensor([1.0, 2.0, 3.0])` (test_location.py:" in str(caught.value)
    assert raise_location(ValueError("never raised")) is None


def test_a_warning_names_the_users_line_once_also_from_deep_inside():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        for _ in range(3):
            warn("mind the gap", UserWarning)
    assert [(warning.filename, str(warning.message)) for warning in caught] == [(__file__, "mind the gap")]
    weight = minigraph.Parameter(Tensor([1.0]), name="idle")
    with pytest.warns(UserWarning, match="'idle' is zero because the loss never uses it") as caught:
        minigraph.grad(lambda x: x * 2, None, weight)(Tensor([1.0]))
    assert caught[0].filename == __file__


def test_code_without_source_names_the_files_it_was_compiled_from():
    """Installed as ``.pyc`` only, modules are in one folder, and their code names another."""
    text = Path(location.__file__).read_text("utf-8")
    space = vars(types.ModuleType("elsewhere"))
    space["__file__"] = "/lib/minigraph/core/location.pyc"
    exec(compile(text, "/build/minigraph/core/location.py", "exec"), space)
    ours = ["/build/minigraph/nn/cell.py", "/lib/passes/default.py", "/build/viz/dot.py"]
    assert all(map(space["is_internal_file"], ours))
    users = ["/build/minigraph/examples/vit.py", "/build/net.py", "/lib/minigraphs/x.py"]
    assert not any(map(space["is_internal_file"], users))
    assert "/build/minigraph/cli/main.py" in space["_COMMANDS"]


def test_callers_known_to_be_ours_are_skipped():
    def asks(ours):
        return user_loc(ours)

    def in_between(ours):
        return asks(ours)

    assert user_loc().line == user_loc(0).line
    first, last = in_between(0), in_between(2)
    assert (first.function, last.function) == ("asks", "test_callers_known_to_be_ours_are_skipped")
