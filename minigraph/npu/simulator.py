"""The simulator's entry points: graph nodes become jobs, jobs are costed, and their costs make a report."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from minigraph.capture.trace import trace
from minigraph.core.aliases import Function
from minigraph.core.context import get_context, resolve
from minigraph.core.errors import UsageError
from minigraph.core.op import Op
from minigraph.core.op_fields import Work
from minigraph.core.types import DType, TensorType, float32
from minigraph.ir.graph import Graph
from minigraph.ir.graph_reader import GraphReader, Ref, producer
from minigraph.ir.verify import verify
from minigraph.npu.chips.chip import Chip
from minigraph.npu.chips.registry import chip_named
from minigraph.npu.host import DEFAULT_HOST, Host, host_named
from minigraph.npu.job_cost import analytic_cycles, cost_of
from minigraph.npu.library import pipeline_for
from minigraph.npu.report import Report
from minigraph.npu.report_rows import NodeRow
from minigraph.npu.residency import cold_fractions, device_bytes, l2_resident_bytes, roots_of
from minigraph.npu.schedules import Schedules, schedules_by_node, schedules_by_operator, task_names, validate_schedules
from minigraph.npu.tiling.plan import Job
from minigraph.npu.tiling.schedule import DEFAULT, Schedule
from minigraph.npu.trip_counts import trip_counts

NO_ROOTS: Mapping[Ref, Ref] = {}
NO_WORK_MODEL = Op.__dataclass_fields__["work"].default  # the default of an operator record without a work function


def simulate(
    target: Graph | Function,
    *args: object,
    chip: str | Chip | None = None,
    engine: str = "event",
    host: str | Host = DEFAULT_HOST,
    warm: bool = True,
    schedule: Schedules | str = DEFAULT,
    rounds: int = 1,
    pipeline: object = None,
) -> Report:
    """Simulate a graph, a ``@jit`` function or a plain function called with ``args`` on an Ascend chip.

    A graph is simulated as it is, or a copy that ``pipeline`` optimises; a function is captured and optimised by
    ``pipeline`` first, the context's by default (a ``@jit`` function has its own). "cann" fuses what the vendor's
    library has kernels for; every named pipeline leaves out passes whose kernels the library lacks on this chip.
    ``chip``: a name, a TOML file or a ``Chip``; the context's by default. ``engine``: "event" (discrete-event
    simulation) or "analytic" (closed-form model). ``host``: a preset of the host model. ``warm``: the
    graph has run before, so that L2 holds the values touched last. ``schedule``: tiling parameters that are fixed for
    every node, or a mapping from nodes or operators' names to them, or the TOML file of such a mapping. ``rounds``: the
    trip count of loops for which it is unknown. Raises ``UnknownNameError`` for an unknown chip, engine or host, and
    ``UsageError`` for a target that is neither a graph nor a function, or a schedule that does not fit, ``VerifyError``
    for a graph that is not well formed.

    >>> from minigraph import Tensor
    >>> report = simulate(lambda x, w: (x @ w).tanh(), Tensor([[1.0, 2.0]]), Tensor([[3.0], [4.0]]))
    >>> [row.kind for row in report.rows]
    ['AI_CORE', 'AI_VECTOR_CORE']
    """
    chip_data, host_preset = chip_named(chip), host_named(host)
    schedules = validate_schedules(schedule)

    def run(graph: Graph, eager_run: Callable[[], Report] | None = None, is_target: bool = True) -> Report:
        order = graph.topological()
        in_l2 = l2_resident_bytes(graph, order, chip_data.buf.l2, warm)
        jobs = list(jobs_of(graph, chip_data, warm, rounds))
        by_operator = schedules if is_target else schedules_by_operator(graph, jobs, schedules)
        rows = tuple(_rows(graph, chip_data, engine, schedules_by_node(graph, jobs, by_operator), jobs, in_l2))
        needed = device_bytes(graph, order)
        return Report(graph.title, chip_data, host_preset, engine, rows, eager_run, needed)

    if isinstance(target, Graph):
        verify(target)
        unfused = _unfused_copy(target) or (None if pipeline is None else target)
        graph = graph_of(target, chip=chip_data, pipeline=pipeline)
        return run(graph, None if unfused is None else lambda: run(unfused, None, False))
    graph = graph_of(target, *args, chip=chip_data, pipeline=pipeline)
    return run(graph, lambda: run(_captured_graph(target, *args), None, False))


def cycles(graph: GraphReader, chip: str | Chip | None = None, warm: bool = True) -> int:
    """Device cycles of a graph by the analytic model, head overheads included: a fast cost function for passes.

    >>> from minigraph import Tensor, trace
    >>> graph = trace(lambda x: x * x, Tensor([1.0, 2.0]))
    >>> cycles(graph) > 0
    True
    """
    chip_data = chip_named(chip)
    return sum(analytic_cycles(job, chip_data) for _, job in jobs_of(graph, chip_data, warm))


def graph_of(
    target: Graph | Function, *args: object, chip: str | Chip | None = None, pipeline: object = None
) -> Graph:  # fmt: skip
    """The graph to simulate: the target or an optimised copy, the result of its ``graph`` method, or the capture."""
    chip_data = chip_named(chip)
    passes = pipeline if pipeline is None else pipeline_for(pipeline, chip_data)
    if isinstance(target, Graph):
        return target if passes is None else _optimised(target.clone(), passes)
    if hasattr(target, "graph"):
        options = {} if passes is None else {"pipeline": passes}
        graph: Graph = target.graph(*args, **options)
        return graph
    if not callable(target):
        raise UsageError(f"simulate: {type(target).__name__} is neither a graph nor a function; pass one of them")
    if passes is None:
        passes = pipeline_for(get_context("pipeline"), chip_data)
    return _optimised(trace(target, *args), passes)


def _optimised(graph: Graph, passes: object) -> Graph:
    """The graph itself, after a pipeline has run on it."""
    resolve(get_context("pass_manager"))(passes).run(graph)
    return graph


def _captured_graph(target: Function, *args: object) -> Graph:
    """The graph of a function before any pass: the operators that eager mode launches."""
    graph: Graph = target.graph(*args, pipeline=()) if hasattr(target, "graph") else trace(target, *args)
    return graph


def _unfused_copy(graph: Graph) -> Graph | None:
    """A copy of a graph without fused nodes, which eager mode does not have; ``None`` if there is no fused node."""
    if not any(graph.op(node).role == "fused" for node in graph):
        return None
    return _optimised(graph.clone(), "unfuse")


def jobs_of(graph: GraphReader, chip: Chip, warm: bool = True, assumed_trips: int = 1) -> Iterator[tuple[int, Job]]:
    """Every node that becomes a task, in execution order, with its job."""
    order = graph.topological()
    cold, roots = cold_fractions(graph, order, chip.buf.l2, warm), roots_of(graph, order)
    for node in order:
        op = graph.op(node)
        if op.family == "region" and op.role != "fused":
            yield node, _region_job(graph, node, chip, assumed_trips)
        elif op.unit != "none" or _needs_copy(graph, node):
            yield node, job_of(graph, node, cold.get(node, 0.0), roots)


def _needs_copy(graph: GraphReader, node: int) -> bool:
    """Whether a view is copied: it reorders elements, and a reader other than the cube needs them in order."""
    if graph.op(node).family != "view" or not graph.work(node).read:
        return False
    readers = graph.users(node)
    return not readers or not all(_reads_in_cube(graph, reader, node) for reader in readers)


def _reads_in_cube(graph: GraphReader, reader: int, source: int) -> bool:
    """Whether only the cube reads a node's value, in ``reader`` or in its body."""
    if graph.op(reader).role != "fused":
        return graph.op(reader).unit == "cube"
    (body,) = graph.regions(reader)
    inputs = [name for name, ref in zip(body.inputs, graph.ins(reader), strict=True) if producer(ref) == source]
    return all(body.op(user).unit == "cube" for name in inputs for user in body.users(name))


def _region_job(graph: GraphReader, node: int, chip: Chip, assumed_trips: int) -> Job:
    """The job of a region node: the jobs of its bodies, each with its trip count."""
    trips = trip_counts(graph, node, assumed_trips)
    bodies = [
        tuple((job, times) for _, job in jobs_of(body, chip, True, assumed_trips))
        for body, times in zip(graph.regions(node), trips.times, strict=True)
    ]
    if trips.is_branch:
        bodies = [max(bodies, key=lambda jobs: sum(analytic_cycles(job, chip) for job, _ in jobs))]
    notes = (trips.note,) if trips.note else ()
    return Job(Work(), float32, 1, "none", notes=notes, inside=tuple(job for body in bodies for job in body))


def job_of(graph: GraphReader, node: int, cold: float, roots: Mapping[Ref, Ref] = NO_ROOTS) -> Job:
    """The job of one node: its work, dtype and sizes; the operator's name is not read.

    ``roots``: the value whose memory each view aliases; a broadcast or windowed view is read once.
    """
    op, work = graph.op(node), _work_of(graph, node)
    refs, outs = graph.ins(node), list(graph.types(node))
    ins = [graph.type(ref) for ref in refs]
    root_bytes = [min(t.nbytes, graph.type(roots.get(ref, ref)).nbytes) for ref, t in zip(refs, ins, strict=True)]
    if work.read > sum(root_bytes):
        work = replace(work, read=max(sum(root_bytes), work.read - sum(t.nbytes for t in ins) + sum(root_bytes)))
    dtype = _compute_dtype(_product_operands(graph, node) or [*ins, *outs], narrowest=bool(work.macs))
    elements = _element_count(work, ins, outs)
    unit = "move" if op.unit == "none" else op.unit
    largest = max((t.nbytes for t in ins), default=0)
    paired = not work.macs and _reads_pairs(graph, node)
    return Job(work, dtype, elements, unit, cold, largest=largest, reads_pairs=paired, shared=_shared_bytes(work, ins))


def _shared_bytes(work: Work, ins: Sequence[TensorType]) -> int:
    """Bytes of the operands that several contiguous rows have in common: no larger than a row."""
    if work.macs or work.run or not work.rows or work.rows[0] == 1:
        return 0
    return min(work.read, sum(t.nbytes for t in ins if t.size <= work.rows[1]))


def _reads_pairs(graph: GraphReader, node: int) -> bool:
    """Whether every vector instruction of a node reads two whole tensors."""
    nodes = [(body, inner) for body in graph.regions(node) for inner in body] or [(graph, node)]
    whole_operands = [
        sum(body.type(ref).size >= body.types(inner)[0].size for ref in body.ins(inner))
        for body, inner in nodes
        if body.op(inner).unit == "vector"
    ]
    return min(whole_operands, default=0) >= 2


def _work_of(graph: GraphReader, node: int) -> Work:
    """The work of a node; without a work function, an estimate from the bytes of its operands and results."""
    if graph.op(node).work is not NO_WORK_MODEL or graph.regions(node):
        return graph.work(node)
    ins, outs = [graph.type(ref) for ref in graph.ins(node)], graph.types(node)
    return Work(read=sum(t.nbytes for t in ins), written=sum(t.nbytes for t in outs), exact=False)


def _element_count(work: Work, ins: list[TensorType], outs: list[TensorType]) -> int:
    """The number of elements that a node processes: in its rows, or in its largest tensor that is accessed whole."""
    if work.rows:
        return max(1, work.rows[0] * work.rows[1])
    touched = work.read + work.written
    is_lookup = dict(work.lanes).get("gather") == sum(t.size for t in outs)  # which reads a part of its table
    types = outs if is_lookup else [*ins, *outs]
    return max([1, *(t.size for t in types if t.nbytes <= touched)])


def _product_operands(graph: GraphReader, node: int) -> list[TensorType]:
    """The types of the operands of a node's products, those of a fused node's body; empty without products.

    A fused node has further operands, such as the float16 scale of an int8 product.
    """
    if graph.regions(node):
        return [t for body in graph.regions(node) for inner in body for t in _product_operands(body, inner)]
    return [graph.type(ref) for ref in graph.ins(node)] if _work_of(graph, node).macs else []


def _compute_dtype(types: list[TensorType], narrowest: bool) -> DType:
    """The dtype of the computation: the narrowest operand of products, else the widest type; floats take precedence."""
    floats = [t.dtype for t in types if t.dtype.is_float] or [t.dtype for t in types]
    return (min if narrowest else max)(floats, key=lambda dtype: dtype.itemsize)


def _rows(
    graph: Graph, chip: Chip, engine: str, schedules: Mapping[int, Schedule], jobs: Iterable[tuple[int, Job]],
    in_l2: Mapping[int, int],
) -> Iterator[NodeRow]:  # fmt: skip
    start = 0.0
    for node, job in jobs:
        try:
            cost = cost_of(job, chip, engine, schedules[node])
        except UsageError as error:
            raise UsageError(_with_task(str(error), graph, node)) from None
        if not cost.parts:
            continue
        op, loc = graph.op(node), graph.loc(node)
        ins, outs = tuple(graph.type(ref) for ref in graph.ins(node)), graph.types(node)
        label = op.label_of(graph.attrs(node))
        row = NodeRow(
            node, label, op.name, str(loc[0]) if loc else "", ins, outs, start, cost, chip, in_l2.get(node, 0),
            _weight_bytes(graph, node), tuple(_fused_ops(graph, node)), (job, schedules[node]),
        )  # fmt: skip
        yield row
        start = row.end


def _with_task(message: str, graph: Graph, node: int) -> str:
    """The message of an error; if it is of a schedule, with the task whose schedule it is."""
    prefix = "schedule: "
    task = " ".join(task_names(graph, node)[:2])
    return f"schedule of {task}: {message.removeprefix(prefix)}" if message.startswith(prefix) else message


def _weight_bytes(graph: Graph, node: int) -> int:
    """Bytes of a node's operands that are Parameters or constants."""
    refs = [ref for ref in graph.ins(node) if graph.op(producer(ref)).role in ("parameter", "const")]
    return sum(graph.type(ref).nbytes for ref in refs)


def _fused_ops(graph: Graph, node: int) -> Iterator[str]:
    """The operators of a fused node's body, as name and node id."""
    if graph.op(node).role == "fused":
        for body in graph.regions(node):
            for inner in body.topological():
                if body.op(inner).unit != "none" or body.op(inner).family == "view":
                    yield f"{body.op(inner).name}_{inner}"
