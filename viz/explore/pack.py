"""A run as plain lists and numbers for the page: columns instead of records, every text once, operands as distances.

20,000 nodes take less than a megabyte. ``js/data.js`` reads it back; both sides name the columns alike.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from minigraph.ir.reading import GraphReader, Ref, producer, result_index
from minigraph.ir.values import Writer
from viz.explore.film import Film, Order
from viz.explore.levels import Level, levels_of, texts_of
from viz.explore.rewrites import OUTS, Step
from viz.explore.rows import Body, Row, Rows, rows_of
from viz.explore.tree import Tree, tree_of
from viz.style import kind_of

Json = Any


class Words:
    """Values by number, each kept once: what columns refer to."""

    def __init__(self) -> None:
        self.number: dict[Any, int] = {}

    def __call__(self, value: Any) -> int:
        """The number of a value."""
        return self.number.setdefault(value, len(self.number))

    def listed(self) -> list[Any]:
        """The values in the order of their numbers."""
        return list(self.number)


@dataclass
class Tables:
    """What all runs of a page share: texts, operators (name, kind), places (file, line, columns, function, scope)."""

    texts: Words = field(default_factory=Words)
    ops: Words = field(default_factory=Words)
    places: Words = field(default_factory=Words)
    locs: Words = field(default_factory=Words)

    def packed(self) -> Json:
        """All of them as lists."""
        places = [
            [self.texts(loc.file), *loc[1:4], self.texts(loc.function), self.texts(loc.scope)]
            for loc in self.places.listed()
        ]
        return {
            "texts": self.texts.listed(), "ops": self.ops.listed(), "places": places, "locs": self.locs.listed(),
        }  # fmt: skip


@dataclass
class Run:
    """Everything about one run of a pipeline, or of a tape, before it is packed.

    ``told`` is by node id what more is known of nodes: ``values``, ``gradients``, ``costs``.
    """

    name: str
    kind: str
    film: Film
    steps: list[Step]
    records: Sequence[Any]
    told: dict[str, Mapping[int, Any]] = field(default_factory=dict)
    more: dict[str, Json] = field(default_factory=dict)


def packed(run: Run, tables: Tables) -> Json:
    """The run as JSON data; the texts it needs are added to ``tables`` (pack those last)."""
    table = rows_of(run.film, run.steps)
    tree = tree_of(table)
    labels = texts_of(table)
    levels = levels_of(table, tree, run.steps)
    return {
        "name": run.name, "kind": run.kind, "title": run.film.graph.title,
        "head": _head(run.film.graph),
        **_columns(table, tables, labels),
        "first": [table.of[node] for node in run.film.order if node in run.film.first],
        "inputs": [table.of[node] for node in run.film.graph.inputs if node in table.of],
        "outputs": table.outputs,
        "parent": tree.parent, "own": tree.own, "frames": _frames(tree, tables),
        "levels": [_level(levels[number]) for number in range(-1, len(tree.frames))],
        "steps": [_step(step, table, tables) for step in run.steps],
        "passes": [_pass(record) for record in run.records],
        "told": {name: {table.of[node]: value for node, value in found.items() if node in table.of}
                 for name, found in run.told.items()},
        **run.more,
    }  # fmt: skip


def _head(graph: GraphReader) -> Json:
    """What stands in the first line of the graph's text behind its inputs."""
    extra: dict[str, Any] = {} if graph.keep_effects else {"keep_effects": False}
    if graph.params:
        extra["params"] = tuple(graph.params)
    return Writer(literals=False).attrs(extra)


def _columns(table: Rows, tables: Tables, labels: list[str]) -> Json:
    texts, writer = tables.texts, Writer(literals=False)
    datas = [row.data for row in table.rows if row.data is not None]
    return {
        "id": [row.node for row in table.rows],
        "op": [tables.ops(_op(row)) for row in table.rows],
        "label": [texts(label) for label in labels],
        "attrs": [texts(writer.attrs(data["attrs"])) for data in datas],
        "types": [texts(", ".join(map(str, data["types"])) or "()") for data in datas],
        "loc": [tables.locs(tuple(map(tables.places, data["loc"]))) for data in datas],
        "by": [texts(data["prov"].by) for data in datas],
        "sources": _sparse({n: _sources(row, table) for n, row in enumerate(table.rows)}),
        "owner": _sparse({n: [row.owner, row.region] for n, row in enumerate(table.rows) if row.owner >= 0}),
        "ins": [_refs(n, row.wiring.ins) for n, row in enumerate(table.rows)],
        "before": _sparse({n: _order(row.wiring.before) for n, row in enumerate(table.rows)}),
        "bodies": {n: [_body(body, tables) for body in bodies] for n, bodies in table.bodies.items()},
    }  # fmt: skip


def _body(body: Body, tables: Tables) -> Json:
    return [tables.texts(body.graph.title), body.inputs, _refs(0, body.outs), _head(body.graph)]


def _op(row: Row) -> tuple[str, str]:
    return (row.data["op"].name, kind_of(row.data["op"])) if row.data is not None else ("output", "output")


def _sources(row: Row, table: Rows) -> list[int]:
    if row.data is None or row.owner >= 0:
        return []
    return [table.of[node] for node in row.data["prov"].sources if node in table.of]


def _sparse(values: dict[int, Any]) -> dict[int, Any]:
    return {key: value for key, value in values.items() if value}


def _refs(row: int, refs: tuple[Ref, ...]) -> list[Any]:
    """Operands as distances upwards; of a node's second result and on with the number of the result."""
    found: list[Any] = []
    for ref in refs:
        distance, result = row - producer(ref), result_index(ref)
        found.append([distance, result] if result else distance)
    return found


def _order(before: Order) -> list[Any]:
    return [[node, kind] for node, kind in before]


def _frames(tree: Tree, tables: Tables) -> Json:
    return [[tables.texts(frame.title), frame.kind, frame.parent, frame.node] for frame in tree.frames]


def _level(level: Level) -> Json:
    return [level.items, level.x, level.row, level.bends]


def _step(step: Step, table: Rows, tables: Tables) -> Json:
    """Pass (position), rule, its place, the row where it matched, lines, and per change: row, operands, order."""
    changes: list[Any] = []
    for node, wiring in step.changes:
        if node == OUTS and wiring is not None:
            refs = table.wiring(wiring).ins
            changes += [[row, _refs(row, refs[k : k + 1])] for k, row in enumerate(table.outputs)]
        elif wiring is None:
            changes.append([table.of[node]])
        else:
            row, taken = table.of[node], table.wiring(wiring)
            changes.append([row, _refs(row, taken.ins), *([_order(taken.before)] if taken.before else [])])
    at = table.of.get(step.node, -1)
    return [step.record, tables.texts(step.rule), tables.texts(step.loc), at, changes]


def _pass(record: Any) -> Json:
    old, new = record.counts_before, record.counts_after
    return {
        "name": record.name, "ms": round(record.seconds * 1e3, 3), "nodes": [old.nodes, new.nodes],
        "edges": [old.edges, new.edges], "bytes": [old.bytes, new.bytes], "cycles": record.cycles,
        "changed": record.changed,
        "rules": [_rule(name, stats) for name, stats in getattr(record, "rules", {}).items()],
    }  # fmt: skip


def _rule(name: str, stats: Any) -> Json:
    return [name, stats.text, stats.loc, stats.doc, stats.tries, stats.rewrites, dict(stats.refused),
            round(stats.seconds * 1e3, 3)]  # fmt: skip


