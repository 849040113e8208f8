"""The perceptron, LeNet and the Vision Transformer of ``networks``, as users of the other frameworks write them.

autograd is left out of LeNet because it has no convolution, and torch.compile is left out because it takes a minute
for each network.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from benchmarks.measuring.harness import Contender
from benchmarks.peers.local import Peer
from benchmarks.work.networks import (
    ADAM_EPSILON,
    HEADS,
    LEARNING_RATE,
    MOMENTUM,
    PATCH_SIZE,
    VARIANCE_EPSILON,
    VIT_LEARNING_RATE,
)

Fn = Callable[..., Any]
Arrays = Sequence[np.ndarray]


class NetworkData(NamedTuple):
    """The data of every contender: the network's name, images, labels i32 and the initial weights."""

    name: str
    images: np.ndarray
    labels: np.ndarray
    weights: Arrays


# ---- torch ---------------------------------------------------------------------------------------------


def torch_mlp(torch: Any, x: Any, weights: Sequence[Any]) -> Any:
    """Scores by ``torch.nn.functional``."""
    layer, (w1, b1, w2, b2, w3, b3) = torch.nn.functional, weights
    x = torch.relu(layer.linear(x.flatten(1), w1, b1))
    return layer.linear(torch.relu(layer.linear(x, w2, b2)), w3, b3)


def torch_lenet(torch: Any, x: Any, weights: Sequence[Any]) -> Any:
    """Scores by ``torch.nn.functional``."""
    layer, (w1, b1, w2, b2, w3, b3, w4, b4, w5, b5) = torch.nn.functional, weights
    x = layer.max_pool2d(torch.relu(layer.conv2d(x, w1, b1)), 2)
    x = layer.max_pool2d(torch.relu(layer.conv2d(x, w2, b2)), 2).flatten(1)
    x = torch.relu(layer.linear(x, w3, b3))
    return layer.linear(torch.relu(layer.linear(x, w4, b4)), w5, b5)


def torch_vit(torch: Any, images: Any, weights: Sequence[Any]) -> Any:
    """Scores by ``torch.nn.functional``, with its fused attention."""
    token, position, w0, b0, g1, b1, w2, b2, w3, b3, g4, b4, w5, b5, w6, b6, g7, b7, w8, b8 = weights
    layer, n, d = torch.nn.functional, len(images), position.shape[2]
    patches = layer.conv2d(images, w0, b0, stride=PATCH_SIZE).flatten(2).swapaxes(1, 2)
    x = torch.cat((token.expand(n, -1, -1), patches), 1) + position
    qkv = layer.linear(layer.layer_norm(x, (d,), g1, b1, VARIANCE_EPSILON), w2, b2)
    q, k, v = qkv.reshape(n, -1, 3, HEADS, d // HEADS).permute(2, 0, 3, 1, 4)
    context = layer.scaled_dot_product_attention(q, k, v).swapaxes(1, 2).reshape(x.shape)
    x = x + layer.linear(context, w3, b3)
    hidden = layer.linear(layer.layer_norm(x, (d,), g4, b4, VARIANCE_EPSILON), w5, b5)
    x = x + layer.linear(layer.gelu(hidden, approximate="tanh"), w6, b6)
    return layer.linear(layer.layer_norm(x, (d,), g7, b7, VARIANCE_EPSILON)[:, 0], w8, b8)


TORCH_FORWARDS: dict[str, Fn] = {"mlp": torch_mlp, "lenet": torch_lenet, "vit": torch_vit}


def _torch_optimizer(torch: Any, name: str, weights: Sequence[Any]) -> Any:
    """The optimizer of a first step; epsilon is scaled, because torch adds it after the bias correction."""
    if name == "vit":
        return torch.optim.Adam(weights, lr=VIT_LEARNING_RATE, eps=ADAM_EPSILON / (1 - 0.999) ** 0.5)
    return torch.optim.SGD(weights, lr=LEARNING_RATE, momentum=MOMENTUM)


def torch_forward(peer: Peer, data: NetworkData) -> Contender:
    """The forward pass without autograd."""
    torch, run = peer.module, TORCH_FORWARDS[data.name]
    images, weights = torch.from_numpy(data.images), [torch.from_numpy(w) for w in data.weights]

    def scores() -> Any:
        with torch.no_grad():
            return run(torch, images, weights).numpy()

    return Contender(peer.name, scores)


def torch_step(peer: Peer, data: NetworkData) -> Contender:
    """A training step with ``torch.optim``, eager."""
    torch, forward = peer.module, TORCH_FORWARDS[data.name]
    images, labels = torch.from_numpy(data.images), torch.from_numpy(data.labels.astype(np.int64))

    def prepare() -> tuple[Any, Any]:
        weights = [torch.tensor(w, requires_grad=True) for w in data.weights]
        return weights, _torch_optimizer(torch, data.name, weights)

    def run(weights: Any, optimizer: Any) -> Any:
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(forward(torch, images, weights), labels)
        loss.backward()
        optimizer.step()
        return tuple(t.detach().numpy() for t in (loss, *weights))

    return Contender(peer.name, run, prepare)


# ---- jax, autograd -------------------------------------------------------------------------------------


def numpy_mlp(numpy: Any, images: Any, weights: Sequence[Any]) -> Any:
    """Scores by a module with numpy's functions."""
    w1, b1, w2, b2, w3, b3 = weights
    x = numpy.maximum(images.reshape(len(images), -1) @ w1.T + b1, 0)
    return numpy.maximum(x @ w2.T + b2, 0) @ w3.T + b3


def jax_lenet(numpy: Any, x: Any, weights: Sequence[Any]) -> Any:
    """Scores by ``jax.lax``."""
    lax, (w1, b1, w2, b2, w3, b3, w4, b4, w5, b5) = importlib.import_module("jax").lax, weights

    def conv_block(x: Any, weight: Any, bias: Any) -> Any:
        out = lax.conv_general_dilated(x, weight, (1, 1), "VALID") + bias[:, None, None]
        return lax.reduce_window(numpy.maximum(out, 0), -np.inf, lax.max, (1, 1, 2, 2), (1, 1, 2, 2), "VALID")

    x = conv_block(conv_block(x, w1, b1), w2, b2).reshape(len(x), -1)
    x = numpy.maximum(x @ w3.T + b3, 0)
    return numpy.maximum(x @ w4.T + b4, 0) @ w5.T + b5


def numpy_vit(numpy: Any, images: Any, weights: Sequence[Any]) -> Any:
    """Scores by a module with numpy's functions."""
    token, position, w0, b0, g1, b1, w2, b2, w3, b3, g4, b4, w5, b5, w6, b6, g7, b7, w8, b8 = weights
    n, t, d = len(images), *position.shape[1:]
    count = images.shape[2] // PATCH_SIZE
    blocks = numpy.transpose(images.reshape(n, 3, count, PATCH_SIZE, count, PATCH_SIZE), (0, 2, 4, 1, 3, 5))
    patches = blocks.reshape(n, t - 1, -1) @ w0.reshape(d, -1).T + b0
    x = numpy.concatenate((numpy.broadcast_to(token, (n, 1, d)), patches), axis=1) + position
    qkv = _normalize(numpy, x) * g1 + b1
    qkv = numpy.transpose((qkv @ w2.T + b2).reshape(n, t, 3, HEADS, d // HEADS), (2, 0, 3, 1, 4))
    scores = (qkv[0] @ qkv[1].swapaxes(2, 3)) * (d // HEADS) ** -0.5
    exps = numpy.exp(scores - scores.max(-1, keepdims=True))
    context = (exps / exps.sum(-1, keepdims=True)) @ qkv[2]
    x = x + context.swapaxes(1, 2).reshape(n, t, d) @ w3.T + b3
    hidden = (_normalize(numpy, x) * g4 + b4) @ w5.T + b5
    tanh = numpy.tanh((2 / np.pi) ** 0.5 * (hidden + 0.044715 * hidden * hidden * hidden))
    x = x + (0.5 * hidden * (1 + tanh)) @ w6.T + b6
    return (_normalize(numpy, x) * g7 + b7)[:, 0] @ w8.T + b8


def _normalize(numpy: Any, x: Any) -> Any:
    centered = x - x.mean(-1, keepdims=True)
    return centered / numpy.sqrt((centered * centered).mean(-1, keepdims=True) + VARIANCE_EPSILON)


def momentum_update(weights: Any, gradients: Any, velocities: Any) -> Any:
    """New weights and velocities of SGD with momentum."""
    velocities = [MOMENTUM * velocity + g for velocity, g in zip(velocities, gradients, strict=True)]
    return [w - LEARNING_RATE * velocity for w, velocity in zip(weights, velocities, strict=True)], velocities


def adam_update(weights: Any, gradients: Any, moments: Any) -> Any:
    """New weights and moments of a first step of Adam."""
    means = [m + 0.1 * (g - m) for m, g in zip(moments[0], gradients, strict=True)]
    squares = [s + 0.001 * (g * g - s) for s, g in zip(moments[1], gradients, strict=True)]
    rate = VIT_LEARNING_RATE * (1 - 0.999) ** 0.5 / (1 - 0.9)
    triples = zip(weights, means, squares, strict=True)
    return [w - rate * m / (s**0.5 + ADAM_EPSILON) for w, m, s in triples], (means, squares)


def loss_of(numpy: Any, forward: Fn) -> Fn:
    """The mean cross-entropy of a network's scores."""

    def loss(weights: Any, images: Any, labels: Any) -> Any:
        scores = forward(numpy, images, weights)
        shifted = scores - numpy.max(scores, axis=1, keepdims=True)
        sums = numpy.log(numpy.sum(numpy.exp(shifted), axis=1))
        return numpy.mean(sums - shifted[np.arange(len(labels)), labels])

    return loss


def functional_forward(peer: Peer, data: NetworkData) -> Contender:
    """The forward pass as a function of images and weights."""
    forward = FUNCTIONAL_FORWARDS[data.name]
    run = peer.function(lambda images, *weights: forward(peer.lib, images, weights))
    arrays = [peer.array(array) for array in (data.images, *data.weights)]
    return Contender(peer.name, lambda: peer.numpy(run(*arrays)))


def functional_step(peer: Peer, data: NetworkData) -> Contender:
    """A training step that returns new weights and new state instead of updating in place."""
    value_and_grad = peer.module.value_and_grad(loss_of(peer.lib, FUNCTIONAL_FORWARDS[data.name]))

    def step(weights: Any, state: Any, images: Any, labels: Any) -> Any:
        loss, gradients = value_and_grad(weights, images, labels)
        return loss, *(adam_update if data.name == "vit" else momentum_update)(weights, gradients, state)

    compiled = peer.function(step)
    images, labels, *weights = (peer.array(a) for a in (data.images, data.labels, *data.weights))
    zeros = [peer.array(np.zeros_like(w)) for w in data.weights]
    state = (zeros, zeros) if data.name == "vit" else zeros

    def run() -> Any:
        loss, updated, _ = compiled(weights, state, images, labels)
        return tuple(peer.numpy(a) for a in (loss, *updated))

    return Contender(peer.name, run)


FUNCTIONAL_FORWARDS: dict[str, Fn] = {"mlp": numpy_mlp, "lenet": jax_lenet, "vit": numpy_vit}


# ---- contenders ----------------------------------------------------------------------------------------


def contenders(peers: Sequence[Peer], data: NetworkData, step: bool) -> Iterator[Contender]:
    """The peers that take part in a network's forward pass or training step."""
    for peer in peers:
        if peer.name == "torch.compile" or (peer.name, data.name) == ("autograd", "lenet"):
            continue
        torch_case, functional_case = (torch_step, functional_step) if step else (torch_forward, functional_forward)
        yield (torch_case if peer.module.__name__ == "torch" else functional_case)(peer, data)
