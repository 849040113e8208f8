"""Transposed convolution: images made larger, the adjoint of ``Conv2d``."""

from __future__ import annotations

from typing import Any

from minigraph.errors import ShapeError, UsageError, ValueArgument
from minigraph.nn.arguments import positive_int
from minigraph.nn.cell import Cell
from minigraph.nn.initializers import Init, fans, initializer, within_fan_in
from minigraph.nn.layer.conv import check_groups, checked_padding, told_convolution
from minigraph.op import apply
from minigraph.ops.conv import CONV2D_INPUT_GRAD, Padding, Pair, pair_of
from minigraph.ops.functional.nn import same_border
from minigraph.tensor import Parameter
from minigraph.types import DType, float32


class Conv2dTranspose(Cell):
    """The transposed convolution of images [N, in_channels, H, W] (Zeiler et al. 2010, "Deconvolutional networks").

    Every pixel adds its multiple of the kernel to the result; ``weight`` is
    [in_channels, out_channels/group, kh, kw]. It is the gradient, with respect to its images, of the convolution
    with the same window. Per axis, with span = dilation (kernel - 1) + 1, the result has

    - ``pad_mode`` "same": size stride pixels;
    - "valid": size stride + max(span - stride, 0);
    - "pad": (size - 1) stride + span - padding + ``output_padding``, which must be below the stride.

    Weight and bias start in U(-1/sqrt(f), 1/sqrt(f)), f = out_channels / group kh kw. Raises ``ValueError`` for an
    unknown mode, padding without "pad", sizes below 1 or groups that do not fit.

    >>> from minigraph import ops
    >>> Conv2dTranspose(3, 4, 3, stride=2)(ops.ones((1, 3, 8, 8))).shape
    (1, 4, 16, 16)
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: int | Pair,
        stride: int | Pair = 1,
        pad_mode: str = "same",
        padding: int | tuple[int, ...] = 0,
        output_padding: int | Pair = 0,
        dilation: int | Pair = 1,
        group: int = 1,
        has_bias: bool = False,
        weight_init: Init | None = None,
        bias_init: Init | None = None,
        dtype: DType = float32,
    ) -> None:
        super().__init__()
        who = type(self).__name__
        self.in_channels = positive_int(who, "in_channels", in_channels)
        self.out_channels = positive_int(who, "out_channels", out_channels)
        self.group = positive_int(who, "group", group)
        self.kernel_size = pair_of(who, "kernel_size", kernel_size)
        self.stride = pair_of(who, "stride", stride)
        self.dilation = pair_of(who, "dilation", dilation)
        self.pad_mode, self.padding, self.has_bias = pad_mode, padding, has_bias
        self.border = checked_padding(who, pad_mode, padding)
        self.output_padding = self._checked_more(output_padding)
        check_groups(group, in_channels, out_channels)
        shape = (in_channels, out_channels // group, *self.kernel_size)
        rule = within_fan_in(fans(shape)[0])
        self.weight_init = rule if weight_init is None else weight_init
        self.bias_init = rule if has_bias and bias_init is None else bias_init
        self.weight = Parameter(initializer(self.weight_init, shape, dtype), name="weight")
        self.bias: Parameter | None = None
        if self.bias_init is not None and has_bias:
            self.bias = Parameter(initializer(self.bias_init, out_channels, dtype), name="bias")

    def construct(self, x: Any) -> Any:
        """Float [N, in_channels, H, W] to [N, out_channels, oh, ow]."""
        if len(x.shape) != 4 or x.shape[1] != self.in_channels:
            raise ShapeError(
                f"{type(self).__name__}: needs x[N,{self.in_channels},H,W], got shape {list(x.shape)}; reshape x"
            )
        sizes = tuple(self._size(x.shape[2 + i], i) for i in (0, 1))
        y = apply(
            CONV2D_INPUT_GRAD,
            x,
            self.weight,
            shape=(x.shape[0], self.out_channels, *sizes),
            stride=self.stride,
            padding=self._border(sizes),
            dilation=self.dilation,
            group=self.group,
        )
        return y if self.bias is None else y + self.bias.reshape(-1, 1, 1)

    def _size(self, size: int, axis: int) -> int:
        """Pixels of the result along an image axis."""
        stride, span = self.stride[axis], self.dilation[axis] * (self.kernel_size[axis] - 1) + 1
        if self.pad_mode == "same":
            return size * stride
        if self.pad_mode == "valid":
            return size * stride + max(span - stride, 0)
        found = (size - 1) * stride + span - sum(self.border[axis]) + self.output_padding[axis]
        if found < 1:
            raise ShapeError(f"{type(self).__name__}: a padding of {self.padding} leaves nothing of {size} pixels")
        return found

    def _border(self, sizes: tuple[int, ...]) -> Padding:
        """The padding of the convolution whose gradient this is."""
        if self.pad_mode != "same":
            return self.border
        axes = zip(sizes, self.kernel_size, self.stride, self.dilation, strict=True)
        rows, columns = (same_border(*axis) for axis in axes)
        return rows, columns

    def _checked_more(self, output_padding: int | Pair) -> Pair:
        who = type(self).__name__
        more = pair_of(who, "output_padding", output_padding, least=0)
        if self.pad_mode != "pad" and more != (0, 0):
            raise ValueArgument(f"For '{who}', output_padding must be zero when pad_mode is '{self.pad_mode}'.")
        if more[0] >= self.stride[0] or more[1] >= self.stride[1]:
            raise UsageError(f"{who}: output_padding {more} must be below the stride {self.stride}")
        return more

    def extend_repr(self) -> str:
        """Sizes, window, bias and first values."""
        return told_convolution(self)


class ConvTranspose2d(Conv2dTranspose):
    """``Conv2dTranspose`` under its other name."""
