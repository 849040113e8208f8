"""Where things stand: every level laid out once, over all that any step shows, so that no step moves anything.

A level is laid out with its frames closed. A page that opens one keeps rows and the order within rows, and only
makes room; positions therefore are a row and an ``x`` per item, and an ``x`` per row for edges that pass rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from minigraph.ir.reading import Ref, producer, result_index
from viz.common.labels import truncate
from viz.drawing.layered import Edge, LayeredLayout, Point, layered_layout
from viz.explore.frames import FrameTree, node_label
from viz.explore.node_table import NodeTable
from viz.explore.rewrites import OUTS, Step

LETTER, PADDING, LINE = 6.7, 22.0, 28.0  # px: mean width of a letter, beside and around a label
MAX_LABEL_CHARACTERS = 30  # letters of a label


@dataclass
class Level:
    """The items of a level (rows, and frames as ``-1 - number``) with ``x`` (centre, px) and ``row`` of each.

    ``bends`` has for edges that pass rows (tail item, head item, first row passed, x ...), items by position.
    """

    items: list[int]
    x: list[int] = field(default_factory=list)
    row: list[int] = field(default_factory=list)
    bends: list[list[int]] = field(default_factory=list)


LayoutCache = dict[tuple[Sequence[Point], Sequence[Edge]], LayeredLayout]  # layouts, by sizes and edges
Pairs = dict[int, dict[tuple[int, int], None]]  # by level, edges between its items, each once


def lay_out_levels(table: NodeTable, tree: FrameTree, steps: list[Step], labels: list[str]) -> dict[int, Level]:
    """Every level laid out, by frame; -1 is the picture itself. ``labels`` are the rows' texts."""
    items = tree.items()
    pairs = _level_edges(table, tree, steps, items)
    found, known = {}, LayoutCache()
    for frame, inside in items.items():
        found[frame] = _lay_out_level(inside, pairs.get(frame, {}), table, tree, labels, known)
    return found


def row_labels(table: NodeTable) -> list[str]:
    """The text in the box of every row."""
    found = []
    for row in table.rows:
        if row.data is None:
            found.append(f"output {row.node}" if len(table.outputs) > 1 else "output")
        else:
            found.append(truncate(node_label(row.data), MAX_LABEL_CHARACTERS))
    return found


def frame_title(tree: FrameTree, frame: int, labels: list[str]) -> str:
    """The text of a closed frame."""
    made = tree.frames[frame]
    return labels[made.node] if made.node >= 0 and not made.title else made.title


def tail_row(table: NodeTable, tree: FrameTree, ref: Ref, operands: dict[int, tuple[Ref, ...]]) -> int:
    """The row a value really comes from: into the body of a fused node, and from its inputs out again."""
    for _ in range(64):
        number, result = producer(ref), result_index(ref)
        row = table.rows[number]
        own = tree.own.get(number)
        if own is not None and tree.frames[own].kind == "fused":
            ref = table.bodies[number][0].outs[result]
        elif row.owner >= 0 and _is_fused(tree, row.owner) and number in table.bodies[row.owner][0].inputs:
            given = operands.get(row.owner, ())
            position = table.bodies[row.owner][0].inputs.index(number)
            if position >= len(given):
                return number
            ref = given[position]
        else:
            return number
    return producer(ref)


def _is_fused(tree: FrameTree, row: int) -> bool:
    return row in tree.own and tree.frames[tree.own[row]].kind == "fused"


def _level_edges(table: NodeTable, tree: FrameTree, steps: list[Step], items: dict[int, list[int]]) -> Pairs:
    """Edges between the items of every level, of all steps together."""
    chains = _Ancestors(table, tree)
    position = {level: {item: k for k, item in enumerate(inside)} for level, inside in items.items()}
    pairs: Pairs = {}
    for tail, head in _edges(table, tree, steps):
        level, one, other = chains.meet(tail, head)
        if one != other:
            pairs.setdefault(level, {})[position[level][one], position[level][other]] = None
    return pairs


class _Ancestors:
    """The frames around rows, the innermost first."""

    def __init__(self, table: NodeTable, tree: FrameTree) -> None:
        self.table, self.tree = table, tree
        self.depth = [0] * len(tree.frames)
        for number, frame in enumerate(tree.frames):
            self.depth[number] = self.depth[frame.parent] + 1 if frame.parent >= 0 else 1

    def meet(self, tail: int, head: int) -> tuple[int, int, int]:
        """The innermost level that holds two rows, and the items of that level they are in."""
        one, other = self._start(tail), self._start(head)
        while one[1] != other[1]:
            if self._deep(one[1]) >= self._deep(other[1]):
                one = self._out(one[1])
            else:
                other = self._out(other[1])
        return one[1], one[0], other[0]

    def _start(self, row: int) -> tuple[int, int]:
        own = self.tree.own.get(row)
        return (row, self.tree.parent[row]) if own is None else self._out(own)

    def _out(self, frame: int) -> tuple[int, int]:
        return -1 - frame, self.tree.frames[frame].parent

    def _deep(self, frame: int) -> int:
        return self.depth[frame] if frame >= 0 else 0


def _edges(table: NodeTable, tree: FrameTree, steps: list[Step]) -> Iterator[tuple[int, int]]:
    """All edges of all steps between rows, as they are drawn; some of them many times."""
    operands = {number: row.wiring.ins for number, row in enumerate(table.rows)}
    for number in range(len(table)):
        yield from _incoming_edges(table, tree, number, operands)
    for step in steps:
        touched = []
        for number, wiring in changes_of(table, step):
            operands[number] = wiring
            touched.append(number)
        for number in touched:
            yield from _incoming_edges(table, tree, number, operands)


def changes_of(table: NodeTable, step: Step) -> Iterator[tuple[int, tuple[Ref, ...]]]:
    """The rows that a step gives other operands, with these; outputs among them."""
    for node, wiring in step.changes:
        if wiring is None:
            continue
        ins = table.wiring(wiring).ins
        if node == OUTS:
            yield from ((table.outputs[k], (ref,)) for k, ref in enumerate(ins))
        else:
            yield table.of[node], ins


def _incoming_edges(table: NodeTable, tree: FrameTree, number: int, operands: dict[int, tuple[Ref, ...]]) -> Iterator[tuple[int, int]]:
    row = table.rows[number]
    for ref in operands[number]:
        yield tail_row(table, tree, ref, operands), number
    for other, _ in row.wiring.before:
        yield other, number
    if _is_fused(tree, number):
        for inner in _body_rows(table, number):
            for ref in operands[inner]:
                yield tail_row(table, tree, ref, operands), inner


def _body_rows(table: NodeTable, number: int) -> Iterable[int]:
    """The rows of a fused node's body: they follow it in the table."""
    for inner in range(number + 1, len(table)):
        if table.rows[inner].owner != number:
            return
        yield inner


def _lay_out_level(
    items: list[int], pairs: dict[tuple[int, int], None], table: NodeTable, tree: FrameTree, labels: list[str], known: LayoutCache
) -> Level:
    sizes = tuple((_width(item, table, tree, labels), LINE) for item in items)
    edges = tuple(pairs)
    if (sizes, edges) not in known:  # blocks repeat
        known[sizes, edges] = layered_layout(sizes, edges)
    placed = known[sizes, edges]
    tops = {top: k for k, top in enumerate(sorted(set(placed.y)))}
    rows = [tops[top] for top in placed.y]
    level = Level(items, [round(x) for x in placed.x], rows)
    for (tail, head), bends in zip(edges, placed.bends, strict=True):
        if bends:
            first = min(rows[tail], rows[head]) + 1
            down = bends if rows[tail] < rows[head] else bends[::-1]
            level.bends.append([tail, head, first, *(round(x) for x, _ in down)])
    return level


def _width(item: int, table: NodeTable, tree: FrameTree, labels: list[str]) -> float:
    if item >= 0:
        row = table.rows[item]
        text = labels[item] if row.data is None or row.owner >= 0 else f"%{row.node} {labels[item]}"
        return max(44.0, len(text) * LETTER + PADDING)
    return max(60.0, (len(frame_title(tree, -1 - item, labels)) + 8) * LETTER + PADDING)
