"""Normalisation layers: by layer, group, root mean square, and local response."""

from __future__ import annotations

from minigraph import ops
from minigraph.core.aliases import IntOrTuple
from minigraph.core.errors import ArgTypeError, ArgValueError, ShapeError, UsageError
from minigraph.core.op import apply
from minigraph.core.tensor import Parameter, Tensor
from minigraph.core.types import DType, float32
from minigraph.nn.arguments import check_positive, check_positive_int
from minigraph.nn.cell import Cell
from minigraph.nn.initializers import Init, initializer
from minigraph.operators.norms import LAYER_NORM
from minigraph.ops.functional.normalization import group_norm


class LayerNorm(Cell):
    """gamma (x - mean) / sqrt(variance + epsilon) + beta over the axes from ``begin_norm_axis`` on (Ba et al. 2016).

    The variance is biased. ``gamma`` and ``beta`` have the shape ``normalized_shape``, for the axes from
    ``begin_params_axis`` on.

    >>> from minigraph import Tensor
    >>> print(LayerNorm((2,))(Tensor([[1.0, 3.0]])))
    [[-1.  1.]]
    """

    def __init__(
        self,
        normalized_shape: tuple[int, ...] | list[int],
        begin_norm_axis: int = -1,
        begin_params_axis: int = -1,
        gamma_init: Init = "ones",
        beta_init: Init = "zeros",
        epsilon: float = 1e-7,
        dtype: DType = float32,
    ) -> None:
        super().__init__()
        if not isinstance(normalized_shape, tuple | list) or not normalized_shape:
            raise ArgTypeError(
                "For 'LayerNorm', the type of 'normalized_shape' must be tuple[int] or list[int], "
                f"but got {normalized_shape} and the type is {type(normalized_shape)}."
            )
        self.normalized_shape = normalized_shape
        shape = tuple(check_positive_int("LayerNorm", "normalized_shape", n) for n in normalized_shape)
        self.begin_norm_axis, self.begin_params_axis = begin_norm_axis, begin_params_axis
        self.epsilon = float(epsilon)
        self.gamma = Parameter(initializer(gamma_init, shape, dtype), name="gamma")
        self.beta = Parameter(initializer(beta_init, shape, dtype), name="beta")

    def construct(self, input_x: Tensor) -> Tensor:
        """Float of any rank that ends with ``normalized_shape``; shape and dtype kept."""
        rank = len(input_x.shape)
        begin, params = self.begin_norm_axis % rank, self.begin_params_axis % rank
        if begin == params:
            return apply(LAYER_NORM, input_x, self.gamma, self.beta, axis=begin, eps=self.epsilon)
        if input_x.shape[params:] != self.gamma.shape:
            raise ShapeError(
                f"LayerNorm: gamma is {self.gamma.type}, the axes of x{list(input_x.shape)} from {params} on "
                "differ; normalized_shape must equal them"
            )
        return self.layer_norm(input_x, self.gamma, self.beta)[0]

    def layer_norm(self, input_x: Tensor, gamma: Tensor, beta: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """(normalised, mean, variance) with another gamma and beta: for subclasses, as in MindSpore."""
        primitive = ops.LayerNorm(self.begin_norm_axis, self.begin_params_axis, self.epsilon)
        result: tuple[Tensor, Tensor, Tensor] = primitive(input_x, gamma, beta)
        return result

    def extend_repr(self) -> str:
        """Shape, axes and Parameters; as in MindSpore, there is no "=" after gamma."""
        return (
            f"normalized_shape={self.normalized_shape}, begin_norm_axis={self.begin_norm_axis}, "
            f"begin_params_axis={self.begin_params_axis}, gamma{self.gamma}, beta={self.beta}"
        )


class GroupNorm(Cell):
    """gamma (x - mean) / sqrt(variance + eps) + beta, statistics per image and group of channels (Wu & He 2018).

    The channels (axis 1) form ``num_groups`` groups of neighbours; the variance is biased. ``gamma`` and ``beta`` are
    vectors over the channels; without ``affine`` they are not trained. Raises ``ValueError`` for sizes below 1, groups
    of unequal size or an eps that is not positive.

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
        self.num_groups = check_positive_int("GroupNorm", "num_groups", num_groups)
        self.num_channels = check_positive_int("GroupNorm", "num_channels", num_channels)
        if num_channels % num_groups:
            raise ArgValueError(
                "For 'GroupNorm', the 'num_channels' must be divided by 'num_groups', "
                f"but got 'num_channels': {num_channels}, 'num_groups': {num_groups}."
            )
        self.eps, self.affine = check_positive("GroupNorm", "eps", eps), affine
        self.gamma = Parameter(initializer(gamma_init, num_channels, dtype), name="gamma", requires_grad=affine)
        self.beta = Parameter(initializer(beta_init, num_channels, dtype), name="beta", requires_grad=affine)

    def construct(self, x: Tensor) -> Tensor:
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
        normalized_shape: IntOrTuple | list[int],
        epsilon: float = 1e-6,
        gamma_init: Init = "ones",
        dtype: DType = float32,
    ) -> None:
        super().__init__()
        sizes = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
        if not sizes:
            raise UsageError("RMSNorm: normalized_shape must be an int or a tuple of ints such as (64,), got ()")
        self.normalized_shape = tuple(check_positive_int("RMSNorm", "normalized_shape", n) for n in sizes)
        self.epsilon = check_positive("RMSNorm", "epsilon", epsilon)
        self.gamma = Parameter(initializer(gamma_init, self.normalized_shape, dtype), name="gamma")

    def construct(self, x: Tensor) -> Tensor:
        """Float of any rank that ends with ``normalized_shape``; shape and dtype kept."""
        begin = len(x.shape) - len(self.normalized_shape)
        if x.shape[max(begin, 0) :] != self.normalized_shape:
            raise ShapeError(f"RMSNorm: x must end with {list(self.normalized_shape)}, got shape {list(x.shape)}")
        square = (x * x).mean(tuple(range(begin, len(x.shape))), keep_dims=True)
        return x / (square + self.epsilon).sqrt() * self.gamma

    def extend_repr(self) -> str:
        """Shape and epsilon."""
        return f"normalized_shape={self.normalized_shape}, epsilon={self.epsilon}"


class LRN(Cell):
    """Local response normalisation: x / (bias + alpha s)**beta, s the sum of squares of neighbouring channels."""

    def __init__(
        self,
        depth_radius: int = 5,
        bias: float = 1.0,
        alpha: float = 1.0,
        beta: float = 0.5,
        norm_region: str = "ACROSS_CHANNELS",
    ) -> None:
        super().__init__()
        self.config = (depth_radius, bias, alpha, beta, norm_region)

    def construct(self, input_x: Tensor) -> Tensor:
        """Images [N, C, H, W], normalised."""
        return ops.lrn(input_x, *self.config)
