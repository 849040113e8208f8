"""Adam and its variants; m̂ and v̂ are the moving averages of g and g², divided by 1 - beta^t."""

from __future__ import annotations

import math
from typing import Any

from minigraph import ops
from minigraph.core.tensor import Parameter, Tensor
from minigraph.experimental.optim.optimizer import Optimizer, Rate, check_at_least, check_betas
from minigraph.nn.optim.adam import update_moving_average
from minigraph.nn.optim.optimizer import Parameters, Step

Betas = tuple[float, float]
NADAM_DECAY = 0.96  # Dozat 2016, section 3
RECTIFIED_FROM = 5.0  # the length of the average from which its variance is finite; Liu et al. 2020, algorithm 2


class _Averaging(Optimizer):
    """Moving averages of the gradient and of its square."""

    def __init__(self, params: Parameters, betas: Betas, eps: float, **settings: Any) -> None:
        check_betas(betas)
        check_at_least(type(self).__name__, eps=eps)
        super().__init__(params, {**settings, "betas": betas, "eps": eps})
        self.exp_avg, self.exp_avg_sq = self.clones("exp_avg"), self.clones("exp_avg_sq")

    def averages(self, i: int, gradient: Tensor) -> tuple[Tensor, Tensor]:
        """Both averages after this gradient."""
        betas = self.setting(i, "betas")
        states = zip((self.exp_avg[i], self.exp_avg_sq[i]), betas, (gradient, gradient * gradient), strict=True)
        mean, square = (update_moving_average(state, beta, value) for state, beta, value in states)
        return mean, square

    def corrections(self, i: int, count: Tensor) -> tuple[Tensor, Tensor]:
        """1 - beta^t of both averages; by expm1, because 1 - 0.999 has only three digits in float32."""
        first, second = (
            -ops.expm1(count * math.log(beta)) if beta else ops.ones_like(count) for beta in self.setting(i, "betas")
        )
        return first, second


class Adam(_Averaging):
    """w -= lr m̂ / (sqrt(v̂) + eps) (Kingma & Ba 2015, algorithm 1); weight decay is added to the gradient.

    With ``amsgrad``, v is the largest one so far (Reddi et al. 2018, arXiv 1904.09237).

    >>> w = Parameter(Tensor([1.0]), name="w")
    >>> print(Adam([w], lr=0.1)((Tensor([3.0]),)), w.value())
    True [0.9]
    """

    def __init__(
        self,
        params: Parameters,
        lr: Rate = 1e-3,
        betas: Betas = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0.0,
        amsgrad: bool = False,
        *,
        maximize: bool = False,
    ) -> None:
        super().__init__(params, betas, eps, lr=lr, weight_decay=weight_decay, amsgrad=amsgrad, maximize=maximize)
        self.max_exp_avg_sq = self.clones("max_exp_avg_sq")

    def update(self, i: int, parameter: Parameter, gradient: Tensor, step: Step) -> Tensor:
        """The new value of Parameter ``i``."""
        return ops.assign(parameter, parameter - step.rate * self.direction(i, gradient, step))

    def direction(self, i: int, gradient: Tensor, step: Step) -> Tensor:
        """m̂ / (sqrt(v̂) + eps)."""
        mean, square = self.averages(i, gradient)
        first, second = self.corrections(i, step.shared_values)
        if self.setting(i, "amsgrad"):
            square = ops.assign(self.max_exp_avg_sq[i], ops.maximum(self.max_exp_avg_sq[i], square))
        return mean / first / (ops.sqrt(square) / ops.sqrt(second) + self.setting(i, "eps"))


class AdamW(Adam):
    """``Adam``, whose weight decay is decoupled from the gradient (Loshchilov & Hutter 2019, arXiv 1711.05101)."""

    decays_gradients = False

    def __init__(
        self,
        params: Parameters,
        lr: Rate = 1e-3,
        betas: Betas = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0.01,
        amsgrad: bool = False,
        *,
        maximize: bool = False,
    ) -> None:
        super().__init__(params, lr, betas, eps, weight_decay, amsgrad, maximize=maximize)

    def update(self, i: int, parameter: Parameter, gradient: Tensor, step: Step) -> Tensor:
        """The new value of Parameter ``i``."""
        direction = self.direction(i, gradient, step) + step.decay * parameter
        return ops.assign(parameter, parameter - step.rate * direction)


class Adamax(_Averaging):
    """w -= lr m̂ / u, u = max(b2 u, abs(g) + eps) (Kingma & Ba 2015, algorithm 2)."""

    def __init__(
        self,
        params: Parameters,
        lr: Rate = 2e-3,
        betas: Betas = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0.0,
        *,
        maximize: bool = False,
    ) -> None:
        super().__init__(params, betas, eps, lr=lr, weight_decay=weight_decay, maximize=maximize)

    def update(self, i: int, parameter: Parameter, gradient: Tensor, step: Step) -> Tensor:
        """The new value of Parameter ``i``."""
        (beta1, beta2), largest = self.setting(i, "betas"), self.exp_avg_sq[i]
        mean = update_moving_average(self.exp_avg[i], beta1, gradient)
        norm = ops.assign(largest, ops.maximum(beta2 * largest, ops.abs(gradient) + self.setting(i, "eps")))
        return ops.assign(parameter, parameter - step.rate / self.corrections(i, step.shared_values)[0] * mean / norm)


class RAdam(_Averaging):
    """``Adam`` whose step is multiplied by r(t) once the variance of v̂ is finite, and is lr m̂ before.

    (Liu et al. 2020, arXiv 1908.03265, algorithm 2.)
    """

    def __init__(
        self,
        params: Parameters,
        lr: Rate = 1e-3,
        betas: Betas = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0.0,
    ) -> None:
        super().__init__(params, betas, eps, lr=lr, weight_decay=weight_decay)

    def update(self, i: int, parameter: Parameter, gradient: Tensor, step: Step) -> Tensor:
        """The new value of Parameter ``i``."""
        (_, beta2), count = self.setting(i, "betas"), step.shared_values
        mean, square = self.averages(i, gradient)
        first, second = self.corrections(i, count)
        longest = 2 / (1 - beta2) - 1
        length = longest - 2 * count * beta2**count / second
        variance = (length - 4) * (length - 2) * longest / ((longest - 4) * (longest - 2) * length)
        is_rectified = length > RECTIFIED_FROM
        rectifier = ops.sqrt(ops.where(is_rectified, variance, 1.0))
        root = ops.where(is_rectified, (ops.sqrt(square) + self.setting(i, "eps")) / ops.sqrt(second), 1.0)
        factor = ops.where(is_rectified, rectifier, 1.0)
        return ops.assign(parameter, parameter - step.rate * mean / first * factor / root)


class NAdam(_Averaging):
    """``Adam`` with Nesterov's momentum, whose weights grow with the steps (Dozat 2016)."""

    def __init__(
        self,
        params: Parameters,
        lr: Rate = 2e-3,
        betas: Betas = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0.0,
        momentum_decay: float = 4e-3,
    ) -> None:
        check_at_least("NAdam", momentum_decay=momentum_decay)
        super().__init__(params, betas, eps, lr=lr, weight_decay=weight_decay, momentum_decay=momentum_decay)
        self.mu_product = self.scalars("mu_product", 1.0)

    def update(self, i: int, parameter: Parameter, gradient: Tensor, step: Step) -> Tensor:
        """The new value of Parameter ``i``."""
        (beta1, _), count = self.setting(i, "betas"), step.shared_values
        mean, square = self.averages(i, gradient)
        decay = self.setting(i, "momentum_decay")
        now, later = (beta1 * (1 - 0.5 * NADAM_DECAY ** (t * decay)) for t in (count, count + 1))
        product = ops.assign(self.mu_product[i], self.mu_product[i] * now)
        root = ops.sqrt(square / self.corrections(i, count)[1]) + self.setting(i, "eps")
        direction = (1 - now) / (1 - product) * gradient + later / (1 - product * later) * mean
        return ops.assign(parameter, parameter - step.rate * direction / root)
