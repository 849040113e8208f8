"""Further optimizers: AdamW, RMSProp."""

from __future__ import annotations

import math
from typing import Any

from minigraph import ops
from minigraph.core.tensor import Parameter
from minigraph.core.types import float32
from minigraph.nn.arguments import flag, float_from_0, positive_float
from minigraph.nn.optim.momentum import checked_betas, followed
from minigraph.nn.optim.optimizer import Decay, Optimizer, Parameters, Rate, Step


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

    decays_gradients = False

    def __init__(
        self,
        params: Parameters,
        learning_rate: Rate = 1e-3,
        beta1: float = 0.9,
        beta2: float = 0.999,
        eps: float = 1e-8,
        weight_decay: Decay = 0.01,
        loss_scale: float = 1.0,
    ) -> None:
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        self.beta1, self.beta2, self.eps = checked_betas("AdamW", beta1, beta2, eps)
        self.moment1 = self.clones("moment1")
        self.moment2 = self.clones("moment2")

    def shared(self) -> Any:
        """What corrects both means: a pair of f32[]."""
        count = (self.global_step + 1).astype(float32).reshape(())
        return _share(self.beta1, count), _share(self.beta2, count) ** 0.5

    def update(self, i: int, parameter: Parameter, gradient: Any, step: Step) -> Any:
        """The new value of Parameter number ``i``."""
        share1, root2 = step.shared
        mean = followed(self.moment1[i], self.beta1, gradient)
        square = followed(self.moment2[i], self.beta2, gradient * gradient)
        along = mean / share1 / (ops.sqrt(square) / root2 + self.eps) + step.decay * parameter
        return ops.assign(parameter, parameter - step.rate * along)

    def decays(self, parameter: Parameter) -> bool:
        """True: all Parameters decay."""
        return True


class RMSProp(Optimizer):
    """s = decay s + (1 - decay) g²; m = momentum m + lr g / sqrt(s + epsilon); w -= m.

    Tieleman & Hinton 2012 (Coursera, lecture 6.5), with MindSpore's epsilon inside of the root and its first s of
    1, so that the first steps are small. ``centered`` subtracts the square of the running mean of g from s (Graves
    2013, arXiv 1308.0850, eq. 38-45). ``use_locking`` changes nothing.

    >>> from minigraph import Tensor
    >>> w = Parameter(Tensor([1.0]), name="w")
    >>> optimizer = RMSProp([w], learning_rate=0.1, decay=0.5)
    >>> optimizer((Tensor([7.0]),))
    (True,)
    >>> print(w.value())
    [0.86]
    """

    def __init__(
        self,
        params: Parameters,
        learning_rate: Rate = 0.1,
        decay: float = 0.9,
        momentum: float = 0.0,
        epsilon: float = 1e-10,
        use_locking: bool = False,
        centered: bool = False,
        loss_scale: float = 1.0,
        weight_decay: Decay = 0.0,
    ) -> None:
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        self.decay = float_from_0("RMSProp", "decay", decay)
        self.momentum = float_from_0("RMSProp", "momentum", momentum)
        self.epsilon = positive_float("RMSProp", "epsilon", epsilon)
        flag("RMSProp", "use_locking", use_locking)
        self.centered = flag("RMSProp", "centered", centered)
        if centered:
            self.mean_grad = self.clones("mean_grad")
        self.mean_square = self.clones("mean_square", 1.0)
        self.moment = self.clones("moment")

    def update(self, i: int, parameter: Parameter, gradient: Any, step: Step) -> Any:
        """The new value of Parameter number ``i``."""
        spread = followed(self.mean_square[i], self.decay, gradient * gradient)
        if self.centered:
            mean = followed(self.mean_grad[i], self.decay, gradient)
            spread = spread - mean * mean
        along = step.rate * gradient / ops.sqrt(spread + self.epsilon)
        if self.momentum:
            along = ops.assign(self.moment[i], self.momentum * self.moment[i] + along)
        return ops.assign(parameter, parameter - along)


def _share(beta: float, step: Any) -> Any:
    """1 - beta^step: f32[]; by expm1, because of 1 - 0.999 float32 would keep but three digits."""
    return -ops.expm1(step * math.log(beta))
