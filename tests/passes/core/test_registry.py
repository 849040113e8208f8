"""The registry of passes: names, options and errors."""

import importlib
import pkgutil
import re

import pytest

from minigraph.core.errors import DuplicateNameError, UnknownNameError, UsageError
from minigraph.ir.graph import Graph
from minigraph.ir.text import parse
from passes import PASSES, Options, Pass, as_pipeline, graph_pass, pass_named
from passes.core import registry
from passes.core.registry import as_pass, pass_names
from passes.optimize.canonicalize import mul_one
from tests.passes.programs import BUILT_IN
from tests.tables import error_cases


def idle(graph):
    """Nothing."""


@pytest.mark.parametrize("name", list(PASSES))
def test_every_pass_is_named_after_its_function_and_shows_before_and_after(name):
    step = PASSES[name]
    assert step.name == name
    assert step.body.__name__.startswith(name)
    assert step.__doc__ and step.__doc__.strip()


def test_every_pass_is_in_the_module_that_is_imported_for_it():
    for package in registry.BUILT_IN:
        for module in pkgutil.iter_modules(importlib.import_module(package).__path__):
            importlib.import_module(f"{package}.{module.name}")
    ours = {name: step.__module__ for name, step in PASSES.items() if step.__module__.startswith("passes.")}
    ours.pop("saturate", None)
    assert ours == PASSES.defining_modules and list(PASSES)[: len(ours)] == list(ours)


@pytest.mark.parametrize("name", BUILT_IN)
def test_every_built_in_pass_leaves_an_empty_graph_alone(name):
    graph = parse("graph empty()\n return")
    PASSES[name](graph)
    assert len(graph) == 0


def test_a_pass_is_called_with_its_options():
    seen = []

    @graph_pass(size=3, name="x")
    def remember(graph, *, options):
        """Remembers."""
        seen.append(dict(options))

    remember(Graph())
    remember(Graph(), size=5)
    remember.with_options(name="y")(Graph())
    assert seen == [{"size": 3, "name": "x"}, {"size": 5, "name": "x"}, {"size": 3, "name": "y"}]
    assert str(remember.with_options(size=4)) == "remember{size=4}"
    assert str(remember) == "remember"
    assert repr(remember) == "<pass remember{size=3, name=x}>"


NO_OPTION = "'fuse_elementwise' has no option 'max_node'; did you mean 'max_nodes'"
NO_TUPLE = r"graph_pass: after='cse' is not a tuple of names; write after=\('cse',\)"
test_invalid_uses_are_errors = error_cases(
    (lambda: PASSES["fuse_elementwise"](Graph(), max_node=3), UnknownNameError, NO_OPTION),
    (lambda: graph_pass("dce")(idle), DuplicateNameError, "pass 'dce' is already defined in passes.optimize.dce"),
    (
        lambda: pass_named("fuse_elementwis"),
        UnknownNameError,
        "no pass 'fuse_elementwis'; did you mean 'fuse_elementwise'",
    ),
    (lambda: graph_pass("late", after="cse"), UsageError, NO_TUPLE),
    (lambda: as_pass(3), UsageError, "3 is not a pass"),
    ids=["unknown option", "taken name", "unknown name", "no tuple", "no pass"],
)


@pytest.mark.parametrize("time", range(2))
def test_passes_that_a_test_registers_are_removed_after_it(time):
    assert "registered" not in PASSES
    registered = graph_pass("registered")(idle)
    assert PASSES["registered"] is registered


def test_an_option_of_another_type_is_an_error():
    typed = graph_pass("typed", size=3, ratio=0.5, what=None)(idle)
    assert typed.with_options(ratio=2, what="any").options == {"size": 3, "ratio": 2, "what": "any"}
    for changed in ({"size": "3"}, {"size": True}, {"ratio": "x"}):
        with pytest.raises(UsageError, match=r"^pass 'typed': option '\w+' takes (int|float), as in "):
            typed.with_options(**changed)


def test_a_pass_may_have_its_own_option_checks():
    def check_odd(value):
        if value % 2 == 0:
            raise UsageError(f"{value} is even")

    oddly = graph_pass("oddly", size=3, checks={"size": check_odd})(idle)
    assert PASSES["oddly"] is oddly and oddly.name == "oddly"
    assert oddly.with_options(size=5).with_options(size=7).options["size"] == 7
    with pytest.raises(UsageError, match="4 is even"):
        oddly(Graph(), size=4)


def test_passes_are_equal_if_they_run_the_same_function_with_equal_options():
    dce = PASSES["dce"]
    assert dce == dce.with_options() and hash(dce) == hash(dce.with_options())
    assert dce != PASSES["cse"]
    assert dce != "dce"
    assert PASSES["fuse_elementwise"] != PASSES["fuse_elementwise"].with_options(max_nodes=3)


def test_a_plain_function_is_a_pass_without_options_and_a_pass_knows_where_it_is_defined():
    assert isinstance(as_pass(idle), Pass) and "idle" not in PASSES
    assert re.fullmatch(r"test_registry.py:\d+", graph_pass(idle).loc) and PASSES["idle"].body is idle
    assert as_pass(mul_one).loc == mul_one.loc


def test_options_are_read_only_and_count():
    options = Options({"a": 1})
    assert (options["a"], len(options), list(options)) == (1, 1, ["a"])
    options.statistics["rule"].rewrites += 2
    assert options.statistics["rule"].rewrites == 2
    with pytest.raises(TypeError):
        options["a"] = 2


def test_a_pass_that_needs_an_extra_has_a_name_before_it_is_imported():
    PASSES.pop("saturate", None)
    assert "saturate" in pass_names()
    assert pass_named("saturate").options["cost"] == "ascend910b1" and "saturate" in PASSES
    assert str(as_pipeline("saturate{rules=algebra}")) == "saturate{rules=algebra}"
    with pytest.raises(UnknownNameError, match="did you mean 'saturate'?"):
        pass_named("saturat")
