"""Constant folding gives the same results, and stops at its limits."""

import numpy as np
import pytest

from minigraph.core.op import TABLE, Op
from minigraph.core.types import TensorType, float32, float64
from minigraph.ir.graph import Graph
from minigraph.ir.structural_ops import CONST, INPUT, Literal
from minigraph.ir.verify import verify
from passes import PASSES, as_pipeline

constant_fold, dce = PASSES["constant_fold"], PASSES["dce"]


def graph_of(array, *path):
    """A graph with one constant, which goes through operators to the output; and the constant."""
    graph = Graph(title="f")
    value = constant = graph.emit(CONST, (), {"value": Literal(array)})
    for op in path:
        value = graph.emit(op, (value,) * op.arity)
    graph.set_outs([value])
    return graph, constant


def fold(graph):
    """The output's array if it became a constant."""
    constant_fold(graph)
    verify(graph)
    (out,) = graph.outs
    return graph.attrs(out)["value"].array if graph.op(out).role == "const" else None


def test_dtypes_stay_as_the_operator_gives_them_and_scalars_become_arrays_without_axes():
    assert fold(graph_of(np.array([1, 2], np.int8), TABLE["add"])[0]).dtype == np.int8
    assert fold(graph_of(np.array(2.0, np.float32), TABLE["sqrt"])[0]).shape == ()


def test_a_result_of_another_type_than_inferred_is_not_folded():
    liar = Op("liar", lambda x: x.astype(np.float64), lambda x: TensorType(x.shape, float32))
    assert fold(graph_of(np.ones(2, np.float32), liar)[0]) is None


def test_several_results_fold_one_by_one():
    graph, x = graph_of(np.arange(4, dtype=np.float32))
    split = graph.emit(TABLE["split"], (x,), {"axis": 0, "sizes": (1, 3)})
    graph.set_outs([graph.emit(TABLE["neg"], ((split, 1),)), split])
    constant_fold(graph)
    assert [graph.attrs(out)["value"].array.tolist() for out in graph.outs] == [[-1, -2, -3], [0]]


@pytest.mark.parametrize(("limit", "folds"), [(7, False), (8, True)])
def test_the_limit_is_in_bytes_of_the_results(limit, folds):
    graph, _ = graph_of(np.ones(2, np.float32), TABLE["neg"])
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
    graph, _ = graph_of(np.array([0.0, -1.0], np.float32), TABLE["div"], TABLE["log"])
    assert np.isnan(fold(graph)).tolist() == [True, False] and not recwarn.list


def test_only_final_values_become_constants_and_keep_their_sources():
    graph, x = graph_of(np.ones(2, np.float32), *[TABLE["tanh"]] * 10)
    (value,) = graph.outs
    y = graph.emit(INPUT, (), {"name": "y"}, [graph.type(x)])
    graph.inputs.append(y)
    graph.by = "constant_fold"
    graph.set_outs([graph.emit(TABLE["add"], (value, y))])
    constant_fold(graph)
    dce(graph)
    assert len(graph) == 3
    (folded_node,) = (node for node in graph if graph.op(node).role == "const")
    assert graph.prov(folded_node) == ("constant_fold", (value,))


@pytest.mark.parametrize("limit", range(4))
def test_folds_are_steps_that_can_be_limited(limit):
    graph, _ = graph_of(np.array(1, np.float32), TABLE["exp"], TABLE["neg"])
    as_pipeline("constant_fold").run(graph, limit=limit)
    verify(graph)
    kinds = [str(graph.op(node)) for node in graph.topological()]
    if limit < 2:
        assert kinds == ["const", "exp", "neg"]
    elif limit == 2:
        assert kinds[-1] == "const" and "exp" in kinds
    else:
        assert kinds == ["const", "const"]
