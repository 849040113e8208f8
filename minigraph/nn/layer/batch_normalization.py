"""Batch normalisation of vectors, sequences, images and volumes, with moving statistics for evaluation."""

from __future__ import annotations

import math

from minigraph import ops
from minigraph.core.errors import ArgValueError, ShapeError
from minigraph.core.op import apply
from minigraph.core.tensor import Parameter, Tensor
from minigraph.core.types import DType, Shape, float32
from minigraph.nn.arguments import check_positive_int
from minigraph.nn.cell import Cell
from minigraph.nn.initializers import Init, initializer
from minigraph.nn.layer.conv import check_format
from minigraph.operators.norms import BATCH_NORM, BATCH_NORM_TRAIN


class BatchNorm(Cell):
    """gamma (x - mean) / sqrt(variance + eps) + beta, per channel (axis 1) (Ioffe & Szegedy 2015).

    Training uses the mean and the biased variance of the batch and updates the moving statistics: ``moving = momentum
    moving + (1 - momentum) batch``, with the unbiased variance. Evaluation uses the moving statistics.
    ``use_batch_statistics`` overrides the mode.

    Raises ``ValueError`` for eps or momentum out of range and ``ShapeError`` for input of another rank.
    """

    ranks: tuple[int, ...] = (2, 3, 4, 5)

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float = 0.9,
        affine: bool = True,
        gamma_init: Init = "ones",
        beta_init: Init = "zeros",
        moving_mean_init: Init = "zeros",
        moving_var_init: Init = "ones",
        use_batch_statistics: bool | None = None,
        data_format: str = "NCHW",
        dtype: DType = float32,
    ) -> None:
        super().__init__()
        self.num_features = check_positive_int(type(self).__name__, "num_features", num_features)
        check_format(type(self).__name__, data_format)
        self.eps, self.momentum = self._check_constants(eps, momentum)
        self.use_batch_statistics = use_batch_statistics

        def vector(init: Init, name: str, requires_grad: bool) -> Parameter:
            return Parameter(initializer(init, num_features, dtype), name, requires_grad)

        self.moving_mean = vector(moving_mean_init, "mean", False)
        self.moving_variance = vector(moving_var_init, "variance", False)
        self.gamma = vector(gamma_init, "gamma", affine)
        self.beta = vector(beta_init, "beta", affine)

    def construct(self, x: Tensor) -> Tensor:
        """Float [N, num_features, ...]; shape and dtype kept."""
        self._check_input(x.shape)
        use_batch = self.training if self.use_batch_statistics is None else self.use_batch_statistics
        if not use_batch:
            return apply(BATCH_NORM, x, self.gamma, self.beta, self.moving_mean, self.moving_variance, eps=self.eps)
        y, mean, variance = apply(BATCH_NORM_TRAIN, x, self.gamma, self.beta, eps=self.eps)
        return ops.depend(y, self._update_statistics(mean, variance, math.prod(x.shape) // self.num_features))

    def _update_statistics(self, mean: Tensor, variance: Tensor, count: int) -> tuple[Tensor, Tensor]:
        """Updates the moving averages with the statistics of a batch with ``count`` elements per channel."""
        old, new = self.momentum, 1 - self.momentum
        unbiased = new * count / max(count - 1, 1)
        return (
            ops.assign(self.moving_mean, old * self.moving_mean + new * mean),
            ops.assign(self.moving_variance, old * self.moving_variance + unbiased * variance),
        )

    def _check_constants(self, eps: float, momentum: float) -> tuple[float, float]:
        caller = type(self).__name__
        if not eps > 0:
            raise ArgValueError(f"For '{caller}', the 'eps' must be greater than 0, but got {eps}.")
        if not 0 <= momentum <= 1:
            raise ArgValueError(f"For '{caller}', the 'momentum' must be a number in range [0, 1], but got {momentum}.")
        return float(eps), float(momentum)

    def _check_input(self, shape: Shape) -> None:
        if len(shape) not in self.ranks or shape[1] != self.num_features:
            raise ShapeError(
                f"{type(self).__name__}({self.num_features}): axis 1 of x must have {self.num_features} channels and "
                f"the rank must be {' or '.join(map(str, self.ranks))}, got shape {list(shape)}; reshape x"
            )

    def extend_repr(self) -> str:
        """Sizes, constants and Parameters."""
        names = "gamma", "beta", "moving_mean", "moving_variance"
        vectors = "".join(f", {name}={getattr(self, name)}" for name in names)
        return f"num_features={self.num_features}, eps={self.eps}, momentum={self.momentum}{vectors}"


class BatchNorm1d(BatchNorm):
    """``BatchNorm`` over [N, C] or [N, C, L].

    >>> from minigraph import Tensor
    >>> norm = BatchNorm1d(1).set_train()
    >>> print(norm(Tensor([[0.0], [2.0]])).asnumpy().round(3).ravel(), norm.moving_mean.value())
    [-1.  1.] [0.1]
    """

    ranks = (2, 3)


class BatchNorm2d(BatchNorm):
    """``BatchNorm`` over images [N, C, H, W]."""

    ranks = (4,)


class SyncBatchNorm(BatchNorm):
    """``BatchNorm`` over [N, C] or [N, C, H, W] with the statistics of all devices, of which there is one.

    ``process_groups`` may only be [[0]]. ``train.DataParallel`` refuses it in training, as it does every layer with
    moving statistics. Raises ``ValueError`` for other groups.

    >>> from minigraph import Tensor
    >>> print(SyncBatchNorm(1).set_train()(Tensor([[0.0], [2.0]])).asnumpy().round(3).ravel())
    [-1.  1.]
    """

    ranks = (2, 4)

    def __init__(
        self, num_features: int, eps: float = 1e-5, momentum: float = 0.9, affine: bool = True,
        gamma_init: Init = "ones", beta_init: Init = "zeros", moving_mean_init: Init = "zeros",
        moving_var_init: Init = "ones", use_batch_statistics: bool | None = None,
        process_groups: list[list[int]] | None = None, dtype: DType = float32,
    ) -> None:  # fmt: skip
        inits = (gamma_init, beta_init, moving_mean_init, moving_var_init)
        super().__init__(num_features, eps, momentum, affine, *inits, use_batch_statistics, dtype=dtype)
        if process_groups not in (None, [], [[0]]):
            raise ArgValueError(
                "For 'SyncBatchNorm', the 'rank id in process_groups' must be 0, of the only device, and must not be "
                f"duplicated, but got {process_groups}; leave it out"
            )


class BatchNorm3d(Cell):
    """``BatchNorm`` over volumes [N, C, D, H, W], whose ``bn2d`` sees them as images [N, C, D, H * W]."""

    def __init__(
        self, num_features: int, eps: float = 1e-5, momentum: float = 0.9, affine: bool = True,
        gamma_init: Init = "ones", beta_init: Init = "zeros", moving_mean_init: Init = "zeros",
        moving_var_init: Init = "ones", use_batch_statistics: bool | None = None, dtype: DType = float32,
    ) -> None:  # fmt: skip
        super().__init__()
        inits = (gamma_init, beta_init, moving_mean_init, moving_var_init)
        self.bn2d = BatchNorm2d(num_features, eps, momentum, affine, *inits, use_batch_statistics, dtype=dtype)

    def construct(self, x: Tensor) -> Tensor:
        """Float [N, num_features, D, H, W]; shape and dtype kept. Raises ``ShapeError`` for another rank."""
        if x.ndim != 5:
            raise ShapeError(f"BatchNorm3d: x must have 5 axes, got shape {list(x.shape)}; reshape x")
        return self.bn2d(x.reshape(*x.shape[:3], -1)).reshape(x.shape)
