"""Options of ``@jit``: their meaning, and MindSpore's errors for wrong ones."""

import inspect
from functools import partial

import pytest

from minigraph import GRAPH_MODE, Tensor, jit, nn, set_context
from minigraph.compilation import OpByOpWarning
from minigraph.compilation.options import HINTS, LEVELS, RENAMED, Settings, UnknownOptionWarning, settings_of
from minigraph.core.errors import BranchShapeError
from tests.inspection import operators

X = Tensor([1.0, 2.0])


def scale(x):
    return (x * 2 + 0.5) * 1


def test_the_default_is_mindspores_and_a_full_graph_does_not_run_op_by_op():
    assert settings_of() == Settings("ast", None, True, False)
    parameters = inspect.signature(jit).parameters
    assert {"capture_mode", "jit_level", "dynamic", "fullgraph", "backend"} <= parameters.keys()
    assert parameters["capture_mode"].default == "ast"
    with pytest.raises(BranchShapeError, match="give both one shape"):
        jit(other_shape, fullgraph=True)(X)
    with pytest.warns(OpByOpWarning):
        assert jit(other_shape)(X).tolist() == [1.0, 2.0]


# messages of MindSpore 2.10, except for a backend that is not a string
MODES, LEVEL_NAMES = "['ast', 'bytecode', 'trace']", "['O0', 'O1', 'O2']"
WRONG = [
    ({"capture_mode": "foo"}, ValueError, f"'capture_mode' must be str and must be in '{MODES}', but got 'foo'."),
    ({"capture_mode": 3}, ValueError, "but got '3'."),
    ({"jit_level": "O3"}, ValueError, f"'jit_level' must be str and must be in '{LEVEL_NAMES}', but got 'O3'."),
    ({"dynamic": 2}, ValueError, "For 'jit', the 'dynamic' must be in range of [0, 1], but got 2 with type 'int'."),
    ({"dynamic": "x"}, TypeError, "For 'jit', the 'dynamic' must be 'int',  but got 'str'."),
    ({"dynamic": True}, TypeError, "For 'jit', the 'dynamic' must be 'int',  but got 'bool'."),
    ({"fullgraph": 1}, TypeError, "For 'jit', the 'fullgraph' must be a bool, but got int."),
    ({"backend": 3}, TypeError, "For 'jit', the 'backend' must be str, but got int."),
    ({"backend": "foo"}, RuntimeError, "Invalid backend name: foo, you should register custom backend first"),
    ({"exec_order": "x"}, ValueError, "the value of 'exec_order' must be one of ['bfs', 'dfs'], but got 'x'."),
    ({"exec_order": 3}, TypeError, "the type of 'exec_order' must be str, but got <class 'int'>."),
    ({"disable_format_transform": 1}, TypeError, "must be bool, but got <class 'int'>."),
    ({"jit_level": "O1", "pipeline": "dce"}, ValueError, "jit_level and pipeline both say which passes run"),
]


@pytest.mark.parametrize(("options", "error", "words"), WRONG, ids=lambda item: str(item)[:40])
def test_a_wrong_value_is_refused_at_the_users_line(options, error, words):
    with pytest.raises(error) as caught:
        jit(scale, **options)
    assert words in str(caught.value)
    assert "test_options.py:" in str(caught.value)


@pytest.mark.parametrize("name", HINTS)
def test_hints_are_checked_and_have_no_effect(name):
    kind, known = HINTS[name]
    value = known[0] if known else kind()
    assert jit(scale, **{name: value})(X).tolist() == scale(X).tolist()
    with pytest.raises((TypeError, ValueError), match=name):
        jit(scale, **{name: object()})


@pytest.mark.parametrize("name", [*RENAMED, "jitlevel"])
def test_an_unknown_or_removed_option_causes_a_warning(name):
    with pytest.warns(UnknownOptionWarning, match=f"option '{name}'") as warned:
        jit(scale, **{name: 1})
    assert warned[0].filename == __file__
    assert RENAMED.get(name, "jit_level") in str(warned[0].message)


@pytest.mark.parametrize("level", LEVELS)
def test_levels_override_the_pipeline_of_the_context(level):
    set_context(pipeline="none")
    compiled = jit(scale, jit_level=level)
    assert (operators(compiled.graph(X)) == ["fused"]) is (level != "O0")
    assert compiled(X).tolist() == scale(X).tolist()
    assert operators(jit(scale).graph(X)) == ["mul", "add", "mul"]


@pytest.mark.parametrize("options", [{"dynamic": 1}, {"backend": "ms_backend"}, {"backend": "GE"}, {"fullgraph": True}])
def test_accepted_options_give_the_same_numbers(options):
    compiled = jit(**options)(scale)
    for x in (X, Tensor([3.0])):
        assert compiled(x).tolist() == scale(x).tolist()
    assert compiled.cache_info().misses == 2


def other_shape(x):
    return x if x.sum() > 0 else x[0]


async def awaits(x):
    return x


def yields(x):
    yield x


async def awaits_and_yields(x):
    yield x


class Awaiting(nn.Cell):
    """A Cell with an async construct."""

    async def construct(self, x):
        return x


class Yielding:
    """An object whose call is a generator."""

    def __call__(self, x):
        yield x


@pytest.mark.parametrize("function", [awaits, yields, awaits_and_yields, Awaiting, Awaiting(), Yielding(),
                                      partial(awaits, 1), Yielding().__call__, staticmethod(awaits)])  # fmt: skip
def test_functions_that_run_in_segments_are_refused_at_once(function):
    with pytest.raises(TypeError, match=r"jit: '\w+' is an? \w+ function in `jit\(function\)` \(test_op"):
        jit(function)


def test_a_cell_that_awaits_is_refused_in_graph_mode():
    set_context(mode=GRAPH_MODE)
    for call in (lambda cell: cell(X), lambda cell: cell.compile(X)):
        with pytest.raises(TypeError, match="jit: 'construct' is an async function in `.*` \\(test_op"):
            call(Awaiting())
