"""The usual activations as Cells: one elementwise or row operator each."""

from __future__ import annotations

from typing import Any

from minigraph import ops
from minigraph.nn.cell import Cell


class Activation(Cell):
    """The base of activations without arguments."""

    def __init__(self) -> None:
        super().__init__()


class AlongAxis(Cell):
    """The base of functions of the elements along one axis."""

    def __init__(self, axis: int = -1) -> None:
        super().__init__()
        self.axis = axis


class Shrink(Cell):
    """The base of functions that are 0 from -``lambd`` to ``lambd``."""

    def __init__(self, lambd: float = 0.5) -> None:
        super().__init__()
        self.lambd = lambd


class ReLU(Activation):
    """The larger of x and 0, elementwise.

    >>> from minigraph import Tensor
    >>> print(ReLU()(Tensor([-1.0, 2.0])))
    [0. 2.]
    """

    def construct(self, input: Any) -> Any:
        """max(x, 0); any shape, dtype kept."""
        return ops.relu(input)


class Sigmoid(Activation):
    """1 / (1 + exp(-x)), elementwise on floats."""

    def construct(self, x: Any) -> Any:
        """Values between 0 and 1; shape and dtype kept."""
        return ops.sigmoid(x)


class Tanh(Activation):
    """Hyperbolic tangent, elementwise on floats."""

    def construct(self, x: Any) -> Any:
        """Values between -1 and 1; shape and dtype kept."""
        return ops.tanh(x)


class GELU(Cell):
    """x times the normal distribution function of x (Hendrycks & Gimpel 2016, arXiv 1606.08415).

    ``approximate`` takes the paper's tanh form, MindSpore's default here, instead of the exact one with erf.
    """

    def __init__(self, approximate: bool = True) -> None:
        super().__init__()
        self.approximate = approximate

    def construct(self, x: Any) -> Any:
        """Elementwise on floats; shape and dtype kept."""
        return ops.gelu(x, "tanh" if self.approximate else "none")


class Softmax(AlongAxis):
    """exp(x) divided by its sum along ``axis``."""

    def construct(self, input: Any) -> Any:
        """Positive values that add up to 1 along the axis; shape and dtype kept."""
        return ops.softmax(input, self.axis)


class LogSoftmax(AlongAxis):
    """The logarithm of softmax along ``axis``, computed without overflow."""

    def construct(self, x: Any) -> Any:
        """Values of at most 0; shape and dtype kept."""
        return ops.log_softmax(x, self.axis)
