"""The networks of ``networks``, and their training steps, hand-written with numpy alone.

A convolution is one matrix product of ``sliding_window_view``'s windows, copied into rows (im2col); its gradient with
respect to images adds up such rows, one kernel position at a time (col2im). Pooling is ``max`` over two axes of a
reshaped image. Activations and their gradients are computed in place where their operand is not needed again.
``d_x`` is the gradient with respect to ``x``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from benchmarks.work.networks import (
    ADAM_EPSILON,
    HEADS,
    LEARNING_RATE,
    MOMENTUM,
    PATCH_SIZE,
    VARIANCE_EPSILON,
    VIT_LEARNING_RATE,
)

Arrays = list[np.ndarray]
Weights = Sequence[np.ndarray]
GELU_SCALE, GELU_CUBIC = np.float32((2 / np.pi) ** 0.5), np.float32(0.044715)  # of tanh-GELU (Hendrycks & Gimpel 2016)


# ---- layers --------------------------------------------------------------------------------------------


def im2col(x: np.ndarray, size: int) -> np.ndarray:
    """The windows of a square kernel as rows: f32[n*oh*ow, c*size*size]."""
    windows = np.lib.stride_tricks.sliding_window_view(x, (size, size), axis=(2, 3))
    n, c, height, width = windows.shape[:4]
    return windows.transpose(0, 2, 3, 1, 4, 5).reshape(n * height * width, c * size * size)


def convolve(rows: np.ndarray, weight: np.ndarray, bias: np.ndarray, n: int) -> np.ndarray:
    """A convolution, f32[n,o,side,side], of images as rows."""
    side = int((len(rows) // n) ** 0.5)
    out = rows @ weight.reshape(len(weight), -1).T + bias
    return out.reshape(n, side, side, -1).transpose(0, 3, 1, 2)


def col2im(rows: np.ndarray, shape: tuple[int, ...], size: int) -> np.ndarray:
    """The gradient of ``im2col``: each row is added to the pixels of its window."""
    n, c, height, width = shape
    out_height, out_width = height - size + 1, width - size + 1
    parts = rows.reshape(n, out_height, out_width, c, size, size).transpose(4, 5, 0, 3, 1, 2)
    total = np.zeros(shape, rows.dtype)
    for i in range(size):
        for j in range(size):
            total[:, :, i : i + out_height, j : j + out_width] += parts[i, j]
    return total


def max_pool(x: np.ndarray) -> np.ndarray:
    """Max pooling of 2 by 2 pixels."""
    n, c, height, width = x.shape
    return x.reshape(n, c, height // 2, 2, width // 2, 2).max(axis=(3, 5))


def max_pool_gradient(g: np.ndarray, x: np.ndarray, out: np.ndarray) -> np.ndarray:
    """The gradient of ``max_pool``; correct if no two of four pixels are equal, except zeros of ReLU."""
    n, c, height, width = x.shape
    is_maximum = x.reshape(n, c, height // 2, 2, width // 2, 2) == out[:, :, :, None, :, None]
    return (is_maximum * g[:, :, :, None, :, None]).reshape(x.shape)


def normalize(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Rows with mean 0 and variance 1, and their standard deviation."""
    centered = x - x.mean(-1, keepdims=True)
    deviation = np.sqrt(np.square(centered).mean(-1, keepdims=True) + np.float32(VARIANCE_EPSILON))
    centered /= deviation
    return centered, deviation


def normalize_gradient(g: np.ndarray, out: np.ndarray, deviation: np.ndarray) -> np.ndarray:
    """The gradient of ``normalize``."""
    projection = (g * out).mean(-1, keepdims=True)
    return (g - g.mean(-1, keepdims=True) - out * projection) / deviation


def gelu(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """GELU in the tanh approximation, and its tanh."""
    tanh = np.tanh(GELU_SCALE * (x + GELU_CUBIC * x * x * x))
    return np.float32(0.5) * x * (1 + tanh), tanh


def gelu_gradient(g: np.ndarray, x: np.ndarray, tanh: np.ndarray) -> np.ndarray:
    """The gradient of ``gelu``."""
    slope = GELU_SCALE * (1 + 3 * GELU_CUBIC * x * x)
    return g * (np.float32(0.5) * (1 + tanh) + np.float32(0.5) * x * (1 - tanh * tanh) * slope)


def cross_entropy(scores: np.ndarray, labels: np.ndarray) -> tuple[float, np.ndarray]:
    """The mean loss, and its gradient."""
    rows = np.arange(len(labels))
    shifted = scores - scores.max(axis=1, keepdims=True)
    exps = np.exp(shifted)
    sums = exps.sum(axis=1, keepdims=True)
    loss = np.mean(np.log(sums[:, 0]) - shifted[rows, labels])
    exps /= sums
    exps[rows, labels] -= 1
    exps /= np.float32(len(labels))
    return float(loss), exps


# ---- the perceptron ------------------------------------------------------------------------------------


def mlp(x: np.ndarray, weights: Weights) -> np.ndarray:
    """The scores."""
    return _mlp(x, weights)[0]


def _mlp(x: np.ndarray, weights: Weights) -> tuple[np.ndarray, tuple[Any, ...]]:
    """The scores, and the intermediate results that the gradient needs."""
    w1, b1, w2, b2, w3, b3 = weights
    flat = x.reshape(len(x), -1)
    hidden1 = np.maximum(flat @ w1.T + b1, 0)
    hidden2 = np.maximum(hidden1 @ w2.T + b2, 0)
    return hidden2 @ w3.T + b3, (flat, hidden1, hidden2)


def mlp_gradients(x: np.ndarray, labels: np.ndarray, weights: Weights) -> tuple[float, Arrays]:
    """The loss, and its gradients with respect to the weights."""
    _, _, w2, _, w3, _ = weights
    scores, (flat, hidden1, hidden2) = _mlp(x, weights)
    loss, g3 = cross_entropy(scores, labels)
    g2 = (g3 @ w3) * (hidden2 > 0)
    g1 = (g2 @ w2) * (hidden1 > 0)
    return loss, [g1.T @ flat, g1.sum(0), g2.T @ hidden1, g2.sum(0), g3.T @ hidden2, g3.sum(0)]


# ---- LeNet ---------------------------------------------------------------------------------------------


def lenet(x: np.ndarray, weights: Weights) -> np.ndarray:
    """The scores."""
    return _lenet(x, weights)[0]


def _lenet(x: np.ndarray, weights: Weights) -> tuple[np.ndarray, tuple[Any, ...]]:
    """The scores, and the intermediate results that the gradient needs."""
    w1, b1, w2, b2, w3, b3, w4, b4, w5, b5 = weights
    rows1 = im2col(x, 5)
    relu1 = np.maximum(convolve(rows1, w1, b1, len(x)), 0)
    pooled1 = max_pool(relu1)
    rows2 = im2col(pooled1, 5)
    relu2 = np.maximum(convolve(rows2, w2, b2, len(x)), 0)
    pooled2 = max_pool(relu2)
    flat = pooled2.reshape(len(x), -1)
    hidden1 = np.maximum(flat @ w3.T + b3, 0)
    hidden2 = np.maximum(hidden1 @ w4.T + b4, 0)
    return hidden2 @ w5.T + b5, (rows1, relu1, pooled1, rows2, relu2, pooled2, flat, hidden1, hidden2)


def lenet_gradients(x: np.ndarray, labels: np.ndarray, weights: Weights) -> tuple[float, Arrays]:
    """The loss, and its gradients with respect to the weights."""
    w1, _, w2, _, w3, _, w4, _, w5, _ = weights
    scores, (rows1, relu1, pooled1, rows2, relu2, pooled2, flat, hidden1, hidden2) = _lenet(x, weights)
    loss, g5 = cross_entropy(scores, labels)
    g4 = (g5 @ w5) * (hidden2 > 0)
    g3 = (g4 @ w4) * (hidden1 > 0)
    g2 = max_pool_gradient((g3 @ w3).reshape(pooled2.shape), relu2, pooled2) * (relu2 > 0)
    g2 = g2.transpose(0, 2, 3, 1).reshape(len(rows2), -1)
    g1 = col2im(g2 @ w2.reshape(len(w2), -1), pooled1.shape, 5)
    g1 = max_pool_gradient(g1, relu1, pooled1) * (relu1 > 0)
    g1 = g1.transpose(0, 2, 3, 1).reshape(len(rows1), -1)
    d_kernels = [(g1.T @ rows1).reshape(w1.shape), g1.sum(0), (g2.T @ rows2).reshape(w2.shape), g2.sum(0)]
    return loss, [*d_kernels, g3.T @ flat, g3.sum(0), g4.T @ hidden1, g4.sum(0), g5.T @ hidden2, g5.sum(0)]


# ---- the Vision Transformer ----------------------------------------------------------------------------


def vit(x: np.ndarray, weights: Weights) -> np.ndarray:
    """The scores."""
    return _vit(x, weights)[0]


def _patches(x: np.ndarray) -> np.ndarray:
    """Images split into patches: f32[n*patches, c*PATCH_SIZE*PATCH_SIZE]."""
    n, c, side, _ = x.shape
    count = side // PATCH_SIZE
    patches = x.reshape(n, c, count, PATCH_SIZE, count, PATCH_SIZE).transpose(0, 2, 4, 1, 3, 5)
    return patches.reshape(n * count * count, c * PATCH_SIZE * PATCH_SIZE)


def _vit(images: np.ndarray, weights: Weights) -> tuple[np.ndarray, tuple[Any, ...]]:
    """The scores, and the intermediate results that the gradient needs; rows of all images are stacked."""
    token, position, w0, b0, g1, b1, w2, b2, w3, b3, g4, b4, w5, b5, w6, b6, g7, b7, w8, b8 = weights
    n, t, d = len(images), *position.shape[1:]
    patches = _patches(images)
    x = np.empty((n, t, d), np.float32)
    x[:, 0] = token[:, 0]
    x[:, 1:] = (patches @ w0.reshape(d, -1).T + b0).reshape(n, t - 1, d)
    x += position
    x = x.reshape(n * t, d)
    unit1, deviation1 = normalize(x)
    rows1 = unit1 * g1 + b1
    q, k, v = (rows1 @ w2.T + b2).reshape(n, t, 3, HEADS, d // HEADS).transpose(2, 0, 3, 1, 4)
    exps = (q @ k.swapaxes(2, 3)) * np.float32((d // HEADS) ** -0.5)
    exps -= exps.max(-1, keepdims=True)
    np.exp(exps, out=exps)
    exps /= exps.sum(-1, keepdims=True)
    context = (exps @ v).swapaxes(1, 2).reshape(n * t, d)
    x = x + context @ w3.T + b3
    unit2, deviation2 = normalize(x)
    rows2 = unit2 * g4 + b4
    wide = rows2 @ w5.T + b5
    active, tanh = gelu(wide)
    x = x + active @ w6.T + b6
    unit3, deviation3 = normalize(x)
    first = (unit3 * g7 + b7).reshape(n, t, d)[:, 0]
    saved = (patches, unit1, deviation1, rows1, q, k, v, exps, context)
    return first @ w8.T + b8, (*saved, unit2, deviation2, rows2, wide, active, tanh, unit3, deviation3, first)


def vit_gradients(images: np.ndarray, labels: np.ndarray, weights: Weights) -> tuple[float, Arrays]:
    """The loss, and its gradients with respect to the weights."""
    _, position, w0, _, g1, _, w2, _, w3, _, g4, _, w5, _, w6, _, g7, _, w8, _ = weights
    n, t, d = len(images), *position.shape[1:]
    scores, saved = _vit(images, weights)
    patches, unit1, deviation1, rows1, q, k, v, exps, context, *rest = saved
    unit2, deviation2, rows2, wide, active, tanh, unit3, deviation3, first = rest
    loss, g = cross_entropy(scores, labels)
    d_scores = [g.T @ first, g.sum(0)]
    d_first = np.zeros((n, t, d), np.float32)
    d_first[:, 0] = g @ w8
    g = d_first.reshape(n * t, d)
    d_norm3 = [(g * unit3).sum(0), g.sum(0)]
    g = normalize_gradient(g * g7, unit3, deviation3)
    d_dense2 = [g.T @ active, g.sum(0)]
    d_wide = gelu_gradient(g @ w6, wide, tanh)
    d_dense1 = [d_wide.T @ rows2, d_wide.sum(0)]
    d_rows = d_wide @ w5
    d_norm2 = [(d_rows * unit2).sum(0), d_rows.sum(0)]
    g += normalize_gradient(d_rows * g4, unit2, deviation2)
    d_out = [g.T @ context, g.sum(0)]
    d_qkv = attention_gradient((g @ w3).reshape(n, t, HEADS, d // HEADS).swapaxes(1, 2), q, k, v, exps)
    d_rows = d_qkv @ w2
    d_norm1 = [(d_rows * unit1).sum(0), d_rows.sum(0)]
    g += normalize_gradient(d_rows * g1, unit1, deviation1)
    g = g.reshape(n, t, d)
    d_position = g.sum(0, keepdims=True)
    d_patches = g[:, 1:].reshape(-1, d)
    d_embedding = [d_position[:, :1], d_position, (d_patches.T @ patches).reshape(w0.shape), d_patches.sum(0)]
    d_attention = [*d_norm1, d_qkv.T @ rows1, d_qkv.sum(0), *d_out]
    return loss, [*d_embedding, *d_attention, *d_norm2, *d_dense1, *d_dense2, *d_norm3, *d_scores]


def attention_gradient(g: np.ndarray, q: np.ndarray, k: np.ndarray, v: np.ndarray, exps: np.ndarray) -> np.ndarray:
    """The gradient of attention with respect to queries, keys and values, concatenated: f32[n*t,3d]."""
    n, heads, t, size = q.shape
    d_logits = g @ v.swapaxes(2, 3)
    d_logits -= (d_logits * exps).sum(-1, keepdims=True)
    d_logits *= exps
    d_logits *= np.float32(size**-0.5)
    gradients = np.empty((3, n, heads, t, size), np.float32)
    np.matmul(d_logits, k, out=gradients[0])
    np.matmul(d_logits.swapaxes(2, 3), q, out=gradients[1])
    np.matmul(exps.swapaxes(2, 3), g, out=gradients[2])
    return gradients.transpose(1, 3, 0, 2, 4).reshape(n * t, 3 * heads * size)


# ---- optimizers ----------------------------------------------------------------------------------------


def momentum(weights: Arrays, gradients: Arrays, velocities: Arrays) -> None:
    """A first or later step, in place."""
    for weight, gradient, velocity in zip(weights, gradients, velocities, strict=True):
        velocity *= np.float32(MOMENTUM)
        velocity += gradient
        weight -= np.float32(LEARNING_RATE) * velocity


def adam(weights: Arrays, gradients: Arrays, moments: Arrays) -> None:
    """A first step in place, with epsilon as at the end of section 2 of Kingma & Ba 2015."""
    rate = np.float32(VIT_LEARNING_RATE * (1 - 0.999) ** 0.5 / (1 - 0.9))
    pairs = zip(weights, gradients, moments[0::2], moments[1::2], strict=True)
    for weight, gradient, mean, square in pairs:
        mean += np.float32(0.1) * (gradient - mean)
        square += np.float32(0.001) * (gradient * gradient - square)
        weight -= rate * mean / (np.sqrt(square) + np.float32(ADAM_EPSILON))


FORWARDS: dict[str, Callable[[np.ndarray, Weights], np.ndarray]] = {"mlp": mlp, "lenet": lenet, "vit": vit}
GRADIENTS = {"mlp": mlp_gradients, "lenet": lenet_gradients, "vit": vit_gradients}
# the optimizer, and the number of its state arrays per weight
OPTIMIZERS = {"mlp": (momentum, 1), "lenet": (momentum, 1), "vit": (adam, 2)}
