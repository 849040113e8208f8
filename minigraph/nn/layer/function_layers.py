"""Layers without Parameters that are one function: a table of the functions and the layers' arguments."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from minigraph import ops
from minigraph.core.aliases import CallResult, Function, IntOrTuple
from minigraph.core.errors import ArgValueError, UsageError
from minigraph.core.op import apply
from minigraph.core.tensor import Tensor
from minigraph.core.tensor.promotion import converted_function
from minigraph.core.types import float32, int32
from minigraph.nn.cell import Cell
from minigraph.ops.functional.arguments import per_axis
from minigraph.ops.functional.convolution import same_padding

Configure = Callable[..., dict[str, Any]]


class FunctionLayer(Cell):
    """The base class of layers without Parameters: ``function`` with the arguments that ``configure`` returns."""

    function: Function
    configure: Configure
    repr_arguments: tuple[str, ...] | None = None  # names; ``None``: all

    def __init__(self, *args: object, **kwargs: object) -> None:
        super().__init__()
        self.arguments = type(self).configure(*args, **kwargs)

    def construct(self, *inputs: Tensor, **kwargs: object) -> CallResult:
        """The function of the inputs."""
        return type(self).function(*inputs, **kwargs, **self.arguments)

    def extend_repr(self) -> str:
        """The arguments ``repr_arguments``, modes in capitals."""
        names = self.arguments if self.repr_arguments is None else self.repr_arguments
        values = ((name, self.arguments[name]) for name in names)
        return ", ".join(f"{name}={value.upper() if name == 'pad_mode' else value}" for name, value in values)


def function_layer(name: str, function: Function, configure: Configure, module: str, doc: str) -> Any:
    """A layer of one function, with the signature of ``configure``.

    >>> layer = function_layer("Twice", lambda x, times: x * times, lambda times=2: {"times": times}, __name__, "")
    >>> print(layer()(Tensor([3.0])))
    [6.]
    """

    def init(self: FunctionLayer, *args: object, **kwargs: object) -> None:
        FunctionLayer.__init__(self, *args, **kwargs)

    self_parameter = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    parameters = [] if configure is dict else inspect.signature(configure).parameters.values()
    init.__signature__ = inspect.Signature([self_parameter, *parameters])  # type: ignore[attr-defined]
    for member, text in ((function, "The function of the layer."), (configure, "The layer's arguments as attributes.")):
        if member.__doc__ is None:
            member.__doc__ = text
    methods = {"function": staticmethod(function), "configure": staticmethod(configure), "__init__": init}
    return type(name, (FunctionLayer,), {**methods, "__doc__": doc, "__module__": module})


# ---- pooling of volumes ----------------------------------------------------------------------------


def _volume_pads(
    x: Tensor, kernel: IntOrTuple, stride: IntOrTuple, mode: str, padding: IntOrTuple
) -> tuple[tuple[int, int], ...]:
    """(before, after) of the last three axes; raises ``ValueError`` for another mode, and padding without "pad"."""
    if mode.lower() not in ("valid", "same", "pad"):
        raise ArgValueError(f"pooling: pad_mode must be 'valid', 'same' or 'pad', but got {mode!r}.")
    pads = per_axis("pooling", "padding", padding, 3)
    if mode.lower() != "pad" and any(pads):
        raise ArgValueError(f"pooling: padding {padding} needs pad_mode 'pad', but got {mode!r}.")
    if mode.lower() != "same":
        return tuple((pad, pad) for pad in pads)
    sizes = zip(x.shape[-3:], per_axis("pooling", "kernel_size", kernel, 3),
                per_axis("pooling", "stride", stride, 3), strict=True)  # fmt: skip
    return tuple(same_padding(size, window, step, 1) for size, window, step in sizes)


def _pad_volumes(x: Tensor, pads: tuple[tuple[int, int], ...], value: float) -> Tensor:
    return apply("pad", x, widths=((0, 0),) * (x.ndim - 3) + pads, value=value) if any(map(any, pads)) else x


def max_pool_of_volumes(
    x: Tensor, kernel_size: IntOrTuple, stride: IntOrTuple, pad_mode: str, padding: IntOrTuple, dilation: IntOrTuple,
    return_indices: bool, ceil_mode: bool,
) -> CallResult:  # fmt: skip
    """The maximum of each window of volumes [N,C,D,H,W] or [C,D,H,W]."""
    volumes = x if x.ndim == 5 else x.expand_dims(0)
    pads = _volume_pads(volumes, kernel_size, stride, pad_mode, padding)
    if pad_mode.lower() == "pad":
        result = ops.max_pool3d(volumes, kernel_size, stride, padding, dilation, ceil_mode, return_indices)
    elif return_indices and any(map(any, pads)):
        raise UsageError("MaxPool3d: return_indices needs pad_mode 'valid' or 'pad'")
    else:
        padded = _pad_volumes(volumes, pads, float("-inf"))
        result = ops.max_pool3d(padded, kernel_size, stride, 0, dilation, ceil_mode, return_indices)
    if x.ndim == 5:
        return result
    return tuple(tensor.squeeze(0) for tensor in result) if return_indices else result.squeeze(0)


def mean_pool_of_volumes(
    x: Tensor, kernel_size: IntOrTuple, stride: IntOrTuple, pad_mode: str, padding: IntOrTuple, ceil_mode: bool,
    count_include_pad: bool, divisor_override: int | None,
) -> Tensor:  # fmt: skip
    """The mean of each window of volumes [N,C,D,H,W] or [C,D,H,W]; "same" padding does not count."""
    volumes = x if x.ndim == 5 else x.expand_dims(0)
    pads, divisor = _volume_pads(volumes, kernel_size, stride, pad_mode, padding), divisor_override or 0
    if pad_mode.lower() == "pad":
        mean = ops.avg_pool3d(volumes, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor)
    else:
        mean = ops.avg_pool3d(_pad_volumes(volumes, pads, 0.0), kernel_size, stride, 0, ceil_mode, True, divisor)
    if any(map(any, pads)) and pad_mode.lower() == "same" and not divisor:
        ones = ops.ones((1, 1, *volumes.shape[2:]), volumes.dtype)
        mean = mean / ops.avg_pool3d(_pad_volumes(ones, pads, 0.0), kernel_size, stride)
    return mean if x.ndim == 5 else mean.squeeze(0)


# ---- other functions -------------------------------------------------------------------------------


def _norm(x: Tensor, axis: IntOrTuple | None, keep_dims: bool) -> Tensor:
    return ops.sqrt(ops.reduce_sum(x * x, axis or None, keep_dims))


def _moments(x: Tensor, axis: IntOrTuple | None, keep_dims: bool | None) -> tuple[Tensor, Tensor]:
    axes = tuple(range(x.ndim)) if axis is None or axis == () else axis
    return ops.mean(x, axes, bool(keep_dims)), ops.var(x, axes, 0, bool(keep_dims))


def _central_crop(image: Tensor, central_fraction: float) -> Tensor:
    if not 0 < central_fraction <= 1:
        raise ArgValueError(f"For 'CentralCrop', the 'central_fraction' must be in (0.0, 1.0], got {central_fraction}.")
    starts = [int((size - size * central_fraction) / 2) for size in image.shape[-2:]]
    (top, left), (height, width) = starts, image.shape[-2:]
    return image[..., top : height - top, left : width - left]


def _image_gradients(images: Tensor) -> tuple[Tensor, Tensor]:
    if images.ndim != 4:
        raise ArgValueError(f"For 'ImageGradients', the dimension of 'images' must be 4d, but got {images.ndim}.")
    below, right = ops.diff(images, axis=2), ops.diff(images, axis=3)
    return ops.pad(below, (0, 0, 0, 1)), ops.pad(right, (0, 1, 0, 0))


def _l1_penalty(weights: Tensor, scale: float) -> Tensor:
    if not scale > 0:
        raise ArgValueError(f"For 'L1Regularizer', the 'scale' must be greater than 0, but got {scale}.")
    return scale * ops.abs(weights).sum()


def _log_beta(x: Tensor, y: Tensor) -> Tensor:
    return ops.lgamma(x) + ops.lgamma(y) - ops.lgamma(x + y)


def _clip_by_norm(x: Tensor, clip_norm: Tensor, axis: IntOrTuple | None) -> Tensor:
    norm = ops.sqrt(ops.reduce_sum(x * x, axis, keep_dims=True))
    return x * clip_norm / ops.maximum(norm, clip_norm)


def _range(*, start: float, limit: float | None, delta: float) -> Tensor:
    first, last = (0, start) if limit is None else (start, limit)
    are_whole = all(isinstance(number, int) for number in (first, last, delta))
    return ops.cast(ops.arange(first, last, delta), int32 if are_whole else float32)


def _triplet_margin(
    x: Tensor, positive: Tensor, negative: Tensor, distance_function: Function | None, swap: bool, reduction: str,
    margin: float,
) -> Tensor:  # fmt: skip
    """The hinge loss of (distance to the positive) - (distance to the negative) + margin."""
    distance = converted_function(distance_function or _euclidean_distance)
    negative_distance = distance(x, negative)
    if swap:
        negative_distance = ops.minimum(negative_distance, distance(positive, negative))
    losses = ops.maximum(distance(x, positive) - negative_distance + margin, 0.0)
    reductions: dict[str, Function] = {"mean": ops.mean, "sum": ops.sum, "none": lambda losses: losses}
    if reduction not in reductions:
        raise ArgValueError(f"triplet margin: reduction is 'mean', 'sum' or 'none', but got {reduction!r}.")
    result: Tensor = reductions[reduction](losses)
    return result


def _sparse_matmul(
    indices: Tensor, values: Tensor, sparse_shape: tuple[int, int], dense: Tensor, adjoint_st: bool, adjoint_dt: bool
) -> Tensor:
    sparse = ops.COOTensor(indices, values, sparse_shape).to_dense()
    return ops.matmul(sparse.T if adjoint_st else sparse, dense.T if adjoint_dt else dense)


def _euclidean_distance(x: Tensor, y: Tensor) -> Tensor:
    return ops.sqrt(((x - y + 1e-6) ** 2).sum(-1))  # MindSpore's epsilon


# name -> function, the layer's arguments as arguments of the function, what it computes
LAYER_SPECS: dict[str, tuple[Function, Configure, str]] = {
    "AdaptiveAvgPool3d": (ops.adaptive_avg_pool3d, lambda output_size: {"output_size": output_size},
        "Adaptive average pooling of volumes to ``output_size`` elements; ``None`` keeps the size of an axis."),
    "AdaptiveMaxPool3d": (ops.adaptive_max_pool3d, lambda output_size, return_indices=False: {
        "output_size": output_size, "return_indices": return_indices},
        "Adaptive max pooling of volumes; with ``return_indices`` also the position of each maximum."),
    "AvgPool3d": (mean_pool_of_volumes,
        lambda kernel_size=1, stride=1, pad_mode="valid", padding=0, ceil_mode=False, count_include_pad=True,
        divisor_override=None: dict(locals()), "The mean of each window of volumes [N,C,D,H,W] or [C,D,H,W]."),
    "MaxPool3d": (max_pool_of_volumes,
        lambda kernel_size=1, stride=1, pad_mode="valid", padding=0, dilation=1, return_indices=False,
        ceil_mode=False: dict(locals()), "The maximum of each window of volumes [N,C,D,H,W] or [C,D,H,W]."),
    "FractionalMaxPool2d": (ops.fractional_max_pool2d, lambda kernel_size, output_size=None, output_ratio=None,
        return_indices=False, _random_samples=None: dict(locals()),
        "The maxima of windows at random positions of images."),
    "FractionalMaxPool3d": (ops.fractional_max_pool3d, lambda kernel_size, output_size=None, output_ratio=None,
        return_indices=False, _random_samples=None: dict(locals()),
        "The maxima of windows at random positions of volumes."),
    "MaxUnpool1d": (ops.max_unpool1d, lambda kernel_size, stride=None, padding=0: dict(locals()),
        "The maxima of sequences at their positions, zeros elsewhere; ``output_size`` is given to the call."),
    "MaxUnpool2d": (ops.max_unpool2d, lambda kernel_size, stride=None, padding=0: dict(locals()),
        "The maxima of images at their positions, zeros elsewhere; ``output_size`` is given to the call."),
    "MaxUnpool3d": (ops.max_unpool3d, lambda kernel_size, stride=None, padding=0: dict(locals()),
        "The maxima of volumes at their positions, zeros elsewhere; ``output_size`` is given to the call."),
    "CentralCrop": (_central_crop, lambda central_fraction: {"central_fraction": central_fraction},
        "The central part of images [..., H, W]: a fraction of each side."),
    "ClipByNorm": (_clip_by_norm, lambda axis=None: {"axis": axis},
        "x, scaled so that its norm over axes is at most ``clip_norm``, which is given to the call."),
    "DiGamma": (ops.digamma, dict, "The derivative of the logarithm of the gamma function."),
    "ImageGradients": (_image_gradients, dict,
        "(dy, dx): differences of neighbouring pixels of images [N,C,H,W]; 0 in the last row and column."),
    "L1Regularizer": (_l1_penalty, lambda scale: {"scale": scale}, "``scale`` times the sum of magnitudes."),
    "LBeta": (_log_beta, dict, "The logarithm of the beta function of x and y."),
    "LGamma": (ops.lgamma, dict, "The logarithm of the magnitude of the gamma function."),
    "IGamma": (ops.igamma, dict, "The regularized lower incomplete gamma function of a and x."),
    "Moments": (_moments, lambda axis=None, keep_dims=None: {"axis": axis, "keep_dims": keep_dims},
        "(mean, variance) over axes, by default all."),
    "Norm": (_norm, lambda axis=(), keep_dims=False: {"axis": axis, "keep_dims": keep_dims},
        "The Euclidean norm over axes, by default all."),
    "RReLU": (ops.rrelu, lambda lower=1 / 8, upper=1 / 3: {"lower": lower, "upper": upper},
        "x where it is positive, else x times a random number from [``lower``, ``upper``]."),
    "Range": (_range, lambda start, limit=None, delta=1: {"start": start, "limit": limit, "delta": delta},
        "The numbers from ``start`` to ``limit``, exclusive; of one number, those below it."),
    "ReduceLogSumExp": (ops.logsumexp, lambda axis, keep_dims=False: {"axis": axis, "keep_dims": keep_dims},
        "log(sum(exp(x))) over axes."),
    "SparseTensorDenseMatmul": (_sparse_matmul, lambda adjoint_st=False, adjoint_dt=False: dict(locals()),
        "The product of a sparse matrix (indices, values, shape) and a dense one, each transposed if ``adjoint``."),
    "SparseToDense": (lambda x: x.to_dense(), dict, "The dense tensor of a ``COOTensor``."),
    "Tril": (lambda x, k=0: ops.tril(x, k), dict, "The lower triangle of matrices; ``k`` is given to the call."),
    "Triu": (lambda x, k=0: ops.triu(x, k), dict, "The upper triangle of matrices; ``k`` is given to the call."),
    "TripletMarginWithDistanceLoss": (_triplet_margin,
        lambda distance_function=None, swap=False, reduction="mean", margin=1.0: dict(locals()),
        "The hinge loss of the distances of x to a positive and to a negative example; the distance is Euclidean."),
}  # fmt: skip

POOL_ARGUMENTS = ("kernel_size", "stride", "pad_mode")
REPR_ARGUMENTS = {  # as MindSpore prints them
    "AvgPool3d": POOL_ARGUMENTS, "MaxPool3d": POOL_ARGUMENTS, "Norm": ("axis", "keep_dims"),
}  # fmt: skip
LAYERS: dict[str, Any] = {
    name: function_layer(name, function, configure, "minigraph.nn.layer.function_layers", doc)
    for name, (function, configure, doc) in LAYER_SPECS.items()
}
for _name, _layer in LAYERS.items():
    _layer.repr_arguments = REPR_ARGUMENTS.get(_name, ())
globals().update(LAYERS)
__all__ = [*LAYERS]  # noqa: PLE0604 - strings
