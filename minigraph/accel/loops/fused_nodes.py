"""Fused nodes of the pass ``fuse_loops`` as steps of a program: each becomes one kernel, compiled by numba.

Values between the operators of a body live in registers instead of arrays. The kernel is a step like others: its
results live in buffers. An elementwise one is tiled and shared among threads with its neighbours; one with a reduction
divides its rows among threads itself.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from minigraph.accel.host.threads import even_slices, run_parallel, thread_count
from minigraph.accel.host.ufuncs import ufunc_of
from minigraph.accel.loops.codegen import Body, Loop, loop_of
from minigraph.accel.loops.numba_kernels import Fallback, is_numba_available, kernel_of, warn_numba_missing
from minigraph.core.aliases import Array, Function
from minigraph.core.context import get_context
from minigraph.core.location import exec_with_source
from minigraph.core.op import Op, forward_of
from minigraph.core.types import TensorType
from minigraph.execute.plan import Inliner, Plan, Step, Values
from minigraph.ir.graph_reader import GraphReader
from minigraph.operators.scalar_expressions import REDUCTIONS

Types = Mapping[int, TensorType]


def should_compile_loops() -> bool:
    """Whether fused nodes become kernels: ``kernel_backend`` is not "numpy", and numba is installed.

    Where numba is missing, "numba" warns once and "auto" does not.
    """
    backend = get_context("kernel_backend")
    if backend == "numba" and not is_numba_available():
        warn_numba_missing()
    return backend != "numpy" and is_numba_available()


def may_change_rounding() -> bool:
    """Whether kernels may round differently from numpy: only if ``kernel_backend`` is "numba"."""
    return get_context("kernel_backend") == "numba" and should_compile_loops()


def loop_step(node: Step, steps: Sequence[Step], types: Types) -> Step:
    """A fused node as one step; ``steps`` are the steps of its body, ``types`` the types of its operands."""
    types = dict(types) | {step.outs[0]: step.types[0] for step in steps}
    reduction = next((step for step in steps if step.op in REDUCTIONS), None)
    shape = steps[0].types[0].shape if reduction is None else types[reduction.ins[0]].shape
    results = {step.outs[0] for step in steps}
    operands = dict.fromkeys(value for step in steps for value in step.ins if value not in results)
    body = Body(tuple(steps), tuple(operands), node.outs, shape, len(reduction.attrs["axis"]) if reduction else 0)
    loop = loop_of(body, types)
    op = Op("body", _forward(loop, body, types), lambda *_: node.types, family="other" if reduction else "elementwise",
            role="fused", into=True, doc=loop.text)  # fmt: skip
    return node._replace(op=op, ins=body.operands, attrs={})


class LoopInlining(Inliner):
    """Appends the steps of graphs to a plan; a fused node is one step where loops are compiled."""

    def __init__(self, plan: Plan) -> None:
        super().__init__(plan)
        self._kernels = should_compile_loops()

    def inline_fused(self, graph: GraphReader, node: int, ins: Values, name: str) -> Values:
        """Append a fused node; returns its output values."""
        plan, first = self.plan, len(self.plan.steps)
        sources = len(plan.sources)
        outs = super().inline_fused(graph, node, ins, name)
        if self._kernels:
            body = plan.steps[first:]
            types = dict(zip(ins, map(graph.type, graph.ins(node)), strict=True))
            types |= {source.value: source.type for source in plan.sources[sources:]}
            fused_step = Step(graph.op(node), ins, {}, outs, graph.types(node), graph.loc(node), name)
            plan.steps[first:] = [loop_step(fused_step, body, types)]
        return outs


# ---- the forward function --------------------------------------------------------------------------


def _forward(loop: Loop, body: Body, types: Types) -> Function:
    """The forward of a loop, ``forward(*operands, out=None)``; ``out`` is a tuple where there are several results."""
    out_types, single = [types[value] for value in body.results], len(body.results) == 1
    kernel, fallback = kernel_of(loop), _numpy_fallback(body)
    shares = _row_shares(body, types)
    divided = [_is_divided(body, value, types) for value in (*body.operands, *body.results)]

    def forward(*arrays: np.ndarray, out: Array | Sequence[Array] | None = None) -> Array | tuple[Array, ...]:
        """Run the kernel, on several threads if there are several ``shares``; writes into ``out`` if it is given."""
        if out is None:
            out = [np.empty(type.shape, type.dtype.numpy) for type in out_types]
        outs = (out,) if isinstance(out, np.ndarray) else tuple(out)
        if len(shares) < 2:
            kernel(fallback, (*arrays, *outs), loop)
        else:
            arrays_and_divisions = list(zip((*arrays, *outs), divided, strict=True))
            calls = (
                (fallback, [a[rows] if divide else a for a, divide in arrays_and_divisions], loop) for rows in shares
            )
            run_parallel(kernel, *calls)
        return outs[0] if single else outs

    return forward


def _row_shares(body: Body, types: Types) -> list[slice]:
    """The rows that each thread computes of a body with a reduction; other bodies are tiled by the schedule."""
    if not 0 < body.trailing < len(body.shape):
        return []
    nbytes = sum(step.types[0].nbytes for step in body.steps)
    return even_slices(body.shape[0], thread_count(nbytes, body.shape[0]))


def _is_divided(body: Body, value: int, types: Types) -> bool:
    """Whether each thread gets its own rows of an array."""
    shape = types[value].shape
    return value in body.results or (len(shape) == len(body.shape) > 0 and shape[0] == body.shape[0])


def _numpy_fallback(body: Body) -> Fallback:
    """A function that runs the steps one by one in numpy and writes the last arrays; generated, as that is faster.

    Results are written last, because they may share memory with operands; a value is deleted after its last use.
    """
    last_use = {value: i for i, step in enumerate(body.steps) for value in step.ins if value not in body.results}
    has_reductions = any(step.op in REDUCTIONS for step in body.steps)  # whose summation order depends on layouts
    parameters = [f"v{value}" for value in body.operands] + [f"out{value}" for value in body.results]
    lines, space = [f"def fallback({', '.join(parameters)}):"], dict[str, Any]()
    for i, step in enumerate(body.steps):
        ufunc = None if has_reductions else ufunc_of(step.op)
        space[f"f{i}"] = ufunc or partial(forward_of(step.op), **step.attrs)
        dead = ", ".join(f"v{value}" for value in dict.fromkeys(step.ins) if last_use.get(value) == i)
        lines.append(f"    v{step.outs[0]} = f{i}({', '.join(f'v{value}' for value in step.ins)})")
        lines += [f"    del {dead}"] if dead else []
    lines += [f"    out{value}[...] = v{value}" for value in body.results]
    return exec_with_source("\n".join(lines), space, "fallback", "loop in numpy")
