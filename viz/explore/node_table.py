"""Every node a run ever had as one table: those of the graph, of bodies inside, and one row per output.

A row's place in the table is its number everywhere else, so that nothing of it is said twice.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from minigraph.ir.reading import GraphReader, Ref, producer, reference, result_index
from viz.explore.journal import RecordingJournal, Wiring
from viz.explore.rewrites import OUTS, Step

NO_WIRING = Wiring(())
MAX_BODY_DEPTH = 8  # bodies inside of bodies that are looked into


@dataclass
class Row:
    """One node: ``data`` are its attributes in the graph, ``None`` for an output, of which ``node`` is the position.

    ``owner`` is the row of the node whose body it is in (-1: none) and ``region`` which of the bodies. ``wiring``
    has row numbers instead of ids and is what it is made with; what it takes later is told by the steps.
    """

    node: int
    data: Mapping[str, Any] | None
    owner: int = -1
    region: int = 0
    wiring: Wiring = NO_WIRING


@dataclass
class NodeTable:
    """The table; ``of`` finds the row of a node of the graph itself, ``bodies`` the rows and results of bodies."""

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
        """The same wiring with row numbers; what the table has not is left out."""
        known = [ref for ref in wiring.ins if producer(ref) in self.of]
        ins = tuple(reference(self.of[producer(ref)], result_index(ref)) for ref in known)
        return Wiring(ins, tuple((self.of[node], kind) for node, kind in wiring.before if node in self.of))


@dataclass
class Body:
    """One body of a node: the graph, its first row, the rows of its inputs in order, the references it returns.

    Its rows follow each other.
    """

    graph: GraphReader
    first: int
    inputs: list[int]
    outs: tuple[Ref, ...]


def node_table(film: RecordingJournal, steps: list[Step]) -> NodeTable:
    """The table of a record_run run: nodes in the order in which they came to be, each before the nodes in its bodies."""
    table = NodeTable()
    first = [*film.order, *sorted(set(film.nodes) - set(film.order))]  # as they can run, then as they were made
    for node in first:
        table.of[node] = table.add(Row(node, film.nodes[node]))
        _add_bodies(table, table.of[node])
    born = {change.node: change.wiring for step in reversed(steps) for change in step.changes if change.wiring}
    for node in first:
        table.rows[table.of[node]].wiring = table.wiring(film.first.get(node) or born.get(node) or NO_WIRING)
    outs = [film.outs, *(change.wiring.ins for step in steps for change in step.changes
                         if change.node == OUTS and change.wiring)]  # fmt: skip
    for position in range(max(map(len, outs))):
        taken = table.wiring(Wiring(film.outs[position : position + 1]))
        table.outputs.append(table.add(Row(position, None, wiring=taken)))
    return table


def _add_bodies(table: NodeTable, top: int) -> None:
    """The rows of all bodies of a row, and of bodies in these, without recursion."""
    waiting = [(top, 0)]
    for owner, depth in waiting:
        data = table.rows[owner].data
        regions = data["regions"] if data is not None and depth < MAX_BODY_DEPTH else ()
        for region, body in enumerate(regions):
            numbers = _add_body(table, owner, region, body)
            waiting += [(number, depth + 1) for number in numbers]


def _add_body(table: NodeTable, owner: int, region: int, body: GraphReader) -> list[int]:
    nodes, data = body.topological(), body.node_map()
    number = {node: table.add(Row(node, data[node], owner, region)) for node in nodes}
    for node in nodes:
        before = tuple((number[one], body.order_kind(one, node)) for one in body.before(node))
        table.rows[number[node]].wiring = Wiring(tuple(_renumber(number, body.ins(node))), before)
    first, inputs = min(number.values(), default=len(table)), [number[node] for node in body.inputs]
    table.bodies.setdefault(owner, []).append(Body(body, first, inputs, tuple(_renumber(number, body.outs))))
    return list(number.values())


def _renumber(number: Mapping[int, int], refs: tuple[Ref, ...]) -> Iterator[Ref]:
    return (reference(number[producer(ref)], result_index(ref)) for ref in refs)
