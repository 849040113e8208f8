"""A run as plain lists and numbers for the page: columns instead of records, every text once, operands as distances.

20,000 nodes take less than a megabyte. ``js/data.js`` reads it back; both sides name the columns alike.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from minigraph.ir.reading import GraphReader, Ref, producer, result_index
from minigraph.ir.values import Writer
from minigraph.npu import Report
from viz.common.style import kind_of
from viz.explore.chip import roofline_of, timeline_of
from viz.explore.film import Film, Order
from viz.explore.levels import Level, levels_of, texts_of
from viz.explore.rewrites import OUTS, Step
from viz.explore.rows import Body, Row, Rows, rows_of
from viz.explore.tree import tree_of
from viz.explore.written import written_at

Json = Any
KINDS = ("scope", "repeat", "stretch", "fused", "region")  # of frames, by number


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
    """What all runs of a page share: texts, places in source files, and what rows are, all of them by number."""

    texts: Words = field(default_factory=Words)
    ops: Words = field(default_factory=Words)
    whats: Words = field(default_factory=Words)
    places: Words = field(default_factory=Words)
    locs: Words = field(default_factory=Words)
    shown: dict[tuple[str, int], None] = field(default_factory=dict)  # files and lines the source is shown of

    def where(self, row: Row) -> int:
        """The number of a row's places; the Cells around it are told by frames.

        An input's place is where the function was called: of that no source is shown.
        """
        assert row.data is not None
        places = [loc[:5] for loc in row.data["loc"]]
        if row.data["op"].role != "input":
            self.shown.update(dict.fromkeys(place[:2] for place in places))
        return self.locs(tuple(map(self.places, places)))

    def what(self, row: Row, label: str) -> int:
        """The number of what a row is, but for its number, operands and places: the same for many rows."""
        if row.data is None:
            return self.whats((self.ops(("output", "output")), self.texts(label), *[self.texts("")] * 3))
        op, data = row.data["op"], row.data
        types = ", ".join(map(str, data["types"])) or "()"
        attrs = Writer(literals=False).attrs(data["attrs"])
        words = map(self.texts, (label, attrs, types, data["prov"].by))
        return self.whats((self.ops((op.name, kind_of(op))), *words))

    def packed(self) -> Json:
        """All of them as lists: operators (name, kind), places (file, line, columns, function)."""
        places = [[self.texts(place[0]), *place[1:4], self.texts(place[4])] for place in self.places.listed()]
        return {
            "texts": self.texts.listed(), "ops": self.ops.listed(), "whats": self.whats.listed(), "places": places,
            "locs": self.locs.listed(),
        }  # fmt: skip


@dataclass
class Run:
    """Everything about one run of a pipeline, or of a tape, before it is packed.

    ``told`` is by node id what more is known of nodes: ``values``, ``gradients``, ``costs``; ``report`` a simulation.
    """

    name: str
    kind: str
    film: Film
    steps: list[Step]
    records: Sequence[Any]
    told: dict[str, Mapping[int, Any]] = field(default_factory=dict)
    report: Report | None = None
    chip: str = ""


def packed(run: Run, tables: Tables) -> Json:
    """The run as JSON data; the texts it needs are added to ``tables`` (pack those last)."""
    table = rows_of(run.film, run.steps)
    tree = tree_of(table)
    labels = texts_of(table)
    shapes = Words()
    levels = levels_of(table, tree, run.steps, labels)
    return {
        "name": run.name, "kind": run.kind, "chip": run.chip, "title": run.film.graph.title,
        "head": _head(run.film.graph),
        **_columns(table, tables, labels),
        "first": len(run.film.order),
        "inputs": [table.of[node] for node in run.film.graph.inputs if node in table.of],
        "outputs": table.outputs,
        "parent": _runs([tree.parent[number] for number, row in enumerate(table.rows) if row.owner < 0]),
        "frames": [[tables.texts(one.title), KINDS.index(one.kind), one.parent, one.node] for one in tree.frames],
        "levels": [shapes(_shape(levels[number])) for number in range(-1, len(tree.frames))],
        "shapes": shapes.listed(),
        "steps": [_step(step, table, tables) for step in run.steps],
        "passes": [_pass(record, table, tables) for record in run.records],
        "told": {name: {table.of[node]: value for node, value in found.items() if node in table.of}
                 for name, found in run.told.items()},
        **_simulated(run.report, table),
    }  # fmt: skip


def _simulated(report: Report | None, table: Rows) -> Json:
    if report is None:
        return {}
    return {"timeline": timeline_of(report, table.of), "roofline": roofline_of(report, table.of)}


def _head(graph: GraphReader) -> Json:
    """What stands in the first line of the graph's text behind its inputs."""
    extra: dict[str, Any] = {} if graph.keep_effects else {"keep_effects": False}
    if graph.params:
        extra["params"] = tuple(graph.params)
    return Writer(literals=False).attrs(extra)


def _columns(table: Rows, tables: Tables, labels: list[str]) -> Json:
    return {
        "id": _runs([row.node for row in table.rows], step=1),
        "what": [tables.what(row, label) for row, label in zip(table.rows, labels, strict=True)],
        "loc": [tables.where(row) for row in table.rows if row.data is not None],
        "sources": _sparse({n: _sources(row, table) for n, row in enumerate(table.rows)}),
        "ins": [_refs(n, row.wiring.ins) for n, row in enumerate(table.rows)],
        "before": _sparse({n: _order(row.wiring.before) for n, row in enumerate(table.rows)}),
        "bodies": {n: [_body(body, tables) for body in bodies] for n, bodies in table.bodies.items()},
    }


def _body(body: Body, tables: Tables) -> Json:
    """Title, first row, how many rows, inputs and results as distances from the first row, head of the text."""
    first = body.first
    inputs = [row - first for row in body.inputs]
    return [tables.texts(body.graph.title), first, len(body.graph), inputs, _refs(first, body.outs), _head(body.graph)]


def _runs(numbers: list[int], step: int = 0) -> list[int]:
    """Numbers as (first, how many) after each other; in a run each is ``step`` more than the one before.

    >>> _runs([7, 7, 7, 2]), _runs([0, 1, 2, 9], step=1)
    ([7, 3, 2, 1], [0, 3, 9, 1])
    """
    found: list[int] = []
    for number in numbers:
        if found and number == found[-2] + step * found[-1]:
            found[-1] += 1
        else:
            found += [number, 1]
    return found


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


def _shape(level: Level) -> Json:
    """Where the items of a level stand; the items themselves are told by rows and frames."""
    return tuple(level.x), tuple(level.row), tuple(map(tuple, level.bends))


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


def _pass(record: Any, table: Rows, tables: Tables) -> Json:
    told = {"name": record.name, "ms": round(record.seconds * 1e3, 3), "changed": record.changed}
    if not hasattr(record, "counts_before"):  # calls of a tape
        return told | {"nodes": [record.nodes, record.nodes], "cycles": None, "note": record.note, "rules": []}
    old, new = record.counts_before, record.counts_after
    return told | {
        "nodes": [old.nodes, new.nodes], "edges": [old.edges, new.edges], "bytes": [old.bytes, new.bytes],
        "cycles": record.cycles, "rules": [_rule(name, stats, table, tables) for name, stats in record.rules.items()],
    }  # fmt: skip


def _rule(name: str, stats: Any, table: Rows, tables: Tables) -> Json:
    """What a rule is and did: refusals as reason, how often, and the rows where; its source by number."""
    refused = [[reason, times, [table.of[node] for node in stats.near.get(reason, ()) if node in table.of]]
               for reason, times in stats.refused.items()]  # fmt: skip
    code = tables.texts(written_at(stats.file, int(stats.loc.rpartition(":")[2] or 0)))
    return [name, stats.text, stats.loc, stats.doc, stats.tries, stats.rewrites, refused,
            round(stats.seconds * 1e3, 3), code]  # fmt: skip
