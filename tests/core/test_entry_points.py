"""Installed packages provide passes, rules and operators by entry points."""

import sys
from pathlib import Path

import pytest

from minigraph import Graph, Tensor
from minigraph.core.definitions import PASSES_GROUP as GROUP
from minigraph.core.definitions import entry_point_names, load_entry_points
from minigraph.core.errors import UnknownNameError
from minigraph.core.op import apply, op_named
from passes import PASSES, RULES, as_pipeline, pass_named, rules_named

SOURCE = '''
from minigraph.core.op import Op, apply, define
from passes import graph_pass, rule


@graph_pass
def offered_pass(graph):
    """graph f -> graph f, unchanged."""


offered_op = define(Op("offered_op", lambda x: x, lambda x: x, vjp=(None,), doc="The operand."))


@rule
def offered_rule(x):
    """relu does nothing to a relu."""
    return apply("relu", apply("relu", x)), apply("relu", x)

'''
POINTS = """[minigraph.passes]
offered_pass = offering_package:offered_pass
[minigraph.ops]
offered_op = offering_package:offered_op
[minigraph.rules]
offered_rules = offering_package:offered_rule
"""


@pytest.fixture(autouse=True)
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """A distribution on the path, as pip installs it; it is removed afterwards."""
    (tmp_path / "offering_package.py").write_text(SOURCE)
    info = tmp_path / "offering_package-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: offering-package\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(POINTS)
    monkeypatch.syspath_prepend(tmp_path)
    yield
    sys.modules.pop("offering_package", None)


def test_rules_are_found_by_their_name() -> None:
    (offered,) = rules_named("offered_rules")
    assert offered.name == "offered_rule" and RULES["offered_rules"] == (offered,)
    assert rules_named("offered_rule") == [offered]
    assert str(as_pipeline("rewrite{rules=offered_rules}")) == "rewrite{rules=offered_rules}"


def test_names_are_listed_without_importing_and_passes_and_operators_found_by_them() -> None:
    assert "offered_pass" in entry_point_names(GROUP) and "offered_pass" not in PASSES
    assert load_entry_points(GROUP, "nothing") == []
    assert pass_named("offered_pass").__module__ == "offering_package"
    assert str(as_pipeline("dce,offered_pass")) == "dce,offered_pass"
    as_pipeline("offered_pass").run(Graph())
    assert apply("offered_op", Tensor(2.0)).asnumpy() == 2.0
    assert op_named("offered_op").doc == "The operand."


def test_the_nearest_name_may_be_that_of_an_entry_point() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'offered_pass'"):
        as_pipeline("offerd_pass")
    with pytest.raises(UnknownNameError, match="did you mean 'offered_rules'"):
        rules_named("offered_rule_s")
