"""What is measured, written once for every framework: plain Python on whatever arrays come in.

Nothing here imports a framework, so that the interpreter of another one can read this file, too.
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
AT_ONCE = 100  # times an operator is repeated inside of one call, so that the call itself does not count


def repeated(name: str, times: int = AT_ONCE) -> Fn:
    """``run(lib, x, y, m)``: one operator of ``OPERATORS``, so many times; returns the last result."""
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
    """``run(x, w)``: ``x = tanh(x @ w)``, so many times."""

    def run(x: Any, w: Any) -> Any:
        for _ in range(length):
            x = tanh(x @ w)
        return x

    return run


def elementwise(exp: Fn, tanh: Fn) -> Fn:
    """``run(x, y)``: twenty operators on every element, among them five transcendental ones."""

    def run(x: Any, y: Any) -> Any:
        for _ in range(5):
            x = tanh(x * y) + y
            x = x * 0.5
        return exp(x - y) * x + y * x

    return run
