"""Layers of ``mindspore.mint.nn`` whose arguments differ from ``nn``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minigraph import nn, ops
from minigraph.core.aliases import IntOrTuple
from minigraph.core.errors import UsageError
from minigraph.core.tensor import Parameter, Tensor
from minigraph.core.types import DType, float32
from minigraph.mint.nn import functional as F
from minigraph.nn.initializers import Init, Normal, initializer
from minigraph.nn.layer.batch_normalization import BatchNorm
from minigraph.nn.layer.function_layers import function_layer


def _window(
    kernel_size: IntOrTuple,
    stride: IntOrTuple | None = None,
    padding: IntOrTuple = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
) -> dict[str, Any]:
    sizes = {"kernel_size": kernel_size, "stride": stride, "padding": padding}
    return {**sizes, "ceil_mode": ceil_mode, "count_include_pad": count_include_pad}


def _window_and_divisor(*args: Any, divisor_override: int | None = None, **kwargs: Any) -> dict[str, Any]:
    return {**_window(*args, **kwargs), "divisor_override": divisor_override or 0}


# name -> function, and the layer's arguments as arguments of the function
LAYER_SPECS: dict[str, tuple[Callable[..., Any], Callable[..., dict[str, Any]]]] = {
    "AdaptiveAvgPool3d": (ops.adaptive_avg_pool3d, lambda output_size: {"output_size": output_size}),
    "AvgPool1d": (F.avg_pool1d, _window),
    "AvgPool2d": (F.avg_pool2d, _window_and_divisor),
    "AvgPool3d": (F.avg_pool3d, _window_and_divisor),
    "BCEWithLogitsLoss": (F.binary_cross_entropy_with_logits, lambda weight=None, reduction="mean", pos_weight=None: {
        "weight": weight, "reduction": reduction, "pos_weight": pos_weight}),
    "Fold": (ops.fold, lambda output_size, kernel_size, dilation=1, padding=0, stride=1: {
        "output_size": output_size, "kernel_size": kernel_size, "dilation": dilation, "padding": padding,
        "stride": stride}),
    "GLU": (ops.glu, lambda dim=-1: {"axis": dim}),
    "GELU": (ops.gelu, lambda approximate="none": {"approximate": approximate}),
    "Hardshrink": (ops.hardshrink, lambda lambd=0.5: {"lambd": lambd}),
    "Hardsigmoid": (ops.hardsigmoid, dict),
    "Hardswish": (ops.hardswish, dict),
    "LogSoftmax": (F.log_softmax, lambda dim=None: {"dim": dim}),
    "MaxPool2d": (
        F.max_pool2d,
        lambda kernel_size=1, stride=None, padding=0, dilation=1, return_indices=False, ceil_mode=False: {
            "kernel_size": kernel_size, "stride": stride, "padding": padding, "dilation": dilation,
            "return_indices": return_indices, "ceil_mode": ceil_mode}),
    "ReplicationPad3d": (ops.pad, lambda padding: {"padding": _pads(padding, 3), "mode": "replicate"}),
    "SELU": (ops.selu, dict),
    "SmoothL1Loss": (ops.smooth_l1_loss, lambda reduction="mean", beta=1.0: {"beta": beta, "reduction": reduction}),
    "Softshrink": (ops.softshrink, lambda lambd=0.5: {"lambd": lambd}),
    "Softmax": (F.softmax, lambda dim=None: {"dim": dim}),
    "Unfold": (ops.unfold, lambda kernel_size, dilation=1, padding=0, stride=1: {
        "kernel_size": kernel_size, "dilation": dilation, "padding": padding, "stride": stride}),
    "UpsamplingBilinear2d": (ops.interpolate, lambda size=None, scale_factor=None: {
        "size": size, "scale_factor": scale_factor, "mode": "bilinear", "align_corners": True}),
    "UpsamplingNearest2d": (ops.interpolate, lambda size=None, scale_factor=None: {
        "size": size, "scale_factor": scale_factor, "mode": "nearest"}),
    "ZeroPad1d": (ops.pad, lambda padding: {"padding": _pads(padding, 1)}),
    "ZeroPad3d": (ops.pad, lambda padding: {"padding": _pads(padding, 3)}),
}  # fmt: skip


def _pads(padding: int | tuple[int, ...], axes: int) -> tuple[int, ...]:
    """(before, after) of each axis."""
    return (padding,) * (2 * axes) if isinstance(padding, int) else tuple(padding)


LAYERS: dict[str, Any] = {
    name: function_layer(name, function, configure, "minigraph.mint.nn", f"``{function.__name__}`` as a layer.")
    for name, (function, configure) in LAYER_SPECS.items()
}


# ---- layers with Parameters ------------------------------------------------------------------------


class Linear(nn.Dense):
    """y = x Wᵀ + b over the last axis: ``nn.Dense``.

    >>> import minigraph as ms
    >>> ms.mint.nn.Linear(3, 2)(ms.ops.ones((4, 3))).shape
    (4, 2)
    """

    def __init__(
        self,
        in_features: int,
        out_features: int,
        bias: bool = True,
        weight_init: Init | None = None,
        bias_init: Init | None = None,
        dtype: DType | None = None,
    ) -> None:
        super().__init__(in_features, out_features, weight_init, bias_init, bias, dtype=dtype or float32)
        self.setting = f"input_features={in_features}, output_features={out_features}, has_bias={bias}"

    def extend_repr(self) -> str:
        """The sizes, and whether there is a bias."""
        return self.setting


class Dropout(nn.Dropout):
    """``nn.Dropout`` with the probability of a zero as first argument; ``inplace`` has no effect."""

    def __init__(self, p: float = 0.5, inplace: bool = False) -> None:
        super().__init__(p=p)


class Dropout2d(nn.Dropout2d):
    """``nn.Dropout2d``; ``inplace`` has no effect."""

    def __init__(self, p: float = 0.5, inplace: bool = False) -> None:
        super().__init__(p)


class Embedding(nn.Cell):
    """The rows of ``weight``, f32[num_embeddings, embedding_dim], at Int positions of any shape.

    ``weight`` is drawn from N(0, 1), with zeros in row ``padding_idx``, which has no gradient; ``_weight`` gives it,
    and ``_freeze`` excludes it from training. Raises ``ValueError`` for the other arguments, which are not supported.

    >>> import minigraph as ms
    >>> ms.mint.nn.Embedding(10, 3)(ms.Tensor([[1, 2], [4, 5]])).shape
    (2, 2, 3)
    """

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        padding_idx: int | None = None,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        sparse: bool = False,
        _weight: Tensor | None = None,
        _freeze: bool = False,
        dtype: DType | None = None,
    ) -> None:
        super().__init__()
        for name, value in {"max_norm": max_norm, "scale_grad_by_freq": scale_grad_by_freq, "sparse": sparse}.items():
            if value:
                raise UsageError(f"mint.nn.Embedding: {name}={value} is not supported; leave it out")
        self.padding_idx = padding_idx
        table = initializer(Normal(1.0), (num_embeddings, embedding_dim), dtype or float32)
        if padding_idx is not None:
            table[padding_idx] = 0
        self.weight = Parameter(table if _weight is None else _weight, name="weight", requires_grad=not _freeze)

    def construct(self, input: Tensor) -> Tensor:
        """Int of any shape; float of that shape and ``embedding_dim``."""
        return F.embedding(input, self.weight, self.padding_idx)

    def extend_repr(self) -> str:
        """The sizes, and the row without a gradient."""
        rows, columns = self.weight.shape
        return f"num_embeddings={rows}, embedding_dim={columns}, padding_idx={self.padding_idx}"


class LayerNorm(nn.Cell):
    """weight (x - mean) / sqrt(variance + eps) + bias over the last axes, ``normalized_shape`` (Ba et al. 2016)."""

    def __init__(
        self,
        normalized_shape: IntOrTuple,
        eps: float = 1e-5,
        elementwise_affine: bool = True,
        bias: bool = True,
        dtype: DType | None = None,
    ) -> None:
        super().__init__()
        shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
        self.normalized_shape, self.eps, self.elementwise_affine = shape, eps, elementwise_affine
        ones, zeros = (initializer(value, shape, dtype or float32) for value in ("ones", "zeros"))
        self.weight = Parameter(ones, name="weight") if elementwise_affine else ones
        self.bias = Parameter(zeros, name="bias") if elementwise_affine and bias else zeros

    def construct(self, input: Tensor) -> Tensor:
        """Float of a shape that ends with ``normalized_shape``; shape and dtype kept."""
        return F.layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)

    def extend_repr(self) -> str:
        """The arguments."""
        sizes = f"normalized_shape={self.normalized_shape}, eps={self.eps}"
        return f"{sizes}, elementwise_affine={self.elementwise_affine}"


def _convolution(base: type) -> Any:
    """The convolution with a bias by default, and padding as a number of elements, or "same" or "valid"."""

    class Convolution(base):
        __doc__ = f"``nn.{base.__name__}``, with a bias by default; ``padding`` is a size, 'same' or 'valid'."

        def __init__(
            self,
            in_channels: int,
            out_channels: int,
            kernel_size: int | tuple[int, int],
            stride: int | tuple[int, int] = 1,
            padding: IntOrTuple | str = 0,
            dilation: int | tuple[int, int] = 1,
            groups: int = 1,
            bias: bool = True,
            padding_mode: str = "zeros",
            dtype: DType | None = None,
        ) -> None:
            if padding_mode != "zeros":
                reason = f"padding_mode '{padding_mode}' is not supported; use 'zeros'"
                raise UsageError(f"mint.nn.{base.__name__}: {reason}")
            mode, size = (padding, 0) if isinstance(padding, str) else ("pad", padding)
            pads = tuple(n for n in size for _ in (0, 1)) if isinstance(size, tuple) else size
            super().__init__(
                in_channels, out_channels, kernel_size, stride, mode, pads, dilation, groups, bias,
                dtype=dtype or float32,
            )  # fmt: skip

    Convolution.__name__ = Convolution.__qualname__ = base.__name__
    return Convolution


def _normalization(base: type) -> Any:
    """The normalisation with ``momentum`` as the weight of the new statistics."""

    class Normalization(base):
        __doc__ = f"``nn.{base.__name__}``; ``momentum`` is the weight of the new statistics."

        def __init__(
            self,
            num_features: int,
            eps: float = 1e-5,
            momentum: float = 0.1,
            affine: bool = True,
            track_running_stats: bool = True,
            dtype: DType | None = None,
        ) -> None:
            statistics = None if track_running_stats else True
            super().__init__(
                num_features, eps, 1 - momentum, affine, use_batch_statistics=statistics, dtype=dtype or float32
            )

    Normalization.__name__ = Normalization.__qualname__ = base.__name__
    return Normalization


Conv1d, Conv2d, Conv3d = map(_convolution, (nn.Conv1d, nn.Conv2d, nn.Conv3d))
BatchNorm1d, BatchNorm2d, BatchNorm3d = map(_normalization, (nn.BatchNorm1d, nn.BatchNorm2d, nn.BatchNorm3d))


class SyncBatchNorm(_normalization(BatchNorm)):  # type: ignore[misc]
    """``nn.SyncBatchNorm`` over [N, C, ...]: statistics of all devices, of which there is one.

    >>> SyncBatchNorm(1)(ops.ones((2, 1, 3))).shape
    (2, 1, 3)
    """

    def __init__(
        self, num_features: int, eps: float = 1e-5, momentum: float = 0.1, affine: bool = True,
        track_running_stats: bool = True, process_group: str | None = None, dtype: DType | None = None,
    ) -> None:  # fmt: skip
        super().__init__(num_features, eps, momentum, affine, track_running_stats, dtype)
