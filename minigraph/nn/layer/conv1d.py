"""Convolution over sequences [N, C, L]."""

from __future__ import annotations

from minigraph import ops
from minigraph.core.errors import ShapeError
from minigraph.core.tensor import Tensor
from minigraph.core.types import DType, float32
from minigraph.nn.arguments import check_1d_sizes
from minigraph.nn.initializers import Init
from minigraph.nn.layer.conv import Conv2d, check_padding


class Conv1d(Conv2d):
    """The convolution of sequences [N, in_channels, L]: a ``Conv2d`` over images one pixel high.

    ``weight`` is [out_channels, in_channels/group, 1, kernel_size], as in MindSpore; ``weight_init`` may be a Tensor
    without the axis of size 1. ``pad_mode`` and initial values are as for ``Conv2d``; ``padding`` is one number for
    both ends.

    Raises ``ValueError`` for sizes below 1, an unknown mode or padding without "pad".

    >>> from minigraph import ops
    >>> Conv1d(3, 4, 5, stride=2)(ops.ones((1, 3, 9))).shape
    (1, 4, 5)
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
        check_padding("Conv1d", pad_mode, padding)
        if isinstance(weight_init, Tensor) and weight_init.ndim == 3:
            weight_init = ops.expand_dims(weight_init, 2)
        kernel, strides, dilations = check_1d_sizes("Conv1d", kernel_size=kernel_size, stride=stride, dilation=dilation)
        pads = (0, 0, padding, padding)
        super().__init__(
            in_channels, out_channels, kernel, strides, pad_mode, pads, dilations, group, has_bias, weight_init,
            bias_init, dtype=dtype,
        )  # fmt: skip

    def construct(self, x: Tensor) -> Tensor:
        """Float [N, in_channels, L] to [N, out_channels, ol]."""
        if len(x.shape) != 3:
            raise ShapeError(f"Conv1d: needs x[N,C,L], got shape {list(x.shape)}; reshape x")
        return super().construct(x.expand_dims(2)).squeeze(2)
