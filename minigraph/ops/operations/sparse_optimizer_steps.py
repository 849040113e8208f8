"""Primitives of optimizer steps for some rows of the Parameters, which they write; those with Fused in their name first
add the gradients of equal rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minigraph.core.tensor import Tensor
from minigraph.ops import functional as F
from minigraph.ops.operations.optimizer_steps import P, S, write
from minigraph.ops.primitive import REQUIRED, primitive


class Rows:
    """The rows of Parameters at indices: reads them, and writes them back."""

    def __init__(self, indices: Tensor) -> None:
        self.indices, self.positions = indices, F.expand_dims(indices, -1)

    def of(self, parameter: P) -> Tensor:
        """The rows of a Parameter."""
        return F.gather(parameter, self.indices, 0)

    def write(self, parameter: P, rows: Tensor) -> Tensor:
        """The Parameter with new rows, written."""
        return write(parameter, F.tensor_scatter_update(parameter, self.positions, rows))


def _merged(var: P, grad: Tensor, indices: Tensor) -> tuple[Tensor, Rows]:
    """(for each gradient the sum of those of its row, the rows)."""
    rows = Rows(indices)
    return F.gather(F.scatter_nd(rows.positions, grad, var.shape), indices, 0), rows


def _adagrad(
    var: P, accum: P, grad: Tensor, indices: Tensor, *,
    lr: float, epsilon: float, update_slots: bool, use_locking: bool,
) -> tuple[Tensor, ...]:  # fmt: skip
    """One step of Adagrad for the rows at ``indices``, with ``epsilon`` added below the root, in place."""
    rows = Rows(indices)
    squares = rows.of(accum) + grad * grad if update_slots else rows.of(accum)
    return rows.write(var, rows.of(var) - grad * lr / F.sqrt(squares + epsilon)), rows.write(accum, squares)


def _ftrl_rows(
    var: P, accum: P, linear: P, grad: Tensor, rows: Rows, lr: float, l1: float, l2: float, power: float
) -> tuple[Tensor, ...]:
    old, root_before = rows.of(accum), rows.of(accum) ** -power
    squares = old + grad * grad
    root = squares**-power
    z = rows.of(linear) + grad - rows.of(var) * ((root - root_before) / lr)
    value = F.where(F.abs(z) > l1, (F.sign(z) * l1 - z) / (root / lr + 2 * l2), 0.0)
    return rows.write(var, value), rows.write(accum, squares), rows.write(linear, z)


def _ftrl(
    var: P, accum: P, linear: P, grad: Tensor, indices: Tensor, *,
    lr: float, l1: float, l2: float, lr_power: float, use_locking: bool,
) -> tuple[Tensor, ...]:  # fmt: skip
    """One step of FTRL (McMahan et al. 2013) for the rows at ``indices``, in place."""
    return _ftrl_rows(var, accum, linear, grad, Rows(indices), lr, l1, l2, lr_power)


def _fused_ftrl(
    var: P, accum: P, linear: P, grad: Tensor, indices: Tensor, *,
    lr: float, l1: float, l2: float, lr_power: float, use_locking: bool,
) -> tuple[Tensor, ...]:  # fmt: skip
    """One step of FTRL (McMahan et al. 2013) for the rows at ``indices``, which may repeat, in place."""
    return _ftrl_rows(var, accum, linear, *_merged(var, grad, indices), lr, l1, l2, lr_power)


def _rmsprop(
    var: P, ms: P, mom: P, lr: S, grad: Tensor, indices: Tensor, *,
    rho: float, momentum: float, epsilon: float, use_locking: bool,
) -> tuple[Tensor, ...]:  # fmt: skip
    """One step of RMSProp (Hinton 2012) for the rows at ``indices``, in place."""
    rows = Rows(indices)
    squares = rows.of(ms) * rho + grad * grad * (1 - rho)
    step = rows.of(mom) * momentum + grad * lr / F.sqrt(squares + epsilon)
    new = rows.write(var, rows.of(var) - step)
    return new, rows.write(ms, squares), rows.write(mom, step)


def _proximal_adagrad(
    var: P, accum: P, lr: S, l1: S, l2: S, grad: Tensor, indices: Tensor, *, use_locking: bool
) -> tuple[Tensor, ...]:
    """One proximal step of Adagrad for the rows at ``indices``, which may repeat, in place."""
    grad, rows = _merged(var, grad, indices)
    squares = rows.of(accum) + grad * grad
    rate = lr / F.sqrt(squares)
    point = rows.of(var) - grad * rate
    shrunk = F.sign(point) * F.maximum(F.abs(point) - rate * l1, 0.0) / (1 + rate * l2)
    return rows.write(var, shrunk), rows.write(accum, squares)


def _rate(beta1_power: S, beta2_power: S, lr: S) -> Any:
    return lr * F.sqrt(1 - beta2_power) / (1 - beta1_power)


def _adam(
    var: P, m: P, v: P, beta1_power: S, beta2_power: S, lr: S, beta1: S, beta2: S, epsilon: S, gradient: Tensor,
    indices: Tensor, *, use_locking: bool, use_nesterov: bool,
) -> tuple[Tensor, ...]:  # fmt: skip
    """One step of Adam (Kingma & Ba 2015) in place; rows that are not at ``indices`` have the gradient 0."""
    gradient = F.scatter_nd(F.expand_dims(indices, -1), gradient, var.shape)
    first = write(m, m * beta1 + gradient * (1 - beta1))
    second = write(v, v * beta2 + gradient * gradient * (1 - beta2))
    ahead = first * beta1 + gradient * (1 - beta1) if use_nesterov else first
    step = ahead * _rate(beta1_power, beta2_power, lr) / (F.sqrt(second) + epsilon)
    return write(var, var - step), first, second


def _lazy_adam(
    var: P, m: P, v: P, beta1_power: S, beta2_power: S, lr: S, beta1: S, beta2: S, epsilon: S, gradient: Tensor,
    indices: Tensor, *, use_locking: bool, use_nesterov: bool,
) -> tuple[Tensor, ...]:  # fmt: skip
    """One step of Adam (Kingma & Ba 2015) for the rows at ``indices`` only, which may repeat, in place."""
    gradient, rows = _merged(var, gradient, indices)
    first = rows.of(m) * beta1 + gradient * (1 - beta1)
    second = rows.of(v) * beta2 + gradient * gradient * (1 - beta2)
    ahead = first * beta1 + gradient * (1 - beta1) if use_nesterov else first
    step = ahead * _rate(beta1_power, beta2_power, lr) / (F.sqrt(second) + epsilon)
    return rows.write(var, rows.of(var) - step), rows.write(m, first), rows.write(v, second)


FTRL = {"lr": REQUIRED, "l1": REQUIRED, "l2": REQUIRED, "lr_power": REQUIRED, "use_locking": False}
ADAM = {"use_locking": False, "use_nesterov": False}
# name -> function, its configuration
SPARSE_OPTIMIZER_STEPS: dict[str, tuple[Callable[..., Any], dict[str, Any]]] = {
    "FusedSparseAdam": (_adam, ADAM),
    "FusedSparseFtrl": (_fused_ftrl, FTRL),
    "FusedSparseLazyAdam": (_lazy_adam, ADAM),
    "FusedSparseProximalAdagrad": (_proximal_adagrad, {"use_locking": False}),
    "SparseApplyAdagradV2": (
        _adagrad, {"lr": REQUIRED, "epsilon": REQUIRED, "use_locking": False, "update_slots": True}),
    "SparseApplyFtrl": (_ftrl, FTRL),
    "SparseApplyRMSProp": (
        _rmsprop, {"rho": REQUIRED, "momentum": REQUIRED, "epsilon": REQUIRED, "use_locking": False}),
}  # fmt: skip
PRIMITIVES: dict[str, Any] = {
    name: primitive(name, function, **config) for name, (function, config) in SPARSE_OPTIMIZER_STEPS.items()
}
globals().update(PRIMITIVES)
__all__ = [*PRIMITIVES]  # noqa: PLE0604 - strings of a table
