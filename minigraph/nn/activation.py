"""Activations as Cells: one elementwise or row operator each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minigraph import ops
from minigraph.errors import TypeArgument, UnknownName, did_you_mean
from minigraph.nn.cell import Cell


class ReLU(Cell):
    """The larger of x and 0, elementwise.

    >>> from minigraph import Tensor
    >>> print(ReLU()(Tensor([-1.0, 2.0])))
    [0. 2.]
    """

    def construct(self, x: Any) -> Any:
        """max(x, 0); any shape, dtype kept."""
        return ops.relu(x)


class Sigmoid(Cell):
    """1 / (1 + exp(-x)), elementwise on floats."""

    def construct(self, x: Any) -> Any:
        """Values between 0 and 1; shape and dtype kept."""
        return ops.sigmoid(x)


class Tanh(Cell):
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


class Softmax(Cell):
    """exp(x) divided by its sum along ``axis``."""

    def __init__(self, axis: int = -1) -> None:
        super().__init__()
        self.axis = axis

    def construct(self, x: Any) -> Any:
        """Positive values that add up to 1 along the axis; shape and dtype kept."""
        return ops.softmax(x, self.axis)

    def extend_repr(self) -> str:
        """The axis."""
        return f"axis={self.axis}"


class LogSoftmax(Cell):
    """The logarithm of softmax along ``axis``, computed without overflow."""

    def __init__(self, axis: int = -1) -> None:
        super().__init__()
        self.axis = axis

    def construct(self, x: Any) -> Any:
        """Values of at most 0; shape and dtype kept."""
        return ops.log_softmax(x, self.axis)

    def extend_repr(self) -> str:
        """The axis."""
        return f"axis={self.axis}"


ACTIVATIONS: dict[str, Callable[[], Cell]] = {
    "relu": ReLU,
    "sigmoid": Sigmoid,
    "tanh": Tanh,
    "gelu": GELU,
    "softmax": Softmax,
    "logsoftmax": LogSoftmax,
}


def get_activation(name: str | Cell | None) -> Cell | None:
    """The activation Cell of that name; a Cell or ``None`` is returned as it is.

    Raises ``UnknownName`` with the nearest name, ``TypeError`` for anything else.

    >>> get_activation("relu")
    ReLU()
    """
    if name is None or isinstance(name, Cell):
        return name
    if not isinstance(name, str):
        raise TypeArgument(f"activation: a name or a Cell, got {type(name).__name__}; known: {', '.join(ACTIVATIONS)}")
    if name not in ACTIVATIONS:
        raise UnknownName(f"no activation '{name}'{did_you_mean(name, ACTIVATIONS)}")
    return ACTIVATIONS[name]()
