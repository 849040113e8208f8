"""The passes compared with building the same graph in networkx, and with the passes of other systems.

The goals are shares of the build time: the times of the first version of the passes, with every check on, relative to
0.87 seconds for building 100,000 nodes with ``add_node`` and ``add_edge``. Seconds depend on the machine; the shares do
not.
``python -m benchmarks rewriting`` measures this alone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import passes
from benchmarks.measuring.goal import Goal
from benchmarks.measuring.harness import Case, Contender, MismatchError, Table, measure
from benchmarks.peers.rewriters import Rewriter, Task, missing_systems, rewriters
from benchmarks.work.graph_specs import (
    INPUT_COUNT,
    GraphSpec,
    build_networkx_graph,
    call_with_garbage_collector,
    half_dead_graph,
    half_repeated_graph,
    multiply_add_graph,
)
from minigraph.core.location import Loc
from minigraph.core.op import Op, op_named
from minigraph.core.types import TensorType, float32
from minigraph.ir.graph import Graph
from minigraph.ir.structural_ops import INPUT
from minigraph.ir.verify import verify

SIZES = (1_000, 10_000, 100_000)
WIDE_GRAPH_OUTPUTS = 20_000
MAX_MISSED_SHARE = 0.08  # share of a graph's operators that a peer's pass may fail to remove
MULADD = Op("muladd", lambda a, b, c: a * b + c, lambda a, b, c: a, vjp=(None,) * 3, family="elementwise")
OUTLINED = passes.fuse("MulAdd", lambda a, b, c: a * b + c)


@passes.rule
def mul_add(a: Any, b: Any, c: Any) -> Any:
    """Replace a multiplication and an addition by one operator."""
    return a * b + c, MULADD(a, b, c)


class PassTask(NamedTuple):
    """A task: its name in a title, its graph, our passes for it, and the share of the build time that it may take."""

    title: str
    spec: Callable[..., GraphSpec]
    own_passes: dict[str, Callable[[Graph], Any]]
    share: float


PASS_TASKS = {
    "dce": PassTask("dead code", half_dead_graph, {"minigraph": passes.pass_named("dce")}, 0.15 / 0.87),
    "cse": PassTask("repeated code", half_repeated_graph, {"minigraph": passes.pass_named("cse")}, 0.45 / 0.87),
    "fuse": PassTask(
        "mul + add", multiply_add_graph, {"minigraph fuse": OUTLINED, "minigraph rule": mul_add}, 0.5 / 0.87
    ),
    "groups": PassTask(
        "elementwise", multiply_add_graph, {"minigraph": passes.pass_named("fuse_elementwise")}, 0.8 / 0.87
    ),
    "verify": PassTask("verify", multiply_add_graph, {"minigraph": verify}, 0.25 / 0.87),
}
REWRITING_TASKS = ("dce", "cse", "fuse")
BUILD_NAME, BUILD_NAME_WITHOUT_GC = "networkx build", "networkx build, no collector"
CHECKED_SUFFIX = ", graph checked before and after"


# ---- minigraph -----------------------------------------------------------------------------------------


def build_minigraph(spec: GraphSpec) -> Graph:
    """The graph as capture builds it: every node with its type and source location."""
    graph, types = Graph(), (TensorType((4, 4), float32),)
    ops = {name: op_named(name) for name in {name for name, _ in spec.nodes}}
    for k in range(INPUT_COUNT):
        graph.inputs.append(graph.emit(INPUT, (), {"name": f"x{k}"}, types, loc=(Loc("net.py", 1),)))
    for k, (name, ins) in enumerate(spec.nodes):
        graph.emit(ops[name], ins, loc=(Loc("net.py", 2 + k % 40),))
    graph.set_outs(spec.outs)
    return graph


def clone_with_journal(graph: Graph) -> tuple[Graph]:
    """A copy with a journal, as in a pipeline."""
    copy = graph.clone()
    copy.journal = []
    return (copy,)


def _our_contenders(graph: Graph, pass_task: PassTask) -> list[Contender]:
    """The pass alone, with journal and checks of every rewrite; and in a pipeline, which also verifies the graph."""
    if pass_task.own_passes == {"minigraph": verify}:
        return [Contender("minigraph", lambda: verify(graph))]
    contenders = []
    for name, run in pass_task.own_passes.items():
        pipeline = passes.as_pipeline([run]).run
        contenders += [
            Contender(name, lambda g, run=run: _discard(run(g)), partial(clone_with_journal, graph)),
            Contender(name + CHECKED_SUFFIX, lambda g, run=pipeline: _discard(run(g)), lambda: (graph.clone(),)),
        ]
    return contenders


def _discard(result: Any) -> None:
    """Discard a result; ``check_counts`` has compared the passes."""


# ---- cases ---------------------------------------------------------------------------------------------


def case(task: str, count: int, peers: Sequence[Rewriter] = ()) -> Case:
    """One task at one size: the build, our passes, and every peer that supports the task at that size."""
    pass_task = PASS_TASKS[task]
    spec = pass_task.spec(count)
    build = partial(build_networkx_graph, spec)
    contenders = [
        Contender(BUILD_NAME, lambda graphs: graphs.append(call_with_garbage_collector(build)), lambda: ([],)),
        Contender(BUILD_NAME_WITHOUT_GC, lambda graphs: graphs.append(build()), lambda: ([],)),
        *_our_contenders(build_minigraph(spec), pass_task),
    ]
    supported = [peer for peer in peers if task in peer.tasks and peer.tasks[task].max_nodes >= count]
    contenders += [_peer_contender(peer, peer.tasks[task], spec) for peer in supported]
    return Case(f"{pass_task.title}, {count:,} nodes", contenders, count)


def _peer_contender(peer: Rewriter, task: Task, spec: GraphSpec) -> Contender:
    return Contender(peer.name, lambda built: _discard(task.run(built)), lambda: (peer.build(spec),))


def wide_case(task: str, count: int, outs: int = WIDE_GRAPH_OUTPUTS) -> Case:
    """A task on a graph with few outputs, and with many."""
    pass_task = PASS_TASKS[task]
    graphs = {f"{n:,} outputs": build_minigraph(pass_task.spec(count, n)) for n in (10, outs)}
    (run, *_) = pass_task.own_passes.values()
    return Case(f"{pass_task.title}, many outputs", _contenders(run, graphs), count)


def growth_case(task: str, count: int) -> Case:
    """A task on a graph, and on one ten times its size."""
    pass_task = PASS_TASKS[task]
    (run, *_) = pass_task.own_passes.values()
    graphs = {f"{n:,} nodes": build_minigraph(pass_task.spec(n)) for n in (count // 10, count)}
    return Case(f"{pass_task.title}, ten times the nodes", _contenders(run, graphs), count)


def _contenders(run: Callable[[Graph], Any], graphs: dict[str, Graph]) -> list[Contender]:
    return [
        Contender(f"minigraph, {name}", lambda g: _discard(run(g)), partial(clone_with_journal, graph))
        for name, graph in graphs.items()
    ]


def check_counts(peers: Sequence[Rewriter], count: int = 1_000) -> None:
    """Check the number of operators that each pass leaves against the expected count; raises ``MismatchError``.

    Peers may miss some operators, or also remove dead code.
    """
    for task, pass_task in PASS_TASKS.items():
        spec = pass_task.spec(count)
        for name, run in pass_task.own_passes.items() if task in ("dce", "cse", "fuse") else ():
            graph = build_minigraph(spec)
            run(graph)
            _check(f"{name}, {pass_task.title}", len(graph) - INPUT_COUNT, spec.remaining, spec.remaining)
        for peer in peers:
            job = peer.tasks.get(task)
            if job is not None and job.count is not None:
                left = job.count(job.run(peer.build(spec)))
                max_left = spec.remaining + MAX_MISSED_SHARE * len(spec.nodes)
                _check(f"{peer.name}, {pass_task.title}", left, spec.remaining // 2, max_left)


def _check(name: str, left: int, min_left: int, max_left: float) -> None:
    if not min_left <= left <= max_left:
        raise MismatchError(f"{name}: {left} operators are left instead of {min_left}; its speed is not comparable")


# ---- goals and tables ----------------------------------------------------------------------------------


def goals(count: int = SIZES[-1], outs: int = WIDE_GRAPH_OUTPUTS) -> list[Goal]:
    """The goals of the passes, as speeds relative to the baseline of each case."""
    shares = [
        Goal(f"{pass_task.title}, {count:,} nodes", name, "speed", round(1 / pass_task.share, 2))
        for pass_task in PASS_TASKS.values()
        for name in pass_task.own_passes
    ]
    wide = [
        Goal(f"{PASS_TASKS[task].title}, many outputs", f"minigraph, {outs:,} outputs", "speed", 0.667)
        for task in REWRITING_TASKS
    ]
    growth = [
        Goal(f"{pass_task.title}, ten times the nodes", f"minigraph, {count:,} nodes", "speed", 0.0833)
        for pass_task in PASS_TASKS.values()
    ]
    return shares + wide + growth


def tables(rounds: int = 5, sizes: Sequence[int] = SIZES) -> list[Table]:
    """All tasks at all sizes; the largest graphs in three rounds only."""
    peers = rewriters()
    check_counts(peers)
    builds = [measure(case(t, n, peers), min(rounds, 3) if n > 10_000 else rounds) for n in sizes for t in PASS_TASKS]
    largest = sizes[-1]
    wide = [measure(wide_case(t, largest, largest // 5), rounds) for t in REWRITING_TASKS]
    growth = [measure(growth_case(t, largest), rounds) for t in PASS_TASKS]
    return [
        Table(
            "Passes compared with a build",
            f"speed relative to a textbook networkx build; µs per node{_missing_note()}",
            builds,
        ),
        Table("Passes on wide graphs", "a fifth of all values are outputs; µs per node", wide),
        Table("Passes on growing graphs", "µs per node of the larger", growth),
    ]


def _missing_note() -> str:
    return f"; not installed here: {', '.join(missing_systems())}" if missing_systems() else ""
