"""The base class of optimizers: Cells that take the gradients and assign new values to their Parameters.

The update consists of operators and ``assign``, so it runs op by op, under ``@jit``, and on the simulator.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from minigraph import ops
from minigraph.capture.trace import is_tracing
from minigraph.core.aliases import CallResult, Function, PyTree, TensorLike
from minigraph.core.errors import ArgRuntimeError, ArgTypeError, MinigraphError, ShapeError
from minigraph.core.location import with_location_once
from minigraph.core.tensor import Parameter, ParameterTuple, Tensor
from minigraph.core.tensor.promotion import constant
from minigraph.core.types import bool_, float32, int32
from minigraph.nn.arguments import check_nonnegative, check_positive
from minigraph.nn.cell import Cell
from minigraph.nn.containers import CellList
from minigraph.nn.learning_rate_schedule import FixedRate, ListedRates
from minigraph.nn.optim.parameter_groups import ParameterGroups, group_parameters

Rate = float | Iterable[float] | Tensor | Callable[[Tensor], TensorLike]
Decay = float | Cell
Parameters = Iterable[Parameter] | Iterable[Mapping[str, Any]]
TRUE = constant(True, bool_)  # a single constant node in a graph
CONVOLUTION_RANK = 4  # ``grad_centralization`` applies to weights of this rank or more


class Step(NamedTuple):
    """The operands of one update: learning rate, weight decay (0.0: none), and values shared by all Parameters."""

    rate: Tensor
    decay: TensorLike
    shared_values: PyTree


class Optimizer(Cell):
    """The base class: subclasses define ``update(i, parameter, gradient, step)``, which assigns and returns the value.

    ``learning_rate`` is a number, kept as Parameter ``learning_rate``; one number per step, kept likewise, of which the
    last one persists; or a Cell of the Int32[1] step count. ``weight_decay``, a number or such a Cell, adds that
    multiple of the Parameter to its gradient, except for Parameters with ``beta`` or ``gamma`` in their names;
    gradients are divided by ``loss_scale`` first.

    ``parameters`` may be dicts (parameter groups): ``params`` with optional ``lr`` and ``weight_decay`` (which applies
    to all of them, also to ``gamma``) and ``grad_centralization``, which subtracts from the gradients of convolutions
    their mean per output channel (Yong et al. 2020, arXiv 2004.01461, eq. 1); and a last dict with ``order_params``,
    all of them in the order of the gradients.

    ``optimizer(gradients)`` takes a tuple, one gradient per Parameter, and returns ``(True, ...)``; while tracing,
    tensors that depend on the update: ``ops.depend(loss, optimizer(gradients))``.

    Raises ``ValueError`` for no Parameters, equal names or negative numbers, ``TypeError`` for other types.

    >>> from minigraph import nn
    >>> w, b = (Parameter(Tensor([1.0]), name=name) for name in "wb")
    >>> optimizer = nn.SGD([{"params": [w], "lr": 0.5}, {"params": [b]}], learning_rate=0.25)
    >>> optimizer((Tensor([1.0]), Tensor([1.0])))
    (True, True)
    >>> print(w.value(), b.value(), optimizer.get_lr())
    [0.5] [0.75] (Tensor(shape=[], dtype=Float32, value= 0.5), Tensor(shape=[], dtype=Float32, value= 0.25))
    """

    decays_gradients = True  # False: decoupled weight decay, applied by ``update``

    def __init__(
        self, learning_rate: Rate, parameters: Parameters, weight_decay: Decay = 0.0, loss_scale: float = 1.0
    ) -> None:
        super().__init__(auto_prefix=False)
        params = group_parameters(parameters)
        self.global_step = Parameter(Tensor([0], int32), name="global_step", requires_grad=False)
        self.is_group, self.is_group_lr = not params.is_flat, any(group.lr is not None for group in params.groups)
        self._set_rates(params, learning_rate)
        self.parameters = ParameterTuple(params.parameters)
        self._set_decays(params, weight_decay)
        self._centralized = tuple(
            params.group_of(p).centralized and p.ndim >= CONVOLUTION_RANK for p in params.parameters
        )
        self.loss_scale = check_positive(type(self).__name__, "loss_scale", loss_scale)

    def _set_rates(self, params: ParameterGroups, learning_rate: Rate) -> None:
        """Keeps the source of each Parameter's rate, and exposes it as ``learning_rate``."""
        sources = self._rate_sources(params, learning_rate)
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

    def _rate_sources(self, params: ParameterGroups, learning_rate: Rate) -> list[Any]:
        """The source of each Parameter's rate: the rate of its group, or the common rate."""
        caller = type(self).__name__
        common = (
            None if all(g.lr is not None for g in params.groups) else _source(caller, learning_rate, "learning_rate")
        )
        by_group = {
            id(group): common if group.lr is None else _source(caller, group.lr, f"learning_rate_group_{i}")
            for i, group in enumerate(params.groups)
        }
        return [by_group[id(params.group_of(p))] for p in params.parameters]

    def _set_decays(self, params: ParameterGroups, weight_decay: Decay) -> None:
        """Keeps the decay of each Parameter, and exposes it as ``weight_decay``."""
        caller = type(self).__name__
        common = _decay(caller, weight_decay)
        by_group = {id(g): common if g.weight_decay is None else _decay(caller, g.weight_decay) for g in params.groups}
        self._decays = tuple(
            by_group[id(params.group_of(p))] if self.is_group or self.decays(p) else 0.0 for p in params.parameters
        )
        self.weight_decay: Any = self._decays if self.is_group else common

    # ---- a step --------------------------------------------------------------------------------------

    def __call__(self, gradients: tuple[Tensor, ...]) -> tuple[TensorLike, ...]:
        """Checks every gradient, then updates every Parameter: all of them, or none."""
        try:
            self._check(gradients)
        except MinigraphError as error:
            raise with_location_once(error) from None
        updated = super().__call__(gradients)
        return updated if is_tracing() else (True,) * len(self.parameters)

    def construct(self, gradients: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
        """One ``True`` per Parameter, which depends on its update."""
        shared_values = self.shared_values()
        rates = self._evaluate(self._rates, lambda rate: self.adjusted_rate(rate, shared_values))
        decays = self._evaluate(self._decays, lambda decay: decay)
        next_step = ops.assign_add(self.global_step, Tensor([1], int32))
        values = [
            self.update(i, p, self._preprocess(i, p, gradient, decay), Step(rate, decay, shared_values))
            for i, (p, gradient, rate, decay) in enumerate(zip(self.parameters, gradients, rates, decays, strict=True))
        ]
        return tuple(ops.depend(TRUE, (value, next_step)) for value in values)

    def update(self, i: int, parameter: Parameter, gradient: Tensor, step: Step) -> Tensor:
        """Assigns Parameter ``i`` its new value and returns it; subclasses define it."""
        raise ArgTypeError(f"{type(self).__name__}: an Optimizer must define update(i, parameter, gradient, step)")

    def shared_values(self) -> PyTree:
        """Values computed once per step for all Parameters."""
        return None

    def adjusted_rate(self, rate: Tensor, shared_values: PyTree) -> Tensor:
        """The effective learning rate, computed once for all Parameters with the same rate."""
        return rate

    def decays(self, parameter: Parameter) -> bool:
        """Whether weight decay applies to a Parameter that is in no group."""
        return "beta" not in parameter.name and "gamma" not in parameter.name

    def _preprocess(self, i: int, parameter: Parameter, gradient: Tensor, decay: TensorLike) -> Tensor:
        """The gradient divided by the loss scale, centralized, and with weight decay."""
        if self.loss_scale != 1.0:
            gradient = gradient / self.loss_scale
        if self._centralized[i]:
            gradient = gradient - gradient.mean(tuple(range(1, len(parameter.shape))), keep_dims=True)
        off = isinstance(decay, float) and decay == 0.0
        return gradient if off or not self.decays_gradients else gradient + decay * parameter

    def _evaluate(self, sources: Sequence[object], then: Function) -> list[Any]:
        """``then`` of the value of each source at this step, computed once per source."""
        unique = {id(source): source for source in sources}
        values = {key: then(self._value_at_step(source)) for key, source in unique.items()}
        return [values[id(source)] for source in sources]

    def _value_at_step(self, source: Any) -> TensorLike:
        if isinstance(source, Parameter | float):
            return source
        value = source(self.global_step)
        return value.reshape(()) if isinstance(value, Tensor) else value

    # ---- rates and state -----------------------------------------------------------------------------

    def get_lr(self) -> CallResult:
        """The learning rate of the next step, f32[]; with rates by group, one per Parameter."""
        rates = self._evaluate(self._rates, lambda rate: rate.value() if isinstance(rate, Parameter) else rate)
        return tuple(rates) if self.is_group_lr else rates[0]

    def get_lr_parameter(self, param: Tensor | Sequence[Tensor]) -> Any:
        """The source of a Parameter's rate, or a list for several Parameters: a Parameter or a Cell."""
        if isinstance(param, Parameter):
            return next(rate for p, rate in zip(self.parameters, self._rates, strict=True) if p is param)
        return [self.get_lr_parameter(parameter) for parameter in param]

    def get_weight_decay(self) -> CallResult:
        """The weight decay of the next step; with groups, one per Parameter."""
        if not self.is_group:
            return self._value_at_step(self.weight_decay)
        return tuple(Tensor(decay, float32) for decay in self._evaluate(self._decays, lambda decay: decay))

    def clones(self, prefix: str, value: float = 0.0) -> ParameterTuple:
        """One state Parameter ``prefix.name`` per Parameter, of its shape and dtype, filled with ``value``."""
        states = [(p, Tensor(np.full(p.shape, value), p.dtype)) for p in self.parameters]
        return ParameterTuple(Parameter(state, f"{prefix}.{p.name}", requires_grad=False) for p, state in states)

    def update_parameters_name(self, prefix: str = "", recurse: bool = True) -> None:
        """Prefixes the names of all its Parameters, those of the network included."""
        for parameter in self.get_parameters(recurse):
            parameter.name, parameter.explicit_name = prefix + parameter.name, True

    def prefix_names(self, prefix: str) -> None:
        """Prefixes the names of the optimizer's own state; the weights keep the names of the network."""
        weights = set(map(id, self.parameters))
        for parameter in self.get_parameters():
            if id(parameter) not in weights:
                parameter.name = prefix + parameter.name

    def _check(self, gradients: tuple[Tensor, ...]) -> None:
        caller = type(self).__name__
        if not isinstance(gradients, tuple):
            raise ArgRuntimeError(
                f"{caller}: gradients must be a tuple, got {type(gradients).__name__}; use tuple(...)"
            )
        if len(gradients) != len(self.parameters):
            raise ArgRuntimeError(f"{caller}: {len(self.parameters)} Parameters, but {len(gradients)} gradients")
        for parameter, gradient in zip(self.parameters, gradients, strict=True):
            if not isinstance(gradient, Tensor):
                kind = type(gradient).__name__
                raise ArgTypeError(f"{caller}: the gradient of '{parameter.name}' is a {kind}, not a Tensor")
            if gradient.shape != parameter.shape:
                raise ShapeError(
                    f"{caller}: '{parameter.name}' is {parameter.type}, its gradient {gradient.type}; "
                    "pass the gradients in the order of optimizer.parameters"
                )


def _source(caller: str, rate: object, name: str) -> Any:
    """The source of a learning rate: a Parameter for a number, a Cell or function of the step otherwise."""
    if isinstance(rate, Tensor) and not rate.ndim:
        rate = rate.item()
    if isinstance(rate, int | float) and not isinstance(rate, bool):
        return Parameter(Tensor(check_nonnegative(caller, "learning rate", rate), float32), name, requires_grad=False)
    if isinstance(rate, Iterable) and not isinstance(rate, str | CellList):
        return ListedRates(rate, name)
    if not callable(rate):
        expected = "must be int, float, Tensor, Iterable or LearningRateSchedule"
        raise ArgTypeError(f"For 'Optimizer', the argument 'learning_rate' {expected}, but got {type(rate)}.")
    return rate


def _decay(caller: str, decay: object) -> Decay:
    """A weight decay: a number, or a Cell of the step."""
    if isinstance(decay, Cell):
        return decay
    if isinstance(decay, bool) or not isinstance(decay, int | float):
        raise ArgTypeError(
            f"For 'Optimizer', the argument 'Weight_decay' must be int, float or Cell.but got {type(decay)}"
        )
    return check_nonnegative(caller, "weight_decay", decay)
