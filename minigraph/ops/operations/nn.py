"""Primitives of networks: activations and convolution."""

from __future__ import annotations

from typing import Any

from minigraph.core.errors import UsageError
from minigraph.operators import conv
from minigraph.operators import nn as activations
from minigraph.ops.functional import nn
from minigraph.ops.primitive import REQUIRED, primitive

__all__ = [
    "BiasAdd", "Conv2D", "GeLU", "LogSoftmax", "ReLU", "Sigmoid", "Softmax",
]  # fmt: skip


def _bias_add(x: Any, bias: Any, *, data_format: str) -> Any:
    """A vector added along axis 1 ("NCHW"), or along the last one ("NHWC")."""
    return x + bias if data_format == "NHWC" else nn.bias_add(x, bias)


def _conv2d(x: Any, weight: Any, *, out_channel: int, kernel_size: Any, pad_mode: str, pad: Any, **config: Any) -> Any:
    """The convolution of images."""
    if config["data_format"] != "NCHW":
        raise UsageError(f"Conv2D: data_format is 'NCHW', got {config['data_format']!r}; transpose the images")
    return nn.conv2d(x, weight, None, config["stride"], pad_mode, pad, config["dilation"], config["group"])


ReLU, Sigmoid = primitive("ReLU", nn.relu, activations.RELU), primitive("Sigmoid", nn.sigmoid)
GeLU = primitive("GeLU", lambda x: nn.gelu(x, approximate="tanh"), activations.GELU)
Softmax = primitive("Softmax", nn.softmax, activations.SOFTMAX, axis=-1)
LogSoftmax = primitive("LogSoftmax", nn.log_softmax, activations.LOG_SOFTMAX, axis=-1)
BiasAdd = primitive("BiasAdd", _bias_add, data_format="NCHW")
Conv2D = primitive(
    "Conv2D", _conv2d, conv.CONV2D,
    out_channel=REQUIRED, kernel_size=REQUIRED, mode=1, pad_mode="valid", pad=0, stride=1, dilation=1, group=1,
    data_format="NCHW",
)  # fmt: skip
