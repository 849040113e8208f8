from minigraph.ir.graph_reader import producer
from tests.viz.explore.programs import branching, run_of, small_run
from viz.explore.node_table import node_table


def table_of(run):
    return node_table(run.journal, run.steps), run


def test_every_node_that_ever_existed_has_one_row_with_its_initial_operands():
    table, run = table_of(run_of())
    nodes = [node for node, data, owner in zip(table.node, table.data, table.owner, strict=True) if data and owner < 0]
    assert sorted(nodes) == sorted(run.journal.nodes) and len(set(nodes)) == len(nodes)
    assert all(table.node[number] == node for node, number in table.row_of.items())
    created = next((node, in_edges) for step in run.steps for node, in_edges in step.changes
                   if node not in run.journal.initial and node >= 0 and in_edges)  # fmt: skip
    row, (ins, before) = table.row_of[created[0]], table.by_row(created[1])
    assert (table.ins[row], table.before.get(row, ())) == (ins, before) and ins


def test_outputs_have_rows_with_the_results_of_the_graph():
    table, run = table_of(small_run())
    (out,) = table.outputs
    assert table.data[out] is None
    assert table.ins[out] == (table.row_of[run.journal.outs[0]],)


def test_bodies_follow_their_node_and_their_operands_are_in_the_body():
    table, _ = table_of(run_of())
    assert table.bodies
    for owner, bodies in table.bodies.items():
        inside = {number for number, frame in enumerate(table.owner) if frame == owner}
        assert inside and min(inside) > owner
        assert all({producer(ref) for ref in table.ins[number]} <= inside for number in inside)
        assert all(set(body.inputs) | {producer(ref) for ref in body.outs} <= inside for body in bodies)


def test_both_bodies_of_a_branch_have_rows():
    table, _ = table_of(small_run(branching))
    (bodies,) = [bodies for owner, bodies in table.bodies.items() if table.data[owner]["op"].family == "region"
                 and table.data[owner]["op"].role != "fused"]  # fmt: skip
    assert len(bodies) == 2
    assert {table.region[body.outs[0]] for body in bodies} == {0, 1}
