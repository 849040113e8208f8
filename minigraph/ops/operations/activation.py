"""Primitives of activation functions."""

from __future__ import annotations

from minigraph.operators import activation
from minigraph.ops import functional as F
from minigraph.ops.primitive import primitive

__all__ = ["GLU", "CeLU", "Elu", "GeLU", "Gelu", "HShrink", "LogSoftmax", "ReLU", "SoftShrink", "Softmax"]


ReLU = primitive("ReLU", F.relu, activation.RELU)
GeLU = primitive("GeLU", lambda x: F.gelu(x, approximate="tanh"), activation.GELU)
Softmax = primitive("Softmax", F.softmax, activation.SOFTMAX, axis=-1)
LogSoftmax = primitive("LogSoftmax", F.log_softmax, activation.LOG_SOFTMAX, axis=-1)
Elu, CeLU = primitive("Elu", F.elu, alpha=1.0), primitive("CeLU", F.celu, alpha=1.0)
HShrink, SoftShrink = primitive("HShrink", F.hardshrink, lambd=0.5), primitive("SoftShrink", F.softshrink, lambd=0.5)
GLU = primitive("GLU", F.glu, axis=-1)

Gelu = primitive("Gelu", lambda x: F.gelu(x, approximate="tanh"))
