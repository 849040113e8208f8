"""Inlining of fused nodes."""

import numpy as np
import pytest

from minigraph import Tensor, jit, ops
from minigraph.ir.verify import verify
from passes import DEFAULT, as_pipeline
from passes.numpy.unfuse import unfuse
from tests.passes.fixtures import outcome
from tests.passes.programs import program


@pytest.mark.parametrize("seed", range(20))
def test_nothing_stays_fused_and_every_bit_stays(seed):
    graph = program(seed)
    as_pipeline(DEFAULT).run(graph)
    opened = graph.clone()
    unfuse(opened)
    verify(opened)
    assert not any(opened.op(node).role == "fused" for node in opened)
    assert outcome(opened, seed) == outcome(graph, seed)


@pytest.mark.parametrize(("terms", "is_opened"), [(4, False), (9, True)])
def test_sums_are_opened_if_they_have_enough_terms(terms, is_opened):
    x = Tensor(np.ones((2, 3), np.float32))
    graph = jit(lambda x: sum(ops.exp(x * k) for k in range(terms))).graph(x)
    unfuse.with_options(around=("broadcast_to",), min_sums=6)(graph)
    assert any(graph.op(node).role == "fused" for node in graph) is not is_opened


def test_nodes_keep_their_sources():
    graph = next(graph for graph in map(_fused_program, range(20)) if graph is not None)
    (node, *_) = (node for node in graph if graph.op(node).role == "fused")
    first_new = graph.next_id
    unfuse(graph)
    assert any(node in graph.prov(new).sources for new in graph if new >= first_new)


def _fused_program(seed):
    graph = program(seed)
    as_pipeline(DEFAULT).run(graph)
    return graph if any(graph.op(node).role == "fused" for node in graph) else None
