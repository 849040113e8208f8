"""Simulating a graph, or a function: every node becomes a job, every job a cost, all of them one report."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from minigraph.capture.trace import trace
from minigraph.core.context import get_context, resolve
from minigraph.core.errors import UsageError
from minigraph.core.fields import Work
from minigraph.core.op import Op
from minigraph.core.types import DType, TensorType, float32
from minigraph.ir.graph import Graph
from minigraph.ir.reading import GraphReader, Ref, producer
from minigraph.npu.chips.chip import Chip
from minigraph.npu.chips.registry import chip_named
from minigraph.npu.host import DEFAULT_HOST, Host, host_named
from minigraph.npu.job_cost import cost_of, price
from minigraph.npu.report import Report
from minigraph.npu.report_rows import NodeRow
from minigraph.npu.residency import cold_parts, held_by_l2, roots_of
from minigraph.npu.tiling.plan import DEFAULT, Job, Schedule
from minigraph.npu.trip_counts import trips_of

NO_ROOTS: Mapping[Ref, Ref] = {}
UNPRICED = Op.__dataclass_fields__["work"].default  # the work of a record that says nothing of it


def simulate(
    target: Graph | Callable[..., Any],
    *args: Any,
    chip: str | Chip | None = None,
    engine: str = "event",
    host: str | Host = DEFAULT_HOST,
    warm: bool = True,
    schedule: Schedule = DEFAULT,
    rounds: int = 1,
) -> Report:
    """Simulate a graph, a ``@jit`` function or a plain function called with ``args`` on an Ascend chip.

    ``chip`` is a name, a TOML file or a ``Chip``; without one the context's is taken.
    A graph is taken as it is; a function is captured and optimised by the context's pipeline first.
    ``engine`` is "event" (steps every queue) or "analytic" (closed forms). ``warm``: the graph has run
    before, so that L2 holds what fits. ``schedule`` takes choices away from the tiling of every node; ``rounds`` is
    assumed of loops whose number of rounds is not known. Raises ``UnknownName`` for a chip, engine or host nobody
    knows, and ``UsageError`` for a target that is neither or a schedule that does not fit.

    >>> from minigraph import Tensor
    >>> report = simulate(lambda x, w: (x @ w).tanh(), Tensor([[1.0, 2.0]]), Tensor([[3.0], [4.0]]))
    >>> [row.kind for row in report.rows]
    ['AI_CORE', 'AI_VECTOR_CORE']
    """
    chosen, around = chip_named(chip), host_named(host)
    graph = graph_of(target, *args)
    held = held_by_l2(graph, graph.topological(), chosen.buf.l2, warm)
    rows = tuple(_rows(graph, chosen, engine, schedule, jobs_of(graph, chosen, warm, rounds), held))
    return Report(graph.title, chosen, around, engine, rows)


def cycles(graph: GraphReader, chip: str | Chip | None = None, warm: bool = True) -> int:
    """Device cycles of a graph by closed forms, task heads included: cheap enough to price every pass.

    >>> from minigraph import Tensor, trace
    >>> graph = trace(lambda x: x * x, Tensor([1.0, 2.0]))
    >>> cycles(graph) > 0
    True
    """
    chosen = chip_named(chip)
    return sum(price(job, chosen) for _, job in jobs_of(graph, chosen, warm))


def graph_of(target: Graph | Callable[..., Any], *args: Any) -> Graph:
    """The graph to simulate: the target itself, what its ``graph`` method gives, or the function captured."""
    if isinstance(target, Graph):
        return target
    if hasattr(target, "graph"):
        found: Graph = target.graph(*args)
        return found
    if not callable(target):
        raise UsageError(f"simulate: {type(target).__name__} is neither a graph nor a function; pass one of them")
    graph = trace(target, *args)
    resolve(get_context("pass_manager"))(get_context("pipeline")).run(graph)
    return graph


def jobs_of(graph: GraphReader, chip: Chip, warm: bool = True, rounds: int = 1) -> Iterator[tuple[int, Job]]:
    """Every node that becomes a task, in order, and what it asks of the chip."""
    order = graph.topological()
    cold, roots = cold_parts(graph, order, chip.buf.l2, warm), roots_of(graph, order)
    for node in order:
        op = graph.op(node)
        if op.family == "region" and op.role != "fused":
            yield node, _loop_of(graph, node, chip, rounds)
        elif op.unit != "none" or _moves(graph, node):
            yield node, job_of(graph, node, cold.get(node, 0.0), roots)


def _moves(graph: GraphReader, node: int) -> bool:
    """Whether a view has to be written out: another order of elements, but for the cube, which takes any."""
    if graph.op(node).family != "view" or not graph.work(node).read:
        return False
    readers = graph.users(node)
    return not readers or any(graph.op(reader).unit != "cube" for reader in readers)


def _loop_of(graph: GraphReader, node: int, chip: Chip, rounds: int) -> Job:
    """A node with bodies: the tasks of its bodies, each as often as its body runs."""
    trips = trips_of(graph, node, rounds)
    bodies = [
        tuple((job, times) for _, job in jobs_of(body, chip, True, rounds))
        for body, times in zip(graph.regions(node), trips.times, strict=True)
    ]
    if trips.one_of:
        bodies = [max(bodies, key=lambda jobs: sum(price(job, chip) for job, _ in jobs))]
    notes = (trips.note,) if trips.note else ()
    inside = tuple(job for body in bodies for job in body)
    return Job(Work(), float32, 1, "none", notes=notes, inside=inside)


def job_of(graph: GraphReader, node: int, cold: float, roots: Mapping[Ref, Ref] = NO_ROOTS) -> Job:
    """What one node asks: its work, dtype and largest tensor, nothing of its name.

    ``roots`` says whose bytes a view shows: what is only repeated or windowed is read once.
    """
    op, work = graph.op(node), _work_of(graph, node)
    refs, outs = graph.ins(node), list(graph.types(node))
    ins = [graph.type(ref) for ref in refs]
    own = [min(t.nbytes, graph.type(roots.get(ref, ref)).nbytes) for ref, t in zip(refs, ins, strict=True)]
    if work.read > sum(own):
        work = replace(work, read=max(sum(own), work.read - sum(t.nbytes for t in ins) + sum(own)))
    dtype = _dtype(ins if work.macs else [*ins, *outs], narrow=bool(work.macs))
    elements = _elements(work, dtype, [*ins, *outs])
    unit = "move" if op.unit == "none" else op.unit
    return Job(work, dtype, elements, unit, cold, largest=max((t.nbytes for t in ins), default=0))


def _work_of(graph: GraphReader, node: int) -> Work:
    """The work of a record; of one that says nothing the bytes of operands and results, as an estimate."""
    if graph.op(node).work is not UNPRICED or graph.regions(node):
        return graph.work(node)
    ins, outs = [graph.type(ref) for ref in graph.ins(node)], graph.types(node)
    return Work(read=sum(t.nbytes for t in ins), written=sum(t.nbytes for t in outs), exact=False)


def _elements(work: Work, dtype: DType, types: list[TensorType]) -> int:
    """The elements a node works on: of its rows, or of its largest tensor that is read or written whole."""
    if work.rows:
        return max(1, work.rows[0] * work.rows[1])
    touched = work.read + work.written
    return max([1, *(t.size for t in types if t.nbytes <= touched)])


def _dtype(types: list[TensorType], narrow: bool) -> DType:
    """The dtype a unit computes in: the cube takes its operands', the vector unit the widest; floats first."""
    floats = [t.dtype for t in types if t.dtype.is_float] or [t.dtype for t in types]
    return (min if narrow else max)(floats, key=lambda dtype: dtype.itemsize)


def _rows(
    graph: Graph, chip: Chip, engine: str, schedule: Schedule, jobs: Iterable[tuple[int, Job]], held: Mapping[int, int]
) -> Iterator[NodeRow]:
    start = 0.0
    for node, job in jobs:
        cost = cost_of(job, chip, engine, schedule)
        if not cost.parts:
            continue
        op, loc = graph.op(node), graph.loc(node)
        ins, outs = tuple(graph.type(ref) for ref in graph.ins(node)), graph.types(node)
        label = op.label_of(graph.attrs(node))
        row = NodeRow(
            node, label, op.name, str(loc[0]) if loc else "", ins, outs, start, cost, chip, held.get(node, 0),
            _weights(graph, node), tuple(_originals(graph, node)),
        )  # fmt: skip
        yield row
        start = row.end


def _weights(graph: Graph, node: int) -> int:
    """Bytes of a node's operands that are Parameters or constants."""
    refs = [ref for ref in graph.ins(node) if graph.op(producer(ref)).role in ("parameter", "const")]
    return sum(graph.type(ref).nbytes for ref in refs)


def _originals(graph: Graph, node: int) -> Iterator[str]:
    """The operators of a fused node's body, with the nodes they were."""
    if graph.op(node).role == "fused":
        for body in graph.regions(node):
            for inner in body.topological():
                if body.op(inner).unit != "none" or body.op(inner).family == "view":
                    yield f"{body.op(inner).name}_{inner}"
