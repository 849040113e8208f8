"""Stochastic gradient descent: SGD, Momentum."""

from __future__ import annotations

from minigraph import ops
from minigraph.core.errors import ArgTypeError, ArgValueError
from minigraph.core.tensor import Parameter, Tensor
from minigraph.core.types import float32
from minigraph.nn.arguments import check_bool, check_type
from minigraph.nn.optim.optimizer import Decay, Optimizer, Parameters, Rate, Step


class SGD(Optimizer):
    """w -= lr v, with v = momentum v + (1 - dampening) g, in the first step v = g.

    With ``nesterov``, w -= lr (g + momentum v). Without momentum, w -= lr g. The state is v, named ``accum``, and
    ``stat``, which is 1 until the first step with dampening.
    """

    def __init__(
        self,
        params: Parameters,
        learning_rate: Rate = 0.1,
        momentum: float = 0.0,
        dampening: float = 0.0,
        weight_decay: Decay = 0.0,
        nesterov: bool = False,
        loss_scale: float = 1.0,
    ) -> None:
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        self.momentum_value = check_momentum("SGD", momentum)
        if not dampening >= 0:
            raise ArgValueError(
                f"For 'SGD', the argument 'dampening' must be at least 0.0, but got 'dampening' {dampening}"
            )
        if nesterov and (self.momentum_value == 0.0 or dampening != 0.0):
            raise ArgValueError(
                "For 'SGD', if 'nesterov' is true, 'momentum' must be > 0.0 and 'dampening' must equal to 0.0, "
                f"but got 'momentum' {momentum}, 'dampening' {dampening}."
            )
        self.dampening, self.nesterov = float(dampening), check_bool("SGD", "nesterov", nesterov)
        self.momentum = Parameter(Tensor(self.momentum_value, float32), name="momentum", requires_grad=False)
        self.accum, self.stat = self.clones("accum"), self.clones("stat", 1.0)

    def update(self, i: int, parameter: Parameter, gradient: Tensor, step: Step) -> Tensor:
        """The new value of Parameter ``i``."""
        if not self.momentum_value:
            return ops.assign(parameter, parameter - step.rate * gradient)
        dampened = self._dampen(i, gradient) if self.dampening else gradient
        velocity = ops.assign(self.accum[i], self.momentum * self.accum[i] + dampened)
        direction = gradient + self.momentum * velocity if self.nesterov else velocity
        return ops.assign(parameter, parameter - step.rate * direction)

    def _dampen(self, i: int, gradient: Tensor) -> Tensor:
        """The gradient times (1 - dampening); unchanged in the first step."""
        share = ops.where(self.stat[i] > 0, 1.0, 1.0 - self.dampening)
        return ops.depend(gradient * share, ops.assign(self.stat[i], ops.zeros_like(self.stat[i])))


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
        params: Parameters,
        learning_rate: Rate,
        momentum: float,
        weight_decay: Decay = 0.0,
        loss_scale: float = 1.0,
        use_nesterov: bool = False,
    ) -> None:
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        first = Tensor(check_momentum("Momentum", check_type("Momentum", "momentum", momentum, float)), float32)
        self.momentum = Parameter(first, name="momentum", requires_grad=False)
        self.moments = self.clones("moments")
        self.use_nesterov = check_bool("Momentum", "use_nesterov", use_nesterov)

    def update(self, i: int, parameter: Parameter, gradient: Tensor, step: Step) -> Tensor:
        """The new value of Parameter ``i``."""
        moment = ops.assign(self.moments[i], self.momentum * self.moments[i] + gradient)
        direction = gradient + self.momentum * moment if self.use_nesterov else moment
        return ops.assign(parameter, parameter - step.rate * direction)


def check_momentum(caller: str, value: float) -> float:
    """The momentum; raises ``TypeError`` unless it is a number and ``ValueError`` if it is negative."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        kind = type(value).__name__
        raise ArgTypeError(f"For '{caller}', the type of 'momentum' should be 'float', but got type '{kind}'.")
    if not value >= 0:
        raise ArgValueError(f"For '{caller}', the argument 'momentum' must be at least 0.0, but got {value}")
    return float(value)
