"""Training with a scaled loss, which keeps small gradients of float16 from vanishing."""

from __future__ import annotations

from typing import Any, cast

from minigraph import ops
from minigraph.core.autodiff.grad import value_and_grad
from minigraph.core.errors import ArgTypeError, ArgValueError
from minigraph.core.pytree import leaves_of
from minigraph.core.tensor import Parameter, Tensor
from minigraph.core.types import float32, int32
from minigraph.nn.cell import Cell
from minigraph.nn.optim.optimizer import Optimizer
from minigraph.nn.wrap.training import TrainOneStepCell


def all_finite(inputs: object) -> Tensor:
    """Whether no element of any float tensor in a structure is infinite or NaN: bool[].

    >>> print(all_finite((Tensor([1.0, 2.0]), Tensor([float("inf")]))))
    False
    """
    floats = [leaf for leaf in leaves_of(inputs, lambda item: isinstance(item, Tensor)) if leaf.dtype.is_float]
    finite = Tensor(True)
    for tensor in floats:
        finite = ops.logical_and(finite, ops.isfinite(tensor).all())
    return finite


class FixedLossScaleUpdateCell(Cell):
    """A constant loss scale; a step that overflows is skipped.

    >>> update = FixedLossScaleUpdateCell(8)
    >>> print(update(Parameter(Tensor(8.0)), Tensor(True)), update.get_loss_scale())
    True 8
    """

    def __init__(self, loss_scale_value: float) -> None:
        super().__init__()
        self.loss_scale_value = loss_scale_value

    def get_loss_scale(self) -> float:
        """The loss scale."""
        return self.loss_scale_value

    def construct(self, loss_scale: Tensor, overflow: Tensor) -> Tensor:
        """``overflow`` itself."""
        return overflow


class DynamicLossScaleUpdateCell(Cell):
    """A loss scale divided by ``scale_factor`` after an overflow, multiplied by it after ``scale_window`` good steps.

    >>> update, scale = DynamicLossScaleUpdateCell(64, 2, 2), Parameter(Tensor(64.0), name="scale")
    >>> [(update(scale, Tensor(overflow)).item(), scale.item()) for overflow in (True, False, False)]
    [(True, 32.0), (False, 32.0), (False, 64.0)]
    """

    def __init__(self, loss_scale_value: float, scale_factor: int, scale_window: int) -> None:
        super().__init__()
        if loss_scale_value <= 0:
            raise ArgValueError(f"DynamicLossScaleUpdateCell: the scale is {loss_scale_value}; it must be positive")
        self.loss_scale_value, self.scale_factor, self.scale_window = loss_scale_value, scale_factor, scale_window
        self.good_steps = Parameter(Tensor(0, int32), name="good_steps", requires_grad=False)

    def get_loss_scale(self) -> float:
        """The first loss scale."""
        return self.loss_scale_value

    def construct(self, loss_scale: Parameter, overflow: Tensor) -> Tensor:
        """``overflow`` itself; updates the Parameter ``loss_scale``."""
        factor, good = float(self.scale_factor), self.good_steps + 1
        is_due = ops.logical_and(ops.logical_not(overflow), good >= self.scale_window)
        smaller = ops.maximum(loss_scale / factor, ops.ones_like(loss_scale))
        ops.assign(loss_scale, ops.where(overflow, smaller, ops.where(is_due, loss_scale * factor, loss_scale)))
        ops.assign(self.good_steps, ops.where(ops.logical_or(overflow, is_due), ops.zeros_like(good), good))
        return overflow


class TrainOneStepWithLossScaleCell(TrainOneStepCell):
    """One training step with a scaled loss; an update whose gradients overflow is skipped.

    Returns (loss, whether the gradients overflowed, loss scale). ``scale_sense`` is a Cell that updates the scale, such
    as ``DynamicLossScaleUpdateCell``, or a Tensor: a constant scale. Raises ``TypeError`` for anything else.
    """

    def __init__(self, network: Cell, optimizer: Optimizer, scale_sense: Cell | Tensor) -> None:
        super().__init__(network, optimizer)
        if not isinstance(scale_sense, Cell | Tensor):
            text = "The 'scale_sense' must be Cell or Tensor, but got"
            raise ArgTypeError(f"{text} {type(scale_sense).__name__}.")
        self.loss_scaling_manager = scale_sense if isinstance(scale_sense, Cell) else None
        start = scale_sense if isinstance(scale_sense, Tensor) else cast(Any, scale_sense).get_loss_scale()
        self.scale_sense = Parameter(Tensor(start, float32), name="scale_sense", requires_grad=False)
        self.grad_fn = value_and_grad(self._loss_and_scaled, None, self.weights, has_aux=True)

    def construct(self, *inputs: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """(loss, overflow, loss scale of this step)."""
        scale = self.scale_sense.value() * 1.0
        (_, loss), scaled = self.grad_fn(*inputs)
        grads = tuple([gradient / scale.astype(gradient.dtype) for gradient in scaled])
        overflow = self.process_loss_scale(self.get_overflow_status(True, grads))
        loss = ops.cond(overflow, lambda: loss, lambda: ops.depend(loss, self.optimizer(grads)))
        return loss, overflow, scale

    def get_overflow_status(self, status: bool, compute_output: tuple[Tensor, ...]) -> Tensor:
        """Whether a gradient has an element that is not finite: bool[]."""
        return ops.logical_not(all_finite(compute_output))

    def process_loss_scale(self, overflow: Tensor) -> Tensor:
        """Updates the scale; returns ``overflow``."""
        if self.loss_scaling_manager is None:
            return overflow
        result: Tensor = self.loss_scaling_manager(self.scale_sense, overflow)
        return result

    def set_sense_scale(self, sens: Tensor) -> None:
        """Sets the scale; raises ``TypeError`` for other types."""
        if not isinstance(sens, Tensor):
            raise ArgTypeError(f"The input type must be Tensor, but got {type(sens)}.")
        self.scale_sense.set_data(sens.astype(float32))

    def _loss_and_scaled(self, *inputs: Tensor) -> tuple[Tensor, Tensor]:
        """(the value to differentiate, the loss of the network)."""
        loss = self.network(*inputs)
        return loss * self.scale_sense.value().astype(loss.dtype), loss
