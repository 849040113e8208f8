"""The verifier: checks between passes, validation, restored graphs."""

import pytest

from minigraph import Tensor, get_context, jit, ops, set_context, trace
from minigraph.core.errors import VerifyError
from minigraph.ir.text import parse, to_text
from passes import Options, Pipeline, rule
from passes.core.pass_verifier import NotValidatedWarning, PassVerifier, Validation, restore
from passes.core.registry import as_pass
from tests.passes.validate import faults


def program_and_verifier(validation):
    """A program with a journal, and its verifier."""
    graph = faults.program()
    graph.journal = []
    return graph, PassVerifier(graph, True, validation)


def test_the_verifier_records_completed_passes():
    _, verifier = program_and_verifier(None)
    assert verifier.run(as_pass("cse"), Options()) >= 0
    verifier.run(as_pass("dce"), Options())
    assert verifier.completed == ["cse", "dce"] and verifier.validator is None


def test_the_graph_is_compared_with_the_graph_before_the_last_pass():
    graph, verifier = program_and_verifier(Validation())
    first = verifier.validator
    verifier.run(as_pass("dce"), Options())
    assert verifier.validator is not first and verifier.validator.original.same_as(graph)
    second = verifier.validator
    verifier.run(as_pass("dce"), Options())
    assert verifier.validator is second, "nothing changed, so there is nothing to compare"


def test_a_graph_can_be_restored():
    graph = faults.program()
    copy, text = graph.clone(), to_text(graph)
    Pipeline(["canonicalize", "cse", "dce", "fuse_elementwise"]).run(graph)
    assert to_text(graph) != text
    restore(graph, copy)
    assert to_text(graph) == text
    graph.set_outs([0])
    assert to_text(copy) == text, "the copy stays a copy"
    assert list(graph.successors(0)) and graph.number_of_edges() == copy.number_of_edges()


def test_an_error_inside_a_pass_names_the_pass():
    def stumbles(graph):
        """Divides by nothing."""
        graph.set_outs([0])
        raise ZeroDivisionError("no")

    graph = trace(ops.tanh, Tensor([1.0]))
    with pytest.raises(ZeroDivisionError) as caught:
        Pipeline([stumbles]).run(graph, validate=True)
    (note,) = caught.value.__notes__
    assert note.startswith("in pass 'stumbles' (test_pass_verifier.py:") and note.endswith("on graph 'tanh'")
    assert graph.outs == (1,)


def test_a_graph_that_is_not_validated_warns_once():
    graph = parse("graph huge(%0)\n%0 = input() : f32[20000,20000]\n%1 = neg(%0) : f32[20000,20000]\nreturn %1")
    with pytest.warns(NotValidatedWarning, match="graph 'huge' is not validated: .* bytes") as warnings:
        Pipeline(["cse", "dce"]).run(graph, validate=True)
    assert len(warnings) == 1


def test_the_context_switches_validation_on(tmp_path):
    @jit(pipeline=(faults.wrong_value,))
    def step(x):
        return ops.tanh(x)

    assert get_context("validate") is False
    step(Tensor([1.0, 2.0]))
    set_context(validate=True, save_graphs_path=str(tmp_path))
    with pytest.raises(VerifyError, match=r"pass 'wrong_value' \(faults.py:\d+\) changed the results of 'step'"):
        step(Tensor([[1.0], [2.0]]))
    assert [path.name for path in tmp_path.iterdir()] == ["step.repro.ir"]


def test_run_can_enable_and_disable_validation(tmp_path):
    set_context(validate=True, save_graphs_path=str(tmp_path))
    Pipeline([faults.wrong_value]).run(faults.program(), validate=False)
    set_context(validate=False)
    with pytest.raises(VerifyError):
        Pipeline([faults.wrong_value]).run(faults.program(), validate=Validation())


def test_bodies_are_validated_too():
    graph = trace(lambda p, x: ops.cond(p, lambda: ops.tanh(x), lambda: x), Tensor(True), Tensor([1.0, 2.0]))
    (body, _) = graph.regions(graph.outs[0])
    with pytest.raises(VerifyError, match=f"changed the results of '{body.title}'"):
        Pipeline([faults.wrong_value]).run(graph, validate=Validation())


def test_rules_with_a_tolerance_are_accepted():
    thirds = rule(lambda x: (x / 3, x * (1 / 3)))
    Pipeline([thirds]).run(trace(lambda x: x / 3, Tensor([1.0, 5.0])), validate=Validation())


@pytest.mark.parametrize("limit", [0, 1])
def test_a_limit_stops_the_run(limit):
    graph = faults.program()
    records = Pipeline(["cse", "canonicalize", "dce"]).run(graph, limit=limit)
    assert [record.name for record in records] == ["cse"][:limit]
    assert graph.same_as(faults.program()) or limit


def test_validated_passes_leave_the_same_graph_and_records():
    plain, watched = faults.program(), faults.program()
    pipeline = Pipeline(["cse", lambda graph: None, "canonicalize", "dce"])
    first, second = (
        [(r.name, r.changed, r.counts_after) for r in pipeline.run(graph, validate=graph is watched)]
        for graph in (plain, watched)
    )
    assert first == second and plain.same_as(watched)
