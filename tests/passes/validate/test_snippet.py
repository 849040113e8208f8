"""The program of a counterexample runs, and prints both results."""

import contextlib
import io

import numpy as np
import pytest

from minigraph import Tensor, trace
from minigraph.core.errors import MinigraphError
from minigraph.core.op import apply
from passes import fuse, rule
from passes.validate.check import examine
from passes.validate.difference import Difference
from passes.validate.rule_context import context_of
from passes.validate.snippet import snippet_of
from passes.validate.trial import run_trial
from tests.passes.validate.sample_rules import WRONG


def run_snippet(snippet):
    """The output of a program, line by line."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out), np.errstate(all="ignore"), contextlib.suppress(MinigraphError):
        exec(compile(snippet, "snippet", "exec"), {})  # a replacement may refuse its operands: that is the difference
    return out.getvalue().splitlines()


@pytest.mark.parametrize("wrong", WRONG, ids=[wrong.rule.name for wrong in WRONG])
def test_every_counterexample_is_a_program_that_runs_and_differs(wrong):
    counterexample = examine(wrong.rule).counterexample
    lines = run_snippet(counterexample.snippet)
    assert lines[0].startswith("pattern:")
    if counterexample.kind in ("value", "gradient"):
        first, second = "\n".join(lines).removeprefix("pattern: ").split("\nreplacement: ")
        assert first != second


def test_fused_bodies_constants_and_attributes_are_written_out():
    scale = Tensor(np.array([[1.5, np.inf]], np.float32))
    x = Tensor(np.ones((2, 2), np.float32))
    context = context_of(trace(lambda x: apply("sum", apply("exp", x * scale), axis=1), x))
    trial = run_trial(fuse("p", lambda x, y: apply("exp", x * y)), context)
    difference = Difference("value", "", (np.ones((2, 2), np.float32),))
    text = snippet_of("title", context, difference, trial.pair.before.graph, trial.pair.after.graph)
    assert text.startswith("# title\nimport numpy as np\n")
    assert "np.inf" in text and "axis=" in text and "dtype_named" in text
    assert text.count("apply('exp'") == 2
    first, second = run_snippet(text)
    assert first.partition(": ")[2] == second.partition(": ")[2]


def test_a_replacement_that_fails_is_written_with_its_numbers():
    infinite = rule(lambda x: (apply("relu", x), apply("matmul", x, apply("minimum", x, float("inf")))))
    text = examine(infinite).counterexample.snippet
    assert """apply('matmul', x, apply('minimum', x, float("inf")))""" in text


def test_values_without_a_number_are_written_by_name():
    context = context_of(trace(lambda x: x, Tensor(np.ones(3))))
    difference = Difference("value", "", (np.array([np.nan, -np.inf, -0.0]),))
    text = snippet_of("t", context, difference, context.graph(), None)
    assert "[np.nan, -np.inf, -0.0]" in text and "replacement" not in text
    assert "nan" in run_snippet(text)[0]
