"""The operands of branches and loops through which gradients flow, and non-differentiable values that block the flow.

While a gradient is captured, the branch that will run and the number of iterations are not known. So each operand has a
flow: whether some run passes it a cotangent, whether every run does, and what blocks the others. The flows of a body
are those of its own gradient; of a loop, a fixed point over the values that it carries.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from minigraph.core.autodiff.differentiability import DiagnosticTape, use_replay_tapes
from minigraph.core.autodiff.flows import NO_FLOW, GradientFlow
from minigraph.core.autodiff.tape import full_like
from minigraph.core.op import apply, record_on
from minigraph.core.tensor import Tensor
from minigraph.core.types import bool_
from minigraph.execute.interpret import interpret
from minigraph.ir.graph import Graph
from minigraph.operators.region_gradients import MAX_CACHED_BODIES, strip_effects, trace_types

Bodies = tuple[Graph, ...]


def cond_flows(seeded: Sequence[int], *, bodies: Bodies) -> list[GradientFlow]:
    """The flows into the operands of a ``cond``, whose first one only selects."""
    by_body = [body_flows(body, frozenset(seeded)) for body in bodies]
    return [NO_FLOW, *map(_join, *by_body)]


def while_flows(seeded: Sequence[int], *, carries: int, bodies: Bodies) -> list[GradientFlow]:
    """The flows into the operands of a ``while_loop``, which may run no iteration."""
    return _loop_flows(bodies[1], seeded, carries, may_be_empty=True)


def scan_flows(
    seeded: Sequence[int], *, carries: int, rows: int, length: int, bodies: Bodies, reverse: bool = False
) -> list[GradientFlow]:
    """The flows into the operands of a ``scan``."""
    return _loop_flows(bodies[0], seeded, carries, may_be_empty=length == 0)


def _loop_flows(body: Graph, seeded: Sequence[int], carries: int, may_be_empty: bool) -> list[GradientFlow]:
    """The flows of the values from which cotangents come in some iteration."""
    reached = frozenset(seeded)
    while True:
        flows = body_flows(body, reached)
        extended = reached | {k for k in range(carries) if flows[k].is_reached}
        if extended == reached:
            break
        reached = extended
    inner = enumerate(flows[:carries])
    carried = [GradientFlow(True, k in seeded and flow.is_certain, flow.blocker) for k, flow in inner]
    carried = [flow if k in reached else NO_FLOW for k, flow in enumerate(carried)]
    is_steady = all(flows[k].is_certain for k in seeded if k < carries) and not may_be_empty
    return [*carried, *(flow._replace(is_certain=flow.is_certain and is_steady) for flow in flows[carries:])]


def _join(first: GradientFlow, second: GradientFlow) -> GradientFlow:
    """The flow if either of two bodies may run."""
    is_certain = first.is_certain and second.is_certain
    return GradientFlow(first.is_reached or second.is_reached, is_certain, first.blocker or second.blocker)


@lru_cache(maxsize=MAX_CACHED_BODIES)
def body_flows(body: Graph, seeded: frozenset[int]) -> tuple[GradientFlow, ...]:
    """The flows from the ``seeded`` results of a body into its inputs, as a tape finds them."""
    pure, flows = strip_effects(body), [NO_FLOW] * len(body.inputs)

    def differentiate(*values: Tensor) -> tuple[Tensor, ...]:
        """Record the body on a diagnostic tape and store the ``GradientFlow`` of every input; returns the inputs."""
        tape, ins = DiagnosticTape(), [apply("identity", value) for value in values]
        watched = [p for p, value in enumerate(ins) if value.dtype is not bool_]
        for p in watched:
            tape.watch(ins[p])
        outs = use_replay_tapes(False).call(record_on(tape).call, interpret, pure, *ins)  # the program's own calls
        seeds = [(outs[k], full_like(outs[k], 1.0)) for k in sorted(seeded)]
        for p, gradient in zip(watched, tape.gradient(seeds, [ins[p] for p in watched]), strict=True):
            is_certain = gradient is not None and ins[p] not in tape.diagnostics.uncertain
            blocker = None if is_certain else tape.diagnostics.blockers.get(ins[p])
            flows[p] = GradientFlow(gradient is not None, is_certain, blocker)
        return values

    trace_types(f"{body.title}.flows", differentiate, [body.type(node) for node in body.inputs])
    return tuple(flows)
