"""Hand-written gradients of the programs of ``workloads`` with numpy alone: a forward and a backward loop.

Each is ``run(x, w)`` and returns the gradients of the summed result with respect to both, but for
``hessian_vector_product``.
"""

from __future__ import annotations

import numpy as np

Pair = tuple[np.ndarray, np.ndarray]


def loop(x: np.ndarray, w: np.ndarray, steps: int) -> Pair:
    """The gradients of ``steps`` iterations of ``x = tanh(x @ w)``."""
    saved = [x]
    for _ in range(steps):
        saved.append(np.tanh(saved[-1] @ w))
    g, dw = np.ones_like(x), np.zeros_like(w)
    while len(saved) > 1:
        out = saved.pop()
        g = g * (1 - out * out)
        dw += saved[-1].T @ g
        g = g @ w.T
    return g, dw


def elementwise(x: np.ndarray, y: np.ndarray) -> Pair:
    """The gradients of twenty operators on every element."""
    saved = []
    for _ in range(5):
        t = np.tanh(x * y)
        saved.append((x, t))
        x = (t + y) * np.float32(0.5)
    power = np.exp(x - y)
    d_power = power * x
    dx, dy = d_power + power + y, x - d_power
    while saved:
        x, t = saved.pop()
        dx = dx * np.float32(0.5)
        d_product = dx * (1 - t * t)
        dy = dy + dx + d_product * x
        dx = d_product * y
    return dx, dy


def mlp(x: np.ndarray, w: np.ndarray) -> Pair:
    """The gradients of dense layers with tanh."""
    saved = [x]
    for layer in w:
        saved.append(np.tanh(saved[-1] @ layer))
    g, dw = np.ones_like(saved[-1]), np.empty_like(w)
    for i in reversed(range(len(w))):
        g = g * (1 - saved[i + 1] * saved[i + 1])
        dw[i] = saved[i].T @ g
        g = g @ w[i].T
    return g, dw


def hessian_vector_product(x: np.ndarray, w: np.ndarray, v: np.ndarray) -> np.ndarray:
    """The Hessian of the summed ``mlp`` with respect to w, times v: every line of ``mlp``, differentiated along v.

    Pearlmutter 1994, Fast exact multiplication by the Hessian; ``d`` is the derivative in direction v.
    """
    saved, tangents = [x], [np.zeros_like(x)]
    for i, (layer, direction) in enumerate(zip(w, v, strict=True)):
        out, d_sum = np.tanh(saved[-1] @ layer), saved[-1] @ direction
        if i:
            d_sum += tangents[-1] @ layer
        saved.append(out)
        tangents.append((1 - out * out) * d_sum)
    g, d_g, d_w = np.ones_like(saved[-1]), np.zeros_like(saved[-1]), np.empty_like(w)
    for i in reversed(range(len(w))):
        slope = 1 - saved[i + 1] * saved[i + 1]
        d_g = d_g * slope - 2 * g * saved[i + 1] * tangents[i + 1]
        g = g * slope
        d_w[i] = saved[i].T @ d_g
        if i:
            d_w[i] += tangents[i].T @ g
            d_g = d_g @ w[i].T + g @ v[i].T
            g = g @ w[i].T
    return d_w


def attention(x: np.ndarray, w: np.ndarray, heads: int = 8) -> Pair:
    """The gradients of self-attention and a residual."""
    n, t, d = x.shape
    scale = np.float32((d // heads) ** -0.5)
    qkv = (x @ w[:, : 3 * d]).reshape(n, t, 3, heads, d // heads).transpose(2, 0, 3, 1, 4)
    q, k, v = qkv
    scores = (q @ k.swapaxes(2, 3)) * scale
    exps = np.exp(scores - scores.max(-1, keepdims=True))
    weights = exps / exps.sum(-1, keepdims=True)
    context = (weights @ v).swapaxes(1, 2).reshape(n * t, d)
    g = np.ones((n * t, d), x.dtype)
    dw = np.empty_like(w)
    dw[:, 3 * d :] = context.T @ g
    d_context = (g @ w[:, 3 * d :].T).reshape(n, t, heads, d // heads).swapaxes(1, 2)
    d_weights = d_context @ v.swapaxes(2, 3)
    d_scores = weights * (d_weights - (d_weights * weights).sum(-1, keepdims=True)) * scale
    d_qkv = np.stack((d_scores @ k, d_scores.swapaxes(2, 3) @ q, weights.swapaxes(2, 3) @ d_context))
    rows = d_qkv.transpose(1, 3, 0, 2, 4).reshape(n * t, 3 * d)
    dw[:, : 3 * d] = x.reshape(n * t, d).T @ rows
    return (rows @ w[:, : 3 * d].T + g).reshape(x.shape), dw


def gru(x: np.ndarray, w: np.ndarray) -> Pair:
    """The gradients of a gated recurrent unit over all steps."""
    d, h, saved = x.shape[2], x[0], []
    for step in range(1, len(x)):
        a, b = x[step] @ w[:d], h @ w[d:]
        gates = 1 / (1 + np.exp(-(a[:, : 2 * d] + b[:, : 2 * d])))
        z, r, d_new = gates[:, :d], gates[:, d:], b[:, 2 * d :]
        new = np.tanh(a[:, 2 * d :] + r * d_new)
        saved.append((h, z, r, d_new, new))
        h = new + z * (h - new)
    dx, dw, g = np.zeros_like(x), np.zeros_like(w), np.ones_like(h)
    for step in reversed(range(1, len(x))):
        before, z, r, d_new, new = saved.pop()
        d_candidate = g * (1 - z) * (1 - new * new)
        d_z, d_r = g * (before - new) * z * (1 - z), d_candidate * d_new * r * (1 - r)
        d_gates_x, d_gates_h = np.hstack((d_z, d_r, d_candidate)), np.hstack((d_z, d_r, d_candidate * r))
        dw[:d] += x[step].T @ d_gates_x
        dw[d:] += before.T @ d_gates_h
        dx[step] = d_gates_x @ w[:d].T
        g = g * z + d_gates_h @ w[d:].T
    dx[0] = g
    return dx, dw
