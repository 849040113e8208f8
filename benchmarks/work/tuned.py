"""Programs of ``workloads`` and their gradients as fast as numpy alone lets one write them: what is to be reached.

Each function takes the arrays and gives what computes the results over and over, in memory that it has made once.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

Run = Callable[[], Any]


def mlp(x: np.ndarray, w: np.ndarray) -> Run:
    """Dense layers with tanh, forwards."""
    outs = [np.empty((len(x), layer.shape[1]), x.dtype) for layer in w]

    def run() -> np.ndarray:
        seen = x
        for layer, out in zip(w, outs, strict=True):
            seen.dot(layer, out)
            seen = np.tanh(out, out)
        return seen.copy()

    return run


def mlp_gradient(x: np.ndarray, w: np.ndarray) -> Run:
    """The gradients of dense layers with tanh."""
    outs = [np.empty((len(x), layer.shape[1]), x.dtype) for layer in w]
    g, turned = np.empty_like(outs[-1]), [layer.T for layer in w]
    one = np.float32(1)

    def run() -> Any:
        seen, dw = x, np.empty_like(w)
        for layer, out in zip(w, outs, strict=True):
            seen.dot(layer, out)
            seen = np.tanh(out, out)
        for i in reversed(range(len(w))):
            out, before = outs[i], outs[i - 1] if i else x
            np.multiply(out, out, out)
            np.subtract(one, out, out)
            slope = np.multiply(g, out, out) if i < len(w) - 1 else out
            before.T.dot(slope, dw[i])
            slope.dot(turned[i], g)
        return g.copy(), dw

    return run


def attention(x: np.ndarray, w: np.ndarray, heads: int = 8) -> Run:
    """Self-attention and a residual, forwards."""
    n, t, d = x.shape
    scale, wide, last = np.float32((d // heads) ** -0.5), w[:, : 3 * d], w[:, 3 * d :]
    rows, flat = x.reshape(n * t, d), np.empty((n * t, 3 * d), x.dtype)
    q, k, v = flat.reshape(n, t, 3, heads, d // heads).transpose(2, 0, 3, 1, 4)
    powers, sums = np.empty((n, heads, t, t), x.dtype), np.empty((n, heads, t, 1), x.dtype)
    seen, joined = np.empty((n, heads, t, d // heads), x.dtype), np.empty((n, t, heads, d // heads), x.dtype)

    def run() -> np.ndarray:
        np.matmul(rows, wide, out=flat)
        np.matmul(q, k.swapaxes(2, 3), out=powers)
        np.multiply(powers, scale, powers).max(-1, keepdims=True, out=sums)
        np.exp(np.subtract(powers, sums, powers), powers)
        powers.sum(-1, keepdims=True, out=sums)
        np.matmul(np.divide(powers, sums, powers), v, out=seen)
        joined[...] = seen.swapaxes(1, 2)
        found = np.matmul(joined.reshape(n * t, d), last).reshape(n, t, d)
        return np.add(found, x, found)

    return run


def attention_gradient(x: np.ndarray, w: np.ndarray, heads: int = 8) -> Run:
    """The gradients of self-attention and a residual."""
    n, t, d = x.shape
    scale, wide, last = np.float32((d // heads) ** -0.5), w[:, : 3 * d], w[:, 3 * d :]
    rows, flat = x.reshape(n * t, d), np.empty((n * t, 3 * d), x.dtype)
    q, k, v = flat.reshape(n, t, 3, heads, d // heads).transpose(2, 0, 3, 1, 4)
    powers, of_powers = (np.empty((n, heads, t, t), x.dtype) for _ in range(2))
    product, sums = np.empty_like(powers), np.empty((n, heads, t, 1), x.dtype)
    seen, joined = np.empty((n, heads, t, d // heads), x.dtype), np.empty((n, t, heads, d // heads), x.dtype)
    g, of_seen, of_parts = np.ones((n * t, d), x.dtype), np.empty((n * t, d), x.dtype), np.empty((3, *q.shape), x.dtype)
    heads_of_seen = of_seen.reshape(n, t, heads, d // heads).swapaxes(1, 2)

    def run() -> Any:
        dw = np.empty_like(w)
        np.matmul(rows, wide, out=flat)
        np.matmul(q, k.swapaxes(2, 3), out=powers)
        np.multiply(powers, scale, powers).max(-1, keepdims=True, out=sums)
        np.exp(np.subtract(powers, sums, powers), powers)
        powers.sum(-1, keepdims=True, out=sums)
        np.matmul(np.divide(powers, sums, powers), v, out=seen)
        joined[...] = seen.swapaxes(1, 2)
        np.matmul(joined.reshape(n * t, d).T, g, out=dw[:, 3 * d :])
        np.matmul(g, last.T, out=of_seen)
        np.matmul(heads_of_seen, v.swapaxes(2, 3), out=of_powers)
        np.multiply(of_powers, powers, product).sum(-1, keepdims=True, out=sums)
        np.subtract(of_powers, sums, of_powers)
        np.multiply(np.multiply(of_powers, powers, of_powers), scale, of_powers)
        np.matmul(of_powers, k, out=of_parts[0])
        np.matmul(of_powers.swapaxes(2, 3), q, out=of_parts[1])
        np.matmul(powers.swapaxes(2, 3), heads_of_seen, out=of_parts[2])
        flat.reshape(n, t, 3, heads, d // heads)[...] = of_parts.transpose(1, 3, 0, 2, 4)
        np.matmul(rows.T, flat, out=dw[:, : 3 * d])
        dx = flat @ wide.T
        return np.add(dx, g, dx).reshape(x.shape), dw

    return run


# by program, what there is: one or none
FORWARDS: dict[str, tuple[Callable[..., Run], ...]] = {"mlp": (mlp,), "attention": (attention,)}
GRADIENTS: dict[str, tuple[Callable[..., Run], ...]] = {"mlp": (mlp_gradient,), "attention": (attention_gradient,)}
