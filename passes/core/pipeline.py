"""Running passes one after the other: checked after each, counted, and told to whoever watches."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, NamedTuple

from minigraph.core.collector import collector_paused
from minigraph.core.context import drawn, get_context, resolve
from minigraph.core.displays import table_html
from minigraph.core.errors import RuleError
from minigraph.ir.graph import Edit, Graph
from minigraph.ir.outline import set_regions
from passes.core.constraints import check_order
from passes.core.dump import Dump
from passes.core.pass_verifier import Guard, Validation
from passes.core.records import Records
from passes.core.registry import Options, Pass, as_pass
from passes.core.rewrite_limit import RewriteLimit, Step, limit_rewrites, should_run_pass, steps_taken
from passes.core.statistics import Choice, RuleStats

MAX_FIX_ITERATIONS = 32  # a fix(...) group that still changes something then is refused


class Counts(NamedTuple):
    """The size of a graph: nodes, edges, and bytes of all values that operators compute."""

    nodes: int
    edges: int
    bytes: int


@dataclass(frozen=True)
class PassRecord:
    """What one pass did.

    ``before`` and ``after`` are copies of the graph, there when snapshots were asked for. ``edits`` is the
    pass's span of the journal; ``changed`` says whether there is any. ``rules`` has the statistics of
    every rule that was tried. ``cycles`` are (before, after) by the cost function, ``choices`` what the pass itself
    decided by cost. ``rewrites`` are the single rewrites in order, there when snapshots were asked for; the ``start``
    of each counts from the first of ``edits``.
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
    choices: tuple[Choice, ...] = ()
    rewrites: tuple[Step, ...] = ()

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
    functions ``(graph, *, options)``, or ``Fix`` groups. Raises ``UsageError`` for an order that does not suit
    them (``passes.core.constraints``).

    >>> print(Pipeline(["dce", Fix((as_pass("cse"), as_pass("dce")))]))
    dce,fix(cse,dce)
    """

    def __init__(self, passes: Iterable[Any] = (), *, verify: bool = True) -> None:
        self.steps: tuple[Pass | Fix, ...] = tuple(p if isinstance(p, Fix) else as_pass(p) for p in passes)
        self.verify = verify
        check_order(self.passes)

    @property
    def passes(self) -> tuple[Pass, ...]:
        """Every pass once, in order, groups opened."""
        return tuple(p for step in self.steps for p in (step.passes if isinstance(step, Fix) else (step,)))

    @property
    def fingerprint(self) -> str | None:
        """What a result depends on beside the graph; ``None`` if that cannot be known."""
        found: str | None = resolve("passes.fingerprint:fingerprint")(self.passes)
        return found and f"{self}: {found}"

    def __str__(self) -> str:
        return ",".join(map(str, self.steps))

    def __repr__(self) -> str:
        return f"Pipeline('{self}')"

    def _repr_html_(self) -> str:
        rows = [(str(step), (getattr(step, "__doc__", "") or "").strip().partition("\n")[0]) for step in self.passes]
        return table_html(f"pipeline {self}", rows, ("pass", "what it does"))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Pipeline) and (self.steps, self.verify) == (other.steps, other.verify)

    def __hash__(self) -> int:
        return hash(self.steps)

    def run(
        self,
        graph: Graph,
        observers: Sequence[Observer] = (),
        snapshots: bool = False,
        cost: Cost | None = None,
        *,
        validate: bool | Validation | None = None,
        limit: int | None = None,
        built: bool = False,
    ) -> Records:
        """Edit ``graph`` in place and return one record per pass run (a group's passes once per round).

        ``validate`` runs the graph before and after every pass (``None``: as ``set_context(validate=)`` says);
        ``limit`` lets only the first so many steps happen, passes and rewrites counted. ``built``: the graph is as
        its primitives have just built it, each node of operands that were there and with the types of its record;
        so at the beginning only the whole is checked.

        Raises ``VerifyError`` naming the pass that broke the graph and those before it, and ``RuleError`` for
        rules or a group that do not come to rest. The graph is then as that pass left it, so that it can be
        printed; with validation, or when rules do not rest, it is as it was before the pass. Run on
        ``graph.clone()`` to keep the original.
        """
        validation = _requested_validation(get_context("validate") if validate is None else validate)
        with limit_rewrites(RewriteLimit(limit)) if limit is not None or snapshots else nullcontext():
            self._run_bodies(graph, validation, built)
            run = _Run(graph, self.verify, observers, snapshots, cost)
            with _journal_edits(graph), collector_paused():
                run.begin(validation, built)
                for step in self.steps:
                    if isinstance(step, Fix):
                        run.fix(step)
                    else:
                        run.one(step)
        return Records(run.records)

    def _run_bodies(self, graph: Graph, validation: Validation | None, built: bool) -> None:
        """Run on copies of all bodies of branches and loops, innermost first; nothing crosses their borders."""
        inner = replace(validation, inputs=None) if validation is not None else False
        nodes = [node for node, data in graph.node_map().items() if data["regions"] and data["op"].role != "fused"]
        for node in nodes:
            bodies = tuple(body.clone() for body in graph.regions(node))
            for body in bodies:
                self.run(body, validate=inner, built=built)
            set_regions(graph, node, bodies)


def _requested_validation(asked: bool | Validation) -> Validation | None:
    if isinstance(asked, Validation):
        return asked
    return Validation(folder=get_context("save_graphs_path")) if asked else None


class _Run:
    """One run of a pipeline over one graph."""

    def __init__(
        self, graph: Graph, verify: bool, observers: Sequence[Observer], snapshots: bool, cost: Cost | None
    ) -> None:
        self.graph, self.verify, self.observers, self.cost = graph, verify, observers, cost
        self.snapshots = snapshots
        self.records: list[PassRecord] = []

    def begin(self, validation: Validation | None, built: bool) -> None:
        """Check, count, price and keep the graph as it comes in."""
        self.guard = Guard(self.graph, self.verify, validation, built)
        self.counts = graph_counts(self.graph)
        self.cycles = self.cost(self.graph) if self.cost else None
        self.kept = self.graph.clone() if self.snapshots else None
        for observer in self.observers:
            if isinstance(observer, Dump):
                observer.begin(self.graph)

    def fix(self, group: Fix) -> None:
        """Run a group until a whole round changes nothing."""
        for _ in range(MAX_FIX_ITERATIONS):
            before = len(self.records)
            for step in group.passes:
                self.one(step)
            changing = [record.name for record in self.records[before:] if record.changed]
            if not changing:
                return
        raise RuleError(
            f"{group}: still changing '{self.graph.title}' after {MAX_FIX_ITERATIONS} rounds; "
            f"{' and '.join(dict.fromkeys(changing))} undo each other{self._busiest(before)}"
        )

    def _busiest(self, first: int) -> str:
        """The rules that were applied in the last round, for the text of an error."""
        tallies = [record.rules.items() for record in self.records[first:]]
        rules = dict.fromkeys(rule for tally in tallies for rule, stats in tally if stats.rewrites)
        return f", by the rules {', '.join(rules)}" if rules else ""

    def one(self, step: Pass) -> None:
        """Run one pass, check what it touched, and tell the observers; nothing when the run's limit is reached."""
        if not should_run_pass(step.name):
            return
        journal = self.graph.journal if self.graph.journal is not None else []
        start, options, taken = len(journal), Options(step.options), len(steps_taken())
        self.graph.by = step.name
        try:
            seconds = self.guard.run(step, options)
        except Exception as error:
            for observer in self.observers:
                if isinstance(observer, Dump):
                    observer.failed(step.name, error)
            raise
        rewrites = tuple(one._replace(start=one.start - start) for one in steps_taken()[taken:])
        self._record(step, options, tuple(journal[start:]), seconds, rewrites)

    def _record(
        self, step: Pass, options: Options, edits: tuple[Edit, ...], seconds: float, rewrites: tuple[Step, ...]
    ) -> None:
        old = self.kept, self.counts, self.cycles
        if edits:
            self.counts = graph_counts(self.graph)
            self.cycles = self.cost(self.graph) if self.cost else None
            self.kept = self.graph.clone() if self.snapshots else None
        cycles = None if old[2] is None or self.cycles is None else (old[2], self.cycles)
        record = PassRecord(
            step.name, old[0], self.kept, old[1], self.counts, edits, seconds, bool(edits), options.tally, cycles,
            tuple(options.tally.choices), rewrites,
        )  # fmt: skip
        self.records.append(record)
        for observer in self.observers:
            observer(record)


def graph_counts(graph: Graph) -> Counts:
    """Nodes, edges, and bytes of the results of all nodes that are not leaves."""
    computed = [data["types"] for data in graph.node_map().values() if data["op"].family != "leaf"]
    edges = sum(map(len, chain.from_iterable([sources.values() for sources in graph.pred_map().values()])))
    return Counts(len(graph), edges, sum([t.nbytes for types in computed for t in types]))


@contextmanager
def _journal_edits(graph: Graph) -> Iterator[None]:
    """A journal on the graph, and the editor's name put back afterwards."""
    by, journal = graph.by, graph.journal
    graph.journal = [] if journal is None else journal
    try:
        yield
    finally:
        graph.by, graph.journal = by, journal
