"""Bisection finds the rewrite that makes a program wrong."""

import math

import numpy as np

from minigraph import Tensor, ops, set_context, trace
from minigraph.core.errors import UsageError
from minigraph.core.op import apply
from minigraph.ir.text import parse
from passes.bisection import bisect
from passes.optimize.canonicalize import neg_neg
from tests.passes.small_graphs import named_rule
from tests.passes.validate import faults
from tests.tables import error_cases

sometimes_wrong = named_rule(  # wrong everywhere, and applied at one node of a long program
    "sometimes_wrong", lambda x: (apply("neg", x), x), where=lambda m: m.x.op.arity == 1 and str(m.x.op) == "tanh"
)


def long_program(pairs, bad):
    """Many pairs of signs that cancel, and one node at which ``sometimes_wrong`` applies."""

    def step(x):
        for k in range(pairs):
            if k == bad:
                x = apply("neg", apply("tanh", x))
            x = apply("exp", apply("neg", apply("neg", x * 0.1)))
        return x

    return trace(step, Tensor(np.array([0.3, -0.2], np.float32)))


def test_one_rewrite_of_many_is_found_in_few_runs():
    culprit = bisect(long_program(60, 58), ("cse", neg_neg, sometimes_wrong, "dce"))
    assert culprit.step.rule == "sometimes_wrong" and culprit.step.lines[0].startswith("test_bisection.py:")
    assert culprit.steps > 60
    assert culprit.runs <= math.log2(culprit.steps) + 2


def test_a_pass_without_rules_is_found_also_if_it_breaks_the_graph():
    culprit = bisect(faults.program(), ("cse", faults.read_stale_value, "dce"))
    assert (culprit.step.by, culprit.step.rule) == ("read_stale_value", "")
    assert str(culprit).startswith("pass 'read_stale_value', step ")
    assert bisect(faults.program(), ("dce", faults.cyclic)).step.by == "cyclic"


def test_ok_may_be_a_function():
    def assert_large(graph):
        assert len(graph) > 12
        return True

    for ok in (lambda graph: len(graph) > 12, assert_large):
        assert bisect(faults.program(), "cse,dce,fuse_elementwise", ok).step.by in ("dce", "fuse_elementwise")


def test_a_function_is_captured_with_its_arguments():
    culprit = bisect(lambda x: ops.tanh(x) + 1, (faults.wrong_value,), None, Tensor([1.0, 2.0]))
    assert culprit.step.rule == "wrong_value"


huge = parse("graph f(%0)\n%0 = input() : f32[20000,20000]\n%1 = neg(%0) : f32[20000,20000]\nreturn %1")
test_nothing_to_find_is_an_error = error_cases(
    ((faults.program(), "cse,dce"), r"'cse,dce' does not change what 'step' computes"),
    ((faults.program(), "cse", lambda graph: False), "before any pass"),
    ((huge, "cse"), "cannot be run: .*; give ok="),
    ((ops.tanh, (faults.wrong_value,), None, Tensor([np.inf])), "does not change what"),
    by=lambda arguments: bisect(*arguments),
    error=UsageError,
    ids=["right", "wrong before", "too large", "right on these arguments"],
)


def test_the_context_sets_the_default_pipeline():
    set_context(pipeline=(faults.wrong_value,))
    assert bisect(trace(ops.tanh, Tensor([1.0]))).step.rule == "wrong_value"
