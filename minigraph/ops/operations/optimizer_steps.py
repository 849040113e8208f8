"""Primitives of optimizer steps: each writes the Parameters that it gets, and returns the first one, or all of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minigraph.core.aliases import TensorLike
from minigraph.core.op import apply
from minigraph.core.tensor import Parameter, Tensor
from minigraph.operators.effects import ASSIGN
from minigraph.ops import functional as F
from minigraph.ops.primitive import REQUIRED, primitive

P = Parameter  # state that a step writes
S = TensorLike  # a scalar: a number, or a tensor of rank 0


def write(parameter: P, value: Tensor) -> Tensor:
    """The new value of a Parameter, written."""
    return apply(ASSIGN, parameter, value, name=parameter.name)


def _momentum(
    variable: P, accumulation: P, learning_rate: S, gradient: Tensor, momentum: S, *, use_nesterov: bool,
    use_locking: bool, gradient_scale: float,
) -> Tensor:  # fmt: skip
    """One step of SGD with momentum, in place; returns the variable."""
    velocity = accumulation * momentum + gradient * gradient_scale
    write(accumulation, velocity)
    step = gradient * gradient_scale + velocity * momentum if use_nesterov else velocity
    return write(variable, variable - step * learning_rate)


def _sgd(
    parameters: P, gradient: Tensor, learning_rate: S, accum: P, momentum: S, stat: P, *, dampening: float,
    weight_decay: float, nesterov: bool,
) -> Tensor:  # fmt: skip
    """One step of SGD, in place: a ``stat`` above 0 marks the first step, whose velocity is the gradient."""
    gradient = gradient + parameters * weight_decay
    velocity = F.where(stat > 0, gradient, accum * momentum + gradient * (1 - dampening))
    write(accum, velocity)
    write(stat, F.zeros_like(stat))
    return write(parameters, parameters - (gradient + velocity * momentum if nesterov else velocity) * learning_rate)


def _moments(m: P, v: P, beta1: S, beta2: S, gradient: Tensor) -> tuple[Tensor, Tensor]:
    """The next moving averages of the gradient and of its square, written."""
    first, second = m * beta1 + gradient * (1 - beta1), v * beta2 + gradient * gradient * (1 - beta2)
    return write(m, first), write(v, second)


def _adam(
    var: P, m: P, v: P, beta1_power: S, beta2_power: S, lr: S, beta1: S, beta2: S, epsilon: S,
    gradient: Tensor, *, use_locking: bool, use_nesterov: bool,
) -> tuple[Tensor, ...]:  # fmt: skip
    """One step of Adam (Kingma & Ba 2015), in place; (variable, first moment, second moment)."""
    first, second = _moments(m, v, beta1, beta2, gradient)
    ahead = first * beta1 + gradient * (1 - beta1) if use_nesterov else first
    rate = lr * F.sqrt(1 - beta2_power) / (1 - beta1_power)
    return write(var, var - ahead * rate / (F.sqrt(second) + epsilon)), first, second


def _adam_step(
    m: P, v: P, beta1_power: S, beta2_power: S, lr: S, beta1: S, beta2: S, epsilon: S, gradient: Tensor, *,
    use_locking: bool, use_nesterov: bool,
) -> Tensor:  # fmt: skip
    """What one step of Adam adds to the variable, whose moments are written."""
    first, second = _moments(m, v, beta1, beta2, gradient)
    ahead = first * beta1 + gradient * (1 - beta1) if use_nesterov else first
    return -ahead * (lr * F.sqrt(1 - beta2_power) / (1 - beta1_power)) / (F.sqrt(second) + epsilon)


def _amsgrad(
    var: P, m: P, v: P, vhat: P, beta1_power: S, beta2_power: S, lr: S, beta1: S, beta2: S,
    epsilon: S, grad: Tensor, *, use_locking: bool,
) -> tuple[Tensor, ...]:  # fmt: skip
    """One step of AMSGrad (Reddi et al. 2018), in place; (variable, moments, largest second moment)."""
    first, second = _moments(m, v, beta1, beta2, grad)
    largest = write(vhat, F.maximum(vhat, second))
    rate = lr * F.sqrt(1 - beta2_power) / (1 - beta1_power)
    return write(var, var - first * rate / (F.sqrt(largest) + epsilon)), first, second, largest


def _amsgrad_of_constants(
    var: P, m: P, v: P, vhat: P, beta1_power: S, beta2_power: S, lr: S, grad: Tensor, *, beta1: float,
    beta2: float, epsilon: float, use_locking: bool,
) -> tuple[Tensor, ...]:  # fmt: skip
    """One step of AMSGrad with configured betas, in place."""
    return _amsgrad(var, m, v, vhat, beta1_power, beta2_power, lr, beta1, beta2, epsilon, grad, use_locking=use_locking)


def _adam_weight_decay(
    var: P, m: P, v: P, lr: S, beta1: S, beta2: S, epsilon: S, decay: S, gradient: Tensor,
    *global_norm: Tensor, use_locking: bool,
) -> tuple[Tensor, ...]:  # fmt: skip
    """One step of Adam without bias correction, with decoupled weight decay, in place."""
    if global_norm:
        gradient = gradient / global_norm[0]
    first, second = _moments(m, v, beta1, beta2, gradient)
    return write(var, var - (first / (F.sqrt(second) + epsilon) + var * decay) * lr), first, second


def _adamax(
    var: P, m: P, v: P, beta1_power: S, lr: S, beta1: S, beta2: S, epsilon: S, grad: Tensor
) -> tuple[Tensor, ...]:
    """One step of AdaMax (Kingma & Ba 2015), in place."""
    first = write(m, m * beta1 + grad * (1 - beta1))
    largest = write(v, F.maximum(v * beta2, F.abs(grad)))
    return write(var, var - first * (lr / (1 - beta1_power)) / (largest + epsilon)), first, largest


def _adadelta(var: P, accum: P, accum_update: P, lr: S, rho: S, epsilon: S, grad: Tensor) -> tuple[Tensor, ...]:
    """One step of Adadelta (Zeiler 2012), in place."""
    squares = write(accum, accum * rho + grad * grad * (1 - rho))
    step = F.sqrt(accum_update + epsilon) / F.sqrt(squares + epsilon) * grad
    updates = write(accum_update, accum_update * rho + step * step * (1 - rho))
    return write(var, var - step * lr), squares, updates


def _adagrad(var: P, accum: P, lr: S, grad: Tensor, *, update_slots: bool) -> tuple[Tensor, ...]:
    """One step of Adagrad (Duchi et al. 2011), in place."""
    squares = write(accum, accum + grad * grad) if update_slots else accum
    return write(var, var - grad * lr / F.sqrt(squares)), squares


def _adagrad_dual_averaging(
    var: P, gradient_accumulator: P, gradient_squared_accumulator: P, grad: Tensor, lr: S, l1: S, l2: S,
    global_step: S, *, use_locking: bool,
) -> Tensor:  # fmt: skip
    """One step of Adagrad with dual averaging (Duchi et al. 2011), in place."""
    total = write(gradient_accumulator, gradient_accumulator + grad)
    squares = write(gradient_squared_accumulator, gradient_squared_accumulator + grad * grad)
    shrunk = F.sign(total) * F.maximum(F.abs(total) - l1 * global_step, 0.0)
    return write(var, -lr * shrunk / (l2 * global_step * lr + F.sqrt(squares)))


def _sparse_adagrad(
    var: P, accum: P, grad: Tensor, indices: Tensor, *, lr: float, update_slots: bool, use_locking: bool
) -> tuple[Tensor, ...]:
    """One step of Adagrad for the rows at ``indices``, in place."""
    old, positions = F.gather(accum, indices, 0), F.expand_dims(indices, -1)
    squares = old + grad * grad if update_slots else old
    all_squares = write(accum, F.tensor_scatter_update(accum, positions, squares))
    rows = F.gather(var, indices, 0) - grad * lr / F.sqrt(squares)
    return write(var, F.tensor_scatter_update(var, positions, rows)), all_squares


def _rmsprop(
    var: P, mean_square: P, moment: P, learning_rate: S, grad: Tensor, decay: S, momentum: S, epsilon: S,
    *, use_locking: bool,
) -> Tensor:  # fmt: skip
    """One step of RMSProp (Hinton 2012), in place."""
    squares = write(mean_square, mean_square * decay + grad * grad * (1 - decay))
    step = write(moment, moment * momentum + grad * learning_rate / F.sqrt(squares + epsilon))
    return write(var, var - step)


def _centered_rmsprop(
    var: P, mean_gradient: P, mean_square: P, moment: P, grad: Tensor, learning_rate: S, decay: S,
    momentum: S, epsilon: S, *, use_locking: bool,
) -> Tensor:  # fmt: skip
    """One step of RMSProp by the variance of the gradients (Graves 2013), in place."""
    mean = write(mean_gradient, mean_gradient * decay + grad * (1 - decay))
    squares = write(mean_square, mean_square * decay + grad * grad * (1 - decay))
    scale = F.sqrt(squares - mean * mean + epsilon)
    step = write(moment, moment * momentum + grad * learning_rate / scale)
    return write(var, var - step)


def _gradient_descent(var: P, alpha: S, delta: Tensor) -> Tensor:
    """One step of gradient descent, in place."""
    return write(var, var - delta * alpha)


def _ftrl(var: P, accum: P, linear: P, grad: Tensor, lr: S, l1: S, l2: S, lr_power: S, *, use_locking: bool) -> Tensor:
    """One step of FTRL (McMahan et al. 2013), in place."""
    power = -lr_power
    before = accum**power
    root = write(accum, accum + grad * grad) ** power
    z = write(linear, linear + grad - var * ((root - before) / lr))
    value = (F.sign(z) * l1 - z) / (root / lr + 2 * l2)
    return write(var, F.where(F.abs(z) > l1, value, 0.0))


def _adagrad_with_epsilon(
    var: P, accum: P, lr: S, grad: Tensor, *, epsilon: float, update_slots: bool
) -> tuple[Tensor, ...]:
    """One step of Adagrad with ``epsilon`` added to the root, in place."""
    squares = write(accum, accum + grad * grad) if update_slots else accum
    return write(var, var - grad * lr / (F.sqrt(squares) + epsilon)), squares


def _proximal(var: P, rate: TensorLike, l1: S, l2: S, gradient: Tensor) -> Tensor:
    """A step of gradient descent, shrunk by L1 and L2 penalties (Duchi & Singer 2009), in place."""
    point = var - gradient * rate
    return write(var, F.sign(point) * F.maximum(F.abs(point) - rate * l1, 0.0) / (1 + rate * l2))


def _proximal_descent(var: P, alpha: S, l1: S, l2: S, delta: Tensor, *, use_locking: bool) -> Tensor:
    """One proximal step of gradient descent, in place."""
    return _proximal(var, alpha, l1, l2, delta)


def _proximal_adagrad(var: P, accum: P, lr: S, l1: S, l2: S, grad: Tensor, *, use_locking: bool) -> tuple[Tensor, ...]:
    """One proximal step of Adagrad, in place."""
    squares = write(accum, accum + grad * grad)
    return _proximal(var, lr / F.sqrt(squares), l1, l2, grad), squares


def _agreement(m: P, beta: S, grad: Tensor) -> tuple[Tensor, Tensor]:
    """The next moving average, written, and 1, 0 or -1: whether its sign is that of the gradient."""
    moment = write(m, m * beta + grad * (1 - beta))
    return moment, F.sign(grad) * F.sign(moment)


def _add_sign(var: P, m: P, lr: S, alpha: S, sign_decay: S, beta: S, grad: Tensor) -> tuple[Tensor, ...]:
    """One step of AddSign (Bello et al. 2017, arXiv 1709.07417), in place."""
    moment, agreement = _agreement(m, beta, grad)
    return write(var, var - (agreement * sign_decay + alpha) * grad * lr), moment


def _power_sign(var: P, m: P, lr: S, logbase: S, sign_decay: S, beta: S, grad: Tensor) -> tuple[Tensor, ...]:
    """One step of PowerSign (Bello et al. 2017, arXiv 1709.07417), in place."""
    moment, agreement = _agreement(m, beta, grad)
    return write(var, var - F.exp(agreement * logbase * sign_decay) * grad * lr), moment


# name -> function, its configuration
OPTIMIZER_STEPS: dict[str, tuple[Callable[..., Any], dict[str, Any]]] = {
    "Adam": (_adam, {"use_locking": False, "use_nesterov": False}),
    "AdamNoUpdateParam": (_adam_step, {"use_locking": False, "use_nesterov": False}),
    "AdamWeightDecay": (_adam_weight_decay, {"use_locking": False}),
    "ApplyAddSign": (_add_sign, {}),
    "ApplyAdaMax": (_adamax, {}),
    "ApplyAdadelta": (_adadelta, {}),
    "ApplyAdagrad": (_adagrad, {"update_slots": True}),
    "ApplyAdagradDA": (_adagrad_dual_averaging, {"use_locking": False}),
    "ApplyAdagradV2": (_adagrad_with_epsilon, {"epsilon": REQUIRED, "update_slots": True}),
    "ApplyAdamWithAmsgrad": (
        _amsgrad_of_constants, {"beta1": 0.9, "beta2": 0.999, "epsilon": 1e-8, "use_locking": False}),
    "ApplyAdamWithAmsgradV2": (_amsgrad, {"use_locking": False}),
    "ApplyCenteredRMSProp": (_centered_rmsprop, {"use_locking": False}),
    "ApplyFtrl": (_ftrl, {"use_locking": False}),
    "ApplyGradientDescent": (_gradient_descent, {}),
    "ApplyMomentum": (_momentum, {"use_nesterov": False, "use_locking": False, "gradient_scale": 1.0}),
    "ApplyPowerSign": (_power_sign, {}),
    "ApplyProximalAdagrad": (_proximal_adagrad, {"use_locking": False}),
    "ApplyProximalGradientDescent": (_proximal_descent, {"use_locking": False}),
    "ApplyRMSProp": (_rmsprop, {"use_locking": False}),
    "FusedCastAdamWeightDecay": (_adam_weight_decay, {"use_locking": False}),
    "SGD": (_sgd, {"dampening": 0.0, "weight_decay": 0.0, "nesterov": False}),
    "SparseApplyAdagrad": (_sparse_adagrad, {"lr": REQUIRED, "update_slots": True, "use_locking": False}),
}  # fmt: skip
PRIMITIVES: dict[str, Any] = {
    name: primitive(name, function, **config) for name, (function, config) in OPTIMIZER_STEPS.items()
}
globals().update(PRIMITIVES)
__all__ = [*PRIMITIVES]  # noqa: PLE0604 - strings of a table
