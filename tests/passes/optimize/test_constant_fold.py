"""Folding computes what the program would have computed, and stops where it should."""

import numpy as np
import pytest

from minigraph.core.op import TABLE, Op
from minigraph.core.types import TensorType, float32, float64
from minigraph.ir.graph import Graph
from minigraph.ir.records import CONST, INPUT, Literal
from minigraph.ir.text import parse
from minigraph.ir.verify import verify
from passes import PASSES, as_pipeline

constant_fold, dce = PASSES["constant_fold"], PASSES["dce"]


def graph_of(array):
    """A graph with one constant."""
    graph = Graph(title="f")
    return graph, graph.emit(CONST, (), {"value": Literal(array)})


def folded(graph):
    """The output's array when it became a constant."""
    constant_fold(graph)
    verify(graph)
    (out,) = graph.outs
    return graph.attrs(out)["value"].array if graph.op(out).role == "const" else None


def test_dtypes_stay_as_the_operator_gives_them():
    graph, x = graph_of(np.array([1, 2], np.int8))
    graph.set_outs([graph.emit(TABLE["add"], (x, x))])
    assert folded(graph).dtype == np.int8


def test_scalars_become_arrays_without_axes():
    graph, x = graph_of(np.array(2.0, np.float32))
    graph.set_outs([graph.emit(TABLE["sqrt"], (x,))])
    assert folded(graph).shape == ()


def test_a_forward_that_gives_another_type_than_inferred_is_left_alone():
    liar = Op("liar", lambda x: x.astype(np.float64), lambda x: TensorType(x.shape, float32))
    graph, x = graph_of(np.ones(2, np.float32))
    graph.set_outs([graph.emit(liar, (x,))])
    assert folded(graph) is None


def test_several_results_fold_one_by_one():
    graph, x = graph_of(np.arange(4, dtype=np.float32))
    split = graph.emit(TABLE["split"], (x,), {"axis": 0, "sizes": (1, 3)})
    graph.set_outs([graph.emit(TABLE["neg"], ((split, 1),)), split])
    constant_fold(graph)
    assert [graph.attrs(out)["value"].array.tolist() for out in graph.outs] == [[-1, -2, -3], [0]]


@pytest.mark.parametrize(("limit", "folds"), [(7, False), (8, True)])
def test_the_limit_is_in_bytes_of_the_results(limit, folds):
    graph, x = graph_of(np.ones(2, np.float32))
    graph.set_outs([graph.emit(TABLE["neg"], (x,))])
    constant_fold(graph, max_bytes=limit)
    assert (graph.op(graph.outs[0]).role == "const") is folds


def test_nodes_without_operands_stay():
    graph = Graph()
    graph.set_outs([graph.emit(TABLE["full"], (), {"shape": (2,), "value": 1.0, "dtype": float64})])
    constant_fold(graph)
    assert graph.op(graph.outs[0]) is TABLE["full"]


def test_effects_are_never_run_while_folding(capsys):
    graph, x = graph_of(np.ones(2, np.float32))
    graph.emit(TABLE["print"], (x,), {"texts": (None,)})
    constant_fold(graph)
    assert len(graph) == 2 and capsys.readouterr().out == ""


def test_no_warning_is_raised_by_ieee_results(recwarn):
    graph, x = graph_of(np.array([0.0, -1.0], np.float32))
    graph.set_outs([graph.emit(TABLE["log"], (graph.emit(TABLE["div"], (x, x)),))])
    assert np.isnan(folded(graph)).tolist() == [True, False] and not recwarn.list


def test_only_the_last_values_become_constants_and_they_know_their_sources():
    graph, x = graph_of(np.ones(2, np.float32))
    y = graph.emit(INPUT, (), {"name": "y"}, [graph.type(x)])
    graph.inputs.append(y)
    value = x
    for _ in range(10):
        value = graph.emit(TABLE["tanh"], (value,))
    graph.by = "constant_fold"
    graph.set_outs([graph.emit(TABLE["add"], (value, y))])
    constant_fold(graph)
    dce(graph)
    assert len(graph) == 3
    (made,) = (node for node in graph if graph.op(node).role == "const")
    assert graph.prov(made) == ("constant_fold", (value,))


def test_folds_are_steps_that_can_be_limited():
    text = (
        "graph f()\n  %0 = const() {value=f32[]<1.0>} : f32[]\n"
        "  %1 = exp(%0) : f32[]\n  %2 = neg(%1) : f32[]\n  return %2\n"
    )
    kinds = []
    for limit in range(4):
        graph = parse(text)
        as_pipeline("constant_fold").run(graph, limit=limit)
        verify(graph)
        kinds.append([str(graph.op(node)) for node in graph.topological()])
    assert kinds[0] == kinds[1] == ["const", "exp", "neg"]
    assert kinds[2][-1] == "const" and "exp" in kinds[2]
    assert kinds[3] == ["const", "const"]
