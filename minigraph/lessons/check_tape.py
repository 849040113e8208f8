"""Checkers of the lessons on gradients."""

from __future__ import annotations

import numpy as np

from minigraph import ops
from minigraph.capture.trace import trace
from minigraph.core.aliases import Function
from minigraph.core.autodiff.grad import grad
from minigraph.core.op import op_named
from minigraph.core.tensor import Tensor
from minigraph.ir.graph import Graph, producer
from minigraph.lessons.answers import checker, tensor_of
from minigraph.lessons.feedback import WrongAnswerError, node_text, nodes_text, numbers, operators


@checker
def check_rule_of_tanh(rule: Function) -> None:
    """Check the rule against finite differences on 20 inputs, and that it takes at most three operators, no tanh."""
    for seed in range(20):
        x, g = numbers(seed, 4), numbers(seed + 100, 4)
        blank = "return the gradient of x, given the gradient g of out"
        answer = tensor_of("tanh_rule(g, out, x)", rule, g, ops.tanh(x), x, blank=blank)
        double = x.asnumpy().astype(np.float64)
        slope = (np.tanh(double + 1e-6) - np.tanh(double - 1e-6)) / 2e-6
        if not np.allclose(answer.asnumpy(), g.asnumpy() * slope, atol=1e-4):
            raise WrongAnswerError(_wrong_gradient(rule, x, answer, slope))
    graph = trace(rule, numbers(0, 4), numbers(1, 4), numbers(2, 4))
    recomputed = [node for node in operators(graph) if graph.op(node) is op_named("tanh")]
    if recomputed:
        raise WrongAnswerError(
            f"right values, but {node_text(graph, recomputed[0])} computes tanh a second time: use out"
        )
    nodes = operators(graph)
    if len(nodes) > 3:
        raise WrongAnswerError(
            f"right values, but {len(nodes)} operators, three are enough: {nodes_text(graph, nodes)}"
        )
    print(f"Right: 20 inputs agree with finite differences; {len(nodes)} operators, none of them tanh.")


def _wrong_gradient(rule: Function, x: Tensor, answer: Tensor, slope: np.ndarray) -> str:
    graph = trace(rule, x, x, x)
    g, out, operand = graph.inputs
    if not graph.users(g):
        return f"g (%{g}) is not used: a rule multiplies the incoming gradient by the derivative"
    if graph.users(operand) and not graph.users(out):
        node = graph.users(operand)[0]
        return f"{node_text(graph, node)} uses x; compute the derivative 1 - tanh(x)² from out"
    last = producer(graph.outs[0])
    return f"{node_text(graph, last)} is wrong: at x = {x.asnumpy()[0]:.3f} the derivative of tanh is {slope[0]:.3f}"


# ---- a Hessian times a vector ----------------------------------------------------------------------------

DIRECTION_SCALES = (1.0, 1e4)  # of the direction


@checker
def check_hvp(hvp: Function) -> None:
    """Check the product against a Hessian in double precision, with as many operators for 60 inputs as for 6.

    The product is linear in v, however large v is; finite differences are not.
    """
    x, v = numbers(0, 6), numbers(1, 6)
    blank = "return the gradient of (gradient of f) · v"
    answers = [tensor_of("hvp(f, x, v)", hvp, _nonlinear, x, scale * v, blank=blank) for scale in DIRECTION_SCALES]
    hessian = _hessian(x)
    graphs = [trace(lambda x, v: hvp(_nonlinear, x, v), numbers(0, size), numbers(1, size)) for size in (6, 60)]
    expected = hessian @ v.asnumpy()
    for scale, answer in zip(DIRECTION_SCALES, answers, strict=True):
        if answer.shape != expected.shape or not _is_close(answer.asnumpy() / scale, expected, 1e-4):
            raise WrongAnswerError(_wrong_product(graphs[0], x, v, answers[0], hessian))
    few, many = (len(operators(graph)) for graph in graphs)
    if many > few:
        raise WrongAnswerError(f"right values, but {many} operators for 60 inputs, {few} for 6: a loop over the inputs")
    print(f"Right: the Hessian times v, with {many} operators for any number of inputs.")


def _is_close(actual: np.ndarray, expected: np.ndarray, tolerance: float) -> bool:
    """Whether no element differs by more than a share of the largest one."""
    return bool(np.abs(actual - expected).max() <= tolerance * np.abs(expected).max())


def _nonlinear(x: Tensor) -> Tensor:
    return (ops.tanh(x) ** 3).sum() + (x * x).sum() * x.sum()


def _hessian(x: Tensor, step: float = 1e-4) -> np.ndarray:
    """The Hessian by central differences of the gradient in double precision, row by row."""
    slope, at = grad(_nonlinear), x.asnumpy().astype(np.float64)
    pairs = [(Tensor(at + step * unit), Tensor(at - step * unit)) for unit in np.eye(at.size, dtype=at.dtype)]
    return np.stack([(slope(up).asnumpy() - slope(down).asnumpy()) / (2 * step) for up, down in pairs])


def _wrong_product(graph: Graph, x: Tensor, v: Tensor, answer: Tensor, hessian: np.ndarray) -> str:
    last = node_text(graph, producer(graph.outs[0]))
    if answer.shape != v.shape:
        return f"{last} is {answer.type}, the Hessian times v is {v.type}"
    if _is_close(answer.asnumpy(), hessian @ v.asnumpy(), 2e-2):
        return f"{last} is only close to the Hessian times v: differentiate the gradient, without differences"
    if np.allclose(answer.asnumpy(), (grad(_nonlinear)(x) * v).asnumpy(), atol=2e-2):
        return f"{last} is the gradient times v: differentiate once more"
    if np.allclose(answer.asnumpy(), hessian.sum(1) * v.asnumpy(), atol=2e-2):
        return f"{last} multiplies by v after the sum over a row: multiply before it"
    return f"{last} is {answer.asnumpy()[:2]}..., the Hessian times v is {(hessian @ v.asnumpy())[:2]}..."
