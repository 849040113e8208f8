"""Convolution over images [N, C, H, W]."""

from __future__ import annotations

from minigraph import ops
from minigraph.core.aliases import IntOrTuple
from minigraph.core.errors import ArgValueError
from minigraph.core.tensor import Parameter, Tensor
from minigraph.core.types import DType, float32
from minigraph.nn.arguments import check_positive_int
from minigraph.nn.cell import Cell
from minigraph.nn.initializers import Init, fans, initializer, uniform_of_fan_in
from minigraph.operators.conv import padding_of, pair_of
from minigraph.operators.im2col import Padding, Pair

PAD_MODES = ("valid", "same", "pad")
NO_PADDING: Padding = ((0, 0), (0, 0))


class Convolution(Cell):
    """The base class of convolution layers: the window, its weight, a bias, and the printed form.

    Windows have an integer for each axis of an image; a subclass for other inputs has its own ``_per_axis`` and
    ``_check_padding``.

    Raises ``ValueError`` for an unknown mode, padding without "pad", sizes below 1 or groups that do not divide the
    channels.
    """

    layout = "NCHW"

    def __init__(
        self,
        caller: str,
        in_channels: int,
        out_channels: int,
        kernel_size: IntOrTuple,
        stride: IntOrTuple,
        pad_mode: str,
        padding: IntOrTuple,
        dilation: IntOrTuple,
        group: int,
        has_bias: bool,
        weight_init: Init | None,
        bias_init: Init | None,
        dtype: DType,
    ) -> None:
        super().__init__()
        self.in_channels = check_positive_int(caller, "in_channels", in_channels)
        self.out_channels = check_positive_int(caller, "out_channels", out_channels)
        self.group = check_positive_int(caller, "group", group)
        self.kernel_size = self._per_axis(caller, "kernel_size", kernel_size)
        self.stride = self._per_axis(caller, "stride", stride)
        self.dilation = self._per_axis(caller, "dilation", dilation)
        self.pad_mode, self.padding, self.has_bias = pad_mode, padding, has_bias
        self.pads = self._check_padding(caller, pad_mode, padding)
        check_groups(group, in_channels, out_channels)
        shape = (*self._channels(), *self.kernel_size)
        rule = uniform_of_fan_in(fans(shape)[0])
        self.weight_init = rule if weight_init is None else weight_init
        self.bias_init = rule if has_bias and bias_init is None else bias_init
        self.weight = Parameter(initializer(self.weight_init, shape, dtype), name="weight")
        self.bias: Parameter | None = None
        if self.bias_init is not None and has_bias:
            self.bias = Parameter(initializer(self.bias_init, out_channels, dtype), name="bias")

    def _channels(self) -> Pair:
        """The first two sizes of the weight."""
        return self.out_channels, self.in_channels // self.group

    def _per_axis(self, caller: str, name: str, value: IntOrTuple) -> tuple[int, ...]:
        """One positive integer for each axis."""
        return pair_of(caller, name, value)

    def _check_padding(self, caller: str, mode: str, padding: IntOrTuple) -> tuple[Pair, ...]:
        """(before, after) for each axis; zeros unless the mode is "pad"."""
        return check_padding(caller, mode, padding)

    def extend_repr(self) -> str:
        """Sizes, window, bias and initial values."""
        return (
            f"input_channels={self.in_channels}, output_channels={self.out_channels}, "
            f"kernel_size={self.kernel_size}, stride={self.stride}, pad_mode={self.pad_mode}, "
            f"padding={self.padding}, dilation={self.dilation}, group={self.group}, has_bias={self.has_bias}, "
            f"weight_init={self.weight_init}, bias_init={self.bias_init}, format={self.layout}"
        )


class Conv2d(Convolution):
    """The convolution of images [N, in_channels, H, W] with ``weight`` [out_channels, in_channels/group, kh, kw].

    ``pad_mode``: "same" pads with zeros so that the result has ceil(size / stride) pixels, with an odd pixel after;
    "valid" does not pad; "pad" pads ``padding`` pixels: one number, or (top, bottom, left, right). Weight and bias are
    initialised from U(-1/sqrt(f), 1/sqrt(f)), f = in_channels / group kh kw.

    Raises ``ValueError`` for an unknown mode, padding without "pad", sizes below 1 or groups that do not divide the
    channels.

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
        padding: IntOrTuple = 0,
        dilation: int | Pair = 1,
        group: int = 1,
        has_bias: bool = False,
        weight_init: Init | None = None,
        bias_init: Init | None = None,
        data_format: str = "NCHW",
        dtype: DType = float32,
    ) -> None:
        check_format("Conv2d", data_format)
        super().__init__(
            "Conv2d", in_channels, out_channels, kernel_size, stride, pad_mode, padding, dilation, group, has_bias,
            weight_init, bias_init, dtype,
        )  # fmt: skip

    def construct(self, x: Tensor) -> Tensor:
        """Float [N, in_channels, H, W] to [N, out_channels, oh, ow]."""
        return self.conv2d(x, self.weight, self.bias)

    def conv2d(self, x: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
        """The convolution with another weight: for subclasses that compute theirs, as in MindSpore."""
        padding = self.pads if self.pad_mode == "pad" else 0
        return ops.conv2d(x, weight, bias, self.stride, self.pad_mode, padding, self.dilation, self.group)


def check_groups(group: int, in_channels: int, out_channels: int) -> None:
    """Raises ``ValueError`` unless the groups divide both numbers of channels."""
    if in_channels % group or out_channels % group:
        raise ArgValueError(
            "The argument 'group' should be divisible by 'in_channels' and 'out_channels', "
            f"but got group:{group}, in_channels:{in_channels}, out_channels:{out_channels}."
        )


def check_padding(caller: str, mode: str, padding: IntOrTuple) -> Padding:
    """The padding of mode "pad"; raises ``ValueError`` for an unknown mode or for padding in other modes."""
    pads = padding_of(caller, padding)
    check_pad_mode(caller, mode, padding, is_padded=pads != NO_PADDING)
    return pads


def check_pad_mode(caller: str, mode: str, padding: IntOrTuple, is_padded: bool) -> None:
    """Raises ``ValueError`` for an unknown mode, or for padding in modes other than "pad"."""
    if mode not in PAD_MODES:
        expected = f"must be str and must be in '{list(PAD_MODES)}'"
        raise ArgValueError(f"For '{caller}', the 'pad_mode' {expected}, but got '{mode}'.")
    if mode != "pad" and is_padded:
        raise ArgValueError(
            f"For '{caller}', the 'pad' must be zero when 'pad_mode' is not 'pad', "
            f"but got 'pad': {padding} and 'pad_mode': {mode}."
        )


def check_format(caller: str, data_format: str, layout: str = "NCHW") -> None:
    """Raises ``ValueError`` for other layouts than the layer's."""
    if data_format != layout:
        raise ArgValueError(
            f"For '{caller}', the 'data_format' must be '{layout}', but got {data_format!r}; transpose first."
        )
