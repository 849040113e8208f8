"""The table of passes: names, options, and what is refused."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.metadata import EntryPoint

import pytest

import passes.registry
from minigraph.errors import DuplicateName, UnknownName, UsageError
from minigraph.ir.graph import Graph
from minigraph.ir.text import parse
from passes import PASSES, Options, Pass, graph_pass, pass_named
from passes.registry import as_pass


@pytest.fixture(autouse=True)
def table_put_back() -> Iterator[None]:
    """Passes defined by a test are gone after it."""
    before = dict(PASSES)
    yield
    PASSES.clear()
    PASSES.update(before)


@pytest.mark.parametrize("name", list(PASSES))
def test_every_pass_is_named_after_its_function_and_shows_before_and_after(name: str) -> None:
    step = PASSES[name]
    assert step.name == name == step.body.__name__
    assert step.__doc__ and step.__doc__.strip()


@pytest.mark.parametrize("name", [name for name in PASSES if PASSES[name].__module__.startswith("passes.")])
def test_every_pass_of_ours_leaves_an_empty_graph_alone(name: str) -> None:
    graph = parse("graph empty()\n return")
    PASSES[name](graph)
    assert len(graph) == 0


def test_a_pass_is_called_with_its_options() -> None:
    seen: list[dict[str, object]] = []

    @graph_pass(size=3, name="x")
    def remember(graph: Graph, *, options: Options) -> None:
        """Remembers."""
        seen.append(dict(options))

    remember(Graph())
    remember(Graph(), size=5)
    remember.having(name="y")(Graph())
    assert seen == [{"size": 3, "name": "x"}, {"size": 5, "name": "x"}, {"size": 3, "name": "y"}]
    assert str(remember.having(size=4)) == "remember{size=4}"
    assert str(remember) == "remember"
    assert repr(remember) == '<pass remember{size=3, name="x"}>'


def test_an_unknown_option_is_refused_with_the_nearest() -> None:
    with pytest.raises(UnknownName, match="'fuse_elementwise' has no option 'max_node'; did you mean 'max_nodes'"):
        PASSES["fuse_elementwise"](Graph(), max_node=3)


def test_a_name_is_taken_once() -> None:
    with pytest.raises(DuplicateName, match="pass 'dce' is already defined in passes.dce"):

        @graph_pass
        def dce(graph: Graph, *, options: Options) -> None:
            """Another one."""


def test_an_unknown_name_is_refused_with_the_nearest() -> None:
    with pytest.raises(UnknownName, match="no pass 'fuse_elementwis'; did you mean 'fuse_elementwise'"):
        pass_named("fuse_elementwis")


def test_a_pass_of_an_installed_package_is_found_by_its_entry_point(monkeypatch: pytest.MonkeyPatch) -> None:
    point = EntryPoint("offered", "tests.passes.offered:offered", passes.registry.GROUP)
    monkeypatch.setattr(passes.registry, "entry_points", lambda group, name: [point] if name == "offered" else [])
    assert pass_named("offered").__module__ == "tests.passes.offered"


def test_a_plain_function_is_a_pass_without_options() -> None:
    def plain(graph: Graph, *, options: Options) -> None:
        """Nothing."""

    assert isinstance(as_pass(plain), Pass)
    assert "plain" not in PASSES
    with pytest.raises(UsageError, match="3 is not a pass"):
        as_pass(3)


def test_options_are_read_only_and_count() -> None:
    options = Options({"a": 1})
    assert (options["a"], len(options), list(options)) == (1, 1, ["a"])
    options.tally["rule"].rewrites += 2
    assert options.tally["rule"].rewrites == 2
    with pytest.raises(TypeError):
        options["a"] = 2  # type: ignore[index]
