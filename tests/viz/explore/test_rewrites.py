from itertools import product

import pytest

from minigraph import Tensor, jit
from minigraph.examples import digits
from passes import PASSES
from tests.tables import cases
from tests.viz.explore.programs import branching, graph_of, run_of, small, small_run
from viz.explore.api import record_run
from viz.explore.journal import in_edges_of
from viz.explore.rewrites import OUTPUT_NODE

PIPELINES = ["default", "cse,dce", "canonicalize,constant_fold,cse,dce", "lower_depend,fuse_elementwise", ""]
GRAPHS = {
    "network": lambda: graph_of(5),
    "small": lambda: jit(small).graph(Tensor([1.0, 2.0]), pipeline=()),
    "training": lambda: digits.train_step.graph(*digits.example_inputs(), pipeline=()),
    "branching": lambda: jit(branching).graph(Tensor([1.0, 2.0]), pipeline=()),
}


def replay(run):
    """The incoming edges of every node after all steps, without order edges to removed nodes."""
    state = dict(run.journal.initial)
    state[OUTPUT_NODE] = run.journal.outs, ()
    for step in run.steps:
        for node, in_edges in step.changes:
            if in_edges is None:
                del state[node]
            else:
                state[node] = in_edges
    before_of = {node: tuple(pair for pair in before if pair[0] in state) for node, (_, before) in state.items()}
    return {node: (state[node][0], before) for node, before in before_of.items()}


@cases(*product(GRAPHS, PIPELINES), *(("training", name) for name in sorted(PASSES)))
def test_the_steps_replay_to_the_optimised_graph(name, pipeline):
    run = record_run(GRAPHS[name](), pipeline)
    state, last = replay(run), run.journal.graph
    assert state.pop(OUTPUT_NODE) == (last.outs, ())
    assert state == {node: in_edges_of(last, node) for node in last}


@pytest.mark.parametrize("name", GRAPHS)
def test_every_counted_rewrite_is_a_separate_step(name):
    run = record_run(GRAPHS[name](), "default")
    for number, record in enumerate(run.records):
        counted = {rule: stats.rewrites for rule, stats in record.rules.items() if stats.rewrites}
        steps = [step.rule for step in run.steps if step.record == number]
        assert {rule: steps.count(rule) for rule in counted} == counted


def test_a_step_names_the_pass_the_location_of_the_rule_and_the_users_line():
    run = small_run()
    step = next(step for step in run.steps if step.rule == "neg_neg")
    assert step.pass_name == "canonicalize" and step.loc.startswith("canonicalize.py:")
    assert str(run.journal.nodes[step.node]["loc"][0]).startswith("programs.py:")


def test_fusions_are_separate_steps_although_they_are_applied_together():
    run = run_of(4)
    fused = [step for step in run.steps if step.pass_name == "fuse_matmul_bias"]
    assert len(fused) == 5
    created = [{node for node, ins in step.changes if ins and node > max(run.journal.order)} for step in fused]
    assert all(created) and len(set.union(*created)) == 5


def test_no_step_is_without_effect():
    assert all(step.changes for step in [*run_of(4).steps, *small_run().steps])
