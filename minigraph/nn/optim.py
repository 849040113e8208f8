"""The optimizers: SGD, Momentum, Adam, AdamWeightDecay."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from minigraph import ops
from minigraph.errors import TypeArgument, ValueArgument
from minigraph.nn.optimizer import Optimizer, Rate, not_negative
from minigraph.tensor import Parameter, Tensor
from minigraph.types import float32


class SGD(Optimizer):
    """w -= lr v, with v = momentum v + (1 - dampening) g, at the first step v = g.

    With ``nesterov``, w -= lr (g + momentum v). Without momentum, w -= lr g and no state.
    """

    def __init__(
        self,
        params: Iterable[Parameter],
        learning_rate: Rate = 0.1,
        momentum: float = 0.0,
        dampening: float = 0.0,
        weight_decay: float = 0.0,
        nesterov: bool = False,
        loss_scale: float = 1.0,
    ) -> None:
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        self.momentum = not_negative("SGD", "momentum", momentum)
        self.dampening = not_negative("SGD", "dampening", dampening)
        if nesterov and (self.momentum == 0.0 or self.dampening != 0.0):
            raise ValueArgument("For 'SGD', nesterov=True needs a momentum above 0 and a dampening of 0.")
        self.nesterov = nesterov
        if self.momentum:
            self.accum = self.clones("accum")
        self.counts = self.counts or self.dampening > 0.0

    def update(self, i: int, parameter: Parameter, gradient: Any, rate: Any) -> Any:
        """The new value of Parameter number ``i``."""
        if not self.momentum:
            return ops.assign(parameter, parameter - rate * gradient)
        fresh = gradient * self._share() if self.dampening else gradient
        velocity = ops.assign(self.accum[i], self.momentum * self.accum[i] + fresh)
        step = gradient + self.momentum * velocity if self.nesterov else velocity
        return ops.assign(parameter, parameter - rate * step)

    def _share(self) -> Any:
        """What dampening leaves of a gradient: at the first step all of it."""
        first = self.global_step.reshape(()) == 1
        return ops.where(first, 1.0, 1.0 - self.dampening)


class Momentum(Optimizer):
    """v = momentum v + g; w -= lr v, or with ``use_nesterov`` w -= lr (g + momentum v).

    >>> from minigraph import nn
    >>> w = Parameter(Tensor([1.0]), name="w")
    >>> optimizer = nn.Momentum([w], learning_rate=0.1, momentum=0.9)
    >>> optimizer((Tensor([1.0]),)), optimizer((Tensor([1.0]),))
    ((True,), (True,))
    >>> print(w.value())
    [0.71]
    """

    def __init__(
        self,
        params: Iterable[Parameter],
        learning_rate: Rate,
        momentum: float,
        weight_decay: float = 0.0,
        loss_scale: float = 1.0,
        use_nesterov: bool = False,
    ) -> None:
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        if not isinstance(momentum, float):
            kind = type(momentum).__name__
            raise TypeArgument(f"For 'Momentum', the type of 'momentum' should be 'float', but got type '{kind}'.")
        first = Tensor(not_negative("Momentum", "momentum", momentum), float32)
        self.momentum = Parameter(first, name="momentum", requires_grad=False)
        self.moments = self.clones("moments")
        self.use_nesterov = use_nesterov

    def update(self, i: int, parameter: Parameter, gradient: Any, rate: Any) -> Any:
        """The new value of Parameter number ``i``."""
        moment = ops.assign(self.moments[i], self.momentum * self.moments[i] + gradient)
        step = gradient + self.momentum * moment if self.use_nesterov else moment
        return ops.assign(parameter, parameter - rate * step)


class Adam(Optimizer):
    """m and v are running means of g and g²; w -= lr_t m / (sqrt(v) + eps), lr_t = lr sqrt(1 - b2^t) / (1 - b1^t).

    The form before section 2.1 of Kingma & Ba 2015 (arXiv 1412.6980), as MindSpore computes it: eps stands
    beside sqrt(v), not beside its corrected value.
    """

    def __init__(
        self,
        params: Iterable[Parameter],
        learning_rate: Rate = 1e-3,
        beta1: float = 0.9,
        beta2: float = 0.999,
        eps: float = 1e-8,
        weight_decay: float = 0.0,
        loss_scale: float = 1.0,
    ) -> None:
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        self.beta1, self.beta2, self.eps = checked_betas(type(self).__name__, beta1, beta2, eps)
        self.beta1_power = Parameter(Tensor(1.0, float32), name="beta1_power", requires_grad=False)
        self.beta2_power = Parameter(Tensor(1.0, float32), name="beta2_power", requires_grad=False)
        self.moment1 = self.clones("moment1")
        self.moment2 = self.clones("moment2")

    def adjusted_rate(self, rate: Any) -> Any:
        """lr_t of this step: f32[]."""
        power1 = ops.assign(self.beta1_power, self.beta1_power * self.beta1)
        power2 = ops.assign(self.beta2_power, self.beta2_power * self.beta2)
        return rate * ops.sqrt(1 - power2) / (1 - power1)

    def update(self, i: int, parameter: Parameter, gradient: Any, rate: Any) -> Any:
        """The new value of Parameter number ``i``."""
        mean = ops.assign(self.moment1[i], _running(self.moment1[i], self.beta1, gradient))
        square = ops.assign(self.moment2[i], _running(self.moment2[i], self.beta2, gradient * gradient))
        return ops.assign(parameter, parameter - rate * mean / (ops.sqrt(square) + self.eps))


class AdamWeightDecay(Optimizer):
    """w -= lr (m / (sqrt(v) + eps) + weight_decay w), without Adam's correction of the first steps.

    Weight decay is apart from the gradient, as in AdamW (Loshchilov & Hutter 2019, arXiv 1711.05101).
    """

    def __init__(
        self,
        params: Iterable[Parameter],
        learning_rate: Rate = 1e-3,
        beta1: float = 0.9,
        beta2: float = 0.999,
        eps: float = 1e-6,
        weight_decay: float = 0.0,
    ) -> None:
        super().__init__(learning_rate, params, weight_decay)
        self.beta1, self.beta2, self.eps = checked_betas(type(self).__name__, beta1, beta2, eps)
        self.moments1 = self.clones("adam_m")
        self.moments2 = self.clones("adam_v")

    def update(self, i: int, parameter: Parameter, gradient: Any, rate: Any) -> Any:
        """The new value of Parameter number ``i``."""
        mean = ops.assign(self.moments1[i], _running(self.moments1[i], self.beta1, gradient))
        square = ops.assign(self.moments2[i], _running(self.moments2[i], self.beta2, gradient * gradient))
        step = mean / (ops.sqrt(square) + self.eps)
        decayed = step + self.weight_decay * parameter if super().decays(parameter) else step
        return ops.assign(parameter, parameter - rate * decayed)

    def decays(self, parameter: Parameter) -> bool:
        """False: the gradient stays as it is, the decay is a part of the step."""
        return False


def _running(mean: Any, beta: float, fresh: Any) -> Any:
    """An exponential running mean, one value later."""
    return beta * mean + (1 - beta) * fresh


def checked_betas(who: str, beta1: Any, beta2: Any, eps: Any) -> tuple[float, float, float]:
    """The constants of Adam; raises ``ValueError`` for betas outside of [0, 1) or an eps below 0."""
    for name, value in (("beta1", beta1), ("beta2", beta2)):
        if not isinstance(value, float) or not 0.0 <= value < 1.0:
            raise ValueArgument(f"For '{who}', the '{name}' must be a float in range [0.0, 1.0), but got {value!r}.")
    return beta1, beta2, not_negative(who, "eps", eps)
