"""The cost of passes on larger and wider graphs, in counted Python steps, not in time."""

from functools import partial

import pytest

from benchmarks.cases.rewriting import PASS_TASKS, build_minigraph
from benchmarks.measuring.counts import count_bytecodes, count_calls
from benchmarks.work.graph_specs import half_repeated_graph, multiply_add_graph
from minigraph.ir.verify import verify_nodes
from passes import as_pipeline

SMALL_NODES, LARGE_NODES = 120, 1_200
TASK_PASSES = [(task, name) for task, pass_task in PASS_TASKS.items() for name in pass_task.own_passes]


def count_steps(call, second_call=None):
    """The number of function calls (also in C) and bytecodes; ``second_call`` does the same as ``call``."""
    return sum(count_calls(call)) + count_bytecodes(second_call or call)


def cost(run, graph):
    """The steps of a pass on a graph with a journal, after a warm-up on a copy."""
    clones = [graph.clone() for _ in range(3)]
    for clone in clones:
        clone.journal = []
    run(clones[0])
    return count_steps(partial(run, clones[1]), partial(run, clones[2]))


GROWTH_CASES = [
    *(
        pytest.param(PASS_TASKS[task].own_passes[name], PASS_TASKS[task].spec, id=f"{task}-{name}")
        for task, name in TASK_PASSES
    ),
    pytest.param(as_pipeline("cse,dce,fuse_elementwise").run, half_repeated_graph, id="a pipeline and its checks"),
]


@pytest.mark.parametrize(("run", "spec"), GROWTH_CASES)
def test_ten_times_the_nodes_take_at_most_twelve_times_the_steps(run, spec):
    small, large = (cost(run, build_minigraph(spec(count))) for count in (SMALL_NODES, LARGE_NODES))
    assert large <= 12 * small


@pytest.mark.parametrize(("task", "name"), [pair for pair in TASK_PASSES if pair[0] != "dce"])
def test_many_outputs_take_at_most_half_as_many_steps_more(task, name):
    pass_task = PASS_TASKS[task]
    narrow, wide = (
        cost(pass_task.own_passes[name], build_minigraph(pass_task.spec(LARGE_NODES, outs)))
        for outs in (10, LARGE_NODES // 5)
    )
    assert wide <= 1.5 * narrow


def test_a_pass_that_changes_little_is_checked_at_little_cost():
    graph = build_minigraph(half_repeated_graph(LARGE_NODES))
    full_cost = count_steps(lambda: verify_nodes(graph, graph))
    assert count_steps(lambda: verify_nodes(graph, list(graph)[-10:])) < full_cost / 3


@pytest.mark.parametrize("name", PASS_TASKS["fuse"].own_passes)
def test_a_rule_whose_operators_are_absent_costs_one_lookup(name):
    run, spec = PASS_TASKS["fuse"].own_passes[name], multiply_add_graph(LARGE_NODES)
    without = spec._replace(nodes=[("sub", ins) for _, ins in spec.nodes])
    assert cost(run, build_minigraph(without)) < cost(run, build_minigraph(spec)) / 10
