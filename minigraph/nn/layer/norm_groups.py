"""Normalisation by groups of channels, and by the root of the mean square."""

from __future__ import annotations

from typing import Any

from minigraph.core.errors import ShapeError, UsageError, ValueArgument
from minigraph.core.tensor import Parameter
from minigraph.core.types import DType, float32
from minigraph.nn.arguments import positive, positive_int
from minigraph.nn.cell import Cell
from minigraph.nn.initializers import Init, initializer
from minigraph.ops.functional.normalization import group_norm


class GroupNorm(Cell):
    """gamma (x - mean) / sqrt(variance + eps) + beta, statistics per image and group of channels (Wu & He 2018).

    The channels (axis 1) stand in ``num_groups`` groups of neighbours; the variance is biased. ``gamma`` and
    ``beta`` are vectors over the channels; without ``affine`` they are not trained. Raises ``ValueError`` for
    sizes below 1, groups of unequal size or an eps that is not positive.

    >>> from minigraph import Tensor
    >>> print(GroupNorm(1, 2)(Tensor([[[1.0], [3.0]]])).asnumpy().round(3).ravel())
    [-1.  1.]
    """

    def __init__(
        self,
        num_groups: int,
        num_channels: int,
        eps: float = 1e-5,
        affine: bool = True,
        gamma_init: Init = "ones",
        beta_init: Init = "zeros",
        dtype: DType = float32,
    ) -> None:
        super().__init__()
        self.num_groups = positive_int("GroupNorm", "num_groups", num_groups)
        self.num_channels = positive_int("GroupNorm", "num_channels", num_channels)
        if num_channels % num_groups:
            raise ValueArgument(
                "For 'GroupNorm', the 'num_channels' must be divided by 'num_groups', "
                f"but got 'num_channels': {num_channels}, 'num_groups': {num_groups}."
            )
        self.eps, self.affine = positive("GroupNorm", "eps", eps), affine
        self.gamma = Parameter(initializer(gamma_init, num_channels, dtype), name="gamma", requires_grad=affine)
        self.beta = Parameter(initializer(beta_init, num_channels, dtype), name="beta", requires_grad=affine)

    def construct(self, x: Any) -> Any:
        """Float [N, num_channels, ...]; shape and dtype kept."""
        shape = x.shape
        if len(shape) < 2 or shape[1] != self.num_channels:
            raise ShapeError(
                f"GroupNorm: axis 1 of x must have {self.num_channels} channels, got shape {list(shape)}; reshape x"
            )
        return group_norm(x, self.num_groups, self.gamma, self.beta, self.eps)

    def extend_repr(self) -> str:
        """Sizes."""
        return f"num_groups={self.num_groups}, num_channels={self.num_channels}"


class RMSNorm(Cell):
    """gamma x / sqrt(mean(x²) + epsilon) over the last axes (Zhang & Sennrich 2019, arXiv 1910.07467).

    ``normalized_shape``, one int or a tuple, is the shape of these axes and of ``gamma``. Raises ``ValueError``
    for sizes below 1 or an epsilon that is not positive.

    >>> from minigraph import Tensor
    >>> print(RMSNorm(2)(Tensor([[1.0, 7.0]])))
    [[0.2 1.4]]
    """

    def __init__(
        self,
        normalized_shape: int | tuple[int, ...] | list[int],
        epsilon: float = 1e-6,
        gamma_init: Init = "ones",
        dtype: DType = float32,
    ) -> None:
        super().__init__()
        sizes = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
        if not sizes:
            raise UsageError("RMSNorm: normalized_shape is an int or a tuple of ints such as (64,), got ()")
        self.normalized_shape = tuple(positive_int("RMSNorm", "normalized_shape", n) for n in sizes)
        self.epsilon = positive("RMSNorm", "epsilon", epsilon)
        self.gamma = Parameter(initializer(gamma_init, self.normalized_shape, dtype), name="gamma")

    def construct(self, x: Any) -> Any:
        """Float of any rank that ends with ``normalized_shape``; shape and dtype kept."""
        begin = len(x.shape) - len(self.normalized_shape)
        if x.shape[max(begin, 0) :] != self.normalized_shape:
            raise ShapeError(f"RMSNorm: x must end with {list(self.normalized_shape)}, got shape {list(x.shape)}")
        square = (x * x).mean(tuple(range(begin, len(x.shape))), keep_dims=True)
        return x / (square + self.epsilon).sqrt() * self.gamma

    def extend_repr(self) -> str:
        """Shape and epsilon."""
        return f"normalized_shape={self.normalized_shape}, epsilon={self.epsilon}"
