"""The checker of the lesson on a new operator."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from minigraph.capture.trace import trace
from minigraph.compilation import jit
from minigraph.core.autodiff.grad import grad
from minigraph.core.errors import TraceError
from minigraph.core.op import Op, op_named
from minigraph.core.tensor import Tensor
from minigraph.ir.graph import Graph, producer
from minigraph.lessons.told import NotYet, named, numbers, operators
from minigraph.operators.work import lane_work

Part = Callable[..., Any]


def check_hypot(parts: Sequence[Part | None]) -> None:
    """Values: both parts against the slopes. Structure: operators only, no root. Then both modes, and order 2."""
    for name, part in zip("xy", parts, strict=False):
        if part is None:
            raise NotYet(f"the part of {name} is None: a function of g, out, x and y, one line")
        _check_part(name, part)
    if len(parts) != 2:
        raise NotYet(f"vjp_of_hypot has {len(parts)} parts; there are two inputs")
    slope = grad(hypot_with(parts), 0)
    x, y, radius = 3.0, 4.0, 5.0
    want = [y * y / radius**3, -x * y / radius**3]
    for mode, fn in (("eager", slope), ("graph", jit(slope))):
        found = [part.item() for part in grad(fn, (0, 1))(Tensor(x), Tensor(y))]
        if not np.allclose(found, want, rtol=1e-4):
            raise NotYet(f"{mode} mode: the second derivatives at (3, 4) are {found}, they should be {want}")
    print("Right: both parts are right in both modes, made of operators, and have derivatives themselves.")


def hypot_with(parts: Sequence[Part | None]) -> Op:
    """The operator of the exercise, not entered into the table, so that it can be tried again and again."""
    return Op(
        "hypot", np.hypot, infer=lambda x, y: x, vjp=tuple(parts), family="elementwise",
        work=lane_work("simple", "simple", "special"), doc="The root of x² + y², element by element.",
    )  # fmt: skip


def _check_part(name: str, part: Part) -> None:
    g, x, y = numbers(1, 6), numbers(2, 6), numbers(3, 6)
    out = Tensor(np.hypot(x.asnumpy(), y.asnumpy()))
    graph = _graph(name, part, g, out, x, y)
    answer = part(g, out, x, y)
    along = x.asnumpy() if name == "x" else y.asnumpy()
    want = g.asnumpy() * along / out.asnumpy()
    if not graph.users(graph.inputs[0]):
        raise NotYet(f"the part of {name} is wrong: g (%0) is not used, but what arrives is multiplied with the slope")
    last = producer(graph.outs[0])
    if answer.shape != want.shape or not np.allclose(answer.asnumpy(), want, atol=1e-5):
        slope = f"where {name} is {along[0]:.3f}, {want[0]:.3f} goes back to it, not {answer.asnumpy()[0]:.3f}"
        raise NotYet(f"the part of {name} is wrong: {slope} ({named(graph, last)})")
    roots = [node for node in operators(graph) if graph.op(node) is op_named("sqrt")]
    if roots:
        raise NotYet(f"right values, but {named(graph, roots[0])} takes the root a second time: it stands in out")


def _graph(name: str, part: Part, *inputs: Tensor) -> Graph:
    try:
        return trace(part, *inputs)
    except TraceError as error:
        raise NotYet(f"the part of {name} leaves the graph: {error}; write it with operators") from None
