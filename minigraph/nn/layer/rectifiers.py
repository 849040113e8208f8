"""Rectifiers and other piecewise linear activation functions."""

from __future__ import annotations

from minigraph import ops
from minigraph.core.errors import ArgValueError
from minigraph.core.tensor import Parameter, Tensor
from minigraph.core.types import DType, float32
from minigraph.nn.arguments import check_positive_int
from minigraph.nn.cell import Cell
from minigraph.nn.initializers import Init, initializer
from minigraph.nn.layer.activation import Activation


class ReLU(Activation):
    """max(x, 0), elementwise.

    >>> from minigraph import Tensor
    >>> print(ReLU()(Tensor([-1.0, 2.0])))
    [0. 2.]
    """

    def construct(self, input: Tensor) -> Tensor:
        """Any shape; dtype kept."""
        return ops.relu(input)


class LeakyReLU(Cell):
    """x, or ``alpha`` x below 0.

    >>> from minigraph import Tensor
    >>> print(LeakyReLU()(Tensor([-1.0, 2.0])))
    [-0.2  2. ]
    """

    def __init__(self, alpha: float = 0.2) -> None:
        super().__init__()
        self.alpha = alpha

    def construct(self, x: Tensor) -> Tensor:
        """Elementwise on floats; shape and dtype kept."""
        return ops.leaky_relu(x, self.alpha)


class PReLU(Cell):
    """x, or ``a`` x below 0, with a learned slope ``a`` (He et al. 2015, arXiv 1502.01852, eq. 1).

    ``a`` is f32[channel], initially ``w``, along axis 1. Raises ``ValueError`` for less than one channel.
    """

    def __init__(self, channel: int = 1, w: Init = 0.25) -> None:
        super().__init__()
        self.a = Parameter(initializer(w, check_positive_int("PReLU", "channel", channel)), name="a")

    def construct(self, x: Tensor) -> Tensor:
        """Float [N, channel, ...]; shape and dtype kept."""
        return ops.prelu(x, self.a)


class PReLUExt(Cell):
    """``PReLU``, whose learned slopes are the Parameter ``weight``, f32[num_parameters], initially ``init``."""

    def __init__(self, num_parameters: int = 1, init: float = 0.25, dtype: DType | None = None) -> None:
        super().__init__()
        count = check_positive_int("PReLUExt", "num_parameters", num_parameters)
        self.weight = Parameter(ops.full((count,), init, dtype=dtype or float32), name="weight")

    def construct(self, input: Tensor) -> Tensor:
        """Float [N, num_parameters, ...]; shape and dtype kept."""
        return ops.prelu(input, self.weight)


class ReLU6(Activation):
    """x clamped to [0, 6]."""

    def construct(self, x: Tensor) -> Tensor:
        """Elementwise on floats; shape and dtype kept."""
        return ops.relu6(x)


class Threshold(Cell):
    """Elements above ``threshold``, else ``value``."""

    def __init__(self, threshold: float, value: float) -> None:
        super().__init__()
        self.threshold, self.value = threshold, value

    def construct(self, input_x: Tensor) -> Tensor:
        """The same shape and dtype."""
        return ops.threshold(input_x, self.threshold, self.value)


class HSigmoid(Activation):
    """(x + 3) / 6 clamped to [0, 1] (Howard et al. 2019, arXiv 1905.02244, section 5.2).

    >>> from minigraph import Tensor
    >>> print(HSigmoid()(Tensor([-4.0, 0.0])))
    [0.  0.5]
    """

    def construct(self, input: Tensor) -> Tensor:
        """Elementwise on floats; shape and dtype kept."""
        return ops.hardsigmoid(input)


class HSwish(Activation):
    """x times ``HSigmoid`` of x."""

    def construct(self, input: Tensor) -> Tensor:
        """Elementwise on floats; shape and dtype kept."""
        return ops.hardswish(input)


class Hardtanh(Cell):
    """x clamped to [``min_val``, ``max_val``]. Raises ``ValueError`` unless the first is below the second."""

    def __init__(self, min_val: float = -1.0, max_val: float = 1.0) -> None:
        super().__init__()
        if not min_val < max_val:
            raise ArgValueError(f"For 'Hardtanh', min_val must be below max_val, but got {min_val} and {max_val}.")
        self.min_val, self.max_val = min_val, max_val

    def construct(self, x: Tensor) -> Tensor:
        """Elementwise on floats; shape and dtype kept."""
        return ops.hardtanh(x, self.min_val, self.max_val)


class Shrink(Cell):
    """The base class of functions that are 0 on [-``lambd``, ``lambd``]."""

    def __init__(self, lambd: float = 0.5) -> None:
        super().__init__()
        self.lambd = lambd


class HShrink(Shrink):
    """0 where abs(x) <= ``lambd``, else x."""

    def construct(self, input: Tensor) -> Tensor:
        """Elementwise on floats; shape and dtype kept."""
        return ops.hardshrink(input, self.lambd)


class SoftShrink(Shrink):
    """x moved towards 0 by ``lambd``; 0 where abs(x) <= ``lambd``."""

    def construct(self, input: Tensor) -> Tensor:
        """Elementwise on floats; shape and dtype kept."""
        return ops.softshrink(input, self.lambd)
