"""The table of all nodes that a run ever contained: of the graph, of bodies, and one row per output.

All other data of the explorer refer to a node by its row number.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from minigraph.ir.graph_reader import GraphReader, Ref, producer, reference, result_index
from viz.explore.journal import NO_IN_EDGES, InEdges, Order, RecordingJournal
from viz.explore.rewrites import OUTPUT_NODE, Step

MAX_BODY_DEPTH = 8  # nesting level; deeper bodies are not shown


@dataclass
class NodeTable:
    """One row per node, stored as columns (structure of arrays), which need less memory than objects.

    ``node`` is the node id, ``data`` the node's attributes in the graph; for outputs the id is the position, and the
    data ``None``. ``owner`` is the row of the node whose body contains the node (-1: none), ``region`` the index of
    that body. ``ins`` and ``before`` are the initial incoming edges, with row numbers instead of ids.
    ``row_of`` maps ids of nodes of the top graph to rows, ``bodies`` maps rows to their bodies.
    """

    node: list[int] = field(default_factory=list)
    data: list[Mapping[str, Any] | None] = field(default_factory=list)
    owner: list[int] = field(default_factory=list)
    region: list[int] = field(default_factory=list)
    ins: list[tuple[Ref, ...]] = field(default_factory=list)
    before: dict[int, Order] = field(default_factory=dict)
    row_of: dict[int, int] = field(default_factory=dict)
    outputs: list[int] = field(default_factory=list)
    bodies: dict[int, list[Body]] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.node)

    def add(self, node: int, data: Mapping[str, Any] | None, owner: int = -1, region: int = 0) -> int:
        """Append a row without edges and return its number."""
        self.node.append(node)
        self.data.append(data)
        self.owner.append(owner)
        self.region.append(region)
        self.ins.append(())
        return len(self.node) - 1

    def set_in_edges(self, row: int, in_edges: InEdges) -> None:
        """Set the initial incoming edges of a row."""
        self.ins[row] = in_edges[0]
        if in_edges[1]:
            self.before[row] = in_edges[1]

    def by_row(self, in_edges: InEdges) -> InEdges:
        """The same incoming edges with row numbers, without nodes that are not in the table."""
        row_of, (ins, before) = self.row_of, in_edges
        known = [ref for ref in ins if (ref if ref.__class__ is int else producer(ref)) in row_of]
        rows = _renumber(row_of, known)
        return rows, tuple([(row_of[node], kind) for node, kind in before if node in row_of]) if before else ()


@dataclass(slots=True)
class Body:
    """One body of a node: the graph, its first row, the rows of its inputs, and the references that it returns.

    Its rows are consecutive.
    """

    graph: GraphReader
    first: int
    inputs: tuple[int, ...]
    outs: tuple[Ref, ...]


def node_table(journal: RecordingJournal, steps: list[Step]) -> NodeTable:
    """The table of a recorded run: nodes in order of creation, each followed by the nodes of its bodies."""
    table = NodeTable()
    nodes = [*journal.order, *sorted(set(journal.nodes) - set(journal.order))]  # topological, then by creation
    for node in nodes:
        row = table.row_of[node] = table.add(node, journal.nodes[node])
        if journal.nodes[node]["regions"]:
            _add_bodies(table, row)
    created = {node: in_edges for step in reversed(steps) for node, in_edges in step.changes if in_edges}
    for node in nodes:
        in_edges = journal.initial.get(node) or created.get(node) or NO_IN_EDGES
        table.set_in_edges(table.row_of[node], table.by_row(in_edges))
    outs = [journal.outs, *(ins[0] for step in steps for node, ins in step.changes if node == OUTPUT_NODE and ins)]
    for position in range(max(map(len, outs))):
        row = table.add(position, None)
        table.set_in_edges(row, table.by_row((journal.outs[position : position + 1], ())))
        table.outputs.append(row)
    return table


def _add_bodies(table: NodeTable, top: int) -> None:
    """Add the rows of all bodies of a row, including nested ones, without recursion."""
    pending = [(top, 0)]
    for owner, depth in pending:
        data = table.data[owner]
        regions = data["regions"] if data is not None and depth < MAX_BODY_DEPTH else ()
        for region, body in enumerate(regions):
            pending += [(row, depth + 1) for row in _add_body(table, owner, region, body)]


def _add_body(table: NodeTable, owner: int, region: int, body: GraphReader) -> Iterable[int]:
    """Add the rows of one body; returns those that have bodies of their own."""
    nodes, data, first = body.topological(), body.node_map(), len(table)
    row_of = dict(zip(nodes, range(first, first + len(nodes)), strict=True))
    table.node += nodes
    table.data += map(data.__getitem__, nodes)
    table.owner += [owner] * len(nodes)
    table.region += [region] * len(nodes)
    table.ins += [_renumber(row_of, data[node]["ins"]) for node in nodes]
    for node in nodes if body.has_order else ():
        if before := tuple([(row_of[other], body.order_kind(other, node)) for other in body.before(node)]):
            table.before[row_of[node]] = before
    inputs = tuple([row_of[node] for node in body.inputs])
    table.bodies.setdefault(owner, []).append(Body(body, first, inputs, _renumber(row_of, body.outs)))
    return [row_of[node] for node in nodes if data[node]["regions"]]


def _renumber(row_of: Mapping[int, int], refs: Iterable[Ref]) -> tuple[Ref, ...]:
    """References with row numbers; first results, nearly always, are their nodes."""
    return tuple(
        [row_of[ref] if ref.__class__ is int else reference(row_of[producer(ref)], result_index(ref)) for ref in refs]
    )
