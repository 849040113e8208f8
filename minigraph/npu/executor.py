"""Simulating a graph, or a function: every node becomes a job, every job a cost, all of them one report."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from minigraph.capture.trace import trace
from minigraph.context import get_context, resolve
from minigraph.errors import UsageError
from minigraph.ir.graph import Graph
from minigraph.ir.reading import GraphReader
from minigraph.npu.chip import Chip
from minigraph.npu.host import DEFAULT_HOST, Host, host_named
from minigraph.npu.measure import cost_of, price
from minigraph.npu.plan import Job
from minigraph.npu.registry import chip_named
from minigraph.npu.report import Report
from minigraph.npu.residency import cold_parts
from minigraph.npu.rows import NodeRow
from minigraph.types import DType, TensorType

REPEATED = "its body is counted once; how often it runs is not known before"


def simulate(
    target: Graph | Callable[..., Any],
    *args: Any,
    chip: str | Chip = "ascend910b1",
    engine: str = "event",
    host: str | Host = DEFAULT_HOST,
    warm: bool = True,
) -> Report:
    """Simulate a graph, a ``@jit`` function or a plain function called with ``args`` on an Ascend chip.

    A graph is taken as it is; a function is captured and optimised by the context's pipeline first.
    ``engine`` is "event" (steps every queue) or "analytic" (closed forms). ``warm``: the graph has run
    before, so that L2 holds what fits. Raises ``UnknownName`` for a chip, engine or host nobody knows, and
    ``UsageError`` for a target that is neither.

    >>> from minigraph import Tensor
    >>> report = simulate(lambda x, w: (x @ w).tanh(), Tensor([[1.0, 2.0]]), Tensor([[3.0], [4.0]]))
    >>> [row.kind for row in report.rows]
    ['AI_CORE', 'AI_VECTOR_CORE']
    """
    chosen, around = chip_named(chip), host_named(host)
    graph = graph_of(target, *args)
    rows = tuple(_rows(graph, chosen, engine, warm))
    return Report(graph.title, chosen, around, engine, rows)


def cycles(graph: GraphReader, chip: str | Chip = "ascend910b1", warm: bool = True) -> int:
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


def jobs_of(graph: GraphReader, chip: Chip, warm: bool = True) -> Iterator[tuple[int, Job]]:
    """Every node that becomes a task, in order, and what it asks of the chip."""
    order = graph.topological()
    cold = cold_parts(graph, order, chip.buf.l2, warm)
    for node in order:
        if graph.op(node).unit != "none":
            yield node, job_of(graph, node, cold.get(node, 0.0))


def job_of(graph: GraphReader, node: int, cold: float) -> Job:
    """What one node asks: its work, dtype and largest tensor, nothing of its name."""
    op, work = graph.op(node), graph.work(node)
    ins, outs = [graph.type(ref) for ref in graph.ins(node)], list(graph.types(node))
    dtype = _dtype(ins if work.macs else [*ins, *outs], narrow=bool(work.macs))
    elements = max((t.size for t in (*ins, *outs)), default=1)
    if work.rows:
        elements = max(1, work.rows[0] * work.rows[1])
    known = op.role == "fused" or "length" in graph.attrs(node)
    notes = (REPEATED,) if graph.regions(node) and not known else ()
    return Job(work, dtype, elements, op.unit, cold, notes)


def _dtype(types: list[TensorType], narrow: bool) -> DType:
    """The dtype a unit computes in: the cube takes its operands', the vector unit the widest; floats first."""
    floats = [t.dtype for t in types if t.dtype.is_float] or [t.dtype for t in types]
    return (min if narrow else max)(floats, key=lambda dtype: dtype.itemsize)


def _rows(graph: Graph, chip: Chip, engine: str, warm: bool) -> Iterator[NodeRow]:
    start = 0.0
    for node, job in jobs_of(graph, chip, warm):
        cost = cost_of(job, chip, engine)
        if not cost.parts:
            continue
        op, loc = graph.op(node), graph.loc(node)
        ins, outs = tuple(graph.type(ref) for ref in graph.ins(node)), graph.types(node)
        label = op.label_of(graph.attrs(node))
        row = NodeRow(node, label, op.name, str(loc[0]) if loc else "", ins, outs, start, cost, chip)
        yield row
        start = row.end
