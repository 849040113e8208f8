"""Tensors: arrays with the operators as methods, what they are made of, and how they get into an operator."""

from minigraph.tensor.tensor import Parameter, ParameterTuple, Tensor, wrap

__all__ = ["Parameter", "ParameterTuple", "Tensor", "wrap"]
