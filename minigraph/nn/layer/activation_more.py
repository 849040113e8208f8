"""Further activations as Cells, composed of elementwise operators."""

from __future__ import annotations

from typing import Any

from minigraph import ops
from minigraph.core.errors import ValueArgument
from minigraph.core.tensor import Parameter
from minigraph.nn.arguments import positive_int
from minigraph.nn.cell import Cell
from minigraph.nn.initializers import Init, initializer
from minigraph.nn.layer.activation import Activation, AlongAxis, Shrink


class LeakyReLU(Cell):
    """x, or ``alpha`` x below 0.

    >>> from minigraph import Tensor
    >>> print(LeakyReLU()(Tensor([-1.0, 2.0])))
    [-0.2  2. ]
    """

    def __init__(self, alpha: float = 0.2) -> None:
        super().__init__()
        self.alpha = alpha

    def construct(self, x: Any) -> Any:
        """Elementwise on floats; shape and dtype kept."""
        return ops.leaky_relu(x, self.alpha)


class PReLU(Cell):
    """x, or a times x below 0, with a learned ``a`` (He et al. 2015, arXiv 1502.01852, eq. 1).

    ``a`` is f32[channel], starts at ``w`` and stands along axis 1. Raises ``ValueError`` for less than one channel.
    """

    def __init__(self, channel: int = 1, w: Init = 0.25) -> None:
        super().__init__()
        self.a = Parameter(initializer(w, positive_int("PReLU", "channel", channel)), name="a")

    def construct(self, x: Any) -> Any:
        """Float [N, channel, ...]; shape and dtype kept."""
        slope = self.a if len(x.shape) < 2 else self.a.reshape(-1, *(1,) * (len(x.shape) - 2))
        return ops.where(x > 0, x, slope * x)


class ELU(Cell):
    """x, or ``alpha`` (exp(x) - 1) below 0 (Clevert et al. 2015, arXiv 1511.07289). MindSpore takes an alpha of 1 only.

    >>> from minigraph import Tensor
    >>> print(ELU()(Tensor([0.0, 2.0])))
    [0. 2.]
    """

    def __init__(self, alpha: float = 1.0) -> None:
        super().__init__()
        self.alpha = alpha

    def construct(self, x: Any) -> Any:
        """Elementwise on floats; shape and dtype kept."""
        return ops.elu(x, self.alpha)


class CELU(Cell):
    """max(x, 0) + min(0, ``alpha`` (exp(x / alpha) - 1)) (Barron 2017, arXiv 1704.07483).

    Raises ``ValueError`` for an alpha of 0.
    """

    def __init__(self, alpha: float = 1.0) -> None:
        super().__init__()
        if alpha == 0:
            raise ValueArgument("For 'CELU', the 'alpha' must not be 0.")
        self.alpha = float(alpha)

    def construct(self, x: Any) -> Any:
        """Elementwise on floats; shape and dtype kept."""
        return ops.celu(x, self.alpha)


class SeLU(Activation):
    """A scaled ELU under which normalised inputs stay so (Klambauer et al. 2017, arXiv 1706.02515)."""

    def construct(self, input_x: Any) -> Any:
        """Elementwise on floats; shape and dtype kept."""
        return ops.selu(input_x)


class SiLU(Activation):
    """x sigmoid(x) (Elfwing et al. 2017, arXiv 1702.03118)."""

    def construct(self, x: Any) -> Any:
        """Elementwise on floats; shape and dtype kept."""
        return ops.silu(x)


class Mish(Activation):
    """x tanh(softplus(x)) (Misra 2019, arXiv 1908.08681)."""

    def construct(self, input_x: Any) -> Any:
        """Elementwise on floats; shape and dtype kept."""
        return input_x * ops.tanh(ops.softplus(input_x))


class FastGelu(Activation):
    """x sigmoid(1.702 x): GELU by the paper's sigmoid form."""

    def construct(self, x: Any) -> Any:
        """Elementwise on floats; shape and dtype kept."""
        return ops.fast_gelu(x)


class ReLU6(Activation):
    """x held between 0 and 6."""

    def construct(self, x: Any) -> Any:
        """Elementwise on floats; shape and dtype kept."""
        return ops.relu6(x)


class HSigmoid(Activation):
    """(x + 3) / 6 held between 0 and 1 (Howard et al. 2019, arXiv 1905.02244, section 5.2).

    >>> from minigraph import Tensor
    >>> print(HSigmoid()(Tensor([-4.0, 0.0])))
    [0.  0.5]
    """

    def construct(self, input: Any) -> Any:
        """Elementwise on floats; shape and dtype kept."""
        return ops.clamp((input + 3.0) / 6.0, 0.0, 1.0)


class HSwish(Activation):
    """x times ``HSigmoid`` of x."""

    def construct(self, input: Any) -> Any:
        """Elementwise on floats; shape and dtype kept."""
        return input * ops.clamp((input + 3.0) / 6.0, 0.0, 1.0)


class Hardtanh(Cell):
    """x held between ``min_val`` and ``max_val``. Raises ``ValueError`` unless the first is below the second."""

    def __init__(self, min_val: float = -1.0, max_val: float = 1.0) -> None:
        super().__init__()
        if not min_val < max_val:
            raise ValueArgument(f"For 'Hardtanh', min_val must be below max_val, but got {min_val} and {max_val}.")
        self.min_val, self.max_val = min_val, max_val

    def construct(self, x: Any) -> Any:
        """Elementwise on floats; shape and dtype kept."""
        return ops.clamp(x, self.min_val, self.max_val)


class HShrink(Shrink):
    """x where it is outside of -``lambd`` to ``lambd``, else 0."""

    def construct(self, input: Any) -> Any:
        """Elementwise on floats; shape and dtype kept."""
        return ops.hardshrink(input, self.lambd)


class SoftShrink(Shrink):
    """x brought nearer to 0 by ``lambd``, and 0 where it is nearer already."""

    def construct(self, input: Any) -> Any:
        """Elementwise on floats; shape and dtype kept."""
        return input - ops.clamp(input, -self.lambd, self.lambd)


class LogSigmoid(Activation):
    """The logarithm of sigmoid(x), without overflow."""

    def construct(self, input_x: Any) -> Any:
        """Values below 0; shape and dtype kept."""
        return -ops.softplus(-input_x)


class Softsign(Activation):
    """x / (1 + |x|)."""

    def construct(self, x: Any) -> Any:
        """Values between -1 and 1; shape and dtype kept."""
        return x / (1.0 + ops.abs(x))


class Tanhshrink(Activation):
    """x - tanh(x)."""

    def construct(self, x: Any) -> Any:
        """Elementwise on floats; shape and dtype kept."""
        return x - ops.tanh(x)


class Softmin(AlongAxis):
    """softmax(-x) along ``axis``."""

    def construct(self, x: Any) -> Any:
        """Positive values that add up to 1 along the axis; shape and dtype kept."""
        return ops.softmax(-x, self.axis)
