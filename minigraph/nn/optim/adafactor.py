"""AdaFactor: Adam with the second moments of a matrix kept as those of its rows and columns."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from minigraph import ops
from minigraph.core.aliases import PyTree
from minigraph.core.errors import ArgTypeError, ArgValueError
from minigraph.core.tensor import Parameter, ParameterTuple, Tensor
from minigraph.core.types import DType, Shape, float16, float32
from minigraph.nn.arguments import check_bool, check_nonnegative, check_nonnegative_float, check_type
from minigraph.nn.optim.adam import update_moving_average
from minigraph.nn.optim.optimizer import Optimizer, Parameters, Rate, Step

RELATIVE_STEP, WARMUP_STEP = 1e-2, 1e-6  # upper bound of the relative step; per step with ``warmup_init``


class AdaFactor(Optimizer):
    """Adam whose second moments are those of rows and columns (Shazeer & Stern 2018, arXiv 1804.04235).

    At step t the share kept of second moments is 1 - t^-``decay_rate``. Updates whose root mean square exceeds
    ``clip_threshold`` are scaled to it. ``relative_step`` replaces the learning rate by min(0.01, 1/sqrt(t)), with
    ``warmup_init`` by min(1e-6 t, 1/sqrt(t)); ``scale_parameter`` multiplies it by the root mean square of the
    Parameter, at least ``eps[1]``. ``beta1`` averages updates (``None`` or 0: not), ``weight_decay`` is decoupled, and
    ``compression`` keeps the second moments of vectors in float16.

    Raises ``ValueError`` for a learning rate with ``relative_step``, none without it, ``warmup_init`` without it and
    constants out of range, ``TypeError`` for other types.

    >>> w = Parameter(Tensor([1.0]), name="w")
    >>> optimizer = AdaFactor([w], learning_rate=0.5, beta1=0.0, scale_parameter=False, relative_step=False)
    >>> optimizer((Tensor([2.0]),))
    (True,)
    >>> print(w.value())
    [0.5]
    """

    decays_gradients = False

    def __init__(
        self, params: Parameters, learning_rate: Rate | None = None, eps: Sequence[float] = (1e-30, 1e-3),
        clip_threshold: float = 1.0, decay_rate: float = 0.8, beta1: float | None = 0.9, weight_decay: float = 0.0,
        scale_parameter: bool = True, relative_step: bool = True, warmup_init: bool = False, compression: bool = False,
        loss_scale: float = 1.0,
    ) -> None:  # fmt: skip
        _check_rate(learning_rate, relative_step, warmup_init)
        super().__init__(0.0 if learning_rate is None else learning_rate, params, weight_decay, loss_scale)
        self.relative_step = check_bool("AdaFactor", "relative_step", relative_step)
        self.warmup_init = check_bool("AdaFactor", "warmup_init", warmup_init)
        _check_below_one("weight_decay", weight_decay, weight_decay >= 0, "[")
        self.eps = _regularization(eps)
        self.clip_threshold = check_nonnegative_float("AdaFactor", "clip_threshold", clip_threshold)
        self.decay_rate = check_type("AdaFactor", "decay_rate", decay_rate, float)
        _check_below_one("decay_rate", decay_rate, decay_rate > 0, "(")
        self.beta1 = check_nonnegative("AdaFactor", "beta1", beta1 or 0.0)
        # as in MindSpore, rates that depend on the step are not scaled
        self.scale_parameter = check_bool("AdaFactor", "scale_parameter", scale_parameter) and not self.dynamic_lr
        self._add_states(check_bool("AdaFactor", "compression", compression))

    def _add_states(self, compression: bool) -> None:
        """The moments of each Parameter, with one element where its rank needs none: MindSpore's names and shapes."""

        def states(prefix: str, shape_of: Callable[[Shape], Shape], dtype: DType | None = None) -> ParameterTuple:
            values = [(p.name, Tensor(np.zeros(shape_of(p.shape)), dtype or p.dtype)) for p in self.parameters]
            return ParameterTuple(Parameter(value, f"{prefix}_{name}", requires_grad=False) for name, value in values)

        self.exp_avg = self.clones("exp_avg") if self.beta1 else ParameterTuple(())
        self.exp_avg_sq_row = states("exp_avg_sq_row", lambda s: s[:-1] if len(s) > 1 else (1,))
        self.exp_avg_sq_col = states("exp_avg_sq_col", lambda s: (*s[:-2], s[-1]) if len(s) > 1 else (1,))
        half = float16 if compression else None
        self.exp_avg_sq = states("exp_avg_sq", lambda s: (1,) if len(s) > 1 else s, half)

    def shared_values(self) -> tuple[Tensor, Tensor]:
        """The share of the second moments that this step keeps, and the relative step: both f32[]."""
        t = (self.global_step + 1).astype(float32).reshape(())
        bound = WARMUP_STEP * t if self.warmup_init else RELATIVE_STEP
        return 1.0 - t**-self.decay_rate, ops.minimum(1.0 / ops.sqrt(t), bound)

    def adjusted_rate(self, rate: Tensor, shared_values: PyTree) -> Tensor:
        """The relative step in place of the learning rate."""
        return shared_values[1] if self.relative_step else rate

    def update(self, i: int, parameter: Parameter, gradient: Tensor, step: Step) -> Tensor:
        """The new value of Parameter ``i``."""
        rate = step.rate * ops.maximum(_root_mean_square(parameter), self.eps[1]) if self.scale_parameter else step.rate
        change = gradient * self._inverse_root(i, gradient * gradient + self.eps[0], step.shared_values[0])
        change = change / ops.maximum(_root_mean_square(change) / self.clip_threshold, 1.0) * rate
        if self.beta1:
            change = update_moving_average(self.exp_avg[i], self.beta1, change)
        return ops.assign(parameter, parameter - parameter * (step.decay * rate) - change)

    def _inverse_root(self, i: int, squares: Tensor, kept: Tensor) -> Tensor:
        """1 / sqrt of the second moments, for matrices of their factors, after these squares are averaged in."""
        if squares.ndim < 2:
            return ops.rsqrt(update_moving_average(self.exp_avg_sq[i], kept, squares).astype(squares.dtype))
        rows = update_moving_average(self.exp_avg_sq_row[i], kept, squares.mean(-1))
        columns = update_moving_average(self.exp_avg_sq_col[i], kept, squares.mean(-2))
        return ops.rsqrt(rows / rows.mean(-1, True)).expand_dims(-1) * ops.rsqrt(columns).expand_dims(-2)


def _root_mean_square(x: Tensor) -> Tensor:
    return ops.sqrt((x * x).mean())


def _check_rate(learning_rate: Rate | None, relative_step: bool, warmup_init: bool) -> None:
    """Raises ``ValueError`` unless the step is either the learning rate or the relative step."""
    if learning_rate is not None and relative_step:
        raise ArgValueError(f"AdaFactor: Cannot combine manual lr {learning_rate} and relative_step options")
    if warmup_init and not relative_step:
        raise ArgValueError("AdaFactor: warmup_init requires relative_step=True")
    if learning_rate is None and not relative_step:
        raise ArgValueError("AdaFactor: relative_step=False needs a learning_rate")


def _regularization(eps: Sequence[float]) -> tuple[float, float]:
    """What is added to squares, and the least scale of a Parameter."""
    if not isinstance(eps, tuple | list):
        raise ArgTypeError(f"AdaFactor: eps must be a tuple (eps1, eps2), got {type(eps).__name__}")
    if len(eps) != 2:
        raise ArgValueError(f"AdaFactor: eps must have 2 values (eps1, eps2), got {eps!r}")
    first, second = (check_nonnegative_float("AdaFactor", f"eps{i}", value) for i, value in enumerate(eps))
    return first, second


def _check_below_one(name: str, value: object, is_above: bool, bracket: str) -> None:
    if not is_above or value >= 1:  # type: ignore[operator]
        kind = type(value).__name__
        raise ArgValueError(
            f"For 'AdaFactor', the '{name}' must be in range of {bracket}0, 1), but got {value} with type '{kind}'."
        )
