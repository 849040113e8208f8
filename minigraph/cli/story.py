"""Everything ``minigraph explain`` has to tell of one function, gathered once: tape, graphs, passes, times."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from minigraph.capture.structure import is_tensor
from minigraph.cli.target import Target, users_code
from minigraph.core.autodiff.tape import Tape
from minigraph.core.location import Loc, user_loc
from minigraph.core.op import Attrs, Op, listeners, listening
from minigraph.core.pytree import leaves_of
from minigraph.execute.compile import compile_graph
from minigraph.ir.graph import Graph
from minigraph.npu import DEFAULT_HOST, Report, cycles, simulate
from minigraph.npu.reports.bars import Bar, four_bars, ratios, verdict
from passes import PassRecord, Pipeline
from viz.explore.eager import parameters_kept

FEWEST = 2  # rounds that are timed even when a call takes long


class Call(NamedTuple):
    """One operator call of an eager step: types in, type out, the user's line, and whether a tape heard it."""

    op: Op
    ins: tuple[str, ...]
    outs: tuple[str, ...]
    loc: Loc | None
    taped: bool


class Times(NamedTuple):
    """Milliseconds on numpy: median of one eager call, of one compiled call, and of the first compile."""

    eager: float
    compiled: float
    capture: float
    passes: float
    build: float


@dataclass(frozen=True)
class Story:
    """The facts of one function, in the order they are told."""

    target: Target
    chip: str
    pipeline: Pipeline
    calls: list[Call]
    captured: Graph
    records: list[PassRecord]
    optimised: Graph
    times: Times
    before: Report  # the captured graph on the chip
    after: Report  # the optimised graph on the chip
    compare: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)  # runs beside it, as ``viz.explorer`` takes

    @property
    def on(self) -> str:
        """The chip for people, with its standing: "Ascend 310 (nominal)"."""
        return self.after.chip.label

    @property
    def bars(self) -> tuple[Bar, ...]:
        """Cold and warm, eager and graph: eagerly operators run as captured, as a graph as the passes left them."""
        return four_bars(self.before.tasks, self.before.host_preset, self.after.tasks)

    @property
    def why(self) -> list[str]:
        """Who the eager run waits for, and what the ratios of the bars contain."""
        return [verdict(self.before.tasks, self.before.host_preset), *ratios(self.bars)]


class _Recorder:
    """A listener that hears every call of an eager step, forward, backward and update alike."""

    def __init__(self) -> None:
        self.calls: list[Call] = []

    def record(self, op: Op, args: tuple[Any, ...], attrs: Attrs, out: Any) -> None:
        """Keep the types of one call, not its tensors."""
        outs = out if isinstance(out, tuple) else (out,)
        types = tuple(str(a.type) for a in args), tuple(str(o.type) for o in outs)
        tapes = [listener for listener in listeners() if isinstance(listener, Tape)]
        taped = any(tape.knows(arg) for tape in tapes for arg in args)  # this hears a call before they do
        self.calls.append(Call(op, *types, user_loc(), taped))


def gathered(
    target: Target, chip: str, pipeline: Pipeline, progress: Callable[[str], None], host: str = DEFAULT_HOST
) -> Story:
    """Run the target eagerly and as a graph, on numpy and on the simulated chip beside a host, and keep what happened.

    Parameters are put back afterwards, so that explaining a training step does not train.
    """
    progress("capturing the graph")
    start = time.perf_counter()
    with users_code(target.module.__file__, f"'{target.name}' fails"):
        graph = target.function.graph(*target.inputs, pipeline=())
    traced = time.perf_counter() - start
    captured = graph.clone()
    progress("running the passes")
    records = pipeline.run(graph, snapshots=True, cost=lambda g: cycles(g, chip=chip))
    with parameters_kept(graph.params.values()):
        progress("recording one eager step")
        calls = _calls_of(target)
        progress("timing eager against graph")
        times = _timed(target, graph, traced, sum(record.seconds for record in records))
    progress(f"simulating {chip}")
    before, after = (simulate(one, chip=chip, host=host) for one in (captured, graph))
    return Story(target, chip, pipeline, calls, captured, records, graph, times, before, after)


def _calls_of(target: Target) -> list[Call]:
    recorder = _Recorder()
    with listening(recorder), users_code(target.module.__file__, f"'{target.name}' fails when it runs eagerly"):
        target.function.fn(*target.inputs)
    return recorder.calls


def _timed(target: Target, graph: Graph, traced: float, passes: float) -> Times:
    start = time.perf_counter()
    program = compile_graph(graph)
    built = time.perf_counter() - start
    arrays = [leaf.array for leaf in leaves_of((target.inputs, {}), is_tensor)]
    eager, compiled = interleaved_medians(lambda: target.function.fn(*target.inputs), lambda: program(*arrays))
    return Times(eager, compiled, traced * 1e3, passes * 1e3, built * 1e3)


def interleaved_medians(*calls: Callable[[], object], rounds: int = 15, patience: float = 10.0) -> list[float]:
    """The median milliseconds of each call, timed in turns so that a noisy machine is unfair to none.

    There are fewer rounds, but at least two, when ``patience`` seconds are over.
    """
    samples: list[list[float]] = [[] for _ in calls]
    until = time.perf_counter() + patience
    for done in range(rounds + 1):
        if done > FEWEST and time.perf_counter() > until:
            break
        for call, kept in zip(calls, samples, strict=True):
            start = time.perf_counter()
            call()
            kept.append((time.perf_counter() - start) * 1e3)
    return [statistics.median(kept[1:]) for kept in samples]  # the first round only warms up
