"""Primitives of activation functions."""

from __future__ import annotations

from minigraph.operators import activation
from minigraph.ops import functional as F
from minigraph.ops.primitive import primitive

__all__ = [
    "GLU",
    "CeLU",
    "Elu",
    "FastGeLU",
    "FastGelu",
    "GeLU",
    "Gelu",
    "HShrink",
    "HSigmoid",
    "HSwish",
    "LogSoftmax",
    "Mish",
    "PReLU",
    "ReLU",
    "ReLU6",
    "SeLU",
    "Sigmoid",
    "SoftShrink",
    "Softmax",
    "Softplus",
    "Softsign",
    "Tanh",
]  # fmt: skip


ReLU, Sigmoid = primitive("ReLU", F.relu, activation.RELU), primitive("Sigmoid", F.sigmoid)
Tanh = primitive("Tanh", F.tanh)
GeLU = primitive("GeLU", lambda x: F.gelu(x, approximate="tanh"), activation.GELU)
Softmax = primitive("Softmax", F.softmax, activation.SOFTMAX, axis=-1)
LogSoftmax = primitive("LogSoftmax", F.log_softmax, activation.LOG_SOFTMAX, axis=-1)
ReLU6, SeLU, Mish = primitive("ReLU6", F.relu6), primitive("SeLU", F.selu), primitive("Mish", F.mish)
Elu, CeLU = primitive("Elu", F.elu, alpha=1.0), primitive("CeLU", F.celu, alpha=1.0)
HSigmoid, HSwish = primitive("HSigmoid", F.hardsigmoid), primitive("HSwish", F.hardswish)
HShrink, SoftShrink = primitive("HShrink", F.hardshrink, lambd=0.5), primitive("SoftShrink", F.softshrink, lambd=0.5)
Softplus, Softsign = primitive("Softplus", F.softplus), primitive("Softsign", F.softsign)
FastGeLU, PReLU = primitive("FastGeLU", F.fast_gelu), primitive("PReLU", F.prelu)
GLU = primitive("GLU", F.glu, axis=-1)

Gelu = primitive("Gelu", lambda x: F.gelu(x, approximate="tanh"))
FastGelu = primitive("FastGelu", F.fast_gelu)
