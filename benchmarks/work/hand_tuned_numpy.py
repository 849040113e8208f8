"""Programs of ``workloads`` and their gradients, hand-tuned with numpy alone: the speed that minigraph aims at.

Each function takes the arrays and returns a function that computes the results in buffers allocated once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

Run = Callable[[], Any]
CONTENDER_NAME = "numpy, tuned"


def _compile_lines(lines: Iterable[str], result: str, names: dict[str, Any]) -> Run:
    """A function of straight-line code, as a code generator would write it; ``names`` are its local variables."""
    text = "\n    ".join([f"def run({', '.join(f'{name}={name}' for name in names)}):", *lines, f"return {result}"])
    space = dict(names)
    exec(compile(text, "<tuned>", "exec"), space)
    run: Run = space["run"]
    return run


def chain(x: np.ndarray, y: np.ndarray, length: int) -> Run:
    """``x = x * y + y``, ``length`` operators long."""
    later = ["multiply(out, y, out)", "add(out, y, out)"] * (length // 2 - 1)
    names = {"x": x, "y": y, "out": np.empty_like(x), "multiply": np.multiply, "add": np.add}
    return _compile_lines(["multiply(x, y, out)", "add(out, y, out)", *later], "out.copy()", names)


def chain_gradient(x: np.ndarray, y: np.ndarray, length: int) -> Run:
    """The gradients of ``chain``."""
    steps = range(length // 2)
    saved = {f"x{i}": x if i == 0 else np.empty_like(x) for i in steps}
    memory = {"dx": np.empty_like(x), "dy": np.empty_like(y), "part": np.empty_like(y)}
    lines = [line for i in steps[1:] for line in (f"multiply(x{i - 1}, y, x{i})", f"add(x{i}, y, x{i})")]
    lines += ["dx.fill(1)", "dy.fill(0)"]
    for i in reversed(steps):
        lines += ["add(dy, dx, dy)", f"multiply(dx, x{i}, part)", "add(dy, part, dy)", "multiply(dx, y, dx)"]
    return _compile_lines(
        lines, "dx.copy(), dy.copy()", {"y": y, "multiply": np.multiply, "add": np.add, **memory, **saved}
    )


def loop(x: np.ndarray, w: np.ndarray, length: int) -> Run:
    """``length`` iterations of ``x = tanh(x @ w)``."""
    lines = ["dot(x, w, out)", "tanh(out, output)", *["dot(output, w, out)", "tanh(out, output)"] * (length - 1)]
    memory = {"out": np.empty_like(x), "output": np.empty_like(x)}
    return _compile_lines(lines, "output.copy()", {"x": x, "w": w, "dot": np.dot, "tanh": np.tanh, **memory})


def loop_gradient(x: np.ndarray, w: np.ndarray, length: int) -> Run:
    """The gradients of ``loop``; the gradient of ``w`` over all steps is one product."""
    outputs, slopes = np.empty((length + 1, *x.shape), x.dtype), np.empty((length, *x.shape), x.dtype)
    outputs[0] = x
    g, transposed, one = np.empty_like(x), w.T, x.dtype.type(1)
    inputs, flat_slopes = outputs[:-1].reshape(-1, x.shape[1]).T, slopes.reshape(-1, x.shape[1])

    def run() -> Any:
        for i in range(length):
            np.tanh(outputs[i].dot(w, outputs[i + 1]), outputs[i + 1])
        for i in reversed(range(length)):
            slope = np.multiply(outputs[i + 1], outputs[i + 1], slopes[i])
            np.subtract(one, slope, slope)
            if i < length - 1:
                np.multiply(g, slope, slope)
            slope.dot(transposed, g)
        return g.copy(), inputs @ flat_slopes

    return run


def mlp(x: np.ndarray, w: np.ndarray) -> Run:
    """The forward pass of dense layers with tanh."""
    outs = [np.empty((len(x), layer.shape[1]), x.dtype) for layer in w]

    def run() -> np.ndarray:
        output = x
        for layer, out in zip(w, outs, strict=True):
            output.dot(layer, out)
            output = np.tanh(out, out)
        return output.copy()

    return run


def mlp_gradient(x: np.ndarray, w: np.ndarray) -> Run:
    """The gradients of dense layers with tanh."""
    outs = [np.empty((len(x), layer.shape[1]), x.dtype) for layer in w]
    g, transposed = np.empty_like(outs[-1]), [layer.T for layer in w]
    one = np.float32(1)

    def run() -> Any:
        output, dw = x, np.empty_like(w)
        for layer, out in zip(w, outs, strict=True):
            output.dot(layer, out)
            output = np.tanh(out, out)
        for i in reversed(range(len(w))):
            out, inputs = outs[i], outs[i - 1] if i else x
            np.multiply(out, out, out)
            np.subtract(one, out, out)
            slope = np.multiply(g, out, out) if i < len(w) - 1 else out
            inputs.T.dot(slope, dw[i])
            slope.dot(transposed[i], g)
        return g.copy(), dw

    return run


class _Attention:
    """The buffers of self-attention, and the computation that forward pass and gradient share."""

    def __init__(self, x: np.ndarray, w: np.ndarray, heads: int) -> None:
        n, t, d = x.shape
        size = d // heads
        self.scale, self.w_qkv, self.w_out = np.float32(size**-0.5), w[:, : 3 * d], w[:, 3 * d :]
        self.tokens, self.qkv = x.reshape(n * t, d), np.empty((n * t, 3 * d), x.dtype)
        self.qkv_by_head = self.qkv.reshape(n, t, 3, heads, size).transpose(2, 0, 3, 1, 4)
        self.exps, self.sums = np.empty((n, heads, t, t), x.dtype), np.empty((n, heads, t, 1), x.dtype)
        self.context = np.empty((n, heads, t, size), x.dtype)
        self.flat_context = np.empty((n * t, d), x.dtype)
        self.context_by_head = self.flat_context.reshape(n, t, heads, size).swapaxes(1, 2)

    def attend(self) -> np.ndarray:
        """Attention with its heads concatenated: f32[n*t,d]."""
        (q, k, v), exps, sums = self.qkv_by_head, self.exps, self.sums
        np.matmul(self.tokens, self.w_qkv, out=self.qkv)
        np.matmul(q, k.swapaxes(2, 3), out=exps)
        np.multiply(exps, self.scale, exps).max(-1, keepdims=True, out=sums)
        np.exp(np.subtract(exps, sums, exps), exps)
        exps.sum(-1, keepdims=True, out=sums)
        np.matmul(np.divide(exps, sums, exps), v, out=self.context)
        self.context_by_head[...] = self.context
        return self.flat_context


def attention(x: np.ndarray, w: np.ndarray, heads: int = 8) -> Run:
    """The forward pass of self-attention with a residual connection."""
    memory = _Attention(x, w, heads)

    def run() -> np.ndarray:
        out = np.matmul(memory.attend(), memory.w_out).reshape(x.shape)
        return np.add(out, x, out)

    return run


def attention_gradient(x: np.ndarray, w: np.ndarray, heads: int = 8) -> Run:
    """The gradients of self-attention with a residual connection."""
    memory, d = _Attention(x, w, heads), x.shape[2]
    (q, k, v), exps, sums = memory.qkv_by_head, memory.exps, memory.sums
    d_exps, product = np.empty_like(exps), np.empty_like(exps)
    d_qkv_by_head = np.empty(memory.qkv_by_head.shape, x.dtype)
    g, d_context = np.ones_like(memory.flat_context), np.empty_like(memory.flat_context)
    d_heads = d_context.reshape(*x.shape[:2], heads, -1).swapaxes(1, 2)

    def run() -> Any:
        dw = np.empty_like(w)
        np.matmul(memory.attend().T, g, out=dw[:, 3 * d :])
        np.matmul(g, memory.w_out.T, out=d_context)
        np.matmul(d_heads, v.swapaxes(2, 3), out=d_exps)
        np.multiply(d_exps, exps, product).sum(-1, keepdims=True, out=sums)
        np.subtract(d_exps, sums, d_exps)
        np.multiply(np.multiply(d_exps, exps, d_exps), memory.scale, d_exps)
        np.matmul(d_exps, k, out=d_qkv_by_head[0])
        np.matmul(d_exps.swapaxes(2, 3), q, out=d_qkv_by_head[1])
        np.matmul(exps.swapaxes(2, 3), d_heads, out=d_qkv_by_head[2])
        memory.qkv_by_head[...] = d_qkv_by_head
        np.matmul(memory.tokens.T, memory.qkv, out=dw[:, : 3 * d])
        dx = memory.qkv @ memory.w_qkv.T
        return np.add(dx, g, dx).reshape(x.shape), dw

    return run


FORWARDS: dict[str, Callable[..., Run]] = {"chain": chain, "loop": loop, "mlp": mlp, "attention": attention}
GRADIENTS: dict[str, Callable[..., Run]] = {
    "chain": chain_gradient, "loop": loop_gradient, "mlp": mlp_gradient, "attention": attention_gradient,
}  # fmt: skip
