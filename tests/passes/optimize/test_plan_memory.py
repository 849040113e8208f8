"""The plan is stored with the graph, and the graph is unchanged."""

import numpy as np
import pytest

from minigraph import Tensor, ops, trace
from minigraph.examples import digits
from passes import as_pipeline
from passes.optimize.buffer_assignment import memory_plan
from passes.optimize.plan_memory import PLAN_KEY


@pytest.mark.parametrize("align", [1, 32, 512])
def test_the_plan_is_kept_with_the_graph(align):
    graph = trace(lambda x: ops.exp(x).sum(), Tensor(np.zeros((5, 7), np.float32)))
    text = str(graph)
    (record,) = as_pipeline(f"plan_memory{{align={align}}}").run(graph)
    assert not record.changed and str(graph) == text
    assert graph.graph[PLAN_KEY] == memory_plan(graph, align)
    assert all(slot.offset % align == 0 for slot in graph.graph[PLAN_KEY].allocations.values())


def test_fewer_kernels_store_fewer_values():
    plans = [
        digits.train_step.graph(*digits.example_inputs(), pipeline=f"{pipeline},plan_memory").graph[PLAN_KEY]
        for pipeline in ("none", "default", "graph_kernel")
    ]
    assert plans[0].unshared > plans[1].unshared > plans[2].unshared
    assert all(plan.peak < plan.unshared / 1.8 for plan in plans)
