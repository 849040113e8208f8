"""Tensors: arrays with the operators as methods, what they are made of, and how they get into an operator."""

from minigraph.core.tensor import eager as eager
from minigraph.core.tensor.tensor import Parameter, ParameterTuple, Tensor, wrap

__all__ = ["Parameter", "ParameterTuple", "Tensor", "wrap"]
