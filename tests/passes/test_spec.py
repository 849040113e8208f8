"""Pipelines by name and as text, there and back."""

from __future__ import annotations

from typing import Any

import pytest

from minigraph.errors import MinigraphError, ParseError, UnknownName, UsageError
from passes import DEFAULT, PASSES, PIPELINES, Pipeline, as_pipeline, rule

DEFAULT_TEXT = ",".join(step.name for step in DEFAULT)

SPECS = [
    ("default", DEFAULT_TEXT),
    ("none", ""),
    ("", ""),
    ((), ""),
    ([], ""),
    ("dce", "dce"),
    (PASSES["dce"], "dce"),
    (" dce , cse ", "dce,cse"),
    ("fix(cse,dce),dce", "fix(cse,dce),dce"),
    ("fuse_elementwise{max_nodes=8}", "fuse_elementwise{max_nodes=8}"),
    ("fuse_elementwise{max_nodes=64}", "fuse_elementwise"),
    ("fix(fuse_elementwise{max_nodes=8}, dce)", "fix(fuse_elementwise{max_nodes=8},dce)"),
    (("dce", PASSES["cse"], "fix(cse,dce)"), "dce,cse,fix(cse,dce)"),
    (("default", "dce"), DEFAULT_TEXT + ",dce"),
    ("default,none,dce", DEFAULT_TEXT + ",dce"),
]


@pytest.mark.parametrize(("spec", "text"), SPECS)
def test_every_form_is_one_pipeline_and_prints_as_text_that_reads_back(spec: Any, text: str) -> None:
    pipeline = as_pipeline(spec)
    assert str(pipeline) == text
    assert str(as_pipeline(str(pipeline))) == text
    assert as_pipeline(pipeline) is pipeline


@pytest.mark.parametrize("name", PIPELINES)
def test_every_name_is_a_pipeline(name: str) -> None:
    assert as_pipeline(name).steps == tuple(PIPELINES[name])


def test_rules_and_functions_are_steps() -> None:
    @rule
    def square(x: Any) -> Any:
        """x * x is not x + x, so nobody runs this."""
        return x * x, x + x

    def mine(graph: Any, *, options: Any) -> None:
        """Nothing."""

    assert str(as_pipeline((square, mine))) == "square,mine"


@pytest.mark.parametrize(
    ("spec", "error", "told"),
    [
        ("dec", UnknownName, "no pass 'dec'; did you mean 'dce'"),
        ("defualt", UnknownName, "no pass 'defualt'; did you mean 'default'"),
        ("dce cse", ParseError, "pipeline: expected ',' after a pass: 'dce cse'"),
        ("fix(dce", ParseError, r"expected '\)'"),
        ("dce{size=1}", UnknownName, "pass 'dce' has no option 'size'"),
        ("fuse_elementwise{max_nodes}", ParseError, "expected '=' after attribute 'max_nodes'"),
        ("dce,,cse", ParseError, "expected a name"),
        (3, UsageError, "3 is not a Pipeline"),
        ((3,), UsageError, "3 is not a pass"),
    ],
)
def test_what_is_no_pipeline_is_refused(spec: Any, error: type[MinigraphError], told: str) -> None:
    with pytest.raises(error, match=told):
        as_pipeline(spec)


def test_a_trailing_comma_does_no_harm() -> None:
    assert isinstance(as_pipeline("dce,"), Pipeline)
