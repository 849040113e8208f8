"""Serialises runs as compact JSON: columns instead of records, interned texts, operands as distances.

20,000 nodes take less than a megabyte. ``js/data.js`` is the reader and uses the same column names.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

from minigraph.core.location import source_name
from minigraph.ir.attribute_values import ValueWriter
from minigraph.ir.graph_reader import GraphReader, Ref, producer, result_index
from minigraph.npu import Report
from viz.common.style import kind_of
from viz.explore.frames import frame_tree
from viz.explore.journal import Order, RecordingJournal
from viz.explore.levels import lay_out_levels, row_labels
from viz.explore.node_table import Body, NodeTable, node_table
from viz.explore.rewrites import OUTPUT_NODE, Step
from viz.explore.simulation import roofline_data, timeline_data
from viz.explore.source_text import source_at

Json = Any
NodeData = Mapping[str, Any]  # the attributes of a node
FRAME_KINDS = ("scope", "repeat", "chunk", "fused", "region")  # of frames, by number


class InternTable:
    """Interned values, which columns refer to by number."""

    def __init__(self) -> None:
        self.number: dict[Any, int] = {}

    def __call__(self, value: Any) -> int:
        """The number of a value, which is added if it is new."""
        return self.number.setdefault(value, len(self.number))

    def values(self) -> list[Any]:
        """The values in the order of their numbers."""
        return list(self.number)


@dataclass
class Tables:
    """The interned values shared by all runs of a page: texts, source locations, descriptions of rows."""

    texts: InternTable = field(default_factory=InternTable)
    ops: InternTable = field(default_factory=InternTable)
    descriptions: InternTable = field(default_factory=InternTable)
    positions: InternTable = field(default_factory=InternTable)
    locs: InternTable = field(default_factory=InternTable)
    types: dict[Any, str] = field(default_factory=dict)  # texts of the types of results
    shown: dict[tuple[str, int], None] = field(default_factory=dict)  # files and lines whose source is shown

    def location_of(self, data: NodeData) -> int:
        """The number of a node's source locations, without scopes, which frames show.

        The location of an input is the call of the function, whose source is not shown.
        """
        locations = [loc[:5] for loc in data["loc"]]
        if data["op"].role != "input":
            for location in locations:
                self.shown[location[:2]] = None
        return self.locs(tuple(map(self.positions, locations)))

    def description_of(self, data: NodeData | None, label: str) -> int:
        """The number of a row's description: operator, label, attributes, types and creator, which many rows share."""
        if data is None:
            return self.descriptions((self.ops(("output", "output", 0)), self.texts(label), *[self.texts("")] * 3))
        op = data["op"]
        types = self.types.get(data["types"])
        if types is None:
            types = self.types[data["types"]] = ", ".join(map(str, data["types"])) or "()"
        attrs = ValueWriter(literals=False).attrs(data["attrs"]) if data["attrs"] else ""
        texts = map(self.texts, (label, attrs, types, data["prov"].by))
        return self.descriptions((self.ops((op.name, kind_of(op), int(op.commutative))), *texts))

    def pack(self) -> Json:
        """All values as lists: operators (name, kind, commutative), locations (file, line, columns, function).

        ``names`` are the short names of files.
        """
        positions = [[self.texts(file), *lines, self.texts(name)] for file, *lines, name in self.positions.values()]
        return {
            "texts": self.texts.values(), "ops": self.ops.values(), "descriptions": self.descriptions.values(),
            "positions": positions, "locs": self.locs.values(),
            "names": {position[0]: source_name(position[0]) for position in self.positions.values()},
        }  # fmt: skip


@dataclass
class Run:
    """One run of a pipeline or of a tape.

    ``annotations`` are facts by node id: ``values``, ``gradients``, ``costs``; ``report`` is the simulation.
    """

    name: str
    kind: str
    journal: RecordingJournal
    steps: list[Step]
    records: Sequence[Any]
    annotations: dict[str, Mapping[int, Any]] = field(default_factory=dict)
    report: Report | None = None
    chip: str = ""


def pack_run(run: Run, tables: Tables) -> Json:
    """The run as JSON data; interned values are added to ``tables``, which must be packed last."""
    table = node_table(run.journal, run.steps)
    tree = frame_tree(table)
    labels = row_labels(table)
    shapes, edge_table = InternTable(), InternTable()
    levels = lay_out_levels(table, tree, run.steps, labels)
    return {
        "name": run.name, "kind": run.kind, "chip": run.chip, "title": run.journal.graph.title,
        "head": _head(run.journal.graph),
        **_pack_columns(table, tables, labels),
        "in_edges": [edge_table(_pack_in_edges(n, ins, table.before.get(n, ()))) for n, ins in enumerate(table.ins)],
        "first": len(run.journal.order),
        "inputs": [table.row_of[node] for node in run.journal.graph.inputs if node in table.row_of],
        "outputs": table.outputs,
        "parent": _run_lengths([parent for parent, owner in zip(tree.parent, table.owner, strict=True) if owner < 0]),
        "frames": _flat((tables.texts(f.title), FRAME_KINDS.index(f.kind), f.parent, f.node) for f in tree.frames),
        "levels": [shapes(levels[number]) for number in range(-1, len(tree.frames))], "shapes": shapes.values(),
        **_pack_steps(run.steps, table, tables, edge_table), **_pack_edge_table(edge_table.values()),
        "passes": [_pack_pass(record, table, tables) for record in run.records],
        "annotations": {name: {table.row_of[node]: value for node, value in values.items() if node in table.row_of}
                        for name, values in run.annotations.items()},
        **_pack_simulation(run.report, table),
    }  # fmt: skip


def _pack_simulation(report: Report | None, table: NodeTable) -> Json:
    if report is None:
        return {}
    return {"timeline": timeline_data(report, table.row_of), "roofline": roofline_data(report, table.row_of)}


def _head(graph: GraphReader) -> Json:
    """The attributes in the first line of the graph's text, after the inputs."""
    extra: dict[str, Any] = {} if graph.keep_effects else {"keep_effects": False}
    if graph.params:
        extra["params"] = tuple(graph.params)
    return ValueWriter(literals=False).attrs(extra) if extra else ""


def _pack_columns(table: NodeTable, tables: Tables, labels: list[str]) -> Json:
    sources = ((row, _sources(data, table)) for row, data in enumerate(table.data)
               if data is not None and table.owner[row] < 0 and data["prov"].sources)  # fmt: skip
    heads = InternTable()
    return {
        "id": _run_lengths(table.node, step=1),
        "what": _descriptions(table, tables, labels),
        "loc": _locations(table, tables),
        "sources": _flat((row, len(nodes), *nodes) for row, nodes in sources if nodes),
        "bodies": [number for row, bodies in table.bodies.items() for body in bodies
                   for number in (row, heads(_pack_body(body, tables)), body.first)],
        "heads": heads.values(),
    }  # fmt: skip


def _descriptions(table: NodeTable, tables: Tables, labels: list[str]) -> list[int]:
    """The numbers of the rows' descriptions; nodes with the same objects share one, which saves time."""
    number_of: dict[Any, int] = {}
    numbers = []
    for data, label in zip(table.data, labels, strict=True):
        key = label if data is None else (data["op"], id(data["types"]), id(data["attrs"]), data["prov"].by)
        number = number_of.get(key)
        if number is None:
            number = number_of[key] = tables.description_of(data, label)
        numbers.append(number)
    return numbers


def _locations(table: NodeTable, tables: Tables) -> list[int]:
    """The numbers of the nodes' source locations; as for descriptions, the same objects have the same number."""
    number_of: dict[tuple[int, bool], int] = {}
    numbers = []
    for data in filter(None, table.data):
        key = id(data["loc"]), data["op"].role == "input"
        number = number_of.get(key)
        if number is None:
            number = number_of[key] = tables.location_of(data)
        numbers.append(number)
    return numbers


def _pack_body(body: Body, tables: Tables) -> tuple[Any, ...]:
    """Title, number of rows, inputs and results as distances from the first row, head of the text."""
    graph, first, inputs = body.graph, body.first, tuple([row - body.first for row in body.inputs])
    return tables.texts(graph.title), len(graph), inputs, _pack_refs(first, body.outs), _head(graph)


def _run_lengths(numbers: list[int], step: int = 0) -> list[int]:
    """Run-length encoding as a flat list of (first, count); within a run numbers increase by ``step``.

    >>> _run_lengths([7, 7, 7, 2]), _run_lengths([0, 1, 2, 9], step=1)
    ([7, 3, 2, 1], [0, 3, 9, 1])
    """
    runs: list[int] = []
    for number in numbers:
        if runs and number == runs[-2] + step * runs[-1]:
            runs[-1] += 1
        else:
            runs += [number, 1]
    return runs


def _sources(data: NodeData, table: NodeTable) -> list[int]:
    return [table.row_of[node] for node in data["prov"].sources if node in table.row_of]


def _pack_refs(row: int, refs: tuple[Ref, ...]) -> tuple[Any, ...]:
    """Operands as distances to earlier rows, as (distance, result) for results after the first."""
    return tuple([row - ref if ref.__class__ is int else (row - producer(ref), result_index(ref)) for ref in refs])


def _pack_in_edges(row: int, ins: tuple[Ref, ...], before: Order = ()) -> tuple[Any, ...]:
    """Operands, and predecessors by order edges as (distance, kind) if there are any: equal in repeated blocks."""
    packed = _pack_refs(row, ins)
    return (packed, tuple([(row - other, kind) for other, kind in before])) if before else (packed,)


def _pack_edge_table(edge_table: list[Any]) -> Json:
    """All incoming edges as one list: number of operands and their distances, or -1 - the number in ``special``.

    A browser reads long lists of numbers much faster than many short lists.
    """
    flat: list[int] = []
    special: list[Any] = []  # with order edges, or with results after the first
    for ins, *before in edge_table:
        if before or any(ref.__class__ is tuple for ref in ins):
            flat.append(-1 - len(special))
            special.append((ins, before[0] if before else ()))
        else:
            flat += (len(ins), *ins)
    return {"in_edge_table": flat, "special": special}


def _flat(groups: Iterable[Sequence[int]]) -> list[int]:
    return list(chain.from_iterable(groups))


def _pack_steps(steps: list[Step], table: NodeTable, tables: Tables, edge_table: InternTable) -> Json:
    """Flat: pass (position), rule, its location, matched row and number of changes each; the changes of all steps."""
    changes = [_changes(step, table, edge_table) for step in steps]
    columns = ((step.record, tables.texts(step.rule), tables.texts(step.loc), table.row_of.get(step.node, -1), len(own))
               for step, own in zip(steps, changes, strict=True))  # fmt: skip
    return {"steps": _flat(columns), "changes": _flat(changes)}


def _changes(step: Step, table: NodeTable, edge_table: InternTable) -> list[int]:
    """The changes of a step: row and number of the in-edges (-1: erased) each."""
    changes: list[int] = []
    for node, in_edges in step.changes:
        if node == OUTPUT_NODE and in_edges is not None:
            refs, _ = table.by_row(in_edges)
            for k, row in enumerate(table.outputs):
                changes += row, edge_table(_pack_in_edges(row, refs[k : k + 1]))
        else:
            row = table.row_of[node]
            changes += row, -1 if in_edges is None else edge_table(_pack_in_edges(row, *table.by_row(in_edges)))
    return changes


def _pack_pass(record: Any, table: NodeTable, tables: Tables) -> Json:
    common = {"name": record.name, "ms": round(record.seconds * 1e3, 3), "changed": record.changed}
    if not hasattr(record, "counts_before"):  # calls of a tape
        return common | {"nodes": [record.nodes, record.nodes], "cycles": None, "note": record.note, "rules": []}
    old, new = record.counts_before, record.counts_after
    return common | {
        "nodes": [old.nodes, new.nodes], "edges": [old.edges, new.edges], "bytes": [old.bytes, new.bytes],
        "cycles": record.cycles, "rules": [_pack_rule(key, rule, table, tables) for key, rule in record.rules.items()],
    }  # fmt: skip


def _pack_rule(name: str, stats: Any, table: NodeTable, tables: Tables) -> Json:
    """The texts and statistics of a rule; rejected matches as (reason, count, rows), its source by number."""
    row_of = table.row_of
    rejected = [[reason, times, [row_of[node] for node in stats.nodes_by_reason.get(reason, ()) if node in row_of]]
               for reason, times in stats.rejected.items()]  # fmt: skip
    code = tables.texts(source_at(stats.file, int(stats.loc.rpartition(":")[2] or 0)))
    return [name, stats.text, stats.loc, stats.doc, stats.tries, stats.rewrites, rejected,
            round(stats.seconds * 1e3, 3), code]  # fmt: skip
