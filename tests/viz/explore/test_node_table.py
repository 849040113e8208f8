from minigraph.ir.graph_reader import producer
from tests.viz.explore.programs import branching, run_of, small_run
from viz.explore.node_table import node_table


def table_of(run):
    return node_table(run.journal, run.steps), run


def test_every_node_that_ever_existed_has_one_row_with_its_initial_operands():
    table, run = table_of(run_of())
    nodes = [row.node for row in table.rows if row.data is not None and row.owner < 0]
    assert sorted(nodes) == sorted(run.journal.nodes) and len(set(nodes)) == len(nodes)
    assert all(table.rows[number].node == node for node, number in table.of.items())
    created = next(change for step in run.steps for change in step.changes if change.node not in run.journal.first
                and change.node >= 0 and change.wiring)  # fmt: skip
    assert table.rows[table.of[created.node]].wiring == table.wiring(created.wiring)


def test_outputs_have_rows_with_the_results_of_the_graph():
    table, run = table_of(small_run())
    (out,) = table.outputs
    assert table.rows[out].data is None
    assert table.rows[out].wiring.ins == (table.of[run.journal.outs[0]],)


def test_bodies_follow_their_node_and_their_operands_are_in_the_body():
    table, _ = table_of(run_of())
    assert table.bodies
    for owner, bodies in table.bodies.items():
        inside = {number for number, row in enumerate(table.rows) if row.owner == owner}
        assert inside and min(inside) > owner
        assert all({producer(ref) for ref in table.rows[number].wiring.ins} <= inside for number in inside)
        assert all(set(body.inputs) | {producer(ref) for ref in body.outs} <= inside for body in bodies)


def test_both_bodies_of_a_branch_have_rows():
    table, _ = table_of(small_run(branching))
    (bodies,) = [bodies for owner, bodies in table.bodies.items() if table.rows[owner].data["op"].family == "region"
                 and table.rows[owner].data["op"].role != "fused"]  # fmt: skip
    assert len(bodies) == 2
    assert {table.rows[body.outs[0]].region for body in bodies} == {0, 1}
