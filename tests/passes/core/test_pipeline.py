"""Pipelines: order, records, observers, groups, and errors of passes."""

import gc

import pytest

from minigraph.core.errors import RuleError, VerifyError
from minigraph.core.types import TensorType, float64
from minigraph.ir.text import parse, to_text
from passes import FixedPoint, Pipeline, as_pipeline
from passes.core.pipeline import graph_counts
from passes.core.records import Counts
from tests.passes.small_graphs import REPEATED, counts


def breaks(graph, *, options):
    """Makes a node its own ancestor."""
    graph.set_operands(1, (3,))


def grows(graph, *, options):
    """Adds a node in every run."""
    graph.emit(graph.op(1), (0,))


def idle(graph, *, options):
    """Does nothing."""


def test_records_have_the_changes_of_each_pass():
    cse, idled, dce = Pipeline(["cse", idle, "dce"]).run(parse(REPEATED), cost=len)
    assert [cse.name, idled.name, dce.name] == ["cse", "idle", "dce"]
    assert cse.counts_before == Counts(nodes=5, edges=5, bytes=32)
    assert cse.counts_after == idled.counts_after == Counts(4, 4, 24)
    assert dce.counts_after == Counts(3, 3, 16)
    assert (cse.cycles, idled.cycles, dce.cycles) == ((5, 4), (4, 4), (4, 3))
    assert (cse.changed, idled.changed, dce.changed) == (True, False, True)
    assert [(edit.verb, edit.node, edit.by) for edit in dce.edits] == [("erase", 4, "dce")]
    assert idled.edits == () and cse.edits[0].by == "cse"
    assert min(cse.seconds, idled.seconds) >= 0
    assert str(dce) == "dce: 4 -> 3 nodes, 24 -> 16 bytes"


def test_snapshots_are_the_graph_before_and_after_and_only_on_demand():
    graph = parse(REPEATED)
    cse, dce = Pipeline(["cse", "dce"]).run(graph, snapshots=True)
    assert to_text(cse.before) == REPEATED
    assert dce.before is cse.after and dce.before is not graph
    assert dce.after.same_as(graph)
    assert all(r.before is r.after is None for r in Pipeline(["cse", "dce"]).run(parse(REPEATED)))


def test_rewrites_are_recorded_on_demand_also_without_snapshots():
    graph = parse(REPEATED.replace("exp(%0)", "identity(%0)"))
    (record,) = as_pipeline("canonicalize").run(graph.clone(), rewrites=True)
    assert [step.rule for step in record.rewrites] == ["drop_identity"] * 2 and record.before is record.after is None
    assert as_pipeline("canonicalize").run(graph)[0].rewrites == ()


def test_bytes_count_what_operators_compute_and_edges_count_all():
    graph = parse(REPEATED)
    graph.order(1, 4)
    assert graph_counts(graph) == Counts(5, 6, 32)


def test_rules_are_counted_by_name_and_observers_get_every_record_in_order():
    graph, observed_records = parse(REPEATED.replace("exp(%0)", "identity(%0)")), []
    records = as_pipeline("canonicalize,cse").run(graph, observers=[observed_records.append])
    assert counts(records[0].rules) == {"drop_identity": {"rewrites": 2}}
    assert str(records[0]).endswith("2 rewrites")
    assert observed_records == records and len(records) == 2


def test_the_error_of_a_broken_graph_names_the_pass_and_the_passes_before_it():
    graph = parse(REPEATED)
    graph.by = "me"
    with pytest.raises(VerifyError, match=r"pass 'breaks' broke the graph: .*%\d+ before .*; .*passes: idle, dce$"):
        Pipeline([idle, "dce", breaks]).run(graph)
    assert graph.ins(1) == (3,), "the graph stays as the pass left it, to be looked at"
    assert graph.by == "me" and graph.journal is None
    with pytest.raises(VerifyError, match="earlier passes: none"):
        Pipeline([breaks]).run(parse(REPEATED))
    Pipeline([breaks], verify=False).run(parse(REPEATED))


def test_an_erased_node_with_users_is_an_error():
    message = r"pass '<lambda>' broke the graph: .*%3 = add uses %2, which is not in the graph"
    with pytest.raises(VerifyError, match=message):
        Pipeline([lambda graph: graph.discard(2)]).run(parse(REPEATED))


def test_a_lost_operand_is_an_error():
    message = r"pass '<lambda>' broke the graph: .*%3 = add takes 2 operands, got 1"
    with pytest.raises(VerifyError, match=message):
        Pipeline([lambda graph: graph.set_operands(3, [graph.ins(3)[0]])]).run(parse(REPEATED))


def test_a_graph_that_is_broken_before_blames_no_pass_and_a_new_graph_is_checked_completely():
    graph = parse(REPEATED)
    graph.nodes[3]["types"] = (TensorType((2,), float64),)
    with pytest.raises(VerifyError, match="^graph 'f': %3 = add has types"):
        as_pipeline("default").run(graph)
    graph = parse(REPEATED)
    graph.nodes[3]["types"] = (TensorType((2,), float64),)
    Pipeline([idle]).run(graph, verified=True)
    graph.inputs.clear()
    with pytest.raises(VerifyError, match="^graph 'f': its inputs are none, but its input nodes are %0"):
        Pipeline([idle]).run(graph, verified=True)


def test_a_group_repeats_to_a_fixed_point_and_non_termination_is_an_error():
    records = Pipeline([FixedPoint(tuple(Pipeline(["cse", "dce"]).passes))]).run(parse(REPEATED))
    assert [(r.name, r.changed) for r in records] == [("cse", True), ("dce", True), ("cse", False), ("dce", False)]
    with pytest.raises(RuleError, match=r"fix\(grows\): still changing 'f' after \d+ iterations"):
        Pipeline([FixedPoint(Pipeline([grows]).passes)]).run(parse(REPEATED))


def test_the_callers_journal_is_restored_and_garbage_is_collected_meanwhile():
    graph = parse(REPEATED)
    graph.journal, during = [], []
    Pipeline([lambda graph: during.append(gc.isenabled()), "dce"]).run(graph)
    assert during == [True]
    assert [edit.verb for edit in graph.journal] == ["erase"]


def test_the_first_edits_of_a_graph_without_a_journal_are_recorded():
    graph = parse(REPEATED)
    assert graph.journal is None
    first, second = Pipeline(["cse", "dce"]).run(graph)
    assert first.edits[0].verb == "operands" and first.changed and second.changed
    assert graph.journal is None
    assert not any(record.changed for record in Pipeline(["cse", "dce"]).run(graph))


def test_new_nodes_have_pass_and_rule_in_their_provenance():
    graph = parse(REPEATED)
    as_pipeline("fuse_elementwise").run(graph)
    (fused,) = (node for node in graph if graph.op(node).role == "fused")
    assert graph.prov(fused).by == "fuse_elementwise/elementwise"
    assert set(graph.prov(fused).sources) == {1, 2, 3}
