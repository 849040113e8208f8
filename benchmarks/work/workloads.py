"""The measured programs, written once for every framework: plain Python on any arrays.

This module imports no framework, so that the interpreters of all frameworks can import it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Fn = Callable[..., Any]

# one operator each; ``x`` and ``y`` are f32[4], ``m`` is f32[2,2], ``lib`` holds the framework's functions
OPERATORS = {
    "add": "x + y",
    "add a number": "x + 1.5",
    "multiply": "x * y",
    "compare": "x < y",
    "exp": "lib.exp(x)",
    "tanh": "lib.tanh(x)",
    "sum": "x.sum()",
    "matmul": "m @ m",
    "reshape": "x.reshape(2, 2)",
    "index": "x[1]",
}
REPETITIONS = 100  # repetitions of an operator within one call, so that the cost of the call is negligible


def repeat_operator(name: str, times: int = REPETITIONS) -> Fn:
    """``run(lib, x, y, m)``: one operator of ``OPERATORS``, ``times`` times; returns the last result."""
    namespace: dict[str, Any] = {}
    text = f"def run(lib, x, y, m):\n    for _ in range({times}):\n        out = {OPERATORS[name]}\n    return out\n"
    exec(compile(text, f"<{name}>", "exec"), namespace)
    run: Fn = namespace["run"]
    return run


def add(x: Any, y: Any) -> Any:
    """One operator."""
    return x + y


def chain(length: int) -> Fn:
    """``run(x, y)``: ``x = x * y + y``, ``length`` operators long; the values stay bounded."""

    def run(x: Any, y: Any) -> Any:
        for _ in range(length // 2):
            x = x * y + y
        return x

    return run


def loop(tanh: Fn, length: int) -> Fn:
    """``run(x, w)``: ``length`` iterations of ``x = tanh(x @ w)``."""

    def run(x: Any, w: Any) -> Any:
        for _ in range(length):
            x = tanh(x @ w)
        return x

    return run


def elementwise(exp: Fn, tanh: Fn) -> Fn:
    """``run(x, y)``: twenty-five operators on every element, six of them transcendental."""

    def run(x: Any, y: Any) -> Any:
        for _ in range(5):
            x = tanh(x * y) + y
            x = x * 0.5
        return exp(x - y) * x + y * x

    return run


def light(lib: Any) -> Fn:
    """``run(x, y)``: twenty operators that each take about one processor cycle per element."""

    def run(x: Any, y: Any) -> Any:
        for _ in range(6):
            x = lib.maximum(x * y + 0.5, y)
        return x * y + x

    return run


# ---- programs: functions of ``lib`` that return ``run(x, w)`` with all weights in ``w`` ------------------


def mlp(lib: Any) -> Fn:
    """Dense layers of one width: ``x`` f32[n,d], ``w`` f32[layers,d,d]."""

    def run(x: Any, w: Any) -> Any:
        for layer in range(w.shape[0]):
            x = lib.tanh(x @ w[layer])
        return x

    return run


def attention(lib: Any, heads: int = 8) -> Fn:
    """Self-attention and a residual: ``x`` f32[n,t,d], ``w`` f32[d,4d], the weights of q, k, v, output concatenated."""

    def run(x: Any, w: Any) -> Any:
        n, t, d = x.shape
        parts = (x @ w[:, : 3 * d]).reshape(n, t, 3 * heads, d // heads).swapaxes(1, 2)
        q, k, v = (parts[:, i * heads : (i + 1) * heads] for i in range(3))
        context = softmax(lib, (q @ k.swapaxes(2, 3)) * (d // heads) ** -0.5) @ v
        return x + context.swapaxes(1, 2).reshape(n, t, d) @ w[:, 3 * d :]

    return run


def softmax(lib: Any, x: Any) -> Any:
    """Softmax along the last axis, by the framework's own function if it has one."""
    softmax_function = getattr(lib, "softmax", None)
    if softmax_function is not None:
        return softmax_function(x, -1)
    exps = lib.exp(x - x.max(-1)[..., None])
    return exps / exps.sum(-1)[..., None]


def gru(lib: Any) -> Fn:
    """A gated recurrent unit over all steps: ``x`` f32[t,n,d], ``w`` f32[2d,3d], update, reset, new concatenated."""

    def sigmoid(a: Any) -> Any:
        return 1 / (1 + lib.exp(-a))

    def run(x: Any, w: Any) -> Any:
        steps, _, d = x.shape
        h = x[0]
        for step in range(1, steps):
            a, b = x[step] @ w[:d], h @ w[d:]
            z, r = sigmoid(a[:, :d] + b[:, :d]), sigmoid(a[:, d : 2 * d] + b[:, d : 2 * d])
            new = lib.tanh(a[:, 2 * d :] + r * b[:, 2 * d :])
            h = new + z * (h - new)
        return h

    return run


def hessian_vector_product(grad: Fn, fn: Fn) -> Fn:
    """``run(x, w, v)``: the Hessian of the summed ``fn(x, w)`` with respect to w, times v; ``grad(fn, position)``."""
    slope = grad(fn, 1)

    def directional_derivative(x: Any, w: Any, v: Any) -> Any:
        return (slope(x, w) * v).sum()

    product: Fn = grad(directional_derivative, 1)
    return product


PROGRAMS: dict[str, Fn] = {"mlp": mlp, "attention": attention, "gru": gru}
