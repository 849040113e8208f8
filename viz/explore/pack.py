"""Serialises runs as compact JSON: columns instead of records, interned texts, operands as distances.

20,000 nodes take less than a megabyte. ``js/data.js`` is the reader and uses the same column names.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from minigraph.core.location import source_name
from minigraph.ir.attribute_values import ValueWriter
from minigraph.ir.graph_reader import GraphReader, Ref, producer, result_index
from minigraph.npu import Report
from viz.common.style import kind_of
from viz.explore.frames import frame_tree
from viz.explore.journal import Order, RecordingJournal
from viz.explore.levels import lay_out_levels, row_labels
from viz.explore.node_table import Body, NodeTable, Row, node_table
from viz.explore.rewrites import OUTS, Step
from viz.explore.simulation import roofline_data, timeline_data
from viz.explore.source_text import source_at

Json = Any
KINDS = ("scope", "repeat", "chunk", "fused", "region")  # of frames, by number


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
    places: InternTable = field(default_factory=InternTable)
    locs: InternTable = field(default_factory=InternTable)
    types: dict[Any, str] = field(default_factory=dict)  # texts of the types of results
    shown: dict[tuple[str, int], None] = field(default_factory=dict)  # files and lines whose source is shown

    def where(self, row: Row) -> int:
        """The number of a row's source locations, without scopes, which frames show.

        The location of an input is the call of the function, whose source is not shown.
        """
        assert row.data is not None
        locations = [loc[:5] for loc in row.data["loc"]]
        if row.data["op"].role != "input":
            self.shown.update(dict.fromkeys(location[:2] for location in locations))
        return self.locs(tuple(map(self.places, locations)))

    def what(self, row: Row, label: str) -> int:
        """The number of a row's description: operator, label, attributes, types and creator, which many rows share."""
        if row.data is None:
            return self.descriptions((self.ops(("output", "output", 0)), self.texts(label), *[self.texts("")] * 3))
        op, data = row.data["op"], row.data
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
        places = [[self.texts(place[0]), *place[1:4], self.texts(place[4])] for place in self.places.values()]
        return {
            "texts": self.texts.values(), "ops": self.ops.values(), "descriptions": self.descriptions.values(),
            "places": places, "locs": self.locs.values(),
            "names": {place[0]: source_name(place[0]) for place in self.places.values()},
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
    shapes = InternTable()
    levels = lay_out_levels(table, tree, run.steps, labels)
    return {
        "name": run.name, "kind": run.kind, "chip": run.chip, "title": run.journal.graph.title,
        "head": _head(run.journal.graph),
        **_pack_columns(table, tables, labels),
        "first": len(run.journal.order),
        "inputs": [table.of[node] for node in run.journal.graph.inputs if node in table.of],
        "outputs": table.outputs,
        "parent": _run_lengths([tree.parent[number] for number, row in enumerate(table.rows) if row.owner < 0]),
        "frames": [[tables.texts(f.title), KINDS.index(f.kind), f.parent, f.node] for f in tree.frames],
        "levels": [shapes((tuple(level.x), tuple(level.row), tuple(map(tuple, level.bends))))
                   for level in (levels[number] for number in range(-1, len(tree.frames)))],
        "shapes": shapes.values(),
        "steps": [_pack_step(step, table, tables) for step in run.steps],
        "passes": [_pack_pass(record, table, tables) for record in run.records],
        "annotations": {name: {table.of[node]: value for node, value in facts.items() if node in table.of}
                        for name, facts in run.annotations.items()},
        **_pack_simulation(run.report, table),
    }  # fmt: skip


def _pack_simulation(report: Report | None, table: NodeTable) -> Json:
    if report is None:
        return {}
    return {"timeline": timeline_data(report, table.of), "roofline": roofline_data(report, table.of)}


def _head(graph: GraphReader) -> Json:
    """The attributes in the first line of the graph's text, after the inputs."""
    extra: dict[str, Any] = {} if graph.keep_effects else {"keep_effects": False}
    if graph.params:
        extra["params"] = tuple(graph.params)
    return ValueWriter(literals=False).attrs(extra)


def _pack_columns(table: NodeTable, tables: Tables, labels: list[str]) -> Json:
    return {
        "id": _run_lengths([row.node for row in table.rows], step=1),
        "what": [tables.what(row, label) for row, label in zip(table.rows, labels, strict=True)],
        "loc": [tables.where(row) for row in table.rows if row.data is not None],
        "sources": _drop_empty({n: _sources(row, table) for n, row in enumerate(table.rows)}),
        "ins": [_pack_refs(n, row.wiring.ins) for n, row in enumerate(table.rows)],
        "before": _drop_empty({n: _pack_order(row.wiring.before) for n, row in enumerate(table.rows)}),
        "bodies": {n: [_pack_body(body, tables) for body in bodies] for n, bodies in table.bodies.items()},
    }


def _pack_body(body: Body, tables: Tables) -> Json:
    """Title, first row, number of rows, inputs and results as distances from the first row, head of the text."""
    graph, first, inputs = body.graph, body.first, [row - body.first for row in body.inputs]
    return [tables.texts(graph.title), first, len(graph), inputs, _pack_refs(first, body.outs), _head(graph)]


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


def _sources(row: Row, table: NodeTable) -> list[int]:
    if row.data is None or row.owner >= 0:
        return []
    return [table.of[node] for node in row.data["prov"].sources if node in table.of]


def _drop_empty(values: dict[int, object]) -> dict[int, Any]:
    return {key: value for key, value in values.items() if value}


def _pack_refs(row: int, refs: tuple[Ref, ...]) -> list[Any]:
    """Operands as distances to earlier rows, as (distance, result) for results after the first."""
    packed: list[Any] = []
    for ref in refs:
        distance, result = row - producer(ref), result_index(ref)
        packed.append([distance, result] if result else distance)
    return packed


def _pack_order(before: Order) -> list[Any]:
    return [[node, kind] for node, kind in before]


def _pack_step(step: Step, table: NodeTable, tables: Tables) -> Json:
    """Pass (position), rule, its location, matched row, and changes: (row, operands, order) each."""
    changes: list[Any] = []
    for node, wiring in step.changes:
        if node == OUTS and wiring is not None:
            refs = table.wiring(wiring).ins
            changes += [[row, _pack_refs(row, refs[k : k + 1])] for k, row in enumerate(table.outputs)]
        elif wiring is None:
            changes.append([table.of[node]])
        else:
            row, ins, before = table.of[node], *table.wiring(wiring)
            changes.append([row, _pack_refs(row, ins), *([_pack_order(before)] if before else [])])
    at = table.of.get(step.node, -1)
    return [step.record, tables.texts(step.rule), tables.texts(step.loc), at, changes]


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
    rejected = [[reason, times, [table.of[node] for node in stats.nodes_by_reason.get(reason, ()) if node in table.of]]
               for reason, times in stats.rejected.items()]  # fmt: skip
    code = tables.texts(source_at(stats.file, int(stats.loc.rpartition(":")[2] or 0)))
    return [name, stats.text, stats.loc, stats.doc, stats.tries, stats.rewrites, rejected,
            round(stats.seconds * 1e3, 3), code]  # fmt: skip
