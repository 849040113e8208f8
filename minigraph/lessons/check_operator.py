"""The checker of the lesson on defining an operator."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from minigraph.capture.trace import trace
from minigraph.compilation import jit
from minigraph.core.aliases import Function
from minigraph.core.autodiff.grad import grad
from minigraph.core.errors import TraceError
from minigraph.core.op import Op, op_named
from minigraph.core.tensor import Tensor
from minigraph.ir.graph import Graph, producer
from minigraph.lessons.answers import check_type, checker, tensor_of
from minigraph.lessons.feedback import WrongAnswerError, node_text, numbers, operators
from minigraph.operators.work import lane_work

Vjp = Function


@checker
def check_hypot(vjps: Sequence[Vjp | None]) -> None:
    """Check both VJP rules, that they use operators only and no root, and second derivatives in both modes."""
    check_type("vjp_of_hypot", vjps, (tuple, list), "write two rules, (rule for x, rule for y)")
    for name, vjp in zip("xy", vjps, strict=False):
        if vjp is None:
            raise WrongAnswerError(f"the rule for {name} is None: write a function of g, out, x and y in one line")
        _check_vjp(name, vjp)
    if len(vjps) != 2:
        raise WrongAnswerError(f"vjp_of_hypot has {len(vjps)} rules; it needs one for each of the two inputs")
    slope = grad(hypot_with(vjps), 0)
    x, y, radius = 3.0, 4.0, 5.0
    expected = [y * y / radius**3, -x * y / radius**3]
    for mode, fn in (("eager", slope), ("graph", jit(slope))):
        actual = [part.item() for part in grad(fn, (0, 1))(Tensor(x), Tensor(y))]
        if not np.allclose(actual, expected, rtol=1e-4):
            raise WrongAnswerError(
                f"{mode} mode: the second derivatives at (3, 4) are {actual}, they should be {expected}"
            )
    print("Right: both rules are right in both modes, use operators only, and can be differentiated again.")


def hypot_with(vjps: Sequence[Vjp | None]) -> Op:
    """The operator of the exercise; it is not registered, so that it can be defined repeatedly."""
    return Op(
        "hypot", np.hypot, infer=lambda x, y: x, vjp=tuple(vjps), family="elementwise",
        work=lane_work("simple", "simple", "special"), doc="sqrt(x² + y²), elementwise.",
    )  # fmt: skip


def _check_vjp(name: str, vjp: Vjp) -> None:
    g, x, y = numbers(1, 6), numbers(2, 6), numbers(3, 6)
    out = Tensor(np.hypot(x.asnumpy(), y.asnumpy()))
    answer = tensor_of(f"the rule for {name}", vjp, g, out, x, y, blank="write it in one line")
    graph = _trace(name, vjp, g, out, x, y)
    along = x.asnumpy() if name == "x" else y.asnumpy()
    expected = g.asnumpy() * along / out.asnumpy()
    if not graph.users(graph.inputs[0]):
        raise WrongAnswerError(f"the rule for {name} is wrong: g (%0) is not used; multiply it by the derivative")
    last = producer(graph.outs[0])
    if answer.shape != expected.shape or not np.allclose(answer.asnumpy(), expected, atol=1e-5):
        values = f"at {name} = {along[0]:.3f} the gradient is {expected[0]:.3f}, not {answer.asnumpy()[0]:.3f}"
        raise WrongAnswerError(f"the rule for {name} is wrong: {values} ({node_text(graph, last)})")
    roots = [node for node in operators(graph) if graph.op(node) is op_named("sqrt")]
    if roots:
        raise WrongAnswerError(
            f"right values, but {node_text(graph, roots[0])} computes the root a second time: use out"
        )


def _trace(name: str, vjp: Vjp, *inputs: Tensor) -> Graph:
    try:
        return trace(vjp, *inputs)
    except TraceError as error:
        raise WrongAnswerError(f"the rule for {name} leaves the graph: {error}; write it with operators") from None
