from minigraph import jit, nn, ops
from tests.viz import graphs
from tests.viz.explore.programs import branching, run_of, small_run
from viz.explore.api import record_run
from viz.explore.frames import MAX_LEVEL_ITEMS, frame_tree, node_label
from viz.explore.node_table import node_table


def build_tree(run):
    table = node_table(run.journal, run.steps)
    return frame_tree(table), table


def titles(tree, kind):
    return [frame.title for frame in tree.frames if frame.kind == kind]


def test_cells_are_frames_and_three_or_more_equal_blocks_are_merged():
    tree, _ = build_tree(run_of(4))
    assert "Network" in titles(tree, "scope") and "blocks/0"[:6] in titles(tree, "scope")
    assert titles(tree, "repeat") == ["0 … 3 ×4"]
    assert not titles(build_tree(run_of(2))[0], "repeat")


class Half(nn.Cell):
    """A block that reads a number, which all blocks share."""

    def __init__(self):
        super().__init__()
        self.dense = nn.Dense(4, 4)

    def construct(self, x):
        return ops.softmax(self.dense(x) * 0.25)


def test_blocks_that_share_a_constant_are_equal():
    net = nn.SequentialCell(*(Half() for _ in range(3)))
    tree, _ = build_tree(record_run(jit(net).graph(ops.ones((2, 4)), pipeline=()), "default"))
    assert titles(tree, "repeat") == ["0 … 2 ×3"]


def test_every_row_is_in_exactly_one_level_and_a_fused_node_in_the_common_scope_of_its_sources():
    tree, table = build_tree(run_of(4))
    items = [item for inside in tree.items().values() for item in inside]
    assert len(set(items)) == len(items)
    assert {item for item in items if item >= 0} | set(tree.body_frames) == set(range(len(table)))
    fused = [number for number, frame in enumerate(tree.frames) if frame.kind == "fused"]
    assert fused
    for number in fused:
        frame = tree.frames[number]
        outer = tree.frames[frame.parent]
        assert tree.body_frames[frame.node] == number and outer.title in (
            "Network",
            "0",
            "1",
            "2",
            "3",
            "dense",
            "head",
        )
        assert all(tree.parent[row] == number for row in range(len(table)) if table.owner[row] == frame.node)


def test_a_node_with_two_bodies_is_a_frame_with_two_inner_frames():
    tree, _ = build_tree(small_run(branching))
    regions = [frame for frame in tree.frames if frame.kind == "region"]
    assert len([frame for frame in regions if frame.title]) == 2


def test_the_length_of_levels_is_limited():
    tree, _ = build_tree(record_run(graphs.chain(20_000), ""))
    assert max(map(len, tree.items().values())) <= MAX_LEVEL_ITEMS
    assert all(title.count("…") == 1 for title in titles(tree, "chunk"))


def test_a_label_that_fails_falls_back_to_the_name():
    odd = graphs.op("odd", label=lambda attrs: attrs["missing"])
    assert node_label({"op": odd, "attrs": {}}) == "odd"
