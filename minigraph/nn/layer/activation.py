"""Activation functions: sigmoids, gated and exponential units, softmax."""

from __future__ import annotations

from minigraph import ops
from minigraph.core.errors import ArgValueError, ShapeError
from minigraph.core.tensor import Tensor
from minigraph.nn.cell import Cell


class Activation(Cell):
    """The base class of activations without arguments."""

    def __init__(self) -> None:
        super().__init__()


class AlongAxis(Cell):
    """The base class of functions along one axis."""

    def __init__(self, axis: int = -1) -> None:
        super().__init__()
        self.axis = axis


# ---- sigmoids and gates ----------------------------------------------------------------------------


class Sigmoid(Activation):
    """1 / (1 + exp(-x)), elementwise on floats."""

    def construct(self, x: Tensor) -> Tensor:
        """Values between 0 and 1; shape and dtype kept."""
        return ops.sigmoid(x)


class LogSigmoid(Activation):
    """The logarithm of sigmoid(x), without overflow."""

    def construct(self, input_x: Tensor) -> Tensor:
        """Values below 0; shape and dtype kept."""
        return -ops.softplus(-input_x)


class Tanh(Activation):
    """Hyperbolic tangent, elementwise on floats."""

    def construct(self, x: Tensor) -> Tensor:
        """Values between -1 and 1; shape and dtype kept."""
        return ops.tanh(x)


class Tanhshrink(Activation):
    """x - tanh(x)."""

    def construct(self, x: Tensor) -> Tensor:
        """Elementwise on floats; shape and dtype kept."""
        return x - ops.tanh(x)


class Softsign(Activation):
    """x / (1 + |x|)."""

    def construct(self, x: Tensor) -> Tensor:
        """Values between -1 and 1; shape and dtype kept."""
        return x / (1.0 + ops.abs(x))


class GELU(Cell):
    """x Phi(x), Phi the standard normal distribution function (Hendrycks & Gimpel 2016, arXiv 1606.08415).

    ``approximate`` selects the paper's tanh approximation, MindSpore's default, instead of the exact form with erf.
    """

    def __init__(self, approximate: bool = True) -> None:
        super().__init__()
        self.approximate = approximate

    def construct(self, x: Tensor) -> Tensor:
        """Elementwise on floats; shape and dtype kept."""
        return ops.gelu(x, "tanh" if self.approximate else "none")


class FastGelu(Activation):
    """x sigmoid(1.702 x), the sigmoid approximation of GELU."""

    def construct(self, x: Tensor) -> Tensor:
        """Elementwise on floats; shape and dtype kept."""
        return ops.fast_gelu(x)


class SiLU(Activation):
    """x sigmoid(x) (Elfwing et al. 2017, arXiv 1702.03118)."""

    def construct(self, x: Tensor) -> Tensor:
        """Elementwise on floats; shape and dtype kept."""
        return ops.silu(x)


class Mish(Activation):
    """x tanh(softplus(x)) (Misra 2019, arXiv 1908.08681)."""

    def construct(self, input_x: Tensor) -> Tensor:
        """Elementwise on floats; shape and dtype kept."""
        return input_x * ops.tanh(ops.softplus(input_x))


class GLU(AlongAxis):
    """The first half along an axis times sigmoid of the second half (Dauphin et al. 2017, arXiv 1612.08083)."""

    def construct(self, x: Tensor) -> Tensor:
        """Half as many elements along the axis."""
        return ops.glu(x, self.axis)


# ---- exponential units -----------------------------------------------------------------------------


class ELU(Cell):
    """x, or ``alpha`` (exp(x) - 1) below 0 (Clevert et al. 2015, arXiv 1511.07289). MindSpore supports alpha = 1 only.

    >>> from minigraph import Tensor
    >>> print(ELU()(Tensor([0.0, 2.0])))
    [0. 2.]
    """

    def __init__(self, alpha: float = 1.0) -> None:
        super().__init__()
        self.alpha = alpha

    def construct(self, x: Tensor) -> Tensor:
        """Elementwise on floats; shape and dtype kept."""
        return ops.elu(x, self.alpha)


class CELU(Cell):
    """max(x, 0) + min(0, ``alpha`` (exp(x / alpha) - 1)) (Barron 2017, arXiv 1704.07483).

    Raises ``ValueError`` for an alpha of 0.
    """

    def __init__(self, alpha: float = 1.0) -> None:
        super().__init__()
        if alpha == 0:
            raise ArgValueError("For 'CELU', the 'alpha' must not be 0.")
        self.alpha = float(alpha)

    def construct(self, x: Tensor) -> Tensor:
        """Elementwise on floats; shape and dtype kept."""
        return ops.celu(x, self.alpha)


class SeLU(Activation):
    """ELU scaled so that normalised inputs stay normalised (Klambauer et al. 2017, arXiv 1706.02515)."""

    def construct(self, input_x: Tensor) -> Tensor:
        """Elementwise on floats; shape and dtype kept."""
        return ops.selu(input_x)


# ---- softmax ---------------------------------------------------------------------------------------


class Softmax(AlongAxis):
    """exp(x) divided by its sum along ``axis``."""

    def construct(self, input: Tensor) -> Tensor:
        """Positive values that sum to 1 along the axis; shape and dtype kept."""
        return ops.softmax(input, self.axis)


class LogSoftmax(AlongAxis):
    """The logarithm of softmax along ``axis``, computed without overflow."""

    def construct(self, x: Tensor) -> Tensor:
        """Values <= 0; shape and dtype kept."""
        return ops.log_softmax(x, self.axis)


class Softmin(AlongAxis):
    """softmax(-x) along ``axis``."""

    def construct(self, x: Tensor) -> Tensor:
        """Positive values that sum to 1 along the axis; shape and dtype kept."""
        return ops.softmax(-x, self.axis)


class Softmax2d(Activation):
    """Softmax over the channels of [N, C, H, W] or [C, H, W]; raises ``ValueError`` for other ranks."""

    def construct(self, x: Tensor) -> Tensor:
        """The same shape; the channels of each pixel sum to 1."""
        if len(x.shape) not in (3, 4):
            raise ShapeError(f"For Softmax2d, the in_shape must have 3 or 4 dims, but got shape {list(x.shape)}")
        return ops.softmax(x, -3)
