"""The base of optimizers: Cells that take the gradients and assign new values to their Parameters.

The update is made of operators and ``assign``, so it runs op by op, inside of ``@jit``, and on the simulator.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from minigraph import ops
from minigraph.capture.trace import tracing_now
from minigraph.core.errors import MinigraphError, RuntimeArgument, ShapeError, TypeArgument
from minigraph.core.location import placed
from minigraph.core.tensor import Parameter, ParameterTuple, Tensor
from minigraph.core.tensor.lift import constant
from minigraph.core.types import bool_, float32, int32
from minigraph.nn.arguments import from_0, positive
from minigraph.nn.cell import Cell
from minigraph.nn.containers import CellList
from minigraph.nn.learning_rate_schedule import FixedRate, ListedRates
from minigraph.nn.optim.parameter_groups import Grouped, grouped

Rate = float | Iterable[float] | Tensor | Callable[[Any], Any]
Decay = float | Cell
Parameters = Iterable[Parameter] | Iterable[Mapping[str, Any]]
DONE = constant(True, bool_)  # one tensor, so one node in a graph
CONVOLUTION = 4  # the rank of the weights that ``grad_centralization`` is for


class Step(NamedTuple):
    """What one update goes by: learning rate, weight decay (0.0: none), and what all Parameters have in common."""

    rate: Any
    decay: Any
    shared: Any


class Optimizer(Cell):
    """The base: subclasses define ``update(i, parameter, gradient, step)``, which assigns and returns the value.

    ``learning_rate`` is a number, kept as Parameter ``learning_rate``; one number per step, kept likewise, of which
    the last one stays; or a Cell of the Int32[1] step count. ``weight_decay``, a number or such a Cell, adds that
    multiple of the Parameter to its gradient, except for Parameters with ``beta`` or ``gamma`` in their names;
    gradients are divided by ``loss_scale`` first.

    ``parameters`` may come in dicts: ``params`` with, each if wanted, an ``lr`` and a ``weight_decay`` of their own
    (which all of them have, ``gamma`` too) and ``grad_centralization``, which subtracts from the gradients of
    convolutions their mean per output channel (Yong et al. 2020, arXiv 2004.01461, eq. 1); and a last dict with
    ``order_params``, all of them in the order of the gradients.

    ``optimizer(gradients)`` takes a tuple, one gradient per Parameter, and returns ``(True, ...)``; while
    tracing, tensors that are not there before the update: ``ops.depend(loss, optimizer(gradients))``.

    Raises ``ValueError`` for no Parameters, equal names or numbers below 0, ``TypeError`` for other things.

    >>> from minigraph import nn
    >>> w, b = (Parameter(Tensor([1.0]), name=name) for name in "wb")
    >>> optimizer = nn.SGD([{"params": [w], "lr": 0.5}, {"params": [b]}], learning_rate=0.25)
    >>> optimizer((Tensor([1.0]), Tensor([1.0])))
    (True, True)
    >>> print(w.value(), b.value(), optimizer.get_lr())
    [0.5] [0.75] (Tensor(shape=[], dtype=Float32, value= 0.5), Tensor(shape=[], dtype=Float32, value= 0.25))
    """

    decays_gradients = True  # False: the decay is a part of the step, and ``update`` sees to it

    def __init__(
        self, learning_rate: Rate, parameters: Parameters, weight_decay: Decay = 0.0, loss_scale: float = 1.0
    ) -> None:
        super().__init__(auto_prefix=False)
        given = grouped(parameters)
        self.global_step = Parameter(Tensor([0], int32), name="global_step", requires_grad=False)
        self.is_group, self.is_group_lr = not given.plain, any(group.lr is not None for group in given.groups)
        self._set_rates(given, learning_rate)
        self.parameters = ParameterTuple(given.parameters)
        self._set_decays(given, weight_decay)
        self._centred = tuple(given.of(p).centred and p.ndim >= CONVOLUTION for p in given.parameters)
        self.loss_scale = positive(type(self).__name__, "loss_scale", loss_scale)

    def _set_rates(self, given: Grouped, learning_rate: Rate) -> None:
        """Keep where the rate of each Parameter comes from, and show it as ``learning_rate``."""
        sources = self._sources(given, learning_rate)
        self.dynamic_lr = not all(isinstance(source, Parameter) for source in sources)
        if not self.is_group_lr:
            self.learning_rate: Any = sources[0]
        elif self.dynamic_lr:
            cells = {id(s): FixedRate(s) if isinstance(s, Parameter) else s for s in sources}
            sources = [cells[id(source)] for source in sources]
            self.learning_rate = CellList(sources, auto_prefix=False)
        else:
            self.learning_rate = ParameterTuple(sources)
        self._rates = tuple(sources)

    def _sources(self, given: Grouped, learning_rate: Rate) -> list[Any]:
        """Where the rate of each Parameter comes from: its group's own source, or the one in common."""
        who = type(self).__name__
        common = None if all(g.lr is not None for g in given.groups) else _source(who, learning_rate, "learning_rate")
        by_group = {
            id(group): common if group.lr is None else _source(who, group.lr, f"learning_rate_group_{i}")
            for i, group in enumerate(given.groups)
        }
        return [by_group[id(given.of(p))] for p in given.parameters]

    def _set_decays(self, given: Grouped, weight_decay: Decay) -> None:
        """Keep the decay of each Parameter, and show it as ``weight_decay``."""
        who = type(self).__name__
        common = _decay(who, weight_decay)
        by_group = {id(g): common if g.weight_decay is None else _decay(who, g.weight_decay) for g in given.groups}
        self._decays = tuple(
            by_group[id(given.of(p))] if self.is_group or self.decays(p) else 0.0 for p in given.parameters
        )
        self.weight_decay: Any = self._decays if self.is_group else common

    # ---- what a step does ----------------------------------------------------------------------------

    def __call__(self, gradients: tuple[Tensor, ...]) -> tuple[Any, ...]:
        """Check every gradient, then update every Parameter: all of them, or none."""
        try:
            self._check(gradients)
        except MinigraphError as error:
            raise placed(error) from None
        done = super().__call__(gradients)
        return done if tracing_now() else (True,) * len(self.parameters)

    def construct(self, gradients: tuple[Tensor, ...]) -> tuple[Any, ...]:
        """One ``True`` per Parameter, each behind its update."""
        shared = self.shared()
        rates = self._now(self._rates, lambda rate: self.adjusted_rate(rate, shared))
        decays = self._now(self._decays, lambda decay: decay)
        counted = ops.assign_add(self.global_step, Tensor([1], int32))
        updated = [
            self.update(i, p, self._prepared(i, p, gradient, decay), Step(rate, decay, shared))
            for i, (p, gradient, rate, decay) in enumerate(zip(self.parameters, gradients, rates, decays, strict=True))
        ]
        return tuple(ops.depend(DONE, (value, counted)) for value in updated)

    def update(self, i: int, parameter: Parameter, gradient: Any, step: Step) -> Any:
        """Assign Parameter number ``i`` its new value and return it; subclasses define it."""
        raise TypeArgument(f"{type(self).__name__}: an Optimizer defines update(i, parameter, gradient, step)")

    def shared(self) -> Any:
        """What is computed once in a step for all Parameters."""
        return None

    def adjusted_rate(self, rate: Any, shared: Any) -> Any:
        """The learning rate as the update uses it, once for all Parameters that have it."""
        return rate

    def decays(self, parameter: Parameter) -> bool:
        """Whether weight decay applies to a Parameter that is in no group."""
        return "beta" not in parameter.name and "gamma" not in parameter.name

    def _prepared(self, i: int, parameter: Parameter, gradient: Any, decay: Any) -> Any:
        """The gradient as the update uses it."""
        if self.loss_scale != 1.0:
            gradient = gradient / self.loss_scale
        if self._centred[i]:
            gradient = gradient - gradient.mean(tuple(range(1, len(parameter.shape))), keep_dims=True)
        off = isinstance(decay, float) and decay == 0.0
        return gradient if off or not self.decays_gradients else gradient + decay * parameter

    def _now(self, sources: Sequence[Any], then: Callable[[Any], Any]) -> list[Any]:
        """What ``then`` makes of the value of each source at this step, computed once for the same source."""
        different = {id(source): source for source in sources}
        values = {key: then(self._at_this_step(source)) for key, source in different.items()}
        return [values[id(source)] for source in sources]

    def _at_this_step(self, source: Any) -> Any:
        if isinstance(source, Parameter | float):
            return source
        value = source(self.global_step)
        return value.reshape(()) if isinstance(value, Tensor) else value

    # ---- what can be asked ---------------------------------------------------------------------------

    def get_lr(self) -> Any:
        """The learning rate of the coming step, f32[]; with rates by group, one per Parameter."""
        rates = self._now(self._rates, lambda rate: rate.value() if isinstance(rate, Parameter) else rate)
        return tuple(rates) if self.is_group_lr else rates[0]

    def get_lr_parameter(self, param: Any) -> Any:
        """Where the rate of a Parameter comes from, or a list of that for several: a Parameter or a Cell."""
        if isinstance(param, Parameter):
            return next(rate for p, rate in zip(self.parameters, self._rates, strict=True) if p is param)
        return [self.get_lr_parameter(one) for one in param]

    def get_weight_decay(self) -> Any:
        """The weight decay of the coming step; with groups, one per Parameter."""
        if not self.is_group:
            return self._at_this_step(self.weight_decay)
        return tuple(Tensor(decay, float32) for decay in self._now(self._decays, lambda decay: decay))

    def clones(self, prefix: str, value: float = 0.0) -> ParameterTuple:
        """One state Parameter ``prefix.name`` per Parameter, of its shape and dtype, filled with ``value``."""
        filled = [(p, Tensor(np.full(p.shape, value), p.dtype)) for p in self.parameters]
        return ParameterTuple(Parameter(first, f"{prefix}.{p.name}", requires_grad=False) for p, first in filled)

    def update_parameters_name(self, prefix: str = "", recurse: bool = True) -> None:
        """Name the optimizer's own state after ``prefix``; the weights keep the names the network gave them."""
        weights = set(map(id, self.parameters))
        for parameter in self.get_parameters(recurse):
            if id(parameter) not in weights:
                parameter.name = prefix + parameter.name

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


def _source(who: str, given: Any, name: str) -> Any:
    """Where a learning rate comes from: a Parameter for a number, a Cell or function of the step for the others."""
    if isinstance(given, Tensor) and not given.ndim:
        given = given.item()
    if isinstance(given, int | float) and not isinstance(given, bool):
        return Parameter(Tensor(from_0(who, "learning rate", given), float32), name, requires_grad=False)
    if isinstance(given, Iterable) and not isinstance(given, str | CellList):
        return ListedRates(given, name)
    if not callable(given):
        known = "must be int, float, Tensor, Iterable or LearningRateSchedule"
        raise TypeArgument(f"For 'Optimizer', the argument 'learning_rate' {known}, but got {type(given)}.")
    return given


def _decay(who: str, given: Any) -> Decay:
    """A weight decay: a number, or a Cell of the step."""
    if isinstance(given, Cell):
        return given
    if isinstance(given, bool) or not isinstance(given, int | float):
        raise TypeArgument(
            f"For 'Optimizer', the argument 'Weight_decay' must be int, float or Cell.but got {type(given)}"
        )
    return from_0(who, "weight_decay", given)
