"""Tensors and Parameters, their construction from Python data, in-place writes, dtype promotion and eager mode."""

from minigraph.core.tensor import eager as eager
from minigraph.core.tensor.tensor import Parameter, ParameterTuple, Tensor, wrap

__all__ = ["Parameter", "ParameterTuple", "Tensor", "wrap"]
