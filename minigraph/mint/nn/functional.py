"""``mindspore.mint.nn.functional``: functions of ``ops`` under PyTorch's argument names and defaults."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from minigraph import ops
from minigraph.core.aliases import CallResult, Function, IntOrTuple
from minigraph.core.errors import UsageError
from minigraph.core.missing_names import missing_name_getattr
from minigraph.core.tensor import Tensor
from minigraph.core.types import DType, int64
from minigraph.ops.renaming import functions

# functions of ops; after a colon, the names of their leading parameters here
OPS = """
adaptive_avg_pool1d adaptive_avg_pool2d adaptive_avg_pool3d adaptive_max_pool1d adaptive_max_pool2d
broadcast_to clamp conv_transpose2d cosine_embedding_loss cross_entropy dropout2d fold gelu grid_sample group_norm
hardshrink hardsigmoid hardswish
hardtanh interpolate l1_loss
layer_norm mse_loss pixel_shuffle prelu relu sigmoid silu soft_margin_loss softplus softshrink tanh unfold upsample
elu: input
glu: input dim
kl_div: input target
logsigmoid mish relu6 selu: input
nll_loss: input
pad: input pad
threshold: input threshold
"""
FUNCTIONS: dict[str, Any] = functions(ops, OPS)
globals().update(FUNCTIONS)
_missing = missing_name_getattr("mint.nn.functional")


def __getattr__(name: str) -> Any:  # for type checkers, too, which do not see the names of the table
    return _missing(name)


def batch_norm(
    input: Tensor,
    running_mean: Tensor,
    running_var: Tensor,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    training: bool = False,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Tensor:
    """(x - mean) / sqrt(variance + eps) weight + bias; weight is 1 and bias 0 if they are ``None``."""
    weight = ops.ones_like(running_mean) if weight is None else weight
    bias = ops.zeros_like(running_mean) if bias is None else bias
    return ops.batch_norm(input, running_mean, running_var, weight, bias, training, momentum, eps)


def binary_cross_entropy(
    input: Tensor, target: Tensor, weight: Tensor | None = None, reduction: str = "mean"
) -> Tensor:
    """-(t log(x) + (1 - t) log(1 - x)) of probabilities, times ``weight``."""
    return ops.binary_cross_entropy(input, target, weight, reduction)


def binary_cross_entropy_with_logits(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    reduction: str = "mean",
    pos_weight: Tensor | None = None,
) -> Tensor:
    """``binary_cross_entropy`` of sigmoid(input), without overflow."""
    return ops.binary_cross_entropy_with_logits(input, target, weight, pos_weight, reduction)


def _convolution(function: Function) -> Function:
    """A convolution whose padding is a number of elements, or "same" or "valid"."""

    def call(
        input: Tensor,
        weight: Tensor,
        bias: Tensor | None = None,
        stride: IntOrTuple = 1,
        padding: IntOrTuple | str = 0,
        dilation: IntOrTuple = 1,
        groups: int = 1,
    ) -> Tensor:
        mode, size = (padding, 0) if isinstance(padding, str) else ("pad", padding)
        return function(input, weight, bias, stride, mode, size, dilation, groups)

    call.__name__ = call.__qualname__ = function.__name__
    call.__doc__ = function.__doc__
    return call


conv1d, conv2d, conv3d = map(_convolution, (ops.conv1d, ops.conv2d, ops.conv3d))


def _average_pool(function: Function) -> Function:
    """An average pool whose stride is the size of the window by default."""

    def call(
        input: Tensor, kernel_size: IntOrTuple, stride: IntOrTuple | None = None, *args: object, **kwargs: object
    ) -> Tensor:
        return function(input, kernel_size, kernel_size if stride is None else stride, *args, **kwargs)

    call.__name__ = call.__qualname__ = function.__name__
    call.__doc__ = function.__doc__
    return call


avg_pool1d, avg_pool2d, avg_pool3d = map(_average_pool, (ops.avg_pool1d, ops.avg_pool2d, ops.avg_pool3d))


def dropout(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Zeros with probability p, and the other elements divided by 1 - p, in training."""
    return ops.dropout(input, p, training)


def embedding(input: Tensor, weight: Tensor, padding_idx: int | None = None, max_norm: float | None = None) -> Tensor:
    """The rows of ``weight`` at these positions; row ``padding_idx`` has no gradient."""
    if max_norm is not None:
        raise UsageError("mint.nn.functional.embedding: max_norm writes to weight and is not supported; use ops.renorm")
    rows = ops.gather(weight, input, 0)
    if padding_idx is None:
        return rows
    is_padding = ops.expand_dims(ops.equal(input, padding_idx % weight.shape[0]), -1)
    return ops.where(is_padding, ops.stop_gradient(rows), rows)


def flatten(input: Tensor, start_dim: int = 0, end_dim: int = -1) -> Tensor:
    """The tensor with the axes from ``start_dim`` to ``end_dim`` as one."""
    return ops.flatten(input, start_dim=start_dim, end_dim=end_dim)


def leaky_relu(input: Tensor, negative_slope: float = 0.01) -> Tensor:
    """x, or ``negative_slope`` x below 0."""
    return ops.leaky_relu(input, negative_slope)


def linear(input: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """x Wᵀ + b over the last axis."""
    product = ops.matmul(input, weight.T if weight.ndim == 2 else weight)
    return product if bias is None else product + bias


def log_softmax(input: Tensor, dim: int | None = None, *, dtype: DType | None = None) -> Tensor:
    """log(softmax(x)) along an axis; without one, along axis 0 of 0, 1 or 3 axes, else along axis 1."""
    return ops.log_softmax(input if dtype is None else ops.cast(input, dtype), _softmax_axis(input, dim))


def softmax(input: Tensor, dim: int | None = None, dtype: DType | None = None) -> Tensor:
    """exp(x) divided by its sum along an axis; without one, along axis 0 of 0, 1 or 3 axes, else along axis 1."""
    return ops.softmax(input, _softmax_axis(input, dim), dtype=dtype)


def smooth_l1_loss(input: Tensor, target: Tensor, reduction: str = "mean", beta: float = 1.0) -> Tensor:
    """d² / (2 beta) where the distance d is below ``beta``, else d - beta / 2."""
    return ops.smooth_l1_loss(input, target, beta, reduction)


def _softmax_axis(input: Tensor, dim: int | None) -> int:
    return dim if dim is not None else int(input.ndim not in (0, 1, 3))


def max_pool2d(
    input: Tensor,
    kernel_size: IntOrTuple,
    stride: IntOrTuple | None = None,
    padding: IntOrTuple = 0,
    dilation: IntOrTuple = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> CallResult:
    """The maximum of each window."""
    return ops.max_pool2d(input, kernel_size, stride, padding, dilation, return_indices, ceil_mode)


def normalize(input: Tensor, p: float = 2.0, dim: int | Sequence[int] = 1, eps: float = 1e-12) -> Tensor:
    """x divided by its norm of order p along an axis, or by ``eps`` if that is larger."""
    return input / ops.maximum(ops.vector_norm(input, p, dim if isinstance(dim, int) else tuple(dim), True), eps)


def one_hot(tensor: Tensor, num_classes: int = -1) -> Tensor:
    """Int64 vectors that are 1 at the class of each element; as many classes as the largest one has, by default."""
    depth = num_classes if num_classes >= 0 else int(tensor.max().item()) + 1
    return ops.cast(ops.one_hot(tensor, depth), int64)


DEFINED_HERE = (
    "avg_pool1d avg_pool2d avg_pool3d batch_norm binary_cross_entropy binary_cross_entropy_with_logits conv1d conv2d "
    "conv3d dropout embedding flatten leaky_relu linear log_softmax max_pool2d normalize one_hot smooth_l1_loss "
    "softmax"
)
__all__ = [*FUNCTIONS, *DEFINED_HERE.split()]  # noqa: PLE0604 - strings of a table
