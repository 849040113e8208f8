"""Lays out the levels of the explorer.

The problem: nodes must not move from step to step, and frames can be expanded and collapsed in the page. Therefore each
level of the frame tree is laid out once, with its frames collapsed, over the union of all nodes and edges of all steps.
When a frame is expanded, the page keeps the rows and the order within rows, and adds only space (``js/layout.js``). A
layout thus consists of a row (a horizontal line of boxes) and an ``x`` per item, and an ``x`` per row for edges that
pass rows; elsewhere a row is one of the node table. The layered drawing itself comes from ``viz.drawing.layered``;
equal levels, such as repeated blocks, share one layout.

An edge between nodes in different frames belongs to the innermost level that contains both, between the items there.
Edges to and from fused nodes lead to the nodes in their bodies. Inside of expanded frames the page leads edges of other
levels through the gaps between boxes (``js/route.js``).
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from minigraph.ir.graph_reader import Ref, producer, result_index
from viz.common.labels import truncate
from viz.drawing.layered import Edge, layered_layout
from viz.explore.frames import FrameTree, node_label
from viz.explore.node_table import NodeTable
from viz.explore.rewrites import OUTPUT_NODE, Step

CHARACTER_WIDTH, BOX_PADDING, BOX_HEIGHT = 6.7, 22.0, 28.0  # px: mean width of a character, padding, height of a box
MIN_BOX_WIDTH, MIN_FRAME_WIDTH = 44.0, 60.0  # px
FRAME_MARK_CHARACTERS = 8  # beside a collapsed frame's title: the triangle and the number of its nodes
MAX_LABEL_CHARACTERS = 30
MAX_NESTED_BODIES = 64


class Level(NamedTuple):
    """A level: ``x`` (centre, px) and ``row`` of each of its items, in the order of ``FrameTree.items``.

    ``bends`` has (tail item, head item, first passed row, x ...) for edges that pass rows, with items by position.
    """

    x: tuple[int, ...]
    row: tuple[int, ...]
    bends: tuple[tuple[int, ...], ...]


LevelEdges = dict[int, dict[tuple[int, int], None]]  # by level, the distinct edges between its items


def lay_out_levels(table: NodeTable, tree: FrameTree, steps: list[Step], labels: list[str]) -> dict[int, Level]:
    """The layout of every level, by frame (-1: the picture); ``labels`` are the labels of rows.

    Equal levels, such as repeated blocks, share one object.
    """
    items = tree.items()
    edges = _level_edges(table, tree, steps, items)
    levels: dict[int, Level] = {}
    cache: dict[tuple[Sequence[float], Sequence[Edge]], Level] = {}
    for frame, members in items.items():
        widths, pairs = tuple([_width(item, table, tree, labels) for item in members]), tuple(edges[frame])
        level = cache.get((widths, pairs))
        if level is None:
            level = cache[widths, pairs] = _lay_out_level(widths, pairs)
        levels[frame] = level
    return levels


def row_labels(table: NodeTable) -> list[str]:
    """The label of every row."""
    labels, cache = [], dict[Hashable, str]()
    for node, data in zip(table.node, table.data, strict=True):
        if data is None:
            labels.append(f"output {node}" if len(table.outputs) > 1 else "output")
            continue
        key = _label_key(data)
        if key not in cache:
            cache[key] = truncate(node_label(data), MAX_LABEL_CHARACTERS)
        labels.append(cache[key])
    return labels


def _label_key(data: Mapping[str, Any]) -> Hashable:
    """Equal for nodes with equal labels; distinct for attributes that Python compares by value only (1 == True)."""
    op, attrs = data["op"], data["attrs"]
    return (op, attrs.get("value")) if not attrs or op.role == "const" else id(data)


def frame_title(tree: FrameTree, frame: int, labels: list[str]) -> str:
    """The title of a frame, or the label of its node."""
    title, node = tree.frames[frame].title, tree.frames[frame].node
    return labels[node] if node >= 0 and not title else title


class FusedBodies:
    """The fused nodes of a table: their results by row, and the operand that each input of a body represents.

    ``readers`` are the rows of a body that read its inputs: the only ones whose edges depend on the node's operands.
    """

    def __init__(self, table: NodeTable, tree: FrameTree) -> None:
        fused = [row for row, frame in tree.body_frames.items() if tree.frames[frame].kind == "fused"]
        bodies = {row: table.bodies[row][0] for row in fused}
        self.outs = {row: body.outs for row, body in bodies.items()}
        self.operand = {number: (row, k) for row, body in bodies.items() for k, number in enumerate(body.inputs)}
        self.readers = {
            row: [inner for inner in _body_rows(table, row) if not self.operand.keys().isdisjoint(table.ins[inner])]
            for row in bodies
        }

    def tail_row(self, ref: Ref, operands: dict[int, tuple[Ref, ...]]) -> int:
        """The row that produces a value, looking through fused nodes and the inputs of their bodies."""
        for _ in range(MAX_NESTED_BODIES):
            number = producer(ref)
            if number in self.outs:
                ref = self.outs[number][result_index(ref)]
            elif number in self.operand:
                row, position = self.operand[number]
                outer = operands.get(row, ())
                if position >= len(outer):
                    return number
                ref = outer[position]
            else:
                return number
        return producer(ref)


def _level_edges(table: NodeTable, tree: FrameTree, steps: list[Step], items: dict[int, list[int]]) -> LevelEdges:
    """The edges between the items of every level, for all steps together.

    The level of an edge is the innermost one that contains both ends: their lowest common ancestor.
    """
    position = {item: k for members in items.values() for k, item in enumerate(members)}
    frame_level = [frame.parent for frame in tree.frames]
    depth = [0] * (len(tree.frames) + 1)  # of each frame; the last entry is that of level -1
    for frame, level in enumerate(frame_level):
        depth[frame] = depth[level] + 1
    item_of, level_of = list(range(len(table))), list(tree.parent)
    for row, frame in tree.body_frames.items():
        item_of[row], level_of[row] = -1 - frame, frame_level[frame]
    edges: LevelEdges = {level: {} for level in items}
    for tail, head in dict.fromkeys(_edges(table, tree, steps)):
        tail_item, tail_level, head_item, head_level = item_of[tail], level_of[tail], item_of[head], level_of[head]
        while tail_level != head_level:
            if depth[tail_level] >= depth[head_level]:
                tail_item, tail_level = -1 - tail_level, frame_level[tail_level]
            else:
                head_item, head_level = -1 - head_level, frame_level[head_level]
        if tail_item != head_item:
            edges[tail_level][position[tail_item], position[head_item]] = None
    return edges


def _edges(table: NodeTable, tree: FrameTree, steps: list[Step]) -> Iterator[tuple[int, int]]:
    """All drawn edges between rows, of all steps; edges may be repeated."""
    operands, fused = dict(enumerate(table.ins)), FusedBodies(table, tree)
    for number in range(len(table)):
        yield from _incoming_edges(table, fused, number, operands)
    for step in steps:
        changed = dict(changes_of(table, step))
        operands.update(changed)
        for number in changed:
            yield from _incoming_edges(table, fused, number, operands)
            for inner in fused.readers.get(number, ()):
                yield from _incoming_edges(table, fused, inner, operands)


def changes_of(table: NodeTable, step: Step) -> Iterator[tuple[int, tuple[Ref, ...]]]:
    """The rows whose operands a step changes, outputs included, with their new operands."""
    for node, in_edges in step.changes:
        if in_edges is None:
            continue
        ins, _ = table.by_row(in_edges)
        if node == OUTPUT_NODE:
            yield from ((table.outputs[k], (ref,)) for k, ref in enumerate(ins))
        else:
            yield table.row_of[node], ins


def _incoming_edges(
    table: NodeTable, fused: FusedBodies, number: int, operands: dict[int, tuple[Ref, ...]]
) -> Iterator[tuple[int, int]]:
    for ref in operands[number]:
        if ref.__class__ is int and ref not in fused.outs and ref not in fused.operand:  # nearly always
            yield ref, number
        else:
            yield fused.tail_row(ref, operands), number
    for other, _ in table.before.get(number, ()):
        yield other, number


def _body_rows(table: NodeTable, number: int) -> Iterable[int]:
    """The rows of a fused node's body, which follow it in the table."""
    for inner in range(number + 1, len(table)):
        if table.owner[inner] != number:
            return
        yield inner


def _lay_out_level(widths: Sequence[float], edges: Sequence[Edge]) -> Level:
    layout = layered_layout([(width, BOX_HEIGHT) for width in widths], edges)
    tops = {top: k for k, top in enumerate(sorted(set(layout.y)))}
    rows = [tops[top] for top in layout.y]
    passing = []
    for (tail, head), bends in zip(edges, layout.bends, strict=True):
        if bends:
            first = min(rows[tail], rows[head]) + 1
            down = bends if rows[tail] < rows[head] else bends[::-1]
            passing.append((tail, head, first, *(round(x) for x, _ in down)))
    return Level(tuple(map(round, layout.x)), tuple(rows), tuple(passing))


def _width(item: int, table: NodeTable, tree: FrameTree, labels: list[str]) -> float:
    """The width in px of a node's box, or of a collapsed frame's."""
    if item < 0:
        characters = len(frame_title(tree, -1 - item, labels)) + FRAME_MARK_CHARACTERS
        return max(MIN_FRAME_WIDTH, characters * CHARACTER_WIDTH + BOX_PADDING)
    is_numbered = table.data[item] is not None and table.owner[item] < 0
    text = f"%{table.node[item]} {labels[item]}" if is_numbered else labels[item]
    return max(MIN_BOX_WIDTH, len(text) * CHARACTER_WIDTH + BOX_PADDING)
