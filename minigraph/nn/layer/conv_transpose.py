"""Transposed convolution: the adjoint of ``Conv2d``."""

from __future__ import annotations

from minigraph.core.aliases import IntOrTuple
from minigraph.core.errors import ArgValueError, ShapeError, UsageError
from minigraph.core.op import apply
from minigraph.core.tensor import Tensor
from minigraph.core.types import DType, float32
from minigraph.nn.initializers import Init
from minigraph.nn.layer.conv import Convolution
from minigraph.operators.conv import CONV2D_INPUT_GRAD, pair_of
from minigraph.operators.im2col import Pair
from minigraph.ops.functional.convolution import same_padding


class Conv2dTranspose(Convolution):
    """The transposed convolution of images [N, in_channels, H, W] (Zeiler et al. 2010, "Deconvolutional networks").

    Every pixel adds its multiple of the kernel to the result; ``weight`` is [in_channels, out_channels/group, kh, kw].
    It is the gradient, with respect to its images, of the convolution with the same window. Per axis, with extent =
    dilation (kernel - 1) + 1, the result has

    - ``pad_mode`` "same": size stride pixels;
    - "valid": size stride + max(extent - stride, 0);
    - "pad": (size - 1) stride + extent - padding + ``output_padding``, which must be below the stride.

    Weight and bias are initialised from U(-1/sqrt(f), 1/sqrt(f)), f = out_channels / group kh kw. Raises ``ValueError``
    for an unknown mode, padding without "pad", sizes below 1 or groups that do not divide the channels.

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
        padding: IntOrTuple = 0,
        output_padding: int | Pair = 0,
        dilation: int | Pair = 1,
        group: int = 1,
        has_bias: bool = False,
        weight_init: Init | None = None,
        bias_init: Init | None = None,
        dtype: DType = float32,
    ) -> None:
        super().__init__(
            type(self).__name__, in_channels, out_channels, kernel_size, stride, pad_mode, padding, dilation, group,
            has_bias, weight_init, bias_init, dtype,
        )  # fmt: skip
        self.output_padding = self._check_output_padding(output_padding)

    def _channels(self) -> Pair:
        """The first two sizes of the weight: the sizes of the adjoint convolution."""
        return self.in_channels, self.out_channels // self.group

    def construct(self, x: Tensor) -> Tensor:
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
            padding=self._convolution_pads(sizes),
            dilation=self.dilation,
            group=self.group,
        )
        return y if self.bias is None else y + self.bias.reshape(-1, 1, 1)

    def _size(self, size: int, axis: int) -> int:
        """The pixels of the result along an image axis."""
        stride, extent = self.stride[axis], self.dilation[axis] * (self.kernel_size[axis] - 1) + 1
        if self.pad_mode == "same":
            return size * stride
        if self.pad_mode == "valid":
            return size * stride + max(extent - stride, 0)
        pixels = (size - 1) * stride + extent - sum(self.pads[axis]) + self.output_padding[axis]
        if pixels < 1:
            raise ShapeError(f"{type(self).__name__}: padding {self.padding} removes all of {size} pixels")
        return pixels

    def _convolution_pads(self, sizes: tuple[int, ...]) -> tuple[Pair, ...]:
        """The padding of the adjoint convolution."""
        if self.pad_mode != "same":
            return self.pads
        axes = zip(sizes, self.kernel_size, self.stride, self.dilation, strict=True)
        return tuple(same_padding(*axis) for axis in axes)

    def _check_output_padding(self, output_padding: int | Pair) -> Pair:
        caller = type(self).__name__
        pads = pair_of(caller, "output_padding", output_padding, minimum=0)
        if self.pad_mode != "pad" and pads != (0, 0):
            raise ArgValueError(f"For '{caller}', output_padding must be zero when pad_mode is '{self.pad_mode}'.")
        if pads[0] >= self.stride[0] or pads[1] >= self.stride[1]:
            raise UsageError(f"{caller}: output_padding {pads} must be below the stride {self.stride}")
        return pads


class ConvTranspose2d(Conv2dTranspose):
    """An alias of ``Conv2dTranspose``."""
