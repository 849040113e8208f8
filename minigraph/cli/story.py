"""Collects the facts that ``minigraph explain`` shows: eager calls, graphs, passes, times."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from minigraph.capture.structure import is_tensor
from minigraph.cli.target import Target, user_code_errors
from minigraph.cli.timing import Spread, limit_to_one_thread, time_in_turns
from minigraph.compilation import OpByOpWarning
from minigraph.core.autodiff.tape import Tape
from minigraph.core.lazy import cached_property
from minigraph.core.location import Loc, user_loc
from minigraph.core.op import Attrs, Op, active_observers, record_on
from minigraph.core.pytree import leaves_of
from minigraph.execute.compile import compile_graph
from minigraph.ir.graph import Graph
from minigraph.npu import DEFAULT_HOST, Report, chip_named, cycles, simulate
from minigraph.npu.library import pipeline_for
from minigraph.npu.reports import EdgeGain, fusion_gains
from minigraph.npu.reports.run_time import Bar, four_bars, ratios, verdict
from passes import PassRecord, Pipeline
from viz.explore.eager import preserve_parameters

OTHER_PIPELINES = ("graph_kernel", "fast")  # shipped pipelines that may save more than the chosen one


class Call(NamedTuple):
    """One operator call of an eager step: operand and result types, source line, whether a tape recorded it."""

    op: Op
    ins: tuple[str, ...]
    outs: tuple[str, ...]
    loc: Loc | None
    is_recorded: bool


class Times(NamedTuple):
    """Milliseconds on numpy: an eager and a compiled call, their ratio, and the stages of compilation.

    ``speedup`` is the time of an eager call over the time of a compiled call in the same round. ``rounds`` were timed.
    The stages, which happen once, are in processor time, so that other load on the machine does not count.
    """

    eager: Spread
    compiled: Spread
    speedup: Spread
    rounds: int
    threads: str
    capture: float
    passes: float
    build: float

    @property
    def compilation(self) -> float:
        """Milliseconds before the first compiled call: capture, passes, build."""
        return self.capture + self.passes + self.build


@dataclass(frozen=True)
class Story:
    """The facts about one function, in the order of presentation."""

    target: Target
    chip: str
    pipeline: Pipeline
    calls: list[Call]
    captured: Graph
    records: list[PassRecord]
    optimized: Graph
    times: Times
    before: Report  # the captured graph on the chip
    after: Report  # the optimised graph on the chip
    other_cycles: Mapping[str, int] = field(default_factory=dict)  # device cycles with other pipelines, by name
    compare: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)  # further runs, as in ``viz.explorer``
    segments: tuple[str, ...] = ()  # how the parts of a call that is not a single graph run

    @property
    def chip_name(self) -> str:
        """The chip's display name with its calibration status, such as "Ascend 310 (nominal)"."""
        return self.after.label

    @cached_property
    def gains(self) -> tuple[EdgeGain, ...]:
        """The savings from fusing each edge of the optimised graph, largest first."""
        return fusion_gains(self.optimized, self.after.chip, self.after.host_preset)

    @cached_property
    def bars(self) -> tuple[Bar, ...]:
        """Times of cold and warm runs: eager mode on the captured graph, graph mode on the optimised graph."""
        return four_bars(self.before.tasks, self.before.host_preset, self.after.tasks)

    @property
    def bound_notes(self) -> list[str]:
        """Whether the eager run is host-bound or device-bound, and the components of the ratios of the bars."""
        return [verdict(self.before.tasks, self.before.host_preset), *ratios(self.bars)]


class _Recorder:
    """An observer of every operator call of an eager step: forward, backward and update."""

    def __init__(self) -> None:
        self.calls: list[Call] = []

    def record(self, op: Op, args: tuple[Any, ...], attrs: Attrs, out: object) -> None:
        """Record the types of one call, not its tensors."""
        outs = out if isinstance(out, tuple) else (out,)
        types = tuple(str(a.type) for a in args), tuple(str(o.type) for o in outs)
        tapes = [listener for listener in active_observers() if isinstance(listener, Tape)]
        is_recorded = any(tape.is_tracked(arg) for tape in tapes for arg in args)  # observers run before the tapes
        self.calls.append(Call(op, *types, user_loc(), is_recorded))


def collect_story(
    target: Target, chip: str, pipeline: Pipeline, progress: Callable[[str], None], host: str = DEFAULT_HOST
) -> Story:
    """Run the target eagerly and as a graph, on numpy and on the simulated chip with a host, and collect the results.

    Parameters are restored afterwards, so that explaining a training step does not train.
    """
    progress("capturing the graph")
    start = time.process_time()
    with user_code_errors(target.module.__file__, f"'{target.name}' fails"):
        graph = target.function.graph(*target.inputs, pipeline=())
    capture_seconds = time.process_time() - start
    captured = graph.clone()
    progress("running the passes")
    start = time.process_time()
    pipeline.run(captured.clone())
    pass_seconds = time.process_time() - start
    records = pipeline.run(graph, snapshots=True, cost=lambda g: cycles(g, chip=chip))
    with preserve_parameters(graph.params.values()):
        segments = run_segments(target)
        progress("recording one eager step")
        calls = _record_calls(target)
        progress("timing eager against graph")
        times = _measure(target, graph, capture_seconds, pass_seconds)
    progress(f"simulating {chip}")
    before, after = (simulate(program, chip=chip, host=host) for program in (captured, graph))
    pipelines = {name: pipeline_for(name, chip_named(chip)) for name in OTHER_PIPELINES}
    other_cycles = {name: _cycles_with(other, captured, chip) for name, other in pipelines.items() if other != pipeline}
    return Story(
        target, chip, pipeline, calls, captured, records, graph, times, before, after, other_cycles, segments=segments
    )


def run_segments(target: Target) -> tuple[str, ...]:
    """Call the function once, and describe how its parts run if the call is not a single graph."""
    with user_code_errors(target.module.__file__, f"'{target.name}' fails"), warnings.catch_warnings():
        warnings.simplefilter("ignore", OpByOpWarning)
        target.function(*target.inputs)
    return target.function.cache_info().segments


def _cycles_with(pipeline: Pipeline, captured: Graph, chip: str) -> int:
    """Device cycles of a captured graph after a pipeline."""
    graph = captured.clone()
    pipeline.run(graph)
    return cycles(graph, chip=chip)


def _record_calls(target: Target) -> list[Call]:
    recorder = _Recorder()
    with user_code_errors(target.module.__file__, f"'{target.name}' fails when it runs eagerly"):
        record_on(recorder).call(target.function.fn, *target.inputs)
    return recorder.calls


def _measure(target: Target, graph: Graph, capture_seconds: float, pass_seconds: float) -> Times:
    start = time.process_time()
    program = compile_graph(graph)
    build_seconds = time.process_time() - start
    arrays = [leaf.array for leaf in leaves_of((target.inputs, {}), is_tensor)]
    eager, threads = limit_to_one_thread(lambda: target.function.fn(*target.inputs))
    compiled, _ = limit_to_one_thread(lambda: program(*arrays))
    samples = time_in_turns(eager, compiled)
    ratios = [eager_ms / compiled_ms for eager_ms, compiled_ms in zip(*samples, strict=True)]
    spreads = [Spread.from_samples(values) for values in (*samples, ratios)]
    stages = (seconds * 1e3 for seconds in (capture_seconds, pass_seconds, build_seconds))
    return Times(spreads[0], spreads[1], spreads[2], len(ratios), threads, *stages)
