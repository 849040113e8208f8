"""The fused nodes of the pass ``fuse_loops``, of each of which a compiler of loops makes one kernel.

What lies between the operators of a body is a register instead of an array. A body is a step like others: its results
live in buffers. An elementwise one is cut into pieces and shared among threads with its neighbours; one that reduces
shares out its rows itself.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from minigraph.accel.host.threads import shares_of, side_by_side, threads_for
from minigraph.accel.host.ufuncs import ufunc_of
from minigraph.accel.loops.kernels import Plain, available, kernel_of, tell_missing
from minigraph.accel.loops.loops import Body, Loop, loop_of
from minigraph.core.context import get_context
from minigraph.core.op import Op, forward_of
from minigraph.core.types import TensorType
from minigraph.execute.source import run_listed
from minigraph.execute.steps import Inlining, Numbers, Plan, Step
from minigraph.ir.reading import GraphReader
from minigraph.operators.scalar_expressions import FOLDS

Types = Mapping[int, TensorType]


def joining() -> bool:
    """Whether kernels are to compute what they can: ``kernel_backend`` is not "numpy", and numba is installed.

    "auto" is silent where it is not, "numba" warns once.
    """
    backend = get_context("kernel_backend")
    if backend == "numba" and not available():
        tell_missing()
    return backend != "numpy" and available()


def rounding() -> bool:
    """Whether kernels may round otherwise than numpy: only when they are asked for by name."""
    return get_context("kernel_backend") == "numba" and joining()


def loop_step(node: Step, steps: Sequence[Step], types: Types) -> Step:
    """A node of the pass ``fuse_loops`` as one step; ``steps`` are its body's, ``types`` those of its operands."""
    types = dict(types) | {step.outs[0]: step.types[0] for step in steps}
    fold = next((step for step in steps if step.op in FOLDS), None)
    shape = steps[0].types[0].shape if fold is None else types[fold.ins[0]].shape
    made = {step.outs[0] for step in steps}
    operands = dict.fromkeys(value for step in steps for value in step.ins if value not in made)
    body = Body(tuple(steps), tuple(operands), node.outs, shape, len(fold.attrs["axis"]) if fold else 0)
    loop = loop_of(body, types)
    op = Op("body", _forward(loop, body, types), lambda *_: node.types, family="other" if fold else "elementwise",
            role="fused", into=True, doc=loop.text)  # fmt: skip
    return node._replace(op=op, ins=body.operands, attrs={})


class LoopInlining(Inlining):
    """Appends the steps of graphs to a plan; kernels compute fused nodes, for those ``fuse_loops`` made."""

    def __init__(self, plan: Plan) -> None:
        super().__init__(plan)
        self._kernels = joining()

    def fused(self, graph: GraphReader, node: int, ins: Numbers, name: str) -> Numbers:
        """Append a fused node, as one step where there are kernels; returns its output values."""
        plan, first = self.plan, len(self.plan.steps)
        sources = len(plan.sources)
        outs = super().fused(graph, node, ins, name)
        if self._kernels:
            body = plan.steps[first:]
            types = dict(zip(ins, map(graph.type, graph.ins(node)), strict=True))
            types |= {source.value: source.type for source in plan.sources[sources:]}
            whole = Step(graph.op(node), ins, {}, outs, graph.types(node), graph.loc(node), name)
            plan.steps[first:] = [loop_step(whole, body, types)]
        return outs


# ---- the function ----------------------------------------------------------------------------------


def _forward(loop: Loop, body: Body, types: Types) -> Callable[..., Any]:
    """The kernel of a loop: ``forward(*operands, out=None)``; ``out`` is a tuple where there are several results."""
    made, single = [types[value] for value in body.results], len(body.results) == 1
    kernel, plain = kernel_of(loop), _plain(body)
    shares = _shares(body, types)
    cut = [_is_cut(body, value, types) for value in (*body.operands, *body.results)]

    def forward(*arrays: np.ndarray, out: Any = None) -> Any:
        if out is None:
            out = [np.empty(type.shape, type.dtype.numpy) for type in made]
        outs = (out,) if isinstance(out, np.ndarray) else tuple(out)
        if len(shares) < 2:
            kernel(plain, (*arrays, *outs), loop)
        else:
            every = list(zip((*arrays, *outs), cut, strict=True))
            works = ((plain, [a[rows] if part else a for a, part in every], loop) for rows in shares)
            side_by_side(kernel, *works)
        return outs[0] if single else outs

    return forward


def _shares(body: Body, types: Types) -> list[slice]:
    """The rows that each thread computes, of a body that reduces; the others are shared out piece by piece."""
    if not 0 < body.trailing < len(body.shape):
        return []
    nbytes = sum(step.types[0].nbytes for step in body.steps)
    return shares_of(body.shape[0], threads_for(nbytes, body.shape[0]))


def _is_cut(body: Body, value: int, types: Types) -> bool:
    """Whether each thread takes its own rows of an array."""
    shape = types[value].shape
    return value in body.results or (len(shape) == len(body.shape) > 0 and shape[0] == body.shape[0])


def _plain(body: Body) -> Plain:
    """The steps one after the other, into the last arrays: code, because a loop over steps takes longer than they do.

    Results are written last, for they may lie where operands lay; what nobody reads any more is deleted at once.
    """
    last_use = {value: i for i, step in enumerate(body.steps) for value in step.ins if value not in body.results}
    sums = any(step.op in FOLDS for step in body.steps)  # in an order that depends on how their operands lie
    given = [f"v{value}" for value in body.operands] + [f"out{value}" for value in body.results]
    lines, space = [f"def plain({', '.join(given)}):"], dict[str, Any]()
    for i, step in enumerate(body.steps):
        bare = None if sums else ufunc_of(step.op)
        space[f"f{i}"] = bare or partial(forward_of(step.op), **step.attrs)
        dead = ", ".join(f"v{value}" for value in dict.fromkeys(step.ins) if last_use.get(value) == i)
        lines.append(f"    v{step.outs[0]} = f{i}({', '.join(f'v{value}' for value in step.ins)})")
        lines += [f"    del {dead}"] if dead else []
    lines += [f"    out{value}[...] = v{value}" for value in body.results]
    run_listed("\n".join(lines), space, "plain")
    plain: Plain = space["plain"]
    return plain
