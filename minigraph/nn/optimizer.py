"""The base of optimizers: Cells that take the gradients and assign new values to their Parameters.

The update is made of operators and ``assign``, so it runs op by op, inside of ``@jit``, and on the simulator.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from minigraph import ops
from minigraph.capture.trace import tracing_now
from minigraph.errors import RuntimeArgument, ShapeError, TypeArgument, ValueArgument
from minigraph.lift import constant
from minigraph.nn.cell import Cell
from minigraph.nn.schedule import ListedRates
from minigraph.tensor import Parameter, ParameterTuple, Tensor
from minigraph.types import bool_, float32, int32

Rate = float | Sequence[float] | Tensor | Callable[[Any], Any]
DONE = constant(True, bool_)  # one tensor, so one node in a graph


class Optimizer(Cell):
    """The base: subclasses define ``update(i, parameter, gradient, rate)``, which assigns and returns the value.

    ``learning_rate`` is a number, kept as Parameter ``learning_rate``, a list or f32[steps] of one per step, or a
    function (or Cell) of the Int32[1] step count. ``weight_decay`` adds that multiple of the Parameter to its
    gradient, except for Parameters with ``beta`` or ``gamma`` in their names; gradients are divided by
    ``loss_scale`` first.

    ``optimizer(gradients)`` takes a tuple, one gradient per Parameter, and returns ``(True, ...)``; while
    tracing, tensors that are not there before the update: ``ops.depend(loss, optimizer(gradients))``.

    Raises ``ValueError`` for no Parameters, equal names or numbers below 0, ``TypeError`` for other things.
    """

    def __init__(
        self,
        learning_rate: Rate,
        parameters: Iterable[Parameter],
        weight_decay: float = 0.0,
        loss_scale: float = 1.0,
    ) -> None:
        super().__init__(auto_prefix=False)
        checked = _checked_parameters(parameters)
        self.global_step = Parameter(Tensor([0], int32), name="global_step", requires_grad=False)
        if isinstance(learning_rate, Tensor) and not learning_rate.ndim:
            learning_rate = learning_rate.item()  # type: ignore[assignment]
        if isinstance(learning_rate, list | tuple | Tensor):
            learning_rate = ListedRates(learning_rate)
        if callable(learning_rate):
            self.learning_rate: Any = learning_rate
        else:
            rate = not_negative(type(self).__name__, "learning_rate", learning_rate)
            self.learning_rate = Parameter(Tensor(rate, float32), name="learning_rate", requires_grad=False)
        self.parameters = ParameterTuple(checked)
        self.counts = callable(learning_rate)
        self.weight_decay = not_negative(type(self).__name__, "weight_decay", weight_decay)
        self.loss_scale = not_negative(type(self).__name__, "loss_scale", loss_scale)

    # ---- what a step does ----------------------------------------------------------------------------

    def __call__(self, gradients: tuple[Tensor, ...]) -> tuple[Any, ...]:
        """Check every gradient, then update every Parameter: all of them, or none."""
        self._check(gradients)
        done = super().__call__(gradients)
        return done if tracing_now() else (True,) * len(self.parameters)

    def construct(self, gradients: tuple[Tensor, ...]) -> tuple[Any, ...]:
        """One ``True`` per Parameter, each behind its update."""
        rate, counted = self.adjusted_rate(self.get_lr()), self._count()
        pairs = zip(self.parameters, gradients, strict=True)
        updated = [self.update(i, p, self._prepared(p, g), rate) for i, (p, g) in enumerate(pairs)]
        return tuple(ops.depend(DONE, (value, *counted)) for value in updated)

    def update(self, i: int, parameter: Parameter, gradient: Any, rate: Any) -> Any:
        """Assign Parameter number ``i`` its new value and return it; subclasses define it."""
        raise TypeArgument(f"{type(self).__name__}: an Optimizer defines update(i, parameter, gradient, rate)")

    def adjusted_rate(self, rate: Any) -> Any:
        """The learning rate of this step, once for all Parameters."""
        return rate

    def get_lr(self) -> Any:
        """The learning rate of the coming step: f32[]."""
        if isinstance(self.learning_rate, Parameter):
            return self.learning_rate
        rate = self.learning_rate(self.global_step)
        return rate.reshape(()) if isinstance(rate, Tensor) else rate

    def clones(self, prefix: str, value: float = 0.0) -> ParameterTuple:
        """One state Parameter ``prefix.name`` per Parameter, of its shape and dtype, filled with ``value``."""
        filled = [(p, Tensor(np.full(p.shape, value), p.dtype)) for p in self.parameters]
        return ParameterTuple(Parameter(first, f"{prefix}.{p.name}", requires_grad=False) for p, first in filled)

    def _count(self) -> tuple[Any, ...]:
        """The step count, one higher, if anything looks at it."""
        return (ops.assign_add(self.global_step, Tensor([1], int32)),) if self.counts else ()

    def update_parameters_name(self, prefix: str = "", recurse: bool = True) -> None:
        """Name the optimizer's own state after ``prefix``; the weights keep the names the network gave them."""
        weights = set(map(id, self.parameters))
        for parameter in self.get_parameters(recurse):
            if id(parameter) not in weights:
                parameter.name = prefix + parameter.name

    def _prepared(self, parameter: Parameter, gradient: Any) -> Any:
        if self.loss_scale != 1.0:
            gradient = gradient / self.loss_scale
        return gradient + self.weight_decay * parameter if self.decays(parameter) else gradient

    def decays(self, parameter: Parameter) -> bool:
        """Whether weight decay applies to this Parameter."""
        return self.weight_decay > 0.0 and "beta" not in parameter.name and "gamma" not in parameter.name

    def _check(self, gradients: Any) -> None:
        who = type(self).__name__
        if not isinstance(gradients, tuple):
            raise RuntimeArgument(f"{who}: gradients must be a tuple, got {type(gradients).__name__}; use tuple(...)")
        if len(gradients) != len(self.parameters):
            raise RuntimeArgument(f"{who}: {len(self.parameters)} Parameters, but {len(gradients)} gradients")
        for parameter, gradient in zip(self.parameters, gradients, strict=True):
            if not isinstance(gradient, Tensor):
                kind = type(gradient).__name__
                raise TypeArgument(f"{who}: the gradient of '{parameter.name}' is a {kind}, not a Tensor")
            if gradient.shape != parameter.shape:
                raise ShapeError(
                    f"{who}: '{parameter.name}' is {parameter.type}, its gradient {gradient.type}; "
                    "give the gradients in the order of optimizer.parameters"
                )


def not_negative(who: str, name: str, value: Any) -> float:
    """The number as a float; raises ``TypeError`` for other things and ``ValueError`` below 0."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeArgument(f"For '{who}', the '{name}' must be a number, but got {type(value).__name__}.")
    if not value >= 0:
        raise ValueArgument(f"For '{who}', the argument '{name}' should be at least 0.0, but got {value}.")
    return float(value)


def _checked_parameters(parameters: Any) -> list[Parameter]:
    if isinstance(parameters, Cell):
        raise TypeArgument("For 'Optimizer', the argument parameters is a Cell; pass net.trainable_params()")
    listed = list(parameters) if not isinstance(parameters, Parameter) else [parameters]
    if not listed:
        raise ValueArgument("For 'Optimizer', the argument parameters must not be empty.")
    names: set[str] = set()
    for parameter in listed:
        if not isinstance(parameter, Parameter):
            kind = type(parameter).__name__
            raise TypeArgument(f"For 'Optimizer', the parameters must be Parameters, but got one of type {kind}.")
        if parameter.name in names:
            raise ValueArgument(
                f"The value {parameter!r}, its name '{parameter.name}' already exists. "
                "Please set a unique name for the parameter."
            )
        names.add(parameter.name)
    return listed
