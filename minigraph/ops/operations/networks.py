"""Primitives of layers and losses."""

from __future__ import annotations

from typing import Any

from minigraph.errors import UsageError
from minigraph.op import apply
from minigraph.ops.functional import array, convolutions, losses, nn, normalizing, pooling, pooling_to_size, resizing
from minigraph.ops.functional import math as maths
from minigraph.ops.primitive import REQUIRED, primitive
from minigraph.ops.records import norms, random
from minigraph.ops.records.conv import CONV2D_INPUT_GRAD
from minigraph.ops.records.effects import ASSIGN
from minigraph.ops.records.random import draw
from minigraph.types import float32, int32

__all__ = [
    "LRN",
    "AdaptiveAvgPool2D",
    "AdaptiveMaxPool2D",
    "ApplyMomentum",
    "AvgPool",
    "BCEWithLogitsLoss",
    "BatchNorm",
    "BinaryCrossEntropy",
    "Conv2DTranspose",
    "Conv3D",
    "DepthToSpace",
    "Dropout",
    "KLDivLoss",
    "L2Normalize",
    "LayerNorm",
    "MaxPool",
    "MaxPoolWithArgmax",
    "NLLLoss",
    "ResizeNearestNeighbor",
    "RmsNorm",
    "SigmoidCrossEntropyWithLogits",
    "SmoothL1Loss",
    "SoftMarginLoss",
    "SoftmaxCrossEntropyWithLogits",
    "SpaceToDepth",
    "SparseSoftmaxCrossEntropyWithLogits",
]  # fmt: skip

# ---- normalisation and dropout ---------------------------------------------------------------------


def _layer_norm(
    input_x: Any, gamma: Any, beta: Any, *, begin_norm_axis: int, begin_params_axis: int, epsilon: float
) -> tuple[Any, Any, Any]:
    """(normalised over the axes from ``begin_norm_axis``, scaled and shifted; the mean; the variance)."""
    axes = tuple(range(begin_norm_axis % input_x.ndim, input_x.ndim))
    mean, variance = maths.mean(input_x, axes, True), maths.var(input_x, axes, 0, True)
    normal = apply(norms.NORMALIZE, input_x, axis=axes, eps=epsilon)
    return normal * gamma + beta, mean, variance


def _batch_norm(
    input_x: Any, scale: Any, bias: Any, mean: Any, variance: Any, *,
    is_training: bool, epsilon: float, momentum: float, data_format: str,
) -> tuple[Any, ...]:  # fmt: skip
    """(normalised per channel, mean, variance, and both again); when training by the batch's own.

    Parameters of the mean and the variance then move by ``momentum`` towards those of the batch.
    """
    _check_format("BatchNorm", data_format)
    if not is_training:
        found = apply(norms.BATCH_NORM, input_x, scale, bias, mean, variance, eps=epsilon)
        return found, mean, variance, mean, variance
    found = apply(norms.BATCH_NORM_TRAIN, input_x, scale, bias, eps=epsilon)[0]
    others = (0, *range(2, input_x.ndim))
    own = maths.mean(input_x, others), maths.var(input_x, others)
    count = input_x.size // input_x.shape[1]
    news = own[0], own[1] * (count / max(count - 1, 1))
    for kept, new in zip((mean, variance), news, strict=True):
        apply(ASSIGN, kept, kept * (1 - momentum) + new * momentum, name=getattr(kept, "name", "statistic"))
    return found, *own, *own


def _check_format(name: str, data_format: str) -> None:
    if data_format not in ("NCHW", "NCDHW"):
        raise UsageError(f"{name}: data_format is 'NCHW', got {data_format!r}; transpose the images")


def _l2_normalize(x: Any, *, axis: Any, epsilon: float) -> Any:
    """x / sqrt(max(the sum of its squares along an axis, epsilon))."""
    squares = maths.sum(maths.square(x), axis, True)
    return x / maths.sqrt(maths.maximum(squares, epsilon))


def _dropout(x: Any, *, keep_prob: float, Seed0: int, Seed1: int) -> tuple[Any, Any]:
    """(elements kept with a probability and divided by it, else 0; which ones were kept, as 1 and 0)."""
    seed = Seed0 * 65537 + Seed1 if Seed0 or Seed1 else None
    mask = maths.cast(draw(random.RANDOM_UNIFORM, x.shape, float32, seed) < keep_prob, x.dtype)
    return x * mask / keep_prob, mask


LayerNorm = primitive("LayerNorm", _layer_norm, begin_norm_axis=1, begin_params_axis=1, epsilon=1e-7)
BatchNorm = primitive(
    "BatchNorm", _batch_norm, is_training=False, epsilon=1e-5, momentum=0.1, data_format="NCHW"
)  # fmt: skip
L2Normalize = primitive("L2Normalize", _l2_normalize, axis=0, epsilon=1e-4)
RmsNorm = primitive("RmsNorm", normalizing.rms_norm, epsilon=1e-6)
LRN = primitive(
    "LRN", normalizing.lrn, depth_radius=5, bias=1.0, alpha=1.0, beta=0.5, norm_region="ACROSS_CHANNELS"
)  # fmt: skip
Dropout = primitive("Dropout", _dropout, keep_prob=0.5, Seed0=0, Seed1=0)

# ---- images ----------------------------------------------------------------------------------------


def _borders(x: Any, kernel: Any, strides: Any, mode: str) -> tuple[Any, Any, list[tuple[int, int]]]:
    """(kernel, strides, borders) per axis of images."""
    sizes, steps = (((one, one) if isinstance(one, int) else tuple(one)[-2:]) for one in (kernel, strides))
    if mode.lower() not in ("valid", "same"):
        raise UsageError(f"pooling: pad_mode is 'valid' or 'same', got {mode!r}")
    if mode.lower() == "valid":
        return sizes, steps, [(0, 0), (0, 0)]
    axes = zip(x.shape[2:], sizes, steps, strict=True)
    return sizes, steps, [nn.same_border(size, window, step, 1) for size, window, step in axes]


def _padded(x: Any, borders: list[tuple[int, int]], value: float) -> Any:
    return apply("pad", x, widths=((0, 0), (0, 0), *borders), value=value) if any(map(any, borders)) else x


def _max_pool(x: Any, *, kernel_size: Any, strides: Any, pad_mode: str, data_format: str) -> Any:
    """The largest element of each window of images."""
    _check_format("MaxPool", data_format)
    sizes, steps, borders = _borders(x, kernel_size, strides, pad_mode)
    return pooling.max_pool2d(_padded(x, borders, float("-inf")), sizes, steps)


def _avg_pool(x: Any, *, kernel_size: Any, strides: Any, pad_mode: str, data_format: str) -> Any:
    """The mean of each window of images; a border does not count."""
    _check_format("AvgPool", data_format)
    sizes, steps, borders = _borders(x, kernel_size, strides, pad_mode)
    added = pooling.avg_pool2d(_padded(x, borders, 0.0), sizes, steps)
    if not any(map(any, borders)):
        return added
    return added / pooling.avg_pool2d(_padded(array.ones((1, 1, *x.shape[2:]), x.dtype), borders, 0.0), sizes, steps)


def _max_pool_with_argmax(x: Any, **config: Any) -> tuple[Any, Any]:
    """(the largest element of each window, where it stands as Int32, counted through all channels of its image)."""
    _check_format("MaxPoolWithArgmax", config["data_format"])
    sizes, steps, borders = _borders(x, config["kernel_size"], config["strides"], config["pad_mode"])
    if any(map(any, borders)):
        raise UsageError("MaxPoolWithArgmax: pad_mode 'same' is not supported; pad the images first")
    found, places = pooling.max_pool2d(x, sizes, steps, return_indices=True)
    channels = array.arange(x.shape[1]).reshape(-1, 1, 1) * (x.shape[2] * x.shape[3])
    return found, maths.cast(places + channels, int32)


def _adaptive_max_pool(input: Any, *, output_size: Any) -> tuple[Any, Any]:
    """(the largest element of as many windows as there shall be pixels, where in its channel each one stands)."""
    found: tuple[Any, Any] = pooling_to_size.adaptive_max_pool2d(input, output_size, True)
    return found


def _conv3d(x: Any, weight: Any, bias: Any = None, **config: Any) -> Any:
    """The convolution of volumes."""
    _check_format("Conv3D", config["data_format"])
    options = {"stride": config["stride"], "dilation": config["dilation"], "groups": config["group"]}
    return convolutions.conv3d(x, weight, bias, pad_mode=config["pad_mode"], padding=config["pad"], **options)


def _conv2d_transposed(x: Any, weight: Any, input_size: Any, **config: Any) -> Any:
    """Each pixel's multiple of the kernel added up in images of ``input_size``: the gradient of a convolution."""
    _check_format("Conv2DTranspose", config["data_format"])
    stride, dilation = ((one, one) if isinstance(one, int) else one for one in (config["stride"], config["dilation"]))
    border = config["pad"] if config["pad_mode"] == "pad" else 0
    if config["pad_mode"] == "same":
        axes = zip(input_size[2:], weight.shape[2:], stride, dilation, strict=True)
        border = tuple(nn.same_border(*axis) for axis in axes)
    return apply(
        CONV2D_INPUT_GRAD, x, weight, shape=tuple(input_size),
        stride=stride, padding=border, dilation=dilation, group=config["group"],
    )  # fmt: skip


def _space_to_depth(x: Any, *, block_size: int) -> Any:
    """Blocks of images [N,C,H,W] as channels, those of one place in a block side by side."""
    count, channels, height, width = x.shape
    parts = x.reshape(count, channels, height // block_size, block_size, width // block_size, block_size)
    return parts.transpose((0, 3, 5, 1, 2, 4)).reshape(count, -1, height // block_size, width // block_size)


def _depth_to_space(x: Any, *, block_size: int) -> Any:
    """Channels as blocks of images [N,C,H,W]: the inverse of ``SpaceToDepth``."""
    count, channels, height, width = x.shape
    parts = x.reshape(count, block_size, block_size, channels // block_size**2, height, width)
    return parts.transpose((0, 3, 4, 1, 5, 2)).reshape(count, -1, height * block_size, width * block_size)


def _resize_nearest(input_x: Any, *, size: Any, align_corners: bool, half_pixel_centers: bool) -> Any:
    """Images in another size, each pixel that of the nearest."""
    if align_corners or half_pixel_centers:
        told = "align_corners and half_pixel_centers are not supported; leave them out"
        raise UsageError(f"ResizeNearestNeighbor: {told}")
    return resizing.interpolate(input_x, tuple(size), mode="nearest")


MaxPool = primitive("MaxPool", _max_pool, kernel_size=1, strides=1, pad_mode="valid", data_format="NCHW")
AvgPool = primitive("AvgPool", _avg_pool, kernel_size=1, strides=1, pad_mode="valid", data_format="NCHW")
MaxPoolWithArgmax = primitive(
    "MaxPoolWithArgmax", _max_pool_with_argmax, kernel_size=1, strides=1, pad_mode="valid", data_format="NCHW"
)  # fmt: skip
AdaptiveAvgPool2D = primitive("AdaptiveAvgPool2D", pooling_to_size.adaptive_avg_pool2d, output_size=REQUIRED)
AdaptiveMaxPool2D = primitive("AdaptiveMaxPool2D", _adaptive_max_pool, output_size=REQUIRED)
Conv3D = primitive(
    "Conv3D", _conv3d,
    out_channel=REQUIRED, kernel_size=REQUIRED, mode=1, pad_mode="valid", pad=0, stride=1, dilation=1, group=1,
    data_format="NCDHW",
)  # fmt: skip
Conv2DTranspose = primitive(
    "Conv2DTranspose", _conv2d_transposed,
    out_channel=REQUIRED, kernel_size=REQUIRED, pad_mode="valid", pad=0, pad_list=None, mode=1, stride=1, dilation=1,
    group=1, data_format="NCHW",
)  # fmt: skip
SpaceToDepth = primitive("SpaceToDepth", _space_to_depth, block_size=REQUIRED)
DepthToSpace = primitive("DepthToSpace", _depth_to_space, block_size=REQUIRED)
ResizeNearestNeighbor = primitive(
    "ResizeNearestNeighbor", _resize_nearest, size=REQUIRED, align_corners=False, half_pixel_centers=False
)  # fmt: skip

# ---- losses and steps ------------------------------------------------------------------------------


def _softmax_cross_entropy(logits: Any, labels: Any) -> tuple[Any, Any]:
    """(the cross entropy of logits [N,C] with probabilities, per row; its gradient by the logits)."""
    rows = -maths.sum(nn.log_softmax(logits, 1) * labels, 1)
    return rows, nn.softmax(logits, 1) - labels


def _sparse_softmax_cross_entropy(logits: Any, labels: Any, *, is_grad: bool) -> Any:
    """The mean cross entropy of logits [N,C] with classes [N], or with ``is_grad`` its gradient by the logits."""
    if not is_grad:
        return nn.cross_entropy(logits, labels)
    hot = array.one_hot(labels, logits.shape[1], 1.0, 0.0)
    return (nn.softmax(logits, 1) - hot) / logits.shape[0]


def _sigmoid_cross_entropy(logits: Any, label: Any) -> Any:
    """The cross entropy of sigmoid(logits) and the labels, element by element."""
    return maths.maximum(logits, 0) - logits * label + maths.log1p(maths.exp(-maths.abs(logits)))


def _nll_loss(logits: Any, labels: Any, weight: Any, *, reduction: str, ignore_index: int) -> tuple[Any, Any]:
    """(the negative log likelihood of classes, the sum of the weights of those that count)."""
    counted = maths.where(labels == ignore_index, 0.0, array.gather(weight, maths.maximum(labels, 0), 0))
    return losses.nll_loss(logits, labels, weight, ignore_index, reduction), maths.sum(counted)


def _apply_momentum(
    variable: Any, accumulation: Any, learning_rate: Any, gradient: Any, momentum: Any, *,
    use_nesterov: bool, use_locking: bool, gradient_scale: float,
) -> Any:  # fmt: skip
    """One step of SGD with momentum, in place: the accumulation times momentum plus the gradient; the variable."""
    speed = accumulation * momentum + gradient * gradient_scale
    apply(ASSIGN, accumulation, speed, name=accumulation.name)
    step = gradient * gradient_scale + speed * momentum if use_nesterov else speed
    return apply(ASSIGN, variable, variable - step * learning_rate, name=variable.name)


SoftmaxCrossEntropyWithLogits = primitive("SoftmaxCrossEntropyWithLogits", _softmax_cross_entropy)
SparseSoftmaxCrossEntropyWithLogits = primitive(
    "SparseSoftmaxCrossEntropyWithLogits", _sparse_softmax_cross_entropy, is_grad=False
)  # fmt: skip
SigmoidCrossEntropyWithLogits = primitive("SigmoidCrossEntropyWithLogits", _sigmoid_cross_entropy)
NLLLoss = primitive("NLLLoss", _nll_loss, reduction="mean", ignore_index=-100)
SmoothL1Loss = primitive("SmoothL1Loss", losses.smooth_l1_loss, beta=1.0, reduction="none")
SoftMarginLoss = primitive("SoftMarginLoss", losses.soft_margin_loss, reduction="mean")
KLDivLoss = primitive("KLDivLoss", losses.kl_div, reduction="mean")
BinaryCrossEntropy = primitive("BinaryCrossEntropy", losses.binary_cross_entropy, reduction="mean")
BCEWithLogitsLoss = primitive("BCEWithLogitsLoss", losses.binary_cross_entropy_with_logits, reduction="mean")
ApplyMomentum = primitive(
    "ApplyMomentum", _apply_momentum, use_nesterov=False, use_locking=False, gradient_scale=1.0
)  # fmt: skip
