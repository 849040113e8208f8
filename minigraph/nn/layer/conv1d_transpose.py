"""Transposed convolution over sequences [N, C, L]."""

from __future__ import annotations

from minigraph.core.errors import ShapeError
from minigraph.core.tensor import Tensor
from minigraph.core.types import DType, float32
from minigraph.nn.arguments import check_1d_sizes
from minigraph.nn.initializers import Init
from minigraph.nn.layer.conv import check_padding
from minigraph.nn.layer.conv_transpose import Conv2dTranspose


class Conv1dTranspose(Conv2dTranspose):
    """The transposed convolution of sequences [N, in_channels, L]: a ``Conv2dTranspose`` over images one pixel high.

    ``weight`` is [in_channels, out_channels/group, 1, kernel_size], as in MindSpore; ``padding`` is one number for
    both ends. Raises ``ValueError`` for sizes below 1, an unknown mode or padding without "pad".

    >>> from minigraph import ops
    >>> Conv1dTranspose(3, 4, 5, stride=2)(ops.ones((1, 3, 9))).shape
    (1, 4, 18)
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: int,
        stride: int = 1,
        pad_mode: str = "same",
        padding: int = 0,
        dilation: int = 1,
        group: int = 1,
        has_bias: bool = False,
        weight_init: Init | None = None,
        bias_init: Init | None = None,
        dtype: DType = float32,
    ) -> None:
        caller = "Conv1dTranspose"
        check_padding(caller, pad_mode, padding)
        kernel, strides, dilations = check_1d_sizes(caller, kernel_size=kernel_size, stride=stride, dilation=dilation)
        super().__init__(
            in_channels, out_channels, kernel, strides, pad_mode, (0, 0, padding, padding), 0, dilations, group,
            has_bias, weight_init, bias_init, dtype,
        )  # fmt: skip

    def construct(self, x: Tensor) -> Tensor:
        """Float [N, in_channels, L] to [N, out_channels, ol]."""
        if len(x.shape) != 3:
            raise ShapeError(f"For 'Conv1dTranspose', the dimension of input must be 3d, but got {len(x.shape)}.")
        return super().construct(x.expand_dims(2)).squeeze(2)
