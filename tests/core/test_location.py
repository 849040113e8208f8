"""Source locations: the frame, the expression, and their text in errors."""

import inspect
import linecache
import shutil
import sys
import types
import warnings
from pathlib import Path

import networkx
import numpy as np
import pytest

import minigraph
from minigraph import Tensor, grad, trace
from minigraph.accel.array_vjps import array_vjps_of
from minigraph.core import location
from minigraph.core.errors import ArgTypeError, MinigraphError, ShapeError
from minigraph.core.location import (
    Loc,
    exec_with_source,
    expression_text,
    is_internal_file,
    is_user_file,
    raise_location,
    source_name,
    user_loc,
    warn,
    with_location,
)
from minigraph.operators.elementwise import MUL
from tests.core.notebooks import CELL, Shell
from tests.inspection import run_program


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


def evaluate(source, file):
    linecache.cache[file] = (len(source), None, [source + "\n"], file)
    return eval(compile(source, file, "eval"), {"user_loc": user_loc})


def test_equal_code_in_two_files_has_two_locations_and_columns_are_decoded():
    """Code objects compare equal also if they come from different files; their columns count bytes."""
    assert [evaluate("user_loc()", file).file for file in ("<cell 1>", "<cell 2>")] == ["<cell 1>", "<cell 2>"]
    assert evaluate("user_loc()", "<cell 1>").text == evaluate("'é' and user_loc()", "<cell é>").text == "user_loc()"


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

LOCATION = Loc("<test>", 3)


LOCATED_ERRORS = [
    (ShapeError("a: wrong"), "a: wrong (<test>:3)"),
    (ShapeError("a: wrong; do this; or that"), "a: wrong (<test>:3); do this; or that"),
    (ArgTypeError("MindSpore's line."), "MindSpore's line.\n(<test>:3)"),
    (ArgTypeError("MindSpore's; line.\na: ours; do"), "MindSpore's; line.\na: ours (<test>:3); do"),
    (ShapeError("a: wrong (<test>:3)"), "a: wrong (<test>:3)"),
]


@pytest.mark.parametrize(("error", "expected"), LOCATED_ERRORS)
def test_the_location_precedes_the_remedy(error, expected):
    assert with_location(error, LOCATION) is error
    assert str(error) == expected
    assert str(with_location(error, LOCATION)) == expected, "named twice"


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


def test_code_without_source_names_the_files_it_was_compiled_from(monkeypatch):
    """Installed as ``.pyc`` only, modules are in one folder, and their code names another."""
    monkeypatch.setattr(MinigraphError, "_render_traceback_", MinigraphError._render_traceback_)  # the module sets it
    text = Path(location.__file__).read_text("utf-8")
    space = vars(types.ModuleType("elsewhere"))
    space["__file__"] = "/lib/minigraph/core/location.pyc"
    exec(compile(text, "/build/minigraph/core/location.py", "exec"), space)
    internal = ["/build/minigraph/nn/cell.py", "/lib/passes/default.py", "/build/viz/dot.py"]
    assert all(map(space["is_internal_file"], internal))
    users = ["/build/minigraph/examples/vit.py", "/build/net.py", "/lib/minigraphs/x.py"]
    assert not any(map(space["is_internal_file"], users))
    assert "/build/minigraph/cli/main.py" in space["_SCRIPTS"]


def test_callers_known_to_be_ours_are_skipped():
    def caller(ours):
        return user_loc(ours)

    def in_between(ours):
        return caller(ours)

    assert user_loc().line == user_loc(0).line
    first, last = in_between(0), in_between(2)
    assert (first.function, last.function) == ("caller", "test_callers_known_to_be_ours_are_skipped")


# ---- generated code --------------------------------------------------------------------------------


def listing():
    return {name for name in linecache.cache if name.startswith("<minigraph")}


def test_the_source_is_registered_while_the_function_lives():
    before = listing()
    double = exec_with_source("def double(x):\n    return x + x\n", {}, "double", "doubling")
    (name,) = listing() - before
    assert name.startswith("<minigraph doubling ") and "return x + x" in inspect.getsource(double)
    del double
    linecache.checkcache()  # which fails if a name vanishes while it goes over them
    exec_with_source("def double(x):\n    return x + x\n", {}, "double")
    assert name not in listing()


def test_invalid_source_leaves_nothing():
    before = listing()
    with pytest.raises(SyntaxError):
        exec_with_source("def run(:\n", {}, "run")
    assert listing() == before


def test_generated_vjp_rules_have_a_source():
    grad(lambda x: (x * x).sum())(Tensor(np.ones(2, np.float32)))
    assert "def vjp(" in inspect.getsource(array_vjps_of(MUL)[0])


# ---- notebooks -----------------------------------------------------------------------------------------


def test_lines_of_a_notebook_are_named_by_its_cells(monkeypatch):
    assert source_name(CELL) == "2356373881.py"
    monkeypatch.setitem(sys.modules, "IPython", Shell())
    assert source_name(CELL) == "In[3]" and source_name("/nowhere/net.py") == "net.py"
    assert str(Loc(CELL, 12)) == "In[3]:12"


def test_a_warning_in_a_notebook_names_the_cell_and_shows_its_line(monkeypatch):
    monkeypatch.setitem(sys.modules, "IPython", Shell())
    source = "from minigraph.core.location import warn\nwarn('slow', UserWarning)\n"
    linecache.cache[CELL] = (len(source), None, source.splitlines(keepends=True), CELL)
    with pytest.warns(UserWarning) as warned:
        exec(compile(source, CELL, "exec"), {})
    shown = warned[0]
    text = warnings.formatwarning(shown.message, shown.category, shown.filename, shown.lineno)
    assert text == "In[3]:2: UserWarning: slow\n  warn('slow', UserWarning)\n"


def test_a_dependency_is_not_the_users_code_wherever_it_is_installed(tmp_path):
    """As after ``pip install --target``: a copy outside of site-packages, which capture calls and follows."""
    source = Path(networkx.__file__).parent
    shutil.copytree(source, tmp_path / "networkx", ignore=shutil.ignore_patterns("tests", "__pycache__"))
    program = """
        import sys, warnings
        sys.path.insert(0, sys.argv[1])
        import networkx
        assert networkx.__file__.startswith(sys.argv[1])
        warnings.simplefilter("error")
        from minigraph import Tensor, jit, nn, ops, value_and_grad
        layer = nn.Dense(4, 3)
        compiled = jit(value_and_grad(lambda x: ops.relu(layer(x)).sum()))
        print(compiled(Tensor([[1.0, 2.0, 3.0, 4.0]]))[0].shape, compiled.cache_info().entries)
    """
    assert run_program(program, str(tmp_path)) == "() 1"
