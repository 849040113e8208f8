from itertools import pairwise

import pytest

from tests.viz import graphs
from tests.viz.explore.programs import branching, run_of, small_run
from viz.explore.api import record_run
from viz.explore.frames import frame_tree
from viz.explore.levels import FusedBodies, frame_title, lay_out_levels, row_labels
from viz.explore.node_table import node_table


def parts(run):
    table = node_table(run.journal, run.steps)
    tree = frame_tree(table)
    return table, tree, lay_out_levels(table, tree, run.steps, row_labels(table))


@pytest.mark.parametrize("depth", [4, 6])
def test_items_of_a_level_do_not_overlap(depth):
    _, tree, levels = parts(run_of(depth))
    assert levels.keys() == tree.items().keys()
    for frame, items in tree.items().items():
        level = levels[frame]
        assert len(level.x) == len(level.row) == len(items)
        areas = sorted(zip(level.row, level.x, strict=True))
        assert all(a[0] != b[0] or b[1] - a[1] >= 40 for a, b in pairwise(areas))


def test_edges_of_every_step_point_down():
    table, tree, levels = parts(small_run())
    row = dict(zip(tree.items()[-1], levels[-1].row, strict=True))
    for number, ins in enumerate(table.ins):
        for ref in ins:
            assert row.get(ref, -1) < row.get(number, 1_000)


def test_bends_consist_of_two_items_and_the_rows_between_them():
    level = parts(record_run(graphs.random_dag(120), ""))[2][-1]
    assert level.bends
    for tail, head, first, *xs in level.bends:
        low, high = sorted((level.row[tail], level.row[head]))
        assert first == low + 1 and len(xs) == high - low - 1


def test_values_are_traced_into_and_out_of_fused_bodies():
    run = record_run(graphs.fused_step(), "")
    table, tree, _ = parts(run)
    operands = dict(enumerate(table.ins))
    fused = table.row_of[14]
    bodies = FusedBodies(table, tree)
    inner = bodies.tail_row(fused, operands)
    assert table.owner[inner] == fused
    entry = table.bodies[fused][0].inputs[0]
    assert bodies.tail_row(entry, operands) == table.row_of[run.journal.initial[14][0][0]]


def test_labels_and_titles():
    table, tree, _ = parts(small_run(branching))
    labels = row_labels(table)
    assert labels[table.outputs[0]] == "output"
    assert {frame_title(tree, number, labels) for number in range(len(tree.frames))} >= {"cond"}
