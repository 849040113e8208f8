"""Lamb: Adam with a trust ratio per Parameter."""

from __future__ import annotations

from minigraph import ops
from minigraph.core.tensor import Parameter, Tensor
from minigraph.core.types import float32
from minigraph.nn.optim.adam import check_betas, update_moving_average
from minigraph.nn.optim.optimizer import Decay, Optimizer, Parameters, Rate, Step


class Lamb(Optimizer):
    """r = m̂ / (sqrt(v̂) + eps) + weight_decay w; w -= lr r |w| / |r|, m̂ and v̂ bias-corrected averages of g and g².

    Algorithm 2 of You et al. 2020 (arXiv 1904.00962): the step of every Parameter is proportional to its norm. The
    trust ratio |w| / |r| is 1 where w or r is 0.
    """

    decays_gradients = False

    def __init__(
        self,
        params: Parameters,
        learning_rate: Rate,
        beta1: float = 0.9,
        beta2: float = 0.999,
        eps: float = 1e-6,
        weight_decay: Decay = 0.0,
    ) -> None:
        super().__init__(learning_rate, params, weight_decay)
        self.beta1, self.beta2, self.eps = check_betas("Lamb", beta1, beta2, eps)
        self.moments1, self.moments2 = self.clones("lamb_m"), self.clones("lamb_v")

    def shared_values(self) -> tuple[Tensor, ...]:
        """1 - b1^t and 1 - b2^t of this step: a pair of f32[]."""
        count = (self.global_step + 1).astype(float32).reshape(())
        return tuple(1 - beta**count for beta in (self.beta1, self.beta2))

    def update(self, i: int, parameter: Parameter, gradient: Tensor, step: Step) -> Tensor:
        """The new value of Parameter ``i``."""
        mean = update_moving_average(self.moments1[i], self.beta1, gradient)
        square = update_moving_average(self.moments2[i], self.beta2, gradient * gradient)
        correction1, correction2 = step.shared_values
        direction = mean / correction1 / (ops.sqrt(square / correction2) + self.eps) + step.decay * parameter
        weight_norm, step_norm = _norm(parameter), _norm(direction)
        nonzero = ops.logical_and(weight_norm > 0, step_norm > 0)
        trust = ops.where(nonzero, weight_norm / ops.where(nonzero, step_norm, 1.0), 1.0)
        return ops.assign(parameter, parameter - step.rate * trust * direction)


def _norm(x: Tensor) -> Tensor:
    """The square root of the sum of squares: f32[]."""
    return ops.sqrt((x * x).sum())
