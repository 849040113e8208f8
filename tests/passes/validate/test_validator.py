"""Graphs before and after a pass are compared, and the culprit is found."""

import math

import numpy as np
import pytest

from minigraph import Parameter, Tensor, ops, trace
from minigraph.core.op import op_named
from minigraph.ir.outline import set_regions
from minigraph.ir.text import parse, to_text
from passes import as_pipeline
from passes.core.rewrite_limit import should_rewrite
from passes.validate import validator as validator_module
from passes.validate.validator import MAX_NODES, Validator, find_culprit
from tests.passes.programs import pass_list
from tests.passes.programs import program as random_program
from tests.passes.validate.faults import program
from tests.tables import cases

X = Tensor(np.ones((2, 3), np.float32))


def graph_of(fn):
    """A graph of one input."""
    return trace(fn, X)


@cases(
    (ops.tanh, ops.sigmoid, "value", "before gives"),
    (lambda x: x, ops.stop_gradient, "gradient", "the gradient of input 0 differs"),
    (ops.relu, lambda x: x @ Tensor(np.ones((3, 1), np.float32)), "type", "the outputs have other types"),
    (lambda x: ops.log(x) * 0, lambda x: x * 0, "value", "nan"),
    (lambda x: ops.Print()(x) or x, lambda x: x, "effect", "before prints"),
    (lambda x: x / 3, lambda x: x * 0.3, "value", ""),
)
def test_differences_are_reported(before, after, kind, words):
    difference = Validator(graph_of(before)).compare(graph_of(after))
    assert difference.kind == kind and words in difference.text


def test_the_same_program_and_rounding_count_as_equal():
    assert Validator(program()).compare(program()) is None
    assert Validator(graph_of(ops.tanh)).compare(graph_of(ops.tanh)) is None
    assert Validator(graph_of(lambda x: x / 3)).compare(graph_of(lambda x: x * (1 / 3))) is None


def test_the_graph_of_a_pass_is_not_compiled_again_for_the_next_one(monkeypatch):
    validator, after = Validator(graph_of(ops.tanh)), graph_of(ops.tanh)
    assert validator.compare(after) is None
    following = validator.next_validator(after)
    monkeypatch.setattr(validator_module, "Runner", None)
    assert following.compare(graph_of(ops.tanh)) is None
    assert following.compare(graph_of(ops.sin)).kind == "value"


def test_a_graph_of_text_has_parameters_of_its_own():
    graph = program()
    again = parse(to_text(graph))
    assert set(again.params.values()) == {None}
    assert Validator(again).compare(graph) is None


def test_large_graphs_and_endless_loops_are_not_run():
    assert "nodes are more than" in Validator(graph_of(lambda x: sum((x for _ in range(MAX_NODES)), x))).skip_reason
    wide = trace(lambda x: ops.broadcast_to(x, (1 << 14, 1 << 14)) * 2 + 1, Tensor(1.0))
    assert "bytes are more than" in Validator(wide).skip_reason

    loop = graph_of(lambda x: ops.while_loop(lambda v: v.sum() > -100, lambda v: v * 1, x))
    assert "it fails on random inputs (while_loop: still running after 1,000 iterations" in Validator(loop).skip_reason
    assert Validator(loop, inputs=[np.full((2, 3), -20, np.float32)]).skip_reason == ""
    assert Validator(loop).compare(loop) is None


def loop(x):
    """A loop whose number of iterations depends on its input."""
    return ops.while_loop(lambda v: v.sum() < 50, lambda v: v * v + 1, x)


def branch(x):
    """One branch or the other."""
    return ops.cond(x.sum() > 0, lambda: ops.tanh(x), lambda: ops.exp(x))


def fold(x):
    """A scan over rows."""
    return ops.scan(lambda total, row: (total * row + ops.sin(row), total), x[0], x)


def swap_operators(graph, old, new):
    """A copy whose bodies have one operator replaced by another, as after a wrong pass."""
    clone = graph.clone()
    for node in clone:
        if clone.regions(node):
            texts = [to_text(body).replace(f" {old}(", f" {new}(") for body in clone.regions(node)]
            set_regions(clone, node, tuple(map(parse, texts)))
    return clone


@cases((loop, "mul", "add"), (branch, "tanh", "sigmoid"), (fold, "sin", "cos"))
def test_programs_of_control_flow_are_run_with_gradients(program, old, new):
    graph = trace(program, X)
    assert Validator(graph).skip_reason == "" and Validator(graph).compare(graph) is None
    difference = Validator(graph).compare(swap_operators(graph, old, new))
    assert difference.kind == "value"
    stopped = swap_operators(trace(lambda x: program(ops.identity(x)), X), "none", "none")
    for node in [node for node in stopped if str(stopped.op(node)) == "identity"]:
        stopped.replace_uses({node: stopped.emit(op_named("stop_gradient"), stopped.ins(node))}, keep=(node,))
    difference = Validator(trace(lambda x: program(ops.identity(x)), X)).compare(stopped)
    assert difference.kind == "gradient" and "input 0" in difference.text


def test_a_loop_that_a_pass_makes_endless_is_a_difference():
    difference = Validator(trace(loop, X)).compare(swap_operators(trace(loop, X), "less", "less_equal"))
    assert difference is None, "50 itself is never met"
    difference = Validator(trace(loop, X)).compare(swap_operators(trace(loop, X), "less", "not_equal"))
    assert difference.kind == "value" and "still running after 1,000 iterations" in difference.text


def test_gradients_of_parameters_count_too():
    weight = Parameter(Tensor(np.ones((2, 3), np.float32)), name="weight")
    before, after = (
        graph_of(lambda x: x + ops.square(weight)),
        graph_of(lambda x: x + weight * ops.stop_gradient(weight)),
    )
    difference = Validator(before).compare(after)
    assert difference.kind == "gradient" and difference.text.startswith(
        "the gradient of 'weight' differs: before gives "
    )
    assert Validator(before).compare(graph_of(lambda x: x + weight * weight)) is None


def test_given_inputs_replace_random_ones():
    before, after = graph_of(ops.abs), graph_of(lambda x: x)
    assert Validator(before).compare(after) is not None
    assert Validator(before, inputs=[np.ones((2, 3), np.float32)]).compare(after) is None


@pytest.mark.parametrize("seed", range(40))
def test_random_programs_and_pass_lists_keep_values_state_prints_and_gradients(seed):
    graph = random_program(seed)
    before = Validator(graph, seed)
    assert not before.skip_reason
    pass_list(seed).run(graph)
    assert before.compare(graph) is None


def test_random_programs_have_everything_that_passes_must_keep():
    graphs = [random_program(seed) for seed in range(40)]
    names = {str(graph.op(node)) for graph in graphs for node in graph}
    assert {"cond", "while_loop", "scan", "assign", "print", "depend"} <= names
    assert any(graph.use_count(node) == 0 for graph in graphs for node in graph if graph.types(node)), "dead code"


# ---- the guilty step -------------------------------------------------------------------------------


def make_run(bad_step, steps, change=lambda graph: graph.emit(graph.op(1), (0,))):
    """A run of ``count`` steps, one of which makes a change, by default adds a node."""

    def run(graph):
        for k in range(1, steps + 1):
            if not should_rewrite(graph, f"rule{k}", 0):
                return
            if k == bad_step:
                change(graph)

    return run


def has_grown(graph):
    """Whether a node was added."""
    return len(graph) > 2


@pytest.mark.parametrize(("bad", "steps"), [(1, 1), (1, 2), (2, 2), (349, 374), (1, 374), (374, 374), (77, 128)])
def test_the_first_bad_step_is_found_in_few_runs(bad, steps):
    culprit = find_culprit(graph_of(ops.tanh), make_run(bad, steps), has_grown)
    assert (culprit.step.rule, culprit.number, culprit.steps) == (f"rule{bad}", bad, steps)
    assert culprit.runs <= math.log2(steps) + 2


def test_a_run_that_is_right_or_has_no_steps_has_no_culprit():
    assert find_culprit(graph_of(ops.tanh), make_run(3, 5), lambda graph: False) is None
    assert find_culprit(graph_of(ops.tanh), lambda graph: graph.emit(graph.op(1), (0,)), has_grown) is None


def test_a_run_that_raises_is_bad():
    def fails(graph):
        raise ValueError("no")

    culprit = find_culprit(graph_of(ops.tanh), make_run(4, 5, change=fails), lambda graph: False)
    assert culprit.step.rule == "rule4" and culprit.number == culprit.steps == 4


def test_the_graph_itself_is_unchanged():
    graph = graph_of(lambda x: ops.tanh(x + 0))
    text = to_text(graph)
    find_culprit(graph, lambda clone: as_pipeline("default").run(clone), lambda clone: True)
    assert to_text(graph) == text
