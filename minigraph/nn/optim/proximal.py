"""Optimizers with proximal steps for L1 and L2 penalties: FTRL, ProximalAdagrad."""

from __future__ import annotations

from minigraph import ops
from minigraph.core.errors import ArgValueError
from minigraph.core.tensor import Parameter, Tensor
from minigraph.nn.arguments import check_bool, check_nonnegative_float, check_type
from minigraph.nn.optim.optimizer import Decay, Optimizer, Parameters, Rate, Step


class FTRL(Optimizer):
    """Follow the regularized leader, per coordinate (McMahan et al. 2013, algorithm 1).

    n' = n + g², z += g - (n'^-lr_power - n^-lr_power) / lr w; w = (sign(z) l1 - z) / (n'^-lr_power / lr + 2 l2),
    and 0 where abs(z) is at most l1. n is initially ``initial_accum``; ``use_locking`` has no effect. Raises
    ``ValueError`` for a positive ``lr_power`` and negative penalties.

    >>> w = Parameter(Tensor([1.0]), name="w")
    >>> optimizer = FTRL([w], learning_rate=0.1, initial_accum=0.0)
    >>> optimizer((Tensor([2.0]),))
    (True,)
    >>> print(w.value())
    [0.9]
    """

    def __init__(
        self,
        params: Parameters,
        initial_accum: float = 0.1,
        learning_rate: Rate = 0.001,
        lr_power: float = -0.5,
        l1: float = 0.0,
        l2: float = 0.0,
        use_locking: bool = False,
        loss_scale: float = 1.0,
        weight_decay: Decay = 0.0,
    ) -> None:
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        if check_type("FTRL", "lr_power", lr_power, float) > 0:
            raise ArgValueError(f"For 'FTRL', the 'lr_power' must be less than or equal to 0.0, but got {lr_power}.")
        self.l1, self.l2 = check_nonnegative_float("FTRL", "l1", l1), check_nonnegative_float("FTRL", "l2", l2)
        check_bool("FTRL", "use_locking", use_locking)
        self.power = -lr_power
        self.moments = self.clones("moments", check_nonnegative_float("FTRL", "initial_accum", initial_accum))
        self.linear = self.clones("linear")

    def update(self, i: int, parameter: Parameter, gradient: Tensor, step: Step) -> Tensor:
        """The new value of Parameter ``i``."""
        previous = self.moments[i] ** self.power
        root = ops.assign(self.moments[i], self.moments[i] + gradient * gradient) ** self.power
        z = ops.assign(self.linear[i], self.linear[i] + gradient - (root - previous) / step.rate * parameter)
        value = (ops.sign(z) * self.l1 - z) / (root / step.rate + 2 * self.l2)
        return ops.assign(parameter, ops.select(ops.abs(z) > self.l1, value, ops.zeros_like(value)))


class ProximalAdagrad(Optimizer):
    """Adagrad with a proximal step for L1 and L2 penalties (Duchi & Singer 2009).

    s += g², r = lr / sqrt(s), p = w - r g; w = sign(p) max(abs(p) - r l1, 0) / (1 + r l2), s initially ``accum``.
    ``use_locking`` has no effect. Raises ``ValueError`` for negative numbers.

    >>> w = Parameter(Tensor([1.0]), name="w")
    >>> optimizer = ProximalAdagrad([w], accum=0.0, learning_rate=0.1, l1=1.0)
    >>> optimizer((Tensor([2.0]),))
    (True,)
    >>> print(w.value())
    [0.84999996]
    """

    def __init__(
        self,
        params: Parameters,
        accum: float = 0.1,
        learning_rate: Rate = 0.001,
        l1: float = 0.0,
        l2: float = 0.0,
        use_locking: bool = False,
        loss_scale: float = 1.0,
        weight_decay: Decay = 0.0,
    ) -> None:
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        self.l1, self.l2 = (check_nonnegative_float("ProximalAdagrad", n, v) for n, v in (("l1", l1), ("l2", l2)))
        check_bool("ProximalAdagrad", "use_locking", use_locking)
        self.accum = self.clones("accum", check_nonnegative_float("ProximalAdagrad", "accum", accum))

    def update(self, i: int, parameter: Parameter, gradient: Tensor, step: Step) -> Tensor:
        """The new value of Parameter ``i``."""
        rate = step.rate / ops.sqrt(ops.assign(self.accum[i], self.accum[i] + gradient * gradient))
        point = parameter - rate * gradient
        shrunk = ops.sign(point) * ops.maximum(ops.abs(point) - rate * self.l1, 0.0)
        return ops.assign(parameter, shrunk / (1 + rate * self.l2))
