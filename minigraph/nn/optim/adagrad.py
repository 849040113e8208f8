"""Optimizers that scale by accumulated squared gradients: Adagrad, Adadelta, RMSProp."""

from __future__ import annotations

from minigraph import ops
from minigraph.core.errors import ArgValueError
from minigraph.core.tensor import Parameter, Tensor
from minigraph.nn.arguments import check_bool, check_nonnegative_float, check_positive_float, check_type
from minigraph.nn.optim.adam import update_moving_average
from minigraph.nn.optim.optimizer import Decay, Optimizer, Parameters, Rate, Step


class Adagrad(Optimizer):
    """s += g²; w -= lr g / sqrt(s), s initially ``accum`` (Duchi, Hazan & Singer 2011).

    Without ``update_slots`` s is not updated. Raises ``ValueError`` for a negative ``accum``.

    >>> from minigraph import Tensor
    >>> w = Parameter(Tensor([1.0]), name="w")
    >>> optimizer = Adagrad([w], accum=9.0, learning_rate=0.1)
    >>> optimizer((Tensor([4.0]),))
    (True,)
    >>> print(w.value())
    [0.92]
    """

    def __init__(
        self,
        params: Parameters,
        accum: float = 0.1,
        learning_rate: Rate = 0.001,
        update_slots: bool = True,
        loss_scale: float = 1.0,
        weight_decay: Decay = 0.0,
    ) -> None:
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        first = check_nonnegative_float("Adagrad", "accum", check_type("Adagrad", "accum", accum, float))
        self.update_slots = check_bool("Adagrad", "update_slots", update_slots)
        self.accum = self.clones("accum", first)

    def update(self, i: int, parameter: Parameter, gradient: Tensor, step: Step) -> Tensor:
        """The new value of Parameter ``i``."""
        total: Tensor = self.accum[i]
        if self.update_slots:
            total = ops.assign(total, total + gradient * gradient)
        return ops.assign(parameter, parameter - step.rate * gradient / ops.sqrt(total))


class Adadelta(Optimizer):
    """d = sqrt(u + epsilon) / sqrt(s + epsilon) g; w -= lr d; s and u are moving averages of g² and d² (Zeiler 2012).

    Raises ``ValueError`` for a ``rho`` outside of [0, 1].
    """

    def __init__(
        self,
        params: Parameters,
        learning_rate: Rate = 1.0,
        rho: float = 0.9,
        epsilon: float = 1e-6,
        loss_scale: float = 1.0,
        weight_decay: Decay = 0.0,
    ) -> None:
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        self.rho = check_nonnegative_float("Adadelta", "rho", check_type("Adadelta", "rho", rho, float))
        if self.rho > 1:
            raise ArgValueError(
                f"For 'Adadelta', the 'rho' must be in range of [0.0, 1.0], but got {rho} with type 'float'."
            )
        self.epsilon = check_nonnegative_float("Adadelta", "epsilon", check_type("Adadelta", "epsilon", epsilon, float))
        self.accum, self.accum_update = self.clones("accum"), self.clones("accum_update")

    def update(self, i: int, parameter: Parameter, gradient: Tensor, step: Step) -> Tensor:
        """The new value of Parameter ``i``."""
        square = update_moving_average(self.accum[i], self.rho, gradient * gradient)
        delta = ops.sqrt(self.accum_update[i] + self.epsilon) / ops.sqrt(square + self.epsilon) * gradient
        value = ops.assign(parameter, parameter - step.rate * delta)
        return ops.depend(value, update_moving_average(self.accum_update[i], self.rho, delta * delta))


class RMSProp(Optimizer):
    """s = decay s + (1 - decay) g²; m = momentum m + lr g / sqrt(s + epsilon); w -= m.

    Tieleman & Hinton 2012 (Coursera, lecture 6.5), as in MindSpore with epsilon inside the root and s initially 1, so
    that the first steps are small. ``centered`` subtracts the square of the moving average of g from s (Graves 2013,
    arXiv 1308.0850, eq. 38-45). ``use_locking`` has no effect.

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
        self.decay = check_nonnegative_float("RMSProp", "decay", decay)
        self.momentum = check_nonnegative_float("RMSProp", "momentum", momentum)
        self.epsilon = check_positive_float("RMSProp", "epsilon", epsilon)
        check_bool("RMSProp", "use_locking", use_locking)
        self.centered = check_bool("RMSProp", "centered", centered)
        if centered:
            self.mean_grad = self.clones("mean_grad")
        self.mean_square = self.clones("mean_square", 1.0)
        self.moment = self.clones("moment")

    def update(self, i: int, parameter: Parameter, gradient: Tensor, step: Step) -> Tensor:
        """The new value of Parameter ``i``."""
        square = update_moving_average(self.mean_square[i], self.decay, gradient * gradient)
        if self.centered:
            mean = update_moving_average(self.mean_grad[i], self.decay, gradient)
            square = square - mean * mean
        delta = step.rate * gradient / ops.sqrt(square + self.epsilon)
        if self.momentum:
            delta = ops.assign(self.moment[i], self.momentum * self.moment[i] + delta)
        return ops.assign(parameter, parameter - delta)
