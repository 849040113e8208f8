"""Primitives of networks: activations and convolution."""

from __future__ import annotations

from typing import Any

from minigraph.ops import conv
from minigraph.ops import nn as activations
from minigraph.ops.functional import nn
from minigraph.ops.primitive import primitive

__all__ = [
    "BiasAdd", "Conv2D", "GeLU", "LogSoftmax", "ReLU", "Sigmoid", "Softmax",
]  # fmt: skip


def _conv2d(x: Any, weight: Any, *, out_channel: int, kernel_size: Any, pad_mode: str, pad: Any, **config: Any) -> Any:
    return nn.conv2d(x, weight, None, config["stride"], pad_mode, pad, config["dilation"], config["group"])


ReLU, Sigmoid = primitive("ReLU", nn.relu), primitive("Sigmoid", nn.sigmoid)
GeLU = primitive("GeLU", lambda x: nn.gelu(x, approximate="tanh"), activations.GELU)
Softmax = primitive("Softmax", nn.softmax, activations.SOFTMAX, axis=-1)
LogSoftmax = primitive("LogSoftmax", nn.log_softmax, activations.LOG_SOFTMAX, axis=-1)
BiasAdd = primitive("BiasAdd", nn.bias_add)
Conv2D = primitive(
    "Conv2D", _conv2d, conv.CONV2D,
    out_channel=1, kernel_size=1, mode=1, pad_mode="valid", pad=0, stride=1, dilation=1, group=1,
)  # fmt: skip
