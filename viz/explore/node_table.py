"""The table of all nodes that a run ever contained: of the graph, of bodies, and one row per output.

Everything else refers to a node by its row number.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from minigraph.ir.graph_reader import GraphReader, Ref, producer, reference, result_index
from viz.explore.journal import RecordingJournal, Wiring
from viz.explore.rewrites import OUTS, Step

NO_WIRING = Wiring(())
MAX_BODY_DEPTH = 8  # nesting level; deeper bodies are not shown


@dataclass(slots=True)
class Row:
    """One node: ``data`` are its attributes in the graph; outputs have ``None``, and their position as ``node``.

    ``owner`` is the row of the node whose body contains it (-1: none), and ``region`` the index of that body.
    ``wiring`` is its initial wiring, with row numbers instead of ids; steps change it.
    """

    node: int
    data: Mapping[str, Any] | None
    owner: int = -1
    region: int = 0
    wiring: Wiring = NO_WIRING


@dataclass
class NodeTable:
    """All rows; ``of`` maps the ids of the graph's own nodes to rows, ``bodies`` rows to their bodies."""

    rows: list[Row] = field(default_factory=list)
    of: dict[int, int] = field(default_factory=dict)
    outputs: list[int] = field(default_factory=list)
    bodies: dict[int, list[Body]] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.rows)

    def add(self, row: Row) -> int:
        """Append a row and return its number."""
        self.rows.append(row)
        return len(self.rows) - 1

    def wiring(self, wiring: Wiring) -> Wiring:
        """The same wiring with row numbers, without nodes that are not in the table."""
        known = [ref for ref in wiring.ins if producer(ref) in self.of]
        ins = tuple(reference(self.of[producer(ref)], result_index(ref)) for ref in known)
        return Wiring(ins, tuple((self.of[node], kind) for node, kind in wiring.before if node in self.of))


@dataclass
class Body:
    """One body of a node: the graph, its first row, the rows of its inputs, and the references that it returns.

    Its rows are consecutive.
    """

    graph: GraphReader
    first: int
    inputs: list[int]
    outs: tuple[Ref, ...]


def node_table(journal: RecordingJournal, steps: list[Step]) -> NodeTable:
    """The table of a recorded run: nodes in order of creation, each followed by the nodes of its bodies."""
    table = NodeTable()
    nodes = [*journal.order, *sorted(set(journal.nodes) - set(journal.order))]  # topological, then by creation
    for node in nodes:
        table.of[node] = table.add(Row(node, journal.nodes[node]))
        _add_bodies(table, table.of[node])
    created = {change.node: change.wiring for step in reversed(steps) for change in step.changes if change.wiring}
    for node in nodes:
        table.rows[table.of[node]].wiring = table.wiring(journal.first.get(node) or created.get(node) or NO_WIRING)
    outs = [journal.outs, *(change.wiring.ins for step in steps for change in step.changes
                         if change.node == OUTS and change.wiring)]  # fmt: skip
    for position in range(max(map(len, outs))):
        wiring = table.wiring(Wiring(journal.outs[position : position + 1]))
        table.outputs.append(table.add(Row(position, None, wiring=wiring)))
    return table


def _add_bodies(table: NodeTable, top: int) -> None:
    """Add the rows of all bodies of a row, including nested ones, without recursion."""
    pending = [(top, 0)]
    for owner, depth in pending:
        data = table.rows[owner].data
        regions = data["regions"] if data is not None and depth < MAX_BODY_DEPTH else ()
        for region, body in enumerate(regions):
            numbers = _add_body(table, owner, region, body)
            pending += [(number, depth + 1) for number in numbers]


def _add_body(table: NodeTable, owner: int, region: int, body: GraphReader) -> list[int]:
    nodes, data = body.topological(), body.node_map()
    number = {node: table.add(Row(node, data[node], owner, region)) for node in nodes}
    for node in nodes:
        before = tuple((number[other], body.order_kind(other, node)) for other in body.before(node))
        table.rows[number[node]].wiring = Wiring(tuple(_renumber(number, body.ins(node))), before)
    first, inputs = min(number.values(), default=len(table)), [number[node] for node in body.inputs]
    table.bodies.setdefault(owner, []).append(Body(body, first, inputs, tuple(_renumber(number, body.outs))))
    return list(number.values())


def _renumber(number: Mapping[int, int], refs: tuple[Ref, ...]) -> Iterator[Ref]:
    return (reference(number[producer(ref)], result_index(ref)) for ref in refs)
