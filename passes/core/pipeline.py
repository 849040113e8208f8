"""Pipelines: run passes in order, verify the graph after each, record statistics, and notify observers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import chain

from minigraph.core.context import get_context, resolve
from minigraph.core.deprecated_names import renamed_arguments
from minigraph.core.errors import RuleError
from minigraph.core.html_tables import table_html
from minigraph.core.location import shorten_traceback
from minigraph.ir.graph import Edit, Graph
from minigraph.ir.outline import set_regions
from passes.core.constraints import check_order
from passes.core.dump import Dump
from passes.core.pass_verifier import PassVerifier, Validation
from passes.core.records import Counts, PassRecord, Records
from passes.core.registry import Options, Pass, as_pass
from passes.core.rewrite_limit import RewriteEvent, RewriteLimit, limit_rewrites, permitted_steps, should_run_pass

MAX_FIX_ITERATIONS = 32  # a fix(...) group that still changes the graph after these is an error


Observer = Callable[[PassRecord], None]
Cost = Callable[[Graph], int]


@dataclass(frozen=True)
class FixedPoint:
    """Passes repeated to a fixed point: until none of them changes the graph; ``fix(cse,dce)`` in textual form."""

    passes: tuple[Pass, ...]

    def __str__(self) -> str:
        return f"fix({','.join(map(str, self.passes))})"


class Pipeline:
    """Passes in order; ``str`` is the textual form that ``as_pipeline`` reads back.

    With ``verify``, the graph is verified after every pass (only the nodes that the pass touched). Items are passes,
    their names, functions ``(graph, *, options)``, or ``FixedPoint`` groups. Raises ``UsageError`` for an order that
    violates a constraint (``passes.core.constraints``).

    >>> print(Pipeline(["dce", FixedPoint((as_pass("cse"), as_pass("dce")))]))
    dce,fix(cse,dce)
    """

    def __init__(self, passes: Iterable[object] = (), *, verify: bool = True) -> None:
        steps = (step if isinstance(step, FixedPoint) else as_pass(step) for step in passes)
        self.steps: tuple[Pass | FixedPoint, ...] = tuple(steps)
        self.verify = verify
        check_order(self.passes)

    @property
    def passes(self) -> tuple[Pass, ...]:
        """All passes in order, including the passes of ``FixedPoint`` groups."""
        return tuple(p for step in self.steps for p in (step.passes if isinstance(step, FixedPoint) else (step,)))

    @property
    def fingerprint(self) -> str | None:
        """A cache key of the pipeline; ``None`` if its results cannot be cached."""
        key: str | None = resolve("passes.fingerprint:fingerprint")(self.passes)
        return key and f"{self}: {key}"

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

    @renamed_arguments(built="verified")
    def run(
        self,
        graph: Graph,
        observers: Sequence[Observer] = (),
        snapshots: bool = False,
        cost: Cost | None = None,
        *,
        validate: bool | Validation | None = None,
        limit: int | None = None,
        verified: bool = False,
        rewrites: bool = False,
    ) -> Records:
        """Edit ``graph`` in place and return one record per executed pass (one per iteration of a ``FixedPoint``).

        ``validate`` runs the graph before and after every pass and compares (``None``: the context's ``validate``).
        ``limit`` is the maximum number of steps (passes and rewrites together). With ``verified``, the first check
        skips the nodes: their operands exist and their types are inferred, as in every graph that was only edited
        by its own primitives.

        Raises ``VerifyError`` naming the pass that broke the graph and the earlier passes, and ``RuleError`` for rules
        or a group that do not terminate. The graph is then as that pass left it, so that it can be inspected; with
        validation, and after nonterminating rules, it is as it was before the pass. Run on ``graph.clone()`` to keep
        the original.
        """
        validation = _requested_validation(get_context("validate") if validate is None else validate)
        run = _Run(graph, self.verify, observers, snapshots, cost)
        if limit is None and not snapshots and not rewrites:
            self._run_steps(run, validation, verified)
        else:
            limit_rewrites(RewriteLimit(limit)).call(self._run_steps, run, validation, verified)
        return Records(run.records)

    def _run_steps(self, run: _Run, validation: Validation | None, verified: bool) -> None:
        self._run_bodies(run.graph, validation, verified)
        with _journal_edits(run.graph):
            run.begin(validation, verified)
            for step in self.steps:
                if isinstance(step, FixedPoint):
                    run.run_group(step)
                else:
                    run.run_pass(step)

    def _run_bodies(self, graph: Graph, validation: Validation | None, verified: bool) -> None:
        """Run on copies of all bodies of branches and loops, innermost first; passes do not cross body boundaries."""
        inner = replace(validation, inputs=None) if validation is not None else False
        nodes = [node for node, data in graph.node_map().items() if data["regions"] and data["op"].role != "fused"]
        for node in nodes:
            bodies = tuple(body.clone() for body in graph.regions(node))
            for body in bodies:
                self.run(body, validate=inner, verified=verified)
            set_regions(graph, node, bodies)


def _requested_validation(request: bool | Validation) -> Validation | None:
    if isinstance(request, Validation):
        return request
    return Validation(folder=get_context("save_graphs_path")) if request else None


class _Run:
    """One run of a pipeline over one graph."""

    def __init__(
        self, graph: Graph, verify: bool, observers: Sequence[Observer], snapshots: bool, cost: Cost | None
    ) -> None:
        self.graph, self.verify, self.observers, self.cost = graph, verify, observers, cost
        self.snapshots = snapshots
        self.records: list[PassRecord] = []

    def begin(self, validation: Validation | None, verified: bool) -> None:
        """Verify the input graph, count it, compute its cost, and take the first snapshot."""
        self.verifier = PassVerifier(self.graph, self.verify, validation, verified)
        self.counts = graph_counts(self.graph)
        self.cycles = self.cost(self.graph) if self.cost else None
        self.snapshot = self.graph.clone() if self.snapshots else None
        for observer in self.observers:
            if isinstance(observer, Dump):
                observer.begin(self.graph)

    def run_group(self, group: FixedPoint) -> None:
        """Run a group until a whole iteration changes nothing."""
        for _ in range(MAX_FIX_ITERATIONS):
            before = len(self.records)
            for step in group.passes:
                self.run_pass(step)
            changed = [record.name for record in self.records[before:] if record.changed]
            if not changed:
                return
        raise RuleError(
            f"{group}: still changing '{self.graph.title}' after {MAX_FIX_ITERATIONS} iterations; "
            f"{' and '.join(dict.fromkeys(changed))} undo each other{self._applied_rules(before)}"
        )

    def _applied_rules(self, first: int) -> str:
        """The rules applied in the last iteration, for an error message."""
        statistics = [record.rules.items() for record in self.records[first:]]
        rules = dict.fromkeys(rule for items in statistics for rule, stats in items if stats.rewrites)
        return f", by the rules {', '.join(rules)}" if rules else ""

    def run_pass(self, step: Pass) -> None:
        """Run one pass, verify its changes, and notify the observers; do nothing when the limit is reached."""
        if not should_run_pass(step.name):
            return
        journal = self.graph.journal if self.graph.journal is not None else []
        first_edit, first_step, options = len(journal), len(permitted_steps()), Options(step.options)
        self.graph.by = step.name
        try:
            seconds = self.verifier.run(step, options)
        except Exception as error:
            shorten_traceback(error)
            for observer in self.observers:
                if isinstance(observer, Dump):
                    observer.report_failure(step.name, error)
            raise
        own_steps = permitted_steps()[first_step:]
        rewrites = tuple(rewrite._replace(first_edit=rewrite.first_edit - first_edit) for rewrite in own_steps)
        self._record(step, options, tuple(journal[first_edit:]), seconds, rewrites)

    def _record(
        self, step: Pass, options: Options, edits: tuple[Edit, ...], seconds: float, rewrites: tuple[RewriteEvent, ...]
    ) -> None:
        """Add the record of a pass, and notify the observers; a pass without edits changes no figure."""
        snapshot, counts, cycles = self.snapshot, self.counts, self.cycles  # before the pass
        if edits:
            self.counts = graph_counts(self.graph)
            self.cycles = self.cost(self.graph) if self.cost else None
            self.snapshot = self.graph.clone() if self.snapshots else None
        cycles_pair = None if cycles is None or self.cycles is None else (cycles, self.cycles)
        record = PassRecord(
            step.name, snapshot, self.snapshot, counts, self.counts, edits, seconds, bool(edits), options.statistics,
            cycles_pair, tuple(options.statistics.choices), rewrites,
        )  # fmt: skip
        self.records.append(record)
        for observer in self.observers:
            observer(record)


def graph_counts(graph: Graph) -> Counts:
    """The numbers of nodes and edges, and the bytes of all computed values."""
    computed = [data["types"] for data in graph.node_map().values() if data["op"].family != "leaf"]
    edges = sum(map(len, chain.from_iterable([sources.values() for sources in graph.pred_map().values()])))
    return Counts(len(graph), edges, sum([type.nbytes for types in computed for type in types]))


@contextmanager
def _journal_edits(graph: Graph) -> Iterator[None]:
    """Record the edits of the block in the graph's journal; afterwards restore the journal and the pass's name."""
    by, journal = graph.by, graph.journal  # ``by`` is the pass to which new nodes are attributed
    graph.journal = [] if journal is None else journal
    try:
        yield
    finally:
        graph.by, graph.journal = by, journal
