"""ONNX's operators of neural networks: products, convolutions, pooling and normalisation, with our operators."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from minigraph import ops
from minigraph.core.errors import ModelError
from minigraph.core.op import apply
from minigraph.core.tensor import Tensor
from minigraph.core.types import float32
from minigraph.importers.onnx.elementwise import cast, number_like, select
from minigraph.importers.onnx.shapes import flatten
from minigraph.importers.operator_table import Later, Row
from minigraph.importers.weights import checked_count, constant

T = Tensor
Pads = tuple[tuple[int, int], ...]
MAX_TAPS = 4096  # elements of a pooling window that is computed element by element

# ---- products --------------------------------------------------------------------------------------


def matmul(a: T, b: T) -> T:
    """A matrix product, by numpy's rules."""
    return ops.matmul(a, b)


def gemm(a: T, b: T, c: T | None, alpha: float, beta: float, turns: tuple[int, int]) -> T:
    """``alpha * a @ b + beta * c``, with the operands transposed where ``turns`` says so."""
    left, right = (apply("transpose", x) if turn else x for x, turn in zip((a, b), turns, strict=True))
    product = ops.matmul(left, right)
    product = product if alpha == 1 else product * alpha
    return product if c is None or beta == 0 else product + (c if beta == 1 else c * beta)


# ---- windows ---------------------------------------------------------------------------------------


def window(x: T, kernel: Sequence[int], attrs: Mapping[str, Any]) -> tuple[tuple[int, ...], tuple[int, ...], Pads]:
    """Strides, dilations and pads of a sliding window over the spatial axes of ``x``."""
    rank = x.ndim - 2
    if len(kernel) != rank or rank < 1:
        raise ModelError(f"a kernel of {len(kernel)} axes for {x.type}; needs x[N,C,...] with as many spatial axes")
    strides, dilations = (tuple(attrs.get(key) or (1,) * rank) for key in ("strides", "dilations"))
    pads = tuple(attrs.get("pads") or (0,) * 2 * rank)
    mode = attrs.get("auto_pad", "NOTSET")
    if any(len(part) != rank for part in (strides, dilations)) or len(pads) != 2 * rank:
        raise ModelError(f"strides {strides}, dilations {dilations}, pads {pads} for {rank} spatial axes")
    if min((*strides, *dilations)) < 1 or min(kernel) < 1:
        raise ModelError(f"kernel {tuple(kernel)}, strides {strides} and dilations {dilations} must be at least 1")
    if mode in ("NOTSET", ""):
        return strides, dilations, tuple(zip(pads[:rank], pads[rank:], strict=True))
    if mode == "VALID":
        return strides, dilations, ((0, 0),) * rank
    totals = [
        max((-(-n // s) - 1) * s + (k - 1) * d + 1 - n, 0)
        for n, k, s, d in zip(x.shape[2:], kernel, strides, dilations, strict=True)
    ]
    small, large = [total // 2 for total in totals], [total - total // 2 for total in totals]
    return strides, dilations, tuple(zip(*((small, large) if mode == "SAME_UPPER" else (large, small)), strict=True))


def padded(x: T, pads: Pads, value: float = 0.0) -> T:
    """The images with borders of one value."""
    return x if not any(map(any, pads)) else apply("pad", x, widths=((0, 0), (0, 0), *pads), value=value)


def convolve(x: T, w: T, bias: T | None = None, *, group: int = 1, kernel_shape: Any = None, **attrs: Any) -> T:
    """A convolution over one, two or three axes."""
    strides, dilations, pads = window(x, w.shape[2:], attrs)
    if len(strides) == 3:
        out = ops.conv3d(padded(x, pads), w, None, strides, "valid", 0, dilations, group)
    else:
        images, weights = (apply("expand_dims", t, axis=2) if len(strides) == 1 else t for t in (x, w))
        full = (((0, 0),) * (2 - len(pads))) + tuple(pads)
        out = apply("conv2d", images, weights, stride=(1, *strides)[-2:], dilation=(1, *dilations)[-2:], padding=full,
                    group=group)  # fmt: skip
        out = apply("squeeze", out, axis=2) if len(strides) == 1 else out
    return out if bias is None else out + apply("reshape", bias, shape=(-1, *(1,) * len(strides)))


def conv_transpose(
    x: T, w: T, bias: T | None = None, *, group: int = 1, kernel_shape: Any = None, output_padding: Any = None,
    output_shape: Any = None, **attrs: Any,
) -> T:  # fmt: skip
    """A transposed convolution over one, two or three axes: the gradient of a convolution for its input."""
    rank, kernel = x.ndim - 2, w.shape[2:]
    strides, dilations, pads = window(x, kernel, attrs | {"auto_pad": "NOTSET"})
    extra = tuple(output_padding or (0,) * rank)
    whole = tuple(
        s * (n - 1) + (k - 1) * d + 1 + e
        for n, k, s, d, e in zip(x.shape[2:], kernel, strides, dilations, extra, strict=True)
    )
    mode = attrs.get("auto_pad", "NOTSET")
    if output_shape is not None or mode.startswith("SAME"):
        sizes = output_shape or [n * s for n, s in zip(x.shape[2:], strides, strict=True)]
        totals = [max(a - b, 0) for a, b in zip(whole, sizes[-rank:], strict=True)]
        whole = tuple(map(max, whole, sizes[-rank:]))
        pairs = [(total // 2, total - total // 2) for total in totals]
        pads = tuple(pair if mode == "SAME_UPPER" else pair[::-1] for pair in pairs)
    out = _scatter_windows(x, w, group, strides, dilations, whole)
    out = out[(slice(None), slice(None), *(slice(a, n - b) for n, (a, b) in zip(whole, pads, strict=True)))]
    return out if bias is None else out + apply("reshape", bias, shape=(-1, *(1,) * rank))


def _scatter_windows(x: T, w: T, group: int, strides: Any, dilations: Any, whole: tuple[int, ...]) -> T:
    """The transposed convolution without pads; over three axes, the sum over the kernel's depth."""
    channels, rank = w.shape[1] * group, len(strides)
    if rank == 3:
        slabs = [_scatter_slab(x, w[:, :, k], group, strides, dilations, (k, *whole)) for k in range(w.shape[2])]
        return ops.addn(slabs) if len(slabs) > 1 else slabs[0]
    images, weights = (apply("expand_dims", t, axis=2) if rank == 1 else t for t in (x, w))
    attrs = {"stride": (1, *strides)[-2:], "dilation": (1, *dilations)[-2:], "padding": 0, "group": group}
    out = apply("conv2d_input_grad", images, weights, shape=(x.shape[0], channels, *(1, *whole)[-2:]), **attrs)
    return apply("squeeze", out, axis=2) if rank == 1 else out


def _scatter_slab(x: T, w: T, group: int, strides: Any, dilations: Any, sizes: tuple[int, ...]) -> T:
    """The part of one slice of the kernel: a transposed convolution of every slab, at its depth in the result."""
    k, depth, *plane = sizes
    n, c, slabs = x.shape[:3]
    images = apply("reshape", apply("transpose", x, axes=(0, 2, 1, 3, 4)), shape=(n * slabs, c, *x.shape[3:]))
    flat = _scatter_windows(images, w, group, strides[1:], dilations[1:], tuple(plane))
    out = apply("transpose", apply("reshape", flat, shape=(n, slabs, *flat.shape[1:])), axes=(0, 2, 1, 3, 4))
    spread = apply("expand_dims", out, axis=3)
    spread = apply("pad", spread, widths=(*((0, 0),) * 3, (0, strides[0] - 1), (0, 0), (0, 0)), value=0.0)
    spread = apply("reshape", spread, shape=(*out.shape[:2], slabs * strides[0], *plane))
    begin, count = k * dilations[0], (slabs - 1) * strides[0] + 1
    widths = ((0, 0), (0, 0), (begin, depth - begin - count), (0, 0), (0, 0))
    return apply("pad", spread[:, :, :count], widths=widths, value=0.0)


# ---- pooling ---------------------------------------------------------------------------------------


def pool_window(x: T, kernel: Sequence[int], attrs: Mapping[str, Any], ceil_mode: int) -> tuple[Any, Any, Pads, Pads]:
    """Strides, dilations, pads, and pads with what ``ceil_mode`` adds at the end of each axis."""
    strides, dilations, pads = window(x, kernel, attrs)
    extended = []
    for n, k, s, d, (before, after) in zip(x.shape[2:], kernel, strides, dilations, pads, strict=True):
        reach = (k - 1) * d + 1
        rest = n + before + after - reach
        steps = -(-rest // s) if ceil_mode else rest // s
        if ceil_mode and steps * s >= n + before:  # a window that starts in the padding is left out
            steps -= 1
        extended.append((before, max(after, steps * s + reach - n - before)))
    return strides, dilations, pads, tuple(extended)


def taps(x: T, kernel: Sequence[int], strides: Sequence[int], dilations: Sequence[int]) -> T:
    """The elements of all windows, one row for each element of the kernel: [K,N,C,...]."""
    if int(np.prod(kernel)) > MAX_TAPS:
        raise ModelError(f"a window of {tuple(kernel)} elements is too large for this kind of pooling")
    counts = [
        (n - (k - 1) * d - 1) // s + 1 for n, k, s, d in zip(x.shape[2:], kernel, strides, dilations, strict=True)
    ]
    parts = []
    for offset in itertools.product(*map(range, kernel)):
        begins = [o * d for o, d in zip(offset, dilations, strict=True)]
        spans = [slice(b, b + (c - 1) * s + 1, s) for b, c, s in zip(begins, counts, strides, strict=True)]
        parts.append(x[(slice(None), slice(None), *spans)])
    return apply("stack", *parts, axis=0)


def max_pool(
    x: T, *, kernel_shape: tuple[int, ...], ceil_mode: int = 0, storage_order: int = 0, **attrs: Any
) -> tuple[T, ...]:
    """The maxima of windows, and their positions in the flat images."""
    strides, dilations, _, pads = pool_window(x, kernel_shape, attrs, ceil_mode)
    lowest = -np.inf if x.dtype.is_float else int(np.iinfo(x.dtype.numpy).min)
    if len(strides) == 2 and set(dilations) == {1}:
        best = apply("max_pool2d", x, kernel=kernel_shape, stride=strides, padding=pads)
    else:
        best = apply("first_max", taps(padded(x, pads, lowest), kernel_shape, strides, dilations), axis=0)
    return best, Later(lambda: _max_positions(x, kernel_shape, strides, dilations, pads, storage_order))  # type: ignore[return-value]


def _max_positions(x: T, kernel: Any, strides: Any, dilations: Any, pads: Pads, storage_order: int) -> T:
    """The positions of the maxima of windows, as indices into the flattened tensor."""
    lowest = -np.inf if x.dtype.is_float else int(np.iinfo(x.dtype.numpy).min)
    which = apply("argmax", taps(padded(x, pads, lowest), kernel, strides, dilations), axis=0)
    order = "F" if storage_order else "C"
    size = int(np.prod(x.shape[2:]))
    grid = np.arange(checked_count(size * x.shape[0] * x.shape[1]) // (x.shape[0] * x.shape[1] or 1)).reshape(x.shape[2:], order=order)
    images = size * np.arange(x.shape[0] * x.shape[1]).reshape(*x.shape[:2], *(1,) * len(strides))
    places = taps(padded(constant((images + grid).astype(np.int64)), pads, 0), kernel, strides, dilations)
    chosen = ops.gather_elements(places, 0, apply("expand_dims", which, axis=0))
    return apply("squeeze", chosen, axis=0)


def average_pool(
    x: T, *, kernel_shape: tuple[int, ...], ceil_mode: int = 0, count_include_pad: int = 0, **attrs: Any
) -> T:
    """The means of windows; the border counts only with ``count_include_pad``, what ``ceil_mode`` adds never."""
    strides, dilations, pads, extended = pool_window(x, kernel_shape, attrs, ceil_mode)
    flat = len(strides) == 2 and set(dilations) == {1}
    if flat and extended == pads and (count_include_pad or not any(map(any, pads))):
        return apply("avg_pool2d", x, kernel=kernel_shape, stride=strides, padding=pads)
    ones = padded(constant(np.ones((1, 1, *x.shape[2:]), x.dtype.numpy)), pads, 1.0 if count_include_pad else 0.0)
    rest = tuple((0, b - a) for (_, a), (_, b) in zip(pads, extended, strict=True))
    images, counts = padded(x, extended), padded(ones, rest)
    sums = [apply("sum", taps(t, kernel_shape, strides, dilations), axis=0) for t in (images, counts)]
    return sums[0] / sums[1]


def lp_pool(x: T, *, kernel_shape: tuple[int, ...], p: int = 2, ceil_mode: int = 0, **attrs: Any) -> T:
    """The p-norms of windows."""
    strides, dilations, _, pads = pool_window(x, kernel_shape, attrs, ceil_mode)
    powers = taps(padded(apply("pow", apply("abs", x), float(p)), pads), kernel_shape, strides, dilations)
    return apply("pow", apply("sum", powers, axis=0), 1.0 / p)


def max_unpool(x: T, indices: T, shape: Any, kernel: Sequence[int], attrs: Mapping[str, Any]) -> T:
    """Zeros with the elements of ``x`` at the positions that MaxPool gave."""
    strides, _, pads = window(x, kernel, attrs)
    sizes = [(n - 1) * s - sum(p) + k for n, s, p, k in zip(x.shape[2:], strides, pads, kernel, strict=True)]
    inner = (*x.shape[:2], *sizes)
    where = apply("reshape", indices, shape=(-1,))
    if shape is not None:
        where = _moved(where, inner, tuple(int(n) for n in shape))
        inner = tuple(int(n) for n in shape)
    flat = apply("index_add", apply("reshape", x, shape=(-1,)), where, key=((1,),), shape=(int(np.prod(inner)),))
    return apply("reshape", flat, shape=inner)


def _moved(where: T, inner: tuple[int, ...], outer: tuple[int, ...]) -> T:
    """Flat positions in a tensor as flat positions in a larger one."""
    total: Any = 0
    for size, step_in, step_out in zip(inner, _steps(inner), _steps(outer), strict=True):
        total = total + where // step_in % size * step_out
    return total


def _steps(shape: tuple[int, ...]) -> list[int]:
    return [int(np.prod(shape[axis + 1 :])) for axis in range(len(shape))]


def spatial(x: T) -> tuple[int, ...]:
    """The axes of ``x`` after batch and channel."""
    return tuple(range(2, x.ndim))


# ---- normalisation ---------------------------------------------------------------------------------


def per_channel(x: T, v: T) -> T:
    """A vector over axis 1, shaped to broadcast against ``x``."""
    return apply("reshape", v, shape=(-1, *(1,) * (x.ndim - 2)))


def batch_norm(
    x: T, scale: T, bias: T, mean: T, var: T, *, epsilon: float = 1e-5, momentum: float = 0.9, training_mode: int = 0,
    spatial: int = 1,
) -> tuple[T, ...]:  # fmt: skip
    """Batch normalisation with given statistics, or with those of the batch, which are then results as well."""
    if not training_mode:
        return (cast(apply("batch_norm", x, scale, bias, mean, var, eps=epsilon), x.dtype),)
    out, now, variance = apply("batch_norm_train", x, scale, bias, eps=epsilon)
    return out, mean * momentum + now * (1 - momentum), var * momentum + variance * (1 - momentum)


def layer_norm(
    x: T, scale: T, bias: T | None = None, *, axis: int = -1, epsilon: float = 1e-5, stash_type: int = 1
) -> tuple[T, ...]:
    """Layer normalisation; also the mean and the inverse standard deviation."""
    at = axis % x.ndim
    axes = tuple(range(at, x.ndim))
    wide = cast(x, float32) if stash_type == 1 and x.dtype.itemsize < 4 else x
    if bias is not None and scale.shape == bias.shape == x.shape[at:]:
        out = apply("layer_norm", x, scale, bias, axis=at, eps=epsilon)
    else:
        out = cast(apply("normalize", wide, axis=axes, eps=epsilon), x.dtype) * scale
        out = out if bias is None else out + bias
    mean = Later(lambda: apply("mean", wide, axis=axes, keepdims=True))
    deviation = Later(lambda: _inverse_deviation(wide, axes, epsilon))
    return out, mean, deviation  # type: ignore[return-value]


def _inverse_deviation(x: T, axes: tuple[int, ...], eps: float) -> T:
    centred = x - apply("mean", x, axis=axes, keepdims=True)
    return 1 / apply("sqrt", apply("mean", centred * centred, axis=axes, keepdims=True) + eps)


def local_response_norm(x: T, size: int, alpha: float, beta: float, bias: float) -> T:
    """Elements divided by a power of the sum of squares over neighbouring channels."""
    channels = x.shape[1]
    size, alpha = min(size, 2 * channels + 1), alpha * min(size, 2 * channels + 1) / size  # wider reaches no more
    before = (size - 1) // 2
    squares = apply("pad", x * x, widths=((0, 0), (before, size - 1 - before), *((0, 0),) * (x.ndim - 2)), value=0.0)
    total = ops.addn([squares[:, k : k + channels] for k in range(size)]) if size > 1 else squares
    return x / apply("pow", total * (alpha / size) + bias, beta)


def lp_norm(x: T, axis: int, p: int) -> T:
    """Elements divided by the p-norm along an axis; zero where that is zero."""
    size = apply("abs", x) if p == 1 else x * x
    total = apply("sum", size, axis=(axis % x.ndim,), keepdims=True)
    norm = total if p == 1 else apply("sqrt", total)
    return x / select(norm == 0, number_like(norm, 1), norm)


def along(name: str, x: T, axis: int, flat: bool) -> T:
    """Softmax or log-softmax along an axis; before opset 13, of all axes from it on as one."""
    if not flat:
        return apply(name, x, axis=axis)
    return apply("reshape", apply(name, flatten(x, axis), axis=-1), shape=x.shape)


def hardmax(x: T, axis: int, flat: bool) -> T:
    """1 at the first maximum along an axis, 0 elsewhere."""
    if flat:
        return apply("reshape", hardmax(flatten(x, axis), -1, False), shape=x.shape)
    best = apply("argmax", x, axis=axis % x.ndim)
    return apply("one_hot", best, depth=x.shape[axis], axis=axis % x.ndim, dtype=x.dtype)


def mean_variance(x: T, axes: Sequence[int]) -> T:
    """(x - mean) / (standard deviation + 1e-9) over axes."""
    centred = x - apply("mean", x, axis=tuple(axes), keepdims=True)
    return centred / (apply("sqrt", apply("mean", centred * centred, axis=tuple(axes), keepdims=True)) + 1e-9)


def dropout(x: T, ratio: Any, training: Any) -> tuple[T, ...]:
    """The operand itself and a mask of ones: dropout takes place in training only, which a file does not ask for."""
    if training is not None and bool(training) and (ratio is None or float(ratio) > 0):
        raise ModelError("dropout in training mode is random; export the model for inference")
    return x, constant(np.ones(x.shape, bool))


ROWS: Mapping[str, Any] = {
    "MatMul": matmul,
    "Gemm": lambda a, b, c=None, *, alpha=1.0, beta=1.0, transA=0, transB=0: gemm(
        a, b, c, alpha, beta, (transA, transB)),
    "Conv": convolve, "ConvTranspose": conv_transpose,
    "MaxPool": max_pool, "AveragePool": average_pool, "LpPool": lp_pool,
    "MaxUnpool": Row(lambda x, indices, output_shape=None, *, kernel_shape, pads=None, strides=None: max_unpool(
        x, indices, output_shape, kernel_shape, {"pads": pads, "strides": strides}), known="output_shape"),
    "GlobalAveragePool": lambda x: apply("mean", x, axis=spatial(x), keepdims=True),
    "GlobalMaxPool": lambda x: apply("max", x, axis=spatial(x), keepdims=True),
    "GlobalLpPool": lambda x, *, p=2: apply("pow", apply("sum", apply("pow", apply("abs", x), float(p)),
                                                         axis=spatial(x), keepdims=True), 1.0 / p),
    "BatchNormalization": Row(batch_norm, untrained="mean var"),
    "InstanceNormalization": lambda x, scale, bias, *, epsilon=1e-5: apply(
        "normalize", x, axis=spatial(x), eps=epsilon) * per_channel(x, scale) + per_channel(x, bias),
    "LayerNormalization": layer_norm,
    "GroupNormalization@21": lambda x, scale, bias, *, epsilon=1e-5, num_groups, stash_type=1: ops.group_norm(
        x, num_groups, scale, bias, epsilon),
    "LRN": lambda x, *, size, alpha=1e-4, beta=0.75, bias=1.0: local_response_norm(x, size, alpha, beta, bias),
    "LpNormalization": lambda x, *, axis=-1, p=2: lp_norm(x, axis, p),
    "MeanVarianceNormalization": lambda x, *, axes=(0, 2, 3): mean_variance(x, axes),
    "Softmax": lambda x, *, axis=1: along("softmax", x, axis, flat=True),
    "Softmax@13": lambda x, *, axis=-1: along("softmax", x, axis, flat=False),
    "LogSoftmax": lambda x, *, axis=1: along("log_softmax", x, axis, flat=True),
    "LogSoftmax@13": lambda x, *, axis=-1: along("log_softmax", x, axis, flat=False),
    "Hardmax": lambda x, *, axis=1: hardmax(x, axis, flat=True),
    "Hardmax@13": lambda x, *, axis=-1: hardmax(x, axis, flat=False),
    "Dropout": lambda x, *, ratio=0.5: dropout(x, ratio, None),
    "Dropout@12": Row(lambda x, ratio=None, training_mode=None, *, seed=0: dropout(x, ratio, training_mode),
                      known="ratio training_mode"),
}  # fmt: skip
