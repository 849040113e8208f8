"""A perceptron, LeNet and a Vision Transformer as ordinary MindSpore programs.

MindSpore runs the same text with its own imports.
"""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import minigraph as ms
from minigraph import Parameter, Tensor, nn, ops

HEADS, PATCH_SIZE = 8, 4  # of the Vision Transformer; pixels
LEARNING_RATE, MOMENTUM = 0.1, 0.9
VARIANCE_EPSILON = 1e-5  # added to variances
VIT_LEARNING_RATE = 1e-2
ADAM_EPSILON = 1e-6  # so large that gradients which are rounding errors have no effect


class Perceptron(nn.Cell):
    """Class scores f32[n,10] of images f32[n,1,side,side]: two hidden layers with ReLU."""

    def __init__(self, side: int, width: int) -> None:
        super().__init__()
        self.flatten, self.relu = nn.Flatten(), nn.ReLU()
        self.dense1, self.dense2 = nn.Dense(side * side, width), nn.Dense(width, width)
        self.dense3 = nn.Dense(width, 10)

    def construct(self, images: Any) -> Any:
        """The scores."""
        return self.dense3(self.relu(self.dense2(self.relu(self.dense1(self.flatten(images))))))


class LeNet(nn.Cell):
    """Class scores f32[n,10] of images f32[n,1,side,side]: LeNet-5 (LeCun et al. 1998) with ReLU and max-pool."""

    def __init__(self, side: int) -> None:
        super().__init__()
        self.first = nn.Conv2d(1, 6, 5, pad_mode="valid", has_bias=True)
        self.second = nn.Conv2d(6, 16, 5, pad_mode="valid", has_bias=True)
        self.pool, self.relu, self.flatten = nn.MaxPool2d(2, 2), nn.ReLU(), nn.Flatten()
        self.dense1 = nn.Dense(16 * (((side - 4) // 2 - 4) // 2) ** 2, 120)
        self.dense2, self.dense3 = nn.Dense(120, 84), nn.Dense(84, 10)

    def construct(self, images: Any) -> Any:
        """The scores."""
        x = self.pool(self.relu(self.first(images)))
        x = self.flatten(self.pool(self.relu(self.second(x))))
        return self.dense3(self.relu(self.dense2(self.relu(self.dense1(x)))))


class VisionTransformer(nn.Cell):
    """Class scores f32[n,10] of images f32[n,3,side,side]: one pre-norm layer of 8 heads over patches of 4 by 4.

    Dosovitskiy et al. 2021 (arXiv 2010.11929); only the class token, before the patches, is classified.
    """

    def __init__(self, side: int, width: int) -> None:
        super().__init__()
        self.cls_token = Parameter(ops.zeros((1, 1, width)), name="cls_token")
        self.position = Parameter(ops.zeros((1, 1 + (side // PATCH_SIZE) ** 2, width)), name="position")
        self.patches = nn.Conv2d(3, width, PATCH_SIZE, stride=PATCH_SIZE, pad_mode="valid", has_bias=True)
        self.norm1, self.qkv, self.out = norm(width), nn.Dense(width, 3 * width), nn.Dense(width, width)
        self.norm2, self.dense1, self.dense2 = norm(width), nn.Dense(width, 2 * width), nn.Dense(2 * width, width)
        self.gelu, self.norm3, self.scores = nn.GELU(), norm(width), nn.Dense(width, 10)

    def construct(self, images: Any) -> Any:
        """The scores."""
        tokens = self.patches(images).flatten(2).swapaxes(1, 2)
        first = self.cls_token.broadcast_to((images.shape[0], -1, -1))
        x = ops.concat((first, tokens), axis=1) + self.position
        x = x + self.out(self.attend(self.qkv(self.norm1(x))))
        x = x + self.dense2(self.gelu(self.dense1(self.norm2(x))))
        return self.scores(self.norm3(x)[:, 0])

    def attend(self, qkv: Any) -> Any:
        """Self-attention: f32[n,t,d] of queries, keys and values, concatenated to f32[n,t,3d]."""
        n, t, d = qkv.shape[0], qkv.shape[1], qkv.shape[2] // 3
        parts = qkv.reshape(n, t, 3, HEADS, d // HEADS).permute(2, 0, 3, 1, 4)
        q, k, v = parts[0], parts[1], parts[2]
        weights = ops.softmax((q @ k.swapaxes(2, 3)) * (d // HEADS) ** -0.5, axis=-1)
        return (weights @ v).swapaxes(1, 2).reshape(n, t, d)


def norm(width: int) -> Any:
    """Layer norm of the last axis."""
    return nn.LayerNorm((width,), epsilon=VARIANCE_EPSILON)


def mlp(side: int, width: int) -> SimpleNamespace:
    """The perceptron and its training by Momentum."""
    net = Perceptron(side, width)
    return with_training(net, nn.Momentum(net.trainable_params(), LEARNING_RATE, MOMENTUM))


def lenet(side: int, width: int) -> SimpleNamespace:
    """LeNet and its training by Momentum."""
    net = LeNet(side)
    return with_training(net, nn.Momentum(net.trainable_params(), LEARNING_RATE, MOMENTUM))


def vit(side: int, width: int) -> SimpleNamespace:
    """The Vision Transformer and its training by Adam."""
    net = VisionTransformer(side, width)
    return with_training(net, nn.Adam(net.trainable_params(), VIT_LEARNING_RATE, eps=ADAM_EPSILON))


NETWORKS: dict[str, Callable[[int, int], SimpleNamespace]] = {"mlp": mlp, "lenet": lenet, "vit": vit}


def with_training(net: Any, optimizer: Any) -> SimpleNamespace:
    """``net``, ``forward(images)``, ``step(images, labels)``, which returns the loss, and ``set(weights)``."""
    loss_fn = nn.CrossEntropyLoss()

    def forward(images: Any) -> Any:
        return net(images)

    def loss(images: Any, labels: Any) -> Any:
        return loss_fn(net(images), labels)

    gradient = ms.value_and_grad(loss, None, optimizer.parameters)

    def step(images: Any, labels: Any) -> Any:
        value, grads = gradient(images, labels)
        optimizer(grads)
        return value

    weights = list(net.trainable_params())
    names = {weight.name for weight in weights}
    state = [(p, p.asnumpy().copy()) for p in optimizer.get_parameters() if p.name not in names]

    def set_weights(values: Any) -> None:
        for parameter, value in [*zip(weights, values, strict=True), *state]:
            ops.assign(parameter, Tensor(value.copy()))

    return SimpleNamespace(net=net, weights=weights, forward=forward, step=step, set=set_weights)
