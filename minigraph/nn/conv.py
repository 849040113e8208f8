"""Convolution and pooling over images [N, C, H, W]."""

from __future__ import annotations

from typing import Any

from minigraph import ops
from minigraph.errors import ShapeError, UsageError, ValueArgument
from minigraph.nn.cell import Cell
from minigraph.nn.initializers import Init, fans, initializer, within_fan_in
from minigraph.nn.layers import positive_int
from minigraph.op import Op, apply
from minigraph.ops.conv import Padding, Pair, padding_of, pair_of
from minigraph.ops.functional.nn import same_border
from minigraph.ops.pool import AVG_POOL2D, MAX_POOL2D
from minigraph.tensor import Parameter
from minigraph.types import DType, float32

PAD_MODES = ("same", "valid", "pad")
NO_PADDING: Padding = ((0, 0), (0, 0))


class Conv2d(Cell):
    """The convolution of images [N, in_channels, H, W] with ``weight`` [out_channels, in_channels/group, kh, kw].

    ``pad_mode``: "same" pads with zeros so that the result has ceil(size / stride) pixels, an odd one after;
    "valid" pads nothing; "pad" pads ``padding`` pixels: one number, or (top, bottom, left, right). Weight and
    bias start in U(-1/sqrt(f), 1/sqrt(f)), f = in_channels / group kh kw.

    Raises ``ValueError`` for an unknown mode or padding without "pad", ``UsageError`` for sizes below 1.

    >>> from minigraph import ops
    >>> Conv2d(3, 4, 3, stride=2)(ops.ones((1, 3, 8, 8))).shape
    (1, 4, 4, 4)
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: int | Pair,
        stride: int | Pair = 1,
        pad_mode: str = "same",
        padding: int | tuple[int, ...] = 0,
        dilation: int | Pair = 1,
        group: int = 1,
        has_bias: bool = False,
        weight_init: Init | None = None,
        bias_init: Init | None = None,
        data_format: str = "NCHW",
        dtype: DType = float32,
    ) -> None:
        super().__init__()
        self.in_channels = positive_int("Conv2d", "in_channels", in_channels)
        self.out_channels = positive_int("Conv2d", "out_channels", out_channels)
        self.group = positive_int("Conv2d", "group", group)
        self.kernel_size = pair_of("Conv2d", "kernel_size", kernel_size)
        self.stride = pair_of("Conv2d", "stride", stride)
        self.dilation = pair_of("Conv2d", "dilation", dilation)
        self.pad_mode, self.padding = pad_mode, checked_padding("Conv2d", pad_mode, padding)
        self.has_bias = has_bias
        check_format("Conv2d", data_format)
        if in_channels % group or out_channels % group:
            raise UsageError(f"Conv2d: {group} groups divide neither {in_channels} nor {out_channels} channels evenly")
        shape = (out_channels, in_channels // group, *self.kernel_size)
        rule = within_fan_in(fans(shape)[0])
        self.weight = Parameter(initializer(rule if weight_init is None else weight_init, shape, dtype), name="weight")
        self.bias: Parameter | None = None
        if has_bias:
            first = initializer(rule if bias_init is None else bias_init, out_channels, dtype)
            self.bias = Parameter(first, name="bias")

    def construct(self, x: Any) -> Any:
        """Float [N, in_channels, H, W] to [N, out_channels, oh, ow]."""
        padding = self.padding if self.pad_mode == "pad" else 0
        return ops.conv2d(x, self.weight, self.bias, self.stride, self.pad_mode, padding, self.dilation, self.group)

    def extend_repr(self) -> str:
        """Sizes, window and bias."""
        return (
            f"input_channels={self.in_channels}, output_channels={self.out_channels}, "
            f"kernel_size={self.kernel_size}, stride={self.stride}, pad_mode={self.pad_mode}, "
            f"padding={self.padding}, dilation={self.dilation}, group={self.group}, has_bias={self.has_bias}"
        )


class Pool2d(Cell):
    """The base of the pooling layers: a window that moves over images [N, C, H, W].

    ``pad_mode`` as in ``Conv2d``. Raises ``ValueError`` for an unknown mode or padding without "pad".
    """

    def __init__(
        self,
        kernel_size: int | Pair = 1,
        stride: int | Pair = 1,
        pad_mode: str = "valid",
        padding: int | tuple[int, ...] = 0,
        data_format: str = "NCHW",
    ) -> None:
        super().__init__()
        who = type(self).__name__
        self.kernel_size = pair_of(who, "kernel_size", kernel_size)
        self.stride = pair_of(who, "stride", stride)
        self.pad_mode, self.padding = pad_mode, checked_padding(who, pad_mode, padding)
        check_format(who, data_format)

    def pooled(self, op: Op, x: Any) -> Any:
        """The pooling operator on the padded images; raises ``ShapeError`` for another rank."""
        if len(x.shape) != 4:
            raise ShapeError(f"{type(self).__name__}: needs x[N,C,H,W], got shape {list(x.shape)}; reshape x")
        padding = self.padding
        if self.pad_mode == "same":
            axes = zip(x.shape[2:], self.kernel_size, self.stride, strict=True)
            rows, columns = (same_border(size, kernel, stride, 1) for size, kernel, stride in axes)
            padding = rows, columns
        return apply(op, x, kernel=self.kernel_size, stride=self.stride, padding=padding)

    def extend_repr(self) -> str:
        """The window."""
        return f"kernel_size={self.kernel_size}, stride={self.stride}, pad_mode={self.pad_mode}"


class MaxPool2d(Pool2d):
    """The largest element of each window; padding never wins.

    >>> from minigraph import ops
    >>> MaxPool2d(2, stride=2)(ops.ones((1, 3, 8, 8))).shape
    (1, 3, 4, 4)
    """

    def construct(self, x: Any) -> Any:
        """Float [N, C, H, W] to [N, C, oh, ow]."""
        return self.pooled(MAX_POOL2D, x)


class AvgPool2d(Pool2d):
    """The mean of each window; pixels of ``pad_mode`` "pad" count as zeros, those of "same" do not count.

    >>> from minigraph import ops
    >>> print(AvgPool2d(2, stride=1, pad_mode="same")(ops.ones((1, 1, 2, 2))))
    [[[[1. 1.]
       [1. 1.]]]]
    """

    def construct(self, x: Any) -> Any:
        """Float [N, C, H, W] to [N, C, oh, ow]."""
        mean = self.pooled(AVG_POOL2D, x)
        if self.pad_mode != "same":
            return mean
        return mean / self.pooled(AVG_POOL2D, ops.ones((1, 1, *x.shape[2:]), x.dtype))


def checked_padding(who: str, mode: str, padding: int | tuple[int, ...]) -> Padding:
    """The padding of mode "pad"; raises ``ValueError`` for an unknown mode or for padding without it."""
    if mode not in PAD_MODES:
        raise ValueArgument(f"For '{who}', the 'pad_mode' must be in {list(PAD_MODES)}, but got {mode!r}.")
    found = padding_of(who, padding)
    if mode != "pad" and found != NO_PADDING:
        raise ValueArgument(f"For '{who}', padding must be zero when pad_mode is '{mode}', but got {padding}.")
    return found


def check_format(who: str, data_format: str) -> None:
    """Refuse layouts other than NCHW; raises ``ValueError``."""
    if data_format != "NCHW":
        raise ValueArgument(f"For '{who}', the 'data_format' must be 'NCHW', but got {data_format!r}; transpose first.")
