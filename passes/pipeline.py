"""Running passes one after the other: checked after each, counted, and told to whoever watches."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, NamedTuple

from minigraph.collector import collector_paused
from minigraph.context import drawn
from minigraph.errors import MinigraphError, RuleError, VerifyError
from minigraph.ir.graph import Edit, Graph
from minigraph.ir.outline import set_regions
from minigraph.ir.verify import verify_nodes
from passes.records import Records
from passes.registry import Options, Pass, as_pass
from passes.tally import RuleStats

ROUNDS = 32  # a fix(...) group that still changes something then is refused


class Counts(NamedTuple):
    """The size of a graph: nodes, edges, and bytes of all values that operators compute."""

    nodes: int
    edges: int
    bytes: int


@dataclass(frozen=True)
class PassRecord:
    """What one pass did.

    ``before`` and ``after`` are copies of the graph, there when snapshots were asked for. ``edits`` is the
    pass's span of the journal; ``changed`` says whether there is any. ``rules`` has, by rule, how often it
    did what: ``"rewrites"``, or a reason for not applying. ``cycles`` are (before, after) by the cost function.
    """

    name: str
    before: Graph | None
    after: Graph | None
    counts_before: Counts
    counts_after: Counts
    edits: tuple[Edit, ...]
    seconds: float
    changed: bool
    rules: Mapping[str, RuleStats]
    cycles: tuple[int, int] | None = None

    def __str__(self) -> str:
        """One line: name, nodes before and after, bytes, rewrites."""
        old, new = self.counts_before, self.counts_after
        rewrites = sum(stats.rewrites for stats in self.rules.values())
        told = f", {rewrites} rewrites" if rewrites else ""
        return f"{self.name}: {old.nodes} -> {new.nodes} nodes, {old.bytes} -> {new.bytes} bytes{told}"

    def _repr_svg_(self) -> str | None:
        """What changed, for notebooks; ``None`` when the record was made without graphs."""
        return drawn(self) if self.before is not None and self.after is not None else None


Observer = Callable[[PassRecord], None]
Cost = Callable[[Graph], int]


@dataclass(frozen=True)
class Fix:
    """Passes repeated until none of them changes anything; ``fix(cse,dce)`` in a textual form."""

    passes: tuple[Pass, ...]

    def __str__(self) -> str:
        return f"fix({','.join(map(str, self.passes))})"


class Pipeline:
    """Passes in order; ``str`` is the textual form that ``as_pipeline`` reads back.

    ``verify`` checks the graph after every pass (only what the pass touched). Items are passes, their names,
    functions ``(graph, *, options)``, or ``Fix`` groups.

    >>> print(Pipeline(["dce", Fix((as_pass("cse"), as_pass("dce")))]))
    dce,fix(cse,dce)
    """

    def __init__(self, passes: Iterable[Any] = (), *, verify: bool = True) -> None:
        self.steps: tuple[Pass | Fix, ...] = tuple(p if isinstance(p, Fix) else as_pass(p) for p in passes)
        self.verify = verify

    @property
    def passes(self) -> tuple[Pass, ...]:
        """Every pass once, in order, groups opened."""
        return tuple(p for step in self.steps for p in (step.passes if isinstance(step, Fix) else (step,)))

    def __str__(self) -> str:
        return ",".join(map(str, self.steps))

    def __repr__(self) -> str:
        return f"Pipeline('{self}')"

    def run(
        self, graph: Graph, observers: Sequence[Observer] = (), snapshots: bool = False, cost: Cost | None = None
    ) -> list[PassRecord]:
        """Edit ``graph`` in place and return one record per pass run (a group's passes once per round).

        Raises ``VerifyError`` naming the pass that broke the graph and those before it, and ``RuleError`` for
        a group that does not come to rest. The graph is then as that pass left it, so that it can be printed;
        run on ``graph.clone()`` to keep the original.
        """
        self._run_bodies(graph)
        run = _Run(graph, self.verify, observers, snapshots, cost)
        with _watched(graph), collector_paused():
            run.begin()
            for step in self.steps:
                if isinstance(step, Fix):
                    run.fix(step)
                else:
                    run.one(step)
        return run.records


    def _run_bodies(self, graph: Graph) -> None:
        """Run on copies of all bodies of branches and loops, innermost first; nothing crosses their borders."""
        for node in [node for node in graph if graph.op(node).family == "region" and graph.op(node).role != "fused"]:
            bodies = tuple(body.clone() for body in graph.regions(node))
            for body in bodies:
                self.run(body)
            set_regions(graph, node, bodies)


class _Run:
    """One run of a pipeline over one graph."""

    def __init__(
        self, graph: Graph, verify: bool, observers: Sequence[Observer], snapshots: bool, cost: Cost | None
    ) -> None:
        self.graph, self.verify, self.observers, self.cost = graph, verify, observers, cost
        self.snapshots = snapshots
        self.records: list[PassRecord] = Records()

    def begin(self) -> None:
        """Check, count, price and keep the graph as it comes in."""
        if self.verify:
            verify_nodes(self.graph, self.graph)
        self.counts = counted(self.graph)
        self.cycles = self.cost(self.graph) if self.cost else None
        self.kept = self.graph.clone() if self.snapshots else None

    def fix(self, group: Fix) -> None:
        """Run a group until a whole round changes nothing."""
        for _ in range(ROUNDS):
            before = len(self.records)
            for step in group.passes:
                self.one(step)
            if not any(record.changed for record in self.records[before:]):
                return
        raise RuleError(
            f"{group}: still changing '{self.graph.title}' after {ROUNDS} rounds; two passes undo each other"
        )

    def one(self, step: Pass) -> None:
        """Run one pass, check what it touched, and tell the observers."""
        journal = self.graph.journal if self.graph.journal is not None else []
        start, began, options = len(journal), time.perf_counter(), Options(step.options)
        self.graph.by = step.name
        step(self.graph, options)
        seconds = time.perf_counter() - began
        edits = tuple(journal[start:])
        if self.verify and edits:
            self._check(step, edits)
        self._record(step, options, edits, seconds)

    def _check(self, step: Pass, edits: tuple[Edit, ...]) -> None:
        try:
            verify_nodes(self.graph, {edit.node for edit in edits})
        except MinigraphError as error:
            before = ", ".join(record.name for record in self.records) or "none"
            raise VerifyError(f"pass '{step.name}' broke the graph: {error}; ran before: {before}") from None

    def _record(self, step: Pass, options: Options, edits: tuple[Edit, ...], seconds: float) -> None:
        old = self.kept, self.counts, self.cycles
        if edits:
            self.counts = counted(self.graph)
            self.cycles = self.cost(self.graph) if self.cost else None
            self.kept = self.graph.clone() if self.snapshots else None
        cycles = None if old[2] is None or self.cycles is None else (old[2], self.cycles)
        record = PassRecord(
            step.name, old[0], self.kept, old[1], self.counts, edits, seconds, bool(edits), options.tally, cycles
        )
        self.records.append(record)
        for observer in self.observers:
            observer(record)


def counted(graph: Graph) -> Counts:
    """Nodes, edges, and bytes of the results of all nodes that are not leaves."""
    computed = (data["types"] for data in graph._node.values() if not data["op"].is_leaf)
    edges = sum(len(keys) for sources in graph._pred.values() for keys in sources.values())
    return Counts(len(graph), edges, sum(t.nbytes for types in computed for t in types))


@contextmanager
def _watched(graph: Graph) -> Iterator[None]:
    """A journal on the graph, and the editor's name put back afterwards."""
    by, journal = graph.by, graph.journal
    graph.journal = [] if journal is None else journal
    try:
        yield
    finally:
        graph.by, graph.journal = by, journal
