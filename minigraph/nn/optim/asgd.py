"""Averaged stochastic gradient descent."""

from __future__ import annotations

from minigraph import ops
from minigraph.core.tensor import Parameter, ParameterTuple, Tensor
from minigraph.core.types import float32
from minigraph.nn.arguments import check_type
from minigraph.nn.optim.optimizer import Decay, Optimizer, Parameters, Rate, Step


class ASGD(Optimizer):
    """w = w (1 - lambd eta) - eta g, and ``ax``, the mean of w from step ``t0`` on (Polyak & Juditsky 1992).

    eta = lr / (1 + lambd lr t)^alpha for step t + 1, initially lr; ax = ax + (w - ax) / max(1, t - t0). Raises
    ``TypeError`` unless lambd, alpha and t0 are floats.

    >>> w = Parameter(Tensor([1.0]), name="w")
    >>> optimizer = ASGD([w], learning_rate=0.1)
    >>> optimizer((Tensor([2.0]),))
    (True,)
    >>> print(w.value())
    [0.79999]
    """

    def __init__(
        self,
        params: Parameters,
        learning_rate: Rate = 0.1,
        lambd: float = 1e-4,
        alpha: float = 0.75,
        t0: float = 1e6,
        weight_decay: Decay = 0.0,
    ) -> None:
        super().__init__(learning_rate, params, weight_decay)
        self.lambd, self.alpha = check_type("ASGD", "lambd", lambd, float), check_type("ASGD", "alpha", alpha, float)
        self.t0 = check_type("ASGD", "t0", t0, float)
        self.mu, self.eta = self._scalars("mu", 1.0), self._scalars("eta", 0.0)
        self.ax = self.clones("ax_")

    def _scalars(self, name: str, initial: float) -> ParameterTuple:
        """One scalar of optimizer state per Parameter."""
        return ParameterTuple(
            Parameter(Tensor(initial, float32), f"{name}_{p.name}", requires_grad=False) for p in self.parameters
        )

    def update(self, i: int, parameter: Parameter, gradient: Tensor, step: Step) -> Tensor:
        """The new value of Parameter ``i``."""
        mu, average = self.mu[i], self.ax[i]
        t = ops.cast(self.global_step, float32).squeeze()
        eta = ops.select(t == 1, step.rate, self.eta[i])
        value = ops.assign(parameter, parameter * (1 - self.lambd * eta) - eta * gradient)
        state = (
            ops.assign(average, ops.select(mu == 1, value, average + (value - average) * mu)),
            ops.assign(self.eta[i], step.rate / (1 + self.lambd * step.rate * t) ** self.alpha),
            ops.assign(mu, 1 / ops.maximum(t - self.t0, 1.0)),
        )
        return ops.depend(value, state)
