"""ATen's operators of neural networks: convolutions, normalisation, pooling, activations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from minigraph import ops
from minigraph.core.aliases import CallResult, Function
from minigraph.core.errors import ModelError
from minigraph.core.op import apply
from minigraph.core.tensor import Tensor
from minigraph.core.types import DType, bool_
from minigraph.importers.convolutions import convolve, convolve_transposed
from minigraph.importers.operator_table import DeferredResult
from minigraph.importers.torch.arithmetic import clamp
from minigraph.ops.functional.convolution import add_bias


def per_axis(value: Sequence[int], rank: int = 2) -> tuple[int, ...]:
    """One number for each axis; ATen may give one for all of them."""
    return tuple(value) * (rank if len(value) == 1 else 1)


def convolution(
    x: Tensor, weight: Tensor, bias: Tensor | None, stride: Sequence[int], padding: Sequence[int],
    dilation: Sequence[int], transposed: bool, output_padding: Sequence[int], groups: int,
) -> Tensor:  # fmt: skip
    """A convolution over one, two or three axes, or its transpose."""
    axes = x.ndim - 2
    strides, dilations = per_axis(stride, axes), per_axis(dilation, axes)
    pads = [(n, n) for n in per_axis(padding, axes)]
    if transposed:
        out = convolve_transposed(x, weight, strides, pads, dilations, groups, per_axis(output_padding, axes))
    else:
        out = convolve(x, weight, strides, pads, dilations, groups)
    return add_bias(out, bias)


def batch_norm(
    x: Tensor, weight: Tensor | None, bias: Tensor | None, mean: Tensor, variance: Tensor, momentum: float, eps: float
) -> tuple[Tensor | None, ...]:
    """Batch norm with given statistics."""
    gamma, beta = scale_and_shift(x.shape[1:2], weight, bias, x.dtype)
    return apply("batch_norm", x, gamma, beta, mean, variance, eps=eps), None, None


def batch_norm_train(
    x: Tensor, weight: Tensor | None, bias: Tensor | None, mean: Tensor, variance: Tensor, momentum: float, eps: float
) -> tuple[Tensor | None, ...]:
    """Batch norm with the statistics of the batch; also the new running mean and variance."""
    gamma, beta = scale_and_shift(x.shape[1:2], weight, bias, x.dtype)
    out, batch_mean, batch_variance = apply("batch_norm_train", x, gamma, beta, eps=eps)
    count = x.size // x.shape[1]
    unbiased = batch_variance * (count / max(count - 1, 1))
    running = (old + momentum * (new - old) for old, new in ((mean, batch_mean), (variance, unbiased)))
    return out, batch_mean, 1 / apply("sqrt", batch_variance + eps), *running


def scale_and_shift(
    shape: Sequence[int], weight: Tensor | None, bias: Tensor | None, dtype: DType
) -> tuple[Tensor, Tensor]:
    """The scale and shift of a normalisation, one and zero where they are missing."""
    scale = apply("full", shape=shape, value=1, dtype=dtype) if weight is None else weight
    return scale, apply("full", shape=shape, value=0, dtype=dtype) if bias is None else bias


def statistics(
    x: Tensor, axes: tuple[int, ...], eps: float, keepdims: bool = True
) -> tuple[DeferredResult, DeferredResult]:
    """The mean over axes, and one over the standard deviation."""
    return (
        DeferredResult(lambda: apply("mean", x, axis=axes, keepdims=keepdims)),
        DeferredResult(lambda: 1 / ops.sqrt(ops.var(x, axes, 0, keepdims) + eps)),
    )


def layer_norm(x: Tensor, shape: Sequence[int], weight: Tensor | None, bias: Tensor | None, eps: float) -> CallResult:
    """Normalization of the last axes."""
    axes = tuple(range(-len(shape), 0))
    if weight is None and bias is None:
        return apply("normalize", x, axis=axes, eps=eps), *statistics(x, axes, eps)
    gamma, beta = scale_and_shift(shape, weight, bias, x.dtype)
    return apply("layer_norm", x, gamma, beta, axis=-len(shape), eps=eps), *statistics(x, axes, eps)


def group_norm(
    x: Tensor, weight: Tensor | None, bias: Tensor | None, n: int, c: int, size: int, groups: int, eps: float
) -> CallResult:
    """Normalization of groups of channels."""
    rows, shape = x.reshape((n, groups, -1)), (-1, *(1,) * (x.ndim - 2))
    out = apply("normalize", rows, axis=-1, eps=eps).reshape(x.shape)
    out = out if weight is None else out * weight.reshape(shape)
    out = out if bias is None else out + bias.reshape(shape)
    return out, *statistics(rows, (-1,), eps, keepdims=False)


def max_pool(
    x: Tensor, kernel: Sequence[int], stride: Sequence[int] = (), padding: Sequence[int] = (0,),
    dilation: Sequence[int] = (1,), ceil_mode: bool = False,
) -> CallResult:  # fmt: skip
    """The maximum of each window over two axes, and its position in the image."""
    k, s, p, d = per_axis(kernel), per_axis(stride or kernel), per_axis(padding), per_axis(dilation)
    images = x if x.ndim == 4 else apply("expand_dims", x, axis=0)
    windows = zip(x.shape[-2:], k, s, p, strict=True)
    ends = [(window[-1], window[-1] + _missing_elements(*window) * ceil_mode) for window in windows]
    if d == (1, 1):
        out = apply("max_pool2d", images, kernel=k, stride=s, padding=tuple(ends))
    else:
        out = ops.max_pool2d(images, k, s, p, d, False, ceil_mode)
    positions = DeferredResult(lambda: ops.max_pool2d(images, k, s, p, d, True, ceil_mode)[1].reshape(shape))
    shape = out.shape[4 - x.ndim :]
    return out.reshape(shape) if x.ndim == 3 else out, positions


def max_pool3d(
    x: Tensor, kernel: Sequence[int], stride: Sequence[int] = (), padding: Sequence[int] = (0,),
    dilation: Sequence[int] = (1,), ceil_mode: bool = False,
) -> CallResult:  # fmt: skip
    """The maximum of each window of volumes, and its position."""
    k, s, p, d = (per_axis(value, 3) for value in (kernel, stride or kernel, padding, dilation))
    return ops.max_pool3d(x, k, s, p, d, ceil_mode, True)


def _missing_elements(size: int, kernel: int, stride: int, padding: int) -> int:
    """How many more elements a last, incomplete window needs; none if it would start in the padding."""
    remainder = (size + 2 * padding - kernel) % stride
    starts = (size + 2 * padding - kernel) // stride * stride + stride
    return stride - remainder if remainder and starts < size + padding else 0


def avg_pool(
    x: Tensor, kernel: Sequence[int], stride: Sequence[int] = (), padding: Sequence[int] = (0,),
    ceil_mode: bool = False, count_include_pad: bool = True, divisor_override: int | None = None,
) -> Tensor:  # fmt: skip
    """The mean of each window over one, two or three axes."""
    rank = {3: 1, 4: 2, 5: 3}[x.ndim]
    pool = (ops.avg_pool1d, ops.avg_pool2d, ops.avg_pool3d)[rank - 1]
    k, s, p = per_axis(kernel, rank), per_axis(stride or kernel, rank), per_axis(padding, rank)
    divisor = {} if rank == 1 else {"divisor_override": divisor_override or 0}
    out: Tensor = pool(x, k, s, p, ceil_mode, count_include_pad, **divisor)
    return out


def dropout(x: Tensor, p: float, train: bool | None = True) -> tuple[Any, Any]:
    """Random elements set to zero and the others scaled, and which were kept."""
    if not train:
        return x, DeferredResult(lambda: apply("full", shape=x.shape, value=True, dtype=bool_))
    mask = ops.rand(*x.shape) >= p
    return apply("where", mask, x * (1 / (1 - p) if p < 1 else 0.0), 0), mask


def safe_softmax(x: Tensor, dim: int, dtype: DType | None = None) -> Tensor:
    """Softmax; rows of minus infinities become zeros."""
    masked = apply("all", apply("equal", x, -np.inf), axis=dim, keepdims=True)
    return apply("where", masked, 0, apply("softmax", apply("where", masked, 0, x), axis=dim))


def softplus(x: Tensor, beta: float = 1, threshold: float = 20) -> Tensor:
    """The logarithm of 1 + exp(beta x), over beta; x itself above a threshold."""
    scaled = x if beta == 1 else x * beta
    return apply("where", scaled > threshold, x, apply("softplus", scaled) / beta)


def scaled_elu(x: Tensor, alpha: float = 1, scale: float = 1, input_scale: float = 1) -> Tensor:
    """ELU with its three factors; at 0 the gradient is that of the negative part."""
    below = apply("where", x > 0, 0, x)  # so that exp cannot overflow
    return apply("where", x > 0, x * scale, apply("expm1", below * input_scale) * (alpha * scale))


def resize(x: Tensor, size: Sequence[int] | None, factors: Any, mode: str, align_corners: bool | None = None) -> Tensor:
    """Images in another size, given as such or by factors."""
    sizes = tuple(size) if size else tuple(int(n * f) for n, f in zip(x.shape[2:], factors, strict=True))
    out: Tensor = ops.interpolate(x, sizes, None, mode, align_corners)
    return out


def attention(
    q: Tensor, k: Tensor, v: Tensor, attn_mask: Tensor | None = None, dropout_p: float = 0.0, is_causal: bool = False,
    scale: float | None = None, enable_gqa: bool = False,
) -> Tensor:  # fmt: skip
    """Scaled dot-product attention, with fewer key than query heads if ``enable_gqa``."""
    if enable_gqa:
        k, v = (ops.repeat_interleave(t, q.shape[-3] // t.shape[-3], -3) for t in (k, v))
    return ops.scaled_dot_product_attention(q, k, v, attn_mask, dropout_p, is_causal, scale)


def trilinear(
    a: Tensor, b: Tensor, c: Tensor, expand1: Sequence[int], expand2: Sequence[int], expand3: Sequence[int],
    sumdim: Sequence[int], unroll_dim: int = 1,
) -> Tensor:  # fmt: skip
    """The sum over ``sumdim`` of a product of three tensors that get new axes first."""
    factors = [a, b, c]
    for i, axes in enumerate((expand1, expand2, expand3)):
        for axis in sorted(axes):
            factors[i] = factors[i].expand_dims(axis)
    return apply("sum", factors[0] * factors[1] * factors[2], axis=tuple(sumdim))


def embedding(
    weight: Tensor, indices: Tensor, padding_idx: int = -1, scale_grad_by_freq: bool = False, sparse: bool = False
) -> Tensor:
    """Rows of a table; the row ``padding_idx`` gets no gradient.

    >>> print(embedding(Tensor([[1.0], [2.0]]), Tensor([1, 0, 1])).T)
    [[2. 1. 2.]]
    """
    _refuse_scaled_gradients("embedding", scale_grad_by_freq)
    rows = weight[indices]
    if padding_idx < 0:
        return rows
    return apply("where", (indices == padding_idx).expand_dims(-1), apply("stop_gradient", rows), rows)


def _refuse_scaled_gradients(name: str, scale_grad_by_freq: bool) -> None:
    if scale_grad_by_freq:
        raise ModelError(f"{name}: scale_grad_by_freq=True is not supported; export the module with False")


def embedding_bag(
    weight: Tensor, indices: Tensor, offsets: Tensor, scale_grad_by_freq: bool = False, mode: int = 0,
    sparse: bool = False, per_sample_weights: Tensor | None = None, include_last_offset: bool = False,
    padding_idx: int = -1,
) -> Tensor:  # fmt: skip
    """The sum (``mode`` 0), mean (1) or maximum (2) of the rows of each bag, zeros for an empty one.

    Bag i has the rows of ``indices`` from ``offsets[i]`` to the next offset, without those that are ``padding_idx``.

    >>> print(embedding_bag(Tensor([[1.0], [2.0], [4.0]]), Tensor([0, 2, 1]), Tensor([0, 2])))
    [[5.]
     [2.]]
    """
    _refuse_scaled_gradients("embedding_bag", scale_grad_by_freq)
    bags = offsets.shape[0] - include_last_offset
    starts = offsets[:bags]
    bag = apply("sum", ops.arange(indices.shape[0]).expand_dims(1) >= starts, axis=1) - 1
    bag = apply("where", indices == padding_idx, bags, bag)  # the last segment is left out
    rows = weight[indices]
    if per_sample_weights is not None:
        rows = rows * per_sample_weights.expand_dims(1)
    sizes = ops.unsorted_segment_sum(ops.ones_like(indices), bag, bags + 1)[:bags].expand_dims(1)
    if mode == 2:
        return apply("where", sizes > 0, ops.unsorted_segment_max(rows, bag, bags + 1)[:bags], 0)
    total = ops.unsorted_segment_sum(rows, bag, bags + 1)[:bags]
    return total if mode == 0 else total / ops.maximum(sizes, 1).astype(total.dtype)


# ---- converters -------------------------------------------------------------------------------------

CONVERTERS: dict[str, Function] = {
    "convolution": convolution,
    "_native_batch_norm_legit_no_training": batch_norm,
    "_native_batch_norm_legit_functional": lambda x, w, b, mean, var, training, momentum, eps: batch_norm_train(
        x, w, b, mean, var, momentum, eps
    ),
    "_native_batch_norm_legit.no_stats": lambda x, w, b, training, momentum, eps: (
        apply("batch_norm_train", x, *scale_and_shift(x.shape[1:2], w, b, x.dtype), eps=eps)[0],
        *statistics(x, (0, *range(2, x.ndim)), eps, keepdims=False),
    ),
    "native_layer_norm": layer_norm,
    "native_group_norm": group_norm,
    "_softmax": lambda x, dim, half_to_float=False: apply("softmax", x, axis=dim),
    "_log_softmax": lambda x, dim, half_to_float=False: apply("log_softmax", x, axis=dim),
    "_safe_softmax": safe_softmax,
    "scaled_dot_product_attention": attention,
    "gelu": lambda x, approximate="none": apply("gelu", x, approximate=approximate),
    "leaky_relu": lambda x, negative_slope=0.01: apply("where", x > 0, x, x * negative_slope),
    "elu": scaled_elu,
    "hardtanh": lambda x, min_val=-1, max_val=1: clamp(x, min_val, max_val),
    "hardswish": lambda x: x * clamp(x + 3, 0, 6) / 6,
    "hardsigmoid": lambda x: clamp(x + 3, 0, 6) / 6,
    "softplus": softplus,
    "max_pool2d_with_indices": max_pool,
    "max_pool3d_with_indices": max_pool3d,
    "adaptive_max_pool2d": lambda x, size: ops.adaptive_max_pool2d(x, tuple(size), True),
    "_adaptive_avg_pool3d": lambda x, size: ops.adaptive_avg_pool3d(x, tuple(size)),
    "grid_sampler_2d": lambda x, grid, mode, padding, corners: ops.grid_sample(
        x, grid, ("bilinear", "nearest", "bicubic")[mode], ("zeros", "border", "reflection")[padding], corners
    ),
    "avg_pool1d": avg_pool,
    "avg_pool2d": avg_pool,
    "avg_pool3d": avg_pool,
    "_adaptive_avg_pool2d": lambda x, size: ops.adaptive_avg_pool2d(x, tuple(size)),
    "native_dropout": dropout,
    "embedding": embedding,
    "_trilinear": trilinear,
    "rrelu_with_noise_functional": lambda x, noise, lower=1 / 8, upper=1 / 3, training=False, generator=None: (
        apply("where", x > 0, x, x * ((lower + upper) / 2)),
        noise,
    ),
    "_embedding_bag": lambda *args, **options: (embedding_bag(*args, **options), None, None, None),
    "pixel_shuffle": ops.pixel_shuffle,
    "upsample_nearest2d.vec": lambda x, size, factors=None: resize(x, size, factors, "nearest"),
    "upsample_bilinear2d.vec": lambda x, size, corners, factors=None: resize(x, size, factors, "bilinear", corners),
}
