"""Gradient descent with momentum, and with adaptive step sizes for each element."""

from __future__ import annotations

from minigraph import ops
from minigraph.core.errors import ArgValueError
from minigraph.core.tensor import Parameter, Tensor
from minigraph.experimental.optim.optimizer import Optimizer, Rate, check_at_least
from minigraph.nn.optim.adam import update_moving_average
from minigraph.nn.optim.optimizer import Parameters, Step


class SGD(Optimizer):
    """w -= lr v, with v = momentum v + (1 - dampening) g, in the first step v = g.

    With ``nesterov``, w -= lr (g + momentum v). Raises ``ValueError`` for ``nesterov`` without momentum or with
    dampening.
    """

    def __init__(
        self,
        params: Parameters,
        lr: Rate,
        momentum: float = 0.0,
        dampening: float = 0.0,
        weight_decay: float = 0.0,
        nesterov: bool = False,
        *,
        maximize: bool = False,
    ) -> None:
        check_at_least("SGD", momentum=momentum, dampening=dampening)
        if nesterov and (not momentum or dampening):
            raise ArgValueError(
                "For 'SGD', if 'nesterov' is true, 'momentum' must be > 0.0 and 'dampening' must equal to 0.0, "
                f"but got 'momentum' {momentum}, 'dampening' {dampening}"
            )
        constants = {"momentum": float(momentum), "dampening": float(dampening), "weight_decay": weight_decay}
        flags = {"nesterov": nesterov, "maximize": maximize, "grad_centralization": False}
        super().__init__(params, {"lr": lr, **constants, **flags})
        self.accum = self.clones("accum")

    def update(self, i: int, parameter: Parameter, gradient: Tensor, step: Step) -> Tensor:
        """The new value of Parameter ``i``."""
        momentum, direction, step_count = self.setting(i, "momentum"), gradient, step.shared_values
        if momentum:
            gradient_factor = ops.where(step_count == 1, 1.0, 1.0 - self.setting(i, "dampening"))
            direction = ops.assign(self.accum[i], momentum * self.accum[i] + gradient_factor * gradient)
        if self.setting(i, "nesterov"):
            direction = gradient + momentum * direction
        return ops.assign(parameter, parameter - step.rate * direction)


class Adagrad(Optimizer):
    """w -= lr / (1 + (t - 1) lr_decay) g / (sqrt(s) + eps), s the sum of g² (Duchi et al. 2011)."""

    def __init__(
        self,
        params: Parameters,
        lr: Rate = 1e-2,
        lr_decay: float = 0.0,
        weight_decay: float = 0.0,
        initial_accumulator_value: float = 0.0,
        eps: float = 1e-10,
        *,
        maximize: bool = False,
    ) -> None:
        check_at_least("Adagrad", lr_decay=lr_decay, initial_accumulator_value=initial_accumulator_value, eps=eps)
        constants = {"lr_decay": lr_decay, "weight_decay": weight_decay, "eps": eps}
        initial = {"initial_accumulator_value": initial_accumulator_value}
        super().__init__(params, {"lr": lr, **constants, **initial, "maximize": maximize})
        self.state_sum = self.clones("state_sum", initial_accumulator_value)

    def update(self, i: int, parameter: Parameter, gradient: Tensor, step: Step) -> Tensor:
        """The new value of Parameter ``i``."""
        square_sum = ops.assign(self.state_sum[i], self.state_sum[i] + gradient * gradient)
        step_count = step.shared_values
        rate = step.rate / (1 + (step_count - 1) * self.setting(i, "lr_decay"))
        return ops.assign(parameter, parameter - rate * gradient / (ops.sqrt(square_sum) + self.setting(i, "eps")))


class Adadelta(Optimizer):
    """w -= lr d, d = sqrt(u + eps) / sqrt(v + eps) g; v and u are moving averages of g² and d² (Zeiler 2012)."""

    def __init__(
        self,
        params: Parameters,
        lr: Rate = 1.0,
        rho: float = 0.9,
        eps: float = 1e-6,
        weight_decay: float = 0.0,
        *,
        maximize: bool = False,
    ) -> None:
        check_at_least("Adadelta", rho=rho, eps=eps)
        if rho > 1.0:
            raise ArgValueError(f"For 'Adadelta', the 'rho' must be at most 1.0, but got {rho}.")
        settings = {"lr": lr, "rho": rho, "eps": eps, "weight_decay": weight_decay, "maximize": maximize}
        super().__init__(params, settings)
        self.square_avg, self.acc_delta = self.clones("square_avg"), self.clones("acc_delta")

    def update(self, i: int, parameter: Parameter, gradient: Tensor, step: Step) -> Tensor:
        """The new value of Parameter ``i``."""
        rho, eps = self.setting(i, "rho"), self.setting(i, "eps")
        square = update_moving_average(self.square_avg[i], rho, gradient * gradient)
        delta = ops.sqrt(self.acc_delta[i] + eps) / ops.sqrt(square + eps) * gradient
        value = ops.assign(parameter, parameter - step.rate * delta)
        return ops.depend(value, update_moving_average(self.acc_delta[i], rho, delta * delta))


class RMSprop(Optimizer):
    """w -= lr b, b = momentum b + g / (sqrt(v) + eps), v the moving average of g² (Tieleman & Hinton 2012).

    ``centered`` subtracts the square of the mean gradient from v (Graves 2013, arXiv 1308.0850).
    """

    def __init__(
        self,
        params: Parameters,
        lr: Rate = 1e-2,
        alpha: float = 0.99,
        eps: float = 1e-8,
        weight_decay: float = 0.0,
        momentum: float = 0.0,
        centered: bool = False,
        maximize: bool = False,
    ) -> None:
        check_at_least("RMSprop", alpha=alpha, eps=eps, momentum=momentum)
        constants = {"momentum": momentum, "alpha": alpha, "eps": eps, "weight_decay": weight_decay}
        super().__init__(params, {"lr": lr, **constants, "centered": centered, "maximize": maximize})
        self.square_avg, self.grad_avg = self.clones("square_avg"), self.clones("grad_avg")
        self.momentum_buffer = self.clones("momentum_buffer")

    def update(self, i: int, parameter: Parameter, gradient: Tensor, step: Step) -> Tensor:
        """The new value of Parameter ``i``."""
        alpha, buffer = self.setting(i, "alpha"), self.momentum_buffer[i]
        square = update_moving_average(self.square_avg[i], alpha, gradient * gradient)
        if self.setting(i, "centered"):
            mean = update_moving_average(self.grad_avg[i], alpha, gradient)
            square = square - mean * mean
        direction = gradient / (ops.sqrt(square) + self.setting(i, "eps"))
        if self.setting(i, "momentum"):
            direction = ops.assign(buffer, self.setting(i, "momentum") * buffer + direction)
        return ops.assign(parameter, parameter - step.rate * direction)


class Rprop(Optimizer):
    """w -= d sign(g): the step d of each element grows while its gradient keeps its sign, and shrinks otherwise.

    (Riedmiller & Braun 1993; ``nn.Rprop`` has the details.) Raises ``ValueError`` unless 0 < etas[0] < 1 < etas[1].
    """

    def __init__(
        self,
        params: Parameters,
        lr: Rate = 1e-2,
        etas: tuple[float, float] = (0.5, 1.2),
        step_sizes: tuple[float, float] = (1e-6, 50),
        *,
        maximize: bool = False,
    ) -> None:
        if not 0.0 < etas[0] < 1.0 < etas[1]:
            raise ArgValueError(f"Invalid eta values: {etas[0]}, {etas[1]}")
        super().__init__(params, {"lr": lr, "etas": etas, "step_sizes": step_sizes, "maximize": maximize})
        self.prev, self.step_size = self.clones("prev"), self.clones("step_size")

    def update(self, i: int, parameter: Parameter, gradient: Tensor, step: Step) -> Tensor:
        """The new value of Parameter ``i``."""
        (shrink, grow), (smallest, largest) = self.setting(i, "etas"), self.setting(i, "step_sizes")
        step_count = step.shared_values
        size = ops.where(step_count == 1, ops.zeros_like(gradient) + step.rate, self.step_size[i])
        agreement = self.prev[i] * gradient
        factor = ops.where(agreement > 0, grow, ops.where(agreement < 0, shrink, 1.0))
        size = ops.clamp(size * factor, smallest, largest)
        masked_gradient = ops.where(agreement < 0, 0.0, gradient)
        value = ops.assign(parameter, parameter - size * ops.sign(masked_gradient))
        return ops.depend(value, (ops.assign(self.prev[i], masked_gradient), ops.assign(self.step_size[i], size)))


class ASGD(Optimizer):
    """w = w (1 - lambd eta) - eta g, and ``ax``, the mean of w from step ``t0`` on (Polyak & Juditsky 1992).

    eta = lr / (1 + lambd lr t)^alpha for step t + 1, initially lr.
    """

    def __init__(
        self,
        params: Parameters,
        lr: Rate = 1e-2,
        lambd: float = 1e-4,
        alpha: float = 0.75,
        t0: float = 1e6,
        weight_decay: float = 0.0,
        maximize: bool = False,
    ) -> None:
        constants = {"lambd": lambd, "alpha": alpha, "t0": t0, "weight_decay": weight_decay}
        super().__init__(params, {"lr": lr, **constants, "maximize": maximize})
        self.eta, self.mu, self.ax = self.scalars("eta", 0.0), self.scalars("mu", 1.0), self.clones("ax")

    def update(self, i: int, parameter: Parameter, gradient: Tensor, step: Step) -> Tensor:
        """The new value of Parameter ``i``."""
        lambd, step_count, mu, average = self.setting(i, "lambd"), step.shared_values, self.mu[i], self.ax[i]
        eta = ops.where(step_count == 1, step.rate, self.eta[i])
        value = ops.assign(parameter, parameter * (1 - lambd * eta) - eta * gradient)
        state = (
            ops.assign(average, ops.where(mu == 1, value, average + (value - average) * mu)),
            ops.assign(self.eta[i], step.rate / (1 + lambd * step.rate * step_count) ** self.setting(i, "alpha")),
            ops.assign(mu, 1 / ops.maximum(step_count - self.setting(i, "t0"), 1.0)),
        )
        return ops.depend(value, state)
