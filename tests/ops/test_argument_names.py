"""Functions, primitives and methods accept MindSpore's argument names, recorded in ``mindspore_argument_names.txt``."""

import inspect
from pathlib import Path

import pytest

from minigraph import Tensor, ops
from minigraph.core.errors import UsageError
from minigraph.ops.argument_names import IGNORED, RENAMED, VARIADIC, accept_mindspore_names
from tests.tables import in_one_test

RECORD = Path(__file__).parents[1] / "mindspore_argument_names.txt"
LINES = [line.rstrip(")").partition("(") for line in RECORD.read_text().splitlines() if not line.startswith("#")]
EXPECTED = {path: names.split(", ") for path, _, names in LINES}

# callables whose argument names differ, and the reason
DIFFERENCES = {
    "ops.cond": "control flow; of a matrix it is the condition number, accepted by position",
    "ops.constexpr": "accepts all of them and needs none",
    "Tensor.init_data": "accepts all of them and needs none",
    "Tensor.view": "the same bits are not reinterpreted as another dtype",
}


def accepted_names(path):
    """The argument names that a callable accepts, in order; ``None`` if it accepts any."""
    owner, _, name = path.partition(".")
    function = getattr({"ops": ops, "Tensor": Tensor}[owner], name)
    if hasattr(function, "defaults"):
        return list(function.defaults)
    parameters = inspect.signature(function).parameters
    if any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters.values()):
        return None
    names = [name for name, parameter in parameters.items() if parameter.kind is not parameter.VAR_POSITIONAL]
    return [*names, *sorted(getattr(function, "argument_names", ()))]


FUNCTIONS = [path for path in EXPECTED if path.startswith("ops.") and path not in DIFFERENCES]
METHODS = [path for path in EXPECTED if path.startswith("Tensor.") and path not in DIFFERENCES]


@in_one_test(FUNCTIONS)
def test_functions_and_primitives_accept_mindspores_names_in_its_order(path):
    assert accepted_names(path)[: len(EXPECTED[path])] == EXPECTED[path]


@in_one_test(METHODS)
def test_methods_accept_mindspores_names(path):
    names = accepted_names(path)
    assert names is None or set(EXPECTED[path]) <= set(names)


@pytest.mark.parametrize("path", DIFFERENCES)
def test_every_listed_difference_exists(path):
    assert path in EXPECTED
    names = accepted_names(path)
    assert names is None or not set(EXPECTED[path]) <= set(names)


@pytest.mark.parametrize("table", [RENAMED, VARIADIC, IGNORED])
def test_the_tables_name_methods(table):
    for name in table:
        assert set(table[name]) <= getattr(Tensor, name).argument_names


@pytest.mark.parametrize(("name", "argument"), [(name, argument) for name in IGNORED for argument in IGNORED[name]])
def test_an_ignored_argument_is_accepted_with_its_neutral_values_only(name, argument):
    method = accept_mindspore_names(name, lambda x, *args, **kwargs: (args, kwargs))
    for value in IGNORED[name][argument]:
        assert method(Tensor([1.0]), 5, **{argument: value}) == ((5,), {})
    text = rf"Tensor\.{name}: '{argument}' exists in MindSpore but is not supported here"
    with pytest.raises(UsageError, match=text):
        method(Tensor([1.0]), **{argument: "otherwise"})


@pytest.mark.parametrize(("name", "argument"), [(name, argument) for name in VARIADIC for argument in VARIADIC[name]])
def test_variadic_arguments_are_accepted_by_name(name, argument):
    assert accept_mindspore_names(name, lambda x, *numbers: numbers)(None, **{argument: (2, 3)}) == ((2, 3),)


def test_a_function_without_renamed_arguments_is_returned_unchanged():
    assert accept_mindspore_names("floor", len) is len
    assert round(Tensor([1.26]), 1).tolist() == Tensor([1.3]).tolist()
