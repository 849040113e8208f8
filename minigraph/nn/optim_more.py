"""Further optimizers: AdamW, RMSProp."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from minigraph import ops
from minigraph.nn.optim import checked_betas
from minigraph.nn.optimizer import Optimizer, Rate, not_negative
from minigraph.tensor import Parameter
from minigraph.types import float32


class AdamW(Optimizer):
    """w -= lr (m̂ / (sqrt(v̂) + eps) + weight_decay w), m̂ = m / (1 - b1^t), v̂ = v / (1 - b2^t).

    Algorithm 2 of Loshchilov & Hutter 2019 (arXiv 1711.05101) with the learning rate as its schedule: weight decay
    is apart from the gradient, and eps stands beside the corrected root. All Parameters decay.

    >>> from minigraph import Tensor
    >>> w = Parameter(Tensor([1.0]), name="w")
    >>> optimizer = AdamW([w], learning_rate=0.1, weight_decay=0.5)
    >>> optimizer((Tensor([3.0]),))
    (True,)
    >>> print(w.value())
    [0.85]
    """

    def __init__(
        self,
        params: Iterable[Parameter],
        learning_rate: Rate = 1e-3,
        beta1: float = 0.9,
        beta2: float = 0.999,
        eps: float = 1e-8,
        weight_decay: float = 0.01,
        loss_scale: float = 1.0,
    ) -> None:
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        self.beta1, self.beta2, self.eps = checked_betas("AdamW", beta1, beta2, eps)
        self.moment1 = self.clones("moment1")
        self.moment2 = self.clones("moment2")
        self.counts = True

    def adjusted_rate(self, rate: Any) -> Any:
        """The learning rate itself, and what corrects both means: a tuple of three f32[]."""
        step = (self.global_step + 1).astype(float32).reshape(())
        return rate, _share(self.beta1, step), _share(self.beta2, step) ** 0.5

    def update(self, i: int, parameter: Parameter, gradient: Any, rate: Any) -> Any:
        """The new value of Parameter number ``i``."""
        rate, share1, root2 = rate
        b1, b2 = self.beta1, self.beta2
        mean = ops.assign(self.moment1[i], b1 * self.moment1[i] + (1 - b1) * gradient)
        square = ops.assign(self.moment2[i], b2 * self.moment2[i] + (1 - b2) * (gradient * gradient))
        step = mean / share1 / (ops.sqrt(square) / root2 + self.eps)
        if self.weight_decay:
            step = step + self.weight_decay * parameter
        return ops.assign(parameter, parameter - rate * step)

    def decays(self, parameter: Parameter) -> bool:
        """False: the gradient stays as it is, the decay is a part of the step."""
        return False


class RMSProp(Optimizer):
    """s = decay s + (1 - decay) g²; m = momentum m + lr g / sqrt(s + epsilon); w -= m.

    Tieleman & Hinton 2012 (Coursera, lecture 6.5), with MindSpore's epsilon inside of the root. ``centered``
    subtracts the square of the running mean of g from s (Graves 2013, arXiv 1308.0850, eq. 38-45).

    >>> from minigraph import Tensor
    >>> w = Parameter(Tensor([1.0]), name="w")
    >>> optimizer = RMSProp([w], learning_rate=0.1, decay=0.75)
    >>> optimizer((Tensor([3.0]),))
    (True,)
    >>> print(w.value())
    [0.8]
    """

    def __init__(
        self,
        params: Iterable[Parameter],
        learning_rate: Rate = 0.1,
        decay: float = 0.9,
        momentum: float = 0.0,
        epsilon: float = 1e-10,
        use_locking: bool = False,
        centered: bool = False,
        loss_scale: float = 1.0,
        weight_decay: float = 0.0,
    ) -> None:
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        self.decay = not_negative("RMSProp", "decay", decay)
        self.momentum = not_negative("RMSProp", "momentum", momentum)
        self.epsilon = not_negative("RMSProp", "epsilon", epsilon)
        self.centered = centered
        self.mean_square = self.clones("mean_square")
        if momentum:
            self.moment = self.clones("moment")
        if centered:
            self.mean_gradient = self.clones("mean_gradient")

    def update(self, i: int, parameter: Parameter, gradient: Any, rate: Any) -> Any:
        """The new value of Parameter number ``i``."""
        spread = self._followed(self.mean_square[i], gradient * gradient)
        if self.centered:
            mean = self._followed(self.mean_gradient[i], gradient)
            spread = spread - mean * mean
        step = rate * gradient / ops.sqrt(spread + self.epsilon)
        if self.momentum:
            step = ops.assign(self.moment[i], self.momentum * self.moment[i] + step)
        return ops.assign(parameter, parameter - step)

    def _followed(self, mean: Parameter, fresh: Any) -> Any:
        """A running mean, one value later."""
        return ops.assign(mean, self.decay * mean + (1 - self.decay) * fresh)


def _share(beta: float, step: Any) -> Any:
    """1 - beta^step: f32[]; by expm1, because of 1 - 0.999 float32 would keep but three digits."""
    return -ops.expm1(step * math.log(beta)) if beta else 1.0
