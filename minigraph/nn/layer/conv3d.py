"""Convolution and transposed convolution over volumes [N, C, D, H, W]."""

from __future__ import annotations

from minigraph import ops
from minigraph.core.aliases import IntOrTuple
from minigraph.core.errors import ArgValueError, ShapeError
from minigraph.core.tensor import Tensor
from minigraph.core.types import DType, float32
from minigraph.nn.initializers import Init
from minigraph.nn.layer.conv import Convolution, check_format, check_pad_mode
from minigraph.operators.im2col import Pair
from minigraph.ops.functional.arguments import per_axis

Triple = tuple[int, int, int]
Sides = tuple[int, int, int, int, int, int]


class _VolumeConvolution(Convolution):
    """A convolution whose windows have three axes: depth, height, width."""

    layout = "NCDHW"

    def _per_axis(self, caller: str, name: str, value: IntOrTuple) -> tuple[int, ...]:
        return per_axis(caller, name, value, 3, minimum=1)

    def _check_padding(self, caller: str, mode: str, padding: IntOrTuple) -> tuple[Pair, ...]:
        """From one integer, or from (head, tail, top, bottom, left, right)."""
        sides = (padding,) * 6 if isinstance(padding, int) else tuple(padding)
        if len(sides) != 6 or not all(isinstance(side, int) and side >= 0 for side in sides):
            raise ArgValueError(
                f"For '{caller}', 'padding' is one int >= 0, or one for each of 6 sides, got {padding}."
            )
        check_pad_mode(caller, mode, padding, is_padded=any(sides))
        return tuple(zip(sides[::2], sides[1::2], strict=True))

    def _check_input(self, x: Tensor) -> None:
        if len(x.shape) != 5 or x.shape[1] != self.in_channels:
            needed = f"x[N,{self.in_channels},D,H,W]"
            raise ShapeError(f"{type(self).__name__}: needs {needed}, got shape {list(x.shape)}; reshape x")

    def _padding(self) -> IntOrTuple:
        """The padding as the functions of ``ops`` take it."""
        return tuple(side for sides in self.pads for side in sides) if self.pad_mode == "pad" else 0


class Conv3d(_VolumeConvolution):
    """The convolution of volumes [N, in_channels, D, H, W].

    ``weight`` is [out_channels, in_channels/group, kd, kh, kw].
    ``pad_mode``: "same" pads with zeros so that the result has ceil(size / stride) elements per axis, with an odd one
    after; "valid" does not pad; "pad" pads ``padding`` elements: one number, or (head, tail, top, bottom, left, right).
    Weight and bias are initialised from U(-1/sqrt(f), 1/sqrt(f)), f = in_channels / group kd kh kw.

    Raises ``ValueError`` for an unknown mode, padding without "pad", sizes below 1 or groups that do not divide the
    channels; when called, ``ShapeError`` for another rank or number of channels.

    >>> from minigraph import ops
    >>> Conv3d(3, 4, 3, stride=2)(ops.ones((1, 3, 8, 8, 8))).shape
    (1, 4, 4, 4, 4)
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: int | Triple,
        stride: int | Triple = 1,
        pad_mode: str = "same",
        padding: int | Sides = 0,
        dilation: int | Triple = 1,
        group: int = 1,
        has_bias: bool = False,
        weight_init: Init | None = None,
        bias_init: Init | None = None,
        data_format: str = "NCDHW",
        dtype: DType = float32,
    ) -> None:
        check_format("Conv3d", data_format, self.layout)
        super().__init__(
            "Conv3d", in_channels, out_channels, kernel_size, stride, pad_mode, padding, dilation, group, has_bias,
            weight_init, bias_init, dtype,
        )  # fmt: skip

    def construct(self, x: Tensor) -> Tensor:
        """Float [N, in_channels, D, H, W] to [N, out_channels, od, oh, ow]."""
        self._check_input(x)
        return ops.conv3d(
            x, self.weight, self.bias, self.stride, self.pad_mode, self._padding(), self.dilation, self.group
        )


class Conv3dTranspose(_VolumeConvolution):
    """The transposed convolution of volumes [N, in_channels, D, H, W], the adjoint of ``Conv3d``.

    ``weight`` is [in_channels, out_channels/group, kd, kh, kw]. Per axis, with extent = dilation (kernel - 1) + 1, the
    result has by ``pad_mode``

    - "same": size stride elements;
    - "valid": size stride + max(extent - stride, 0);
    - "pad": (size - 1) stride + extent - padding + ``output_padding``, which must be below the stride or the dilation.

    Weight and bias are initialised from U(-1/sqrt(f), 1/sqrt(f)), f = out_channels / group kd kh kw. Raises
    ``ValueError`` for an unknown mode, padding without "pad", sizes below 1 or groups that do not divide the channels;
    when called, ``ShapeError`` for another rank or number of channels, and where padding removes all elements.

    >>> from minigraph import ops
    >>> Conv3dTranspose(3, 4, 3, stride=2)(ops.ones((1, 3, 8, 8, 8))).shape
    (1, 4, 16, 16, 16)
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: int | Triple,
        stride: int | Triple = 1,
        pad_mode: str = "same",
        padding: int | Sides = 0,
        dilation: int | Triple = 1,
        group: int = 1,
        output_padding: int | Triple = 0,
        has_bias: bool = False,
        weight_init: Init | None = None,
        bias_init: Init | None = None,
        data_format: str = "NCDHW",
        dtype: DType = float32,
    ) -> None:
        caller = "Conv3dTranspose"
        check_format(caller, data_format, self.layout)
        super().__init__(
            caller, in_channels, out_channels, kernel_size, stride, pad_mode, padding, dilation, group, has_bias,
            weight_init, bias_init, dtype,
        )  # fmt: skip
        self.output_padding = self._check_output_padding(caller, output_padding)

    def _channels(self) -> Pair:
        """The first two sizes of the weight: the sizes of the adjoint convolution."""
        return self.in_channels, self.out_channels // self.group

    def construct(self, x: Tensor) -> Tensor:
        """Float [N, in_channels, D, H, W] to [N, out_channels, od, oh, ow]."""
        self._check_input(x)
        return ops.conv3d_transpose(
            x, self.weight, self.pad_mode, self._padding(), self.stride, self.dilation, self.group, self.output_padding,
            self.bias,
        )  # fmt: skip

    def _check_output_padding(self, caller: str, output_padding: int | Triple) -> tuple[int, ...]:
        extra = per_axis(caller, "output_padding", output_padding, 3)
        if self.pad_mode != "pad" and any(extra):
            raise ArgValueError(f"For '{caller}', output_padding must be zero when pad_mode is '{self.pad_mode}'.")
        limits = [max(sizes) for sizes in zip(self.stride, self.dilation, strict=True)]
        if any(size >= limit for size, limit in zip(extra, limits, strict=True)):
            raise ArgValueError(
                f"For '{caller}', output_padding {extra} must be below the stride {self.stride} or the dilation "
                f"{self.dilation} of each axis."
            )
        return extra
