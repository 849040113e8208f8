"""Activations, normalisation, convolution and losses."""

from __future__ import annotations

from typing import Any

from minigraph.core.errors import ShapeError, UsageError
from minigraph.core.op import apply
from minigraph.core.types import DType, float32
from minigraph.operators import compare, conv, create, elementwise, linalg, losses, nn, norms, reduce, views
from minigraph.ops.functional.calls import unary

__all__ = [
    "batch_norm", "bias_add", "conv2d", "cross_entropy", "dense", "gelu", "layer_norm", "leaky_relu", "log_softmax",
    "mse_loss", "relu", "sigmoid", "silu", "softmax", "softplus",
]  # fmt: skip

sigmoid, silu = unary(nn.SIGMOID), unary(nn.SILU)


def relu(input: Any, inplace: bool = False) -> Any:
    """Elements above 0, else 0; with ``inplace`` written into ``input``, too.

    Raises ``TypeError`` for what is no tensor.
    """
    if not inplace:
        return _relu(input)
    input[...] = _relu(input)
    return input


_relu = unary(nn.RELU)
REDUCE = {"none": lambda x: x, "mean": lambda x: apply(reduce.MEAN, x), "sum": lambda x: apply(reduce.SUM, x)}


def gelu(input: Any, approximate: str = "none") -> Any:
    """x times the normal distribution function of x; ``approximate="tanh"`` uses a tanh for it."""
    return apply(nn.GELU, input, approximate=approximate)


def softplus(input: Any, beta: float = 1, threshold: float = 20) -> Any:
    """log(1 + exp(beta x)) / beta; x itself where beta x is above the threshold."""
    if (beta, threshold) == (1, 20):  # the difference to x is below 3e-9 there
        return apply(nn.SOFTPLUS, input)
    steep = input * beta
    return apply(compare.WHERE, steep > threshold, input, apply(nn.SOFTPLUS, steep) / beta)


def leaky_relu(input: Any, alpha: float = 0.2) -> Any:
    """x, or alpha x below 0: the larger of both (the smaller for alpha > 1), which at 0 share the gradient."""
    return apply(elementwise.MAXIMUM if alpha <= 1 else elementwise.MINIMUM, input * alpha, input)


def softmax(input: Any, axis: int = -1, *, dtype: DType | None = None) -> Any:
    """exp(x) divided by its sum along an axis."""
    return apply(nn.SOFTMAX, input if dtype is None else apply(elementwise.CAST, input, dtype=dtype), axis=axis)


def log_softmax(logits: Any, axis: int = -1) -> Any:
    """The logarithm of softmax along an axis, without overflow."""
    return apply(nn.LOG_SOFTMAX, logits, axis=axis)


# ---- normalisation ---------------------------------------------------------------------------------


def layer_norm(input: Any, normalized_shape: Any, weight: Any = None, bias: Any = None, eps: float = 1e-5) -> Any:
    """The last axes, of ``normalized_shape``, normalised, times weight, plus bias (``None``: 1 and 0)."""
    sizes = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
    count = len(sizes)
    if input.shape[-count:] != sizes:
        raise ShapeError(f"layer_norm: the last axes of {input.type} are not of shape {list(sizes)}; give theirs")
    if weight is None and bias is None:
        return apply(norms.NORMALIZE, input, axis=tuple(range(-count, 0)), eps=eps)
    shape = input.shape[-count:]
    gamma = apply(create.FULL, shape=shape, value=1, dtype=input.dtype) if weight is None else weight
    beta = apply(create.FULL, shape=shape, value=0, dtype=input.dtype) if bias is None else bias
    return apply(norms.LAYER_NORM, input, gamma, beta, axis=-count, eps=eps)


def batch_norm(
    input_x: Any,
    running_mean: Any,
    running_var: Any,
    weight: Any,
    bias: Any,
    training: bool = False,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Any:
    """Normalised by the running statistics, or by the batch's own when training (``momentum`` is for a layer)."""
    if training:
        return apply(norms.BATCH_NORM_TRAIN, input_x, weight, bias, eps=eps)[0]
    return apply(norms.BATCH_NORM, input_x, weight, bias, running_mean, running_var, eps=eps)


def dense(input: Any, weight: Any, bias: Any = None) -> Any:
    """input @ weight.T + bias, weight [out, in]."""
    product = apply(linalg.MATMUL, input, weight.swapaxes(-1, -2))
    return product if bias is None else product + bias


def bias_add(input_x: Any, bias: Any) -> Any:
    """A vector added along axis 1; raises ``ShapeError`` unless it has one number for each channel there."""
    if input_x.ndim < 2 or bias.shape != input_x.shape[1:2]:
        raise ShapeError(f"bias_add: {bias.type} for {input_x.type}; give one number for each channel, on axis 1")
    return input_x + apply(views.RESHAPE, bias, shape=(-1, *(1,) * (input_x.ndim - 2)))


def with_bias(x: Any, bias: Any) -> Any:
    """``bias_add`` where there is a bias."""
    return x if bias is None else bias_add(x, bias)


# ---- images ----------------------------------------------------------------------------------------


def conv2d(
    input: Any,
    weight: Any,
    bias: Any = None,
    stride: Any = 1,
    pad_mode: str = "valid",
    padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
) -> Any:
    """The convolution of images [N,C,H,W] with weights [O,C/groups,kh,kw].

    ``pad_mode``: "valid" pads nothing, "pad" pads by ``padding``, "same" gives ceil(size / stride) pixels
    with the odd one of the border after.
    """
    border = _border(pad_mode, padding, input.shape[2:], weight.shape[2:], _two(stride), _two(dilation))
    found = apply(conv.CONV2D, input, weight, stride=stride, padding=border, dilation=dilation, group=groups)
    return with_bias(found, bias)


def _two(value: Any) -> tuple[int, int]:
    return (value, value) if isinstance(value, int) else (value[0], value[1])


def _border(mode: str, padding: Any, image: Any, kernel: Any, stride: Any, dilation: Any) -> Any:
    if mode not in ("valid", "same", "pad"):
        raise UsageError(f"conv2d: pad_mode is 'valid', 'same' or 'pad', got {mode!r}")
    if mode != "pad" and padding not in (0, (0, 0), (0, 0, 0, 0)):
        raise UsageError(f"conv2d: padding {padding} needs pad_mode='pad', got {mode!r}")
    if mode == "same" and len(image) == len(kernel) == 2:  # another rank is refused by the operator
        return tuple(same_border(*sizes) for sizes in zip(image, kernel, stride, dilation, strict=True))
    return padding if mode == "pad" else 0


def same_border(size: int, kernel: int, stride: int, dilation: int) -> tuple[int, int]:
    """The border before and after that makes ceil(size / stride) results.

    >>> same_border(5, 2, 1, 1)
    (0, 1)
    """
    results = -(-size // stride)
    border = max(0, (results - 1) * stride + dilation * (kernel - 1) + 1 - size)
    return border // 2, border - border // 2


# ---- losses ----------------------------------------------------------------------------------------


def cross_entropy(
    input: Any,
    target: Any,
    weight: Any = None,
    ignore_index: int = -100,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Any:
    """The cross entropy of logits with integer labels, or with probabilities of the logits' shape.

    With class weights [C] each case counts as much as the class of its label.
    """
    if weight is not None:
        return _weighted(input, target, weight, ignore_index, reduction, label_smoothing)
    if target.dtype.kind == "i":
        attrs = {"ignore_index": ignore_index, "reduction": reduction, "label_smoothing": label_smoothing}
        return apply(losses.CROSS_ENTROPY, input, target, **attrs)
    smooth = _smoothed(target, input.shape[1], label_smoothing)
    rows = -apply(reduce.SUM, apply(nn.LOG_SOFTMAX, input, axis=1) * smooth, axis=1)
    return reduced("cross_entropy", rows, reduction)


def _smoothed(target: Any, classes: int, share: float) -> Any:
    """Probabilities with a share of the even distribution mixed in."""
    return target * (1 - share) + share / classes if share else target


def _weighted(input: Any, target: Any, weight: Any, ignore_index: int, reduction: str, smoothing: float) -> Any:
    """The cross entropy with class weights; its mean is divided by the weights of the labels."""
    weight, classes, counted = weight.reshape(1, -1, *(1,) * (input.ndim - 2)), input.shape[1], None
    if target.dtype.kind == "i":
        known = (target != ignore_index).expand_dims(1)
        target = apply(losses.ONE_HOT, target, depth=classes, axis=1, dtype=input.dtype)
        counted = apply(reduce.SUM, target * known * weight)
        target = apply(compare.WHERE, known, _smoothed(target, classes, smoothing), 0.0)
    else:
        target = _smoothed(target, classes, smoothing)
    rows = -apply(reduce.SUM, target * weight * apply(nn.LOG_SOFTMAX, input, axis=1), axis=1)
    if counted is None or reduction != "mean":
        return reduced("cross_entropy", rows, reduction)
    return apply(reduce.SUM, rows) / counted


def mse_loss(input: Any, target: Any, reduction: str = "mean") -> Any:
    """The squared difference, reduced; of integers as Float32."""
    floats = input if input.dtype.is_float else apply(elementwise.CAST, input, dtype=float32)
    return reduced("mse_loss", apply(elementwise.SQUARE, floats - target), reduction)


def reduced(name: str, losses: Any, reduction: str) -> Any:
    """Losses as they are ("none"), their mean or their sum; raises ``UsageError`` for another word."""
    if reduction not in REDUCE:
        raise UsageError(f"{name}: reduction is one of {', '.join(REDUCE)}, got {reduction!r}")
    return REDUCE[reduction](losses)
