"""Activation functions."""

from __future__ import annotations

from minigraph.core.errors import ShapeError, UsageError
from minigraph.core.op import apply
from minigraph.core.tensor import Tensor
from minigraph.core.types import DType, float32
from minigraph.operators import activation, comparison, elementwise, random
from minigraph.operators.random import draw
from minigraph.ops.functional.arithmetic import clip, clip_by_value
from minigraph.ops.functional.dtypes import cast
from minigraph.ops.functional.elementary import expm1, log, tanh
from minigraph.ops.functional.forms import export
from minigraph.ops.functional.indexing import where
from minigraph.ops.functional.joining import split
from minigraph.ops.functional.operator_functions import unary
from minigraph.ops.functional.shapes import reshape

FORMS = """
method: hardshrink soft_shrink
mint: sigmoid:Sigmoid
function: celu elu fast_gelu:FastGeLU:FastGelu gelu glu gumbel_softmax hardsigmoid:HSigmoid hardswish:HSwish hardtanh
    leaky_relu log_softmax logsigmoid mish:Mish prelu:PReLU relu relu6:ReLU6 rrelu selu:SeLU silu softmax softmin
    softplus:Softplus softshrink softsign:Softsign swiglu tanhshrink threshold
"""
export(globals())


# ---- sigmoid and softmax ---------------------------------------------------------------------------


sigmoid, silu = unary(activation.SIGMOID), unary(activation.SILU)


def softplus(input: Tensor, beta: float = 1, threshold: float = 20) -> Tensor:
    """log(1 + exp(beta x)) / beta; x itself where beta x is above ``threshold``."""
    if (beta, threshold) == (1, 20):  # the difference to x is below 3e-9 there
        return apply(activation.SOFTPLUS, input)
    scaled = input * beta
    return apply(comparison.WHERE, scaled > threshold, input, apply(activation.SOFTPLUS, scaled) / beta)


def softmax(input: Tensor, axis: int = -1, *, dtype: DType | None = None) -> Tensor:
    """exp(x) divided by its sum along an axis."""
    return apply(activation.SOFTMAX, input if dtype is None else apply(elementwise.CAST, input, dtype=dtype), axis=axis)


def log_softmax(logits: Tensor, axis: int = -1) -> Tensor:
    """The logarithm of softmax along an axis, without overflow."""
    return apply(activation.LOG_SOFTMAX, logits, axis=axis)


def logsigmoid(x: Tensor) -> Tensor:
    """log(sigmoid(x)), without overflow."""
    return -softplus(-x)


def softmin(x: Tensor, axis: int = -1, *, dtype: DType | None = None) -> Tensor:
    """exp(-x) divided by its sum along an axis."""
    return softmax(-x, axis, dtype=dtype)


def gumbel_softmax(logits: Tensor, tau: float = 1.0, hard: bool = False, dim: int = -1) -> Tensor:
    """A relaxed one-hot sample from logits that gradients flow through (Jang et al. 2016, arXiv 1611.01144).

    A small ``tau`` makes the weights nearly one-hot. ``hard`` makes them one-hot, with the gradient of the soft weights
    (straight-through estimator).
    """
    noise = -log(-log(draw(random.RANDOM_UNIFORM, logits.shape, float32) + 1e-20) + 1e-20)
    soft = softmax((logits + cast(noise, logits.dtype)) / tau, dim)
    if not hard:
        return soft
    largest = apply("max", soft, axis=dim, keepdims=True)
    return cast(soft == largest, soft.dtype) + soft - apply("stop_gradient", soft)


# ---- rectifiers ------------------------------------------------------------------------------------


def relu(input: Tensor, inplace: bool = False) -> Tensor:
    """max(x, 0); with ``inplace`` also written into ``input``.

    Raises ``TypeError`` unless ``input`` is a tensor.
    """
    if not inplace:
        return _relu(input)
    input[...] = _relu(input)
    return input


_relu = unary(activation.RELU)


def leaky_relu(input: Tensor, alpha: float = 0.2) -> Tensor:
    """max(x, alpha x), or the minimum for alpha > 1; at 0 both branches get half of the gradient."""
    return apply(elementwise.MAXIMUM if alpha <= 1 else elementwise.MINIMUM, input * alpha, input)


def relu6(x: Tensor) -> Tensor:
    """x clamped to [0, 6]; the gradient is 0 at 0 and passes at 6."""
    return where(x > 6, 6, relu(x))


def prelu(input: Tensor, weight: Tensor) -> Tensor:
    """x, or ``weight`` x below 0; one weight for all or one per channel (He et al. 2015, arXiv 1502.01852)."""
    slope = reshape(weight, ()) if input.ndim == 0 else weight
    if input.ndim > 1 and weight.size > 1:
        slope = reshape(weight, (-1, *(1,) * (input.ndim - 2)))
    return where(input > 0, input, slope * input)


def rrelu(input: Tensor, lower: float = 1 / 8, upper: float = 1 / 3) -> Tensor:
    """x, or x times a random slope from [``lower``, ``upper``) below 0, one slope per element (Xu et al. 2015)."""
    slope = cast(draw(random.RANDOM_UNIFORM, input.shape, float32), input.dtype) * (upper - lower) + lower
    return where(input > 0, input, slope * input)


def threshold(input: Tensor, thr: float, value: float) -> Tensor:
    """x where it is above ``thr``, else ``value``."""
    return where(input > thr, input, value)


SELU_SCALE, SELU_ALPHA = 1.05070098, 1.67326324  # Klambauer et al. 2017 (arXiv 1706.02515), section 2


def elu(input_x: Tensor, alpha: float = 1.0) -> Tensor:
    """x, or ``alpha`` (exp(x) - 1) below 0 (Clevert et al. 2015, arXiv 1511.07289)."""
    return where(input_x > 0, input_x, expm1(_nonpositive_part(input_x)) * alpha)


def _nonpositive_part(x: Tensor) -> Tensor:
    """min(x, 0), so that exp cannot overflow; at 0 the whole gradient passes."""
    return where(x > 0, 0.0, x)


def celu(x: Tensor, alpha: float = 1.0) -> Tensor:
    """max(x, 0) + min(0, ``alpha`` (exp(x / alpha) - 1)) (Barron 2017, arXiv 1704.07483)."""
    if alpha == 0:
        raise UsageError("celu: x is divided by alpha, which is 0; pass another alpha")
    return where(x > 0, x, expm1(_nonpositive_part(x) / alpha) * alpha)


def selu(input_x: Tensor) -> Tensor:
    """ELU scaled so that normalised inputs stay normalised (Klambauer et al. 2017, arXiv 1706.02515)."""
    return elu(input_x, SELU_ALPHA) * SELU_SCALE


# ---- gated -----------------------------------------------------------------------------------------


def gelu(input: Tensor, approximate: str = "none") -> Tensor:
    """x Phi(x), with the standard normal distribution function Phi; ``approximate="tanh"`` approximates it."""
    return apply(activation.GELU, input, approximate=approximate)


FAST_GELU_SLOPE = 1.702  # Hendrycks & Gimpel 2016 (arXiv 1606.08415), section 2


def fast_gelu(x: Tensor) -> Tensor:
    """x sigmoid(1.702 x), the sigmoid approximation of GELU."""
    return x * sigmoid(x * FAST_GELU_SLOPE)


def mish(x: Tensor) -> Tensor:
    """x tanh(softplus(x)) (Misra 2019, arXiv 1908.08681)."""
    return x * tanh(softplus(x))


def glu(x: Tensor, axis: int = -1) -> Tensor:
    """The first half along an axis times the sigmoid of the second half (Dauphin et al. 2016, arXiv 1612.08083)."""
    size = x.shape[axis]
    if size % 2:
        raise ShapeError(f"glu: axis {axis} of {x.type} has {size} elements; the number must be even")
    first, second = apply("split", x, sizes=size // 2, axis=axis)
    return first * sigmoid(second)


def swiglu(input: Tensor, dim: int = -1) -> Tensor:
    """silu of the first half along an axis, times the second half."""
    first, second = split(input, input.shape[dim] // 2, dim)
    return silu(first) * second


# ---- piecewise linear ------------------------------------------------------------------------------


def hardtanh(input: Tensor, min_val: float = -1.0, max_val: float = 1.0) -> Tensor:
    """x clamped to [``min_val``, ``max_val``]; at a bound half of the gradient passes."""
    return clip_by_value(input, min_val, max_val)


def hardsigmoid(input: Tensor) -> Tensor:
    """(x + 3) / 6 clamped to [0, 1] (Howard et al. 2019, arXiv 1905.02244, section 5.2); no gradient at a bound."""
    line = (input + 3) / 6
    return where(apply(elementwise.ABS, input) >= 3, cast(input > 0, line.dtype), line)


def hardswish(input: Tensor) -> Tensor:
    """x times (x + 3) / 6 clamped to [0, 1] (Howard et al. 2019, arXiv 1905.02244); gradients pass at the bounds."""
    return input * clip((input + 3) / 6, 0, 1)


def hardshrink(input: Tensor, lambd: float = 0.5) -> Tensor:
    """0 where abs(x) <= ``lambd``, else x; NaN stays NaN."""
    return where(apply(elementwise.ABS, input) <= lambd, 0, input)


def softshrink(input: Tensor, lambd: float = 0.5) -> Tensor:
    """x moved towards 0 by ``lambd``; 0 where abs(x) <= ``lambd``."""
    return where(input > lambd, input - lambd, where(input < -lambd, input + lambd, 0))


soft_shrink = softshrink


def softsign(x: Tensor) -> Tensor:
    """x / (1 + abs(x))."""
    return x / (apply(elementwise.ABS, x) + 1)


def tanhshrink(input: Tensor) -> Tensor:
    """x - tanh(x); integers are converted to Float32."""
    floats = input if input.dtype.is_float else cast(input, float32)
    return floats - tanh(floats)
