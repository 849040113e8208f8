"""The base class of schedulers, and those that multiply the rates by a factor at each step.

The rates are computed by operators from the number of steps, so that ``step()`` also works under ``@jit``.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import Any

from minigraph import ops
from minigraph.core.aliases import TensorLike
from minigraph.core.errors import ArgTypeError, ArgValueError
from minigraph.core.tensor import Parameter, Tensor
from minigraph.core.types import float32
from minigraph.experimental.optim.optimizer import Optimizer

INITIAL_RATE_KEY = "initial_lr"  # the setting of a group that keeps its rate from before all schedulers


def check_optimizer(optimizer: object) -> Optimizer:
    """The optimizer itself; raises ``TypeError`` for one of ``nn``."""
    if not isinstance(optimizer, Optimizer):
        raise ArgTypeError(f"{type(optimizer).__name__} is not an Optimizer")
    return optimizer


def check_type(caller: str, name: str, value: object, kind: type | tuple[type, ...]) -> None:
    """Raises ``TypeError`` unless an argument is of this type."""
    if isinstance(value, bool) or not isinstance(value, kind):
        expected = kind[0] if isinstance(kind, tuple) else kind
        raise ArgTypeError(f"For '{caller}', the '{name}' must be {expected.__name__}, but got {type(value)}.")


def values_per_group(optimizer: Optimizer, name: str, value: object) -> list[Any]:
    """A list with one value per group, from such a list or one value; raises ``ValueError`` for another length."""
    count = len(optimizer.param_groups)
    values = list(value) if isinstance(value, list | tuple) else [value] * count
    if len(values) != count:
        raise ArgValueError(f"Expected {count} {name}, but got {len(values)}")
    return values


class GroupRates:
    """The rates of the groups of an optimizer."""

    def __init__(self, optimizer: Optimizer) -> None:
        self.optimizer = check_optimizer(optimizer)

    def set_rates(self, rates: Sequence[TensorLike]) -> None:
        """Assigns each group a rate."""
        for group, rate in zip(self.optimizer.param_groups, rates, strict=True):
            ops.assign(group["lr"], rate)

    def get_last_lr(self) -> list[Tensor]:
        """The current rate of each group, f32[]."""
        return [group["lr"].value() for group in self.optimizer.param_groups]


class LRScheduler(GroupRates):
    """The base class: subclasses define ``get_lr``, the rates of the groups after ``last_epoch`` steps.

    ``last_epoch`` is a Parameter f32[], 0 after construction, or one more than the argument; ``base_lrs`` are the rates
    that the groups had before. Raises ``TypeError`` for another optimizer.

    >>> import minigraph as ms
    >>> from minigraph.experimental import optim
    >>> class Halving(LRScheduler):
    ...     def get_lr(self):
    ...         return [rate * 0.5**self.last_epoch for rate in self.base_lrs]
    >>> scheduler = Halving(optim.SGD([ms.Parameter(ms.Tensor([1.0]), name="w")], lr=0.5))
    >>> scheduler.step()
    >>> print(scheduler.get_last_lr())
    [Tensor(shape=[], dtype=Float32, value= 0.25)]
    """

    def __init__(self, optimizer: Optimizer, last_epoch: int = -1) -> None:
        super().__init__(optimizer)
        check_type(type(self).__name__, "last_epoch", last_epoch, int)
        for group in optimizer.param_groups:
            group.setdefault(INITIAL_RATE_KEY, Tensor(group["lr"].value(), float32))
        self.base_lrs = [group[INITIAL_RATE_KEY] for group in optimizer.param_groups]
        self.groups_num = len(self.base_lrs)
        name = f"last_epoch_{type(self).__name__}"
        self.last_epoch = Parameter(Tensor(last_epoch, float32), name=name, requires_grad=False)
        self.step()

    @abstractmethod
    def get_lr(self) -> Sequence[TensorLike]:
        """The rate of each group; subclasses define it."""
        raise ArgTypeError(f"{type(self).__name__}: an LRScheduler must define get_lr()")

    def step(self) -> None:
        """Counts one step, and assigns the groups their rates."""
        ops.assign_add(self.last_epoch, Tensor(1.0, float32))
        self.set_rates(self.get_lr())

    def restart(self) -> None:
        """Resets the step count, and assigns the groups their initial rates."""
        ops.assign(self.last_epoch, Tensor(0.0, float32))
        self.set_rates([self.rate_at_start(base) for base in self.base_lrs])

    def rate_at_start(self, base: TensorLike) -> TensorLike:
        """The rate of a group after no step."""
        return base


class _ChainableScheduler(LRScheduler):
    """Rates that are multiplied by a factor at each step, so that several schedulers of one optimizer combine."""

    @abstractmethod
    def factor(self, step: Tensor) -> TensorLike:
        """The factor of this step."""

    def first_factor(self) -> float:
        """The factor before the first step."""
        return 1.0

    def get_lr(self) -> Sequence[TensorLike]:
        """The rates of the groups times the factor."""
        factor = ops.where(self.last_epoch == 0, self.first_factor(), self.factor(self.last_epoch))
        return [group["lr"] * factor for group in self.optimizer.param_groups]

    def rate_at_start(self, base: TensorLike) -> TensorLike:
        """The rate of a group after no step."""
        return base * self.first_factor()


class StepLR(_ChainableScheduler):
    """Each rate times ``gamma`` after every ``step_size`` steps."""

    def __init__(self, optimizer: Optimizer, step_size: int, gamma: float = 0.1, last_epoch: int = -1) -> None:
        check_type("StepLR", "step_size", step_size, int)
        check_type("StepLR", "gamma", gamma, float)
        self.step_size, self.gamma = step_size, gamma
        super().__init__(optimizer, last_epoch)

    def factor(self, step: Tensor) -> TensorLike:
        """``gamma`` at a multiple of ``step_size``."""
        return ops.where(step % self.step_size == 0, self.gamma, 1.0)


class MultiStepLR(_ChainableScheduler):
    """Each rate times ``gamma`` at each of the milestones, which are numbers of steps."""

    def __init__(self, optimizer: Optimizer, milestones: list[int], gamma: float = 0.1, last_epoch: int = -1) -> None:
        if not isinstance(milestones, list):
            raise ArgTypeError(
                f"The type of 'milestones' should be 'list', but got type '{type(milestones).__name__}'."
            )
        for milestone in milestones:
            check_type("MultiStepLR", "milestones", milestone, int)
        check_type("MultiStepLR", "gamma", gamma, float)
        self.milestones, self.gamma = list(milestones), gamma
        super().__init__(optimizer, last_epoch)

    def factor(self, step: Tensor) -> TensorLike:
        """``gamma`` for each time that the step is in the milestones."""
        hits = (Tensor(self.milestones, float32) == step).astype(float32).sum()
        return self.gamma**hits


class ExponentialLR(_ChainableScheduler):
    """Each rate times ``gamma`` at each step."""

    def __init__(self, optimizer: Optimizer, gamma: float, last_epoch: int = -1) -> None:
        check_type("ExponentialLR", "gamma", gamma, float)
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def factor(self, step: Tensor) -> TensorLike:
        """``gamma``."""
        return self.gamma


class ConstantLR(_ChainableScheduler):
    """Each rate times ``factor`` until step ``total_iters``."""

    def __init__(
        self, optimizer: Optimizer, factor: float = 1.0 / 3, total_iters: int = 5, last_epoch: int = -1
    ) -> None:
        if not 0.0 <= factor <= 1.0:
            raise ArgValueError("Constant multiplicative factor expected to be between 0 and 1.")
        check_type("ConstantLR", "total_iters", total_iters, int)
        self.start_factor, self.total_iters = factor, total_iters
        super().__init__(optimizer, last_epoch)

    def first_factor(self) -> float:
        """``factor``."""
        return self.start_factor

    def factor(self, step: Tensor) -> TensorLike:
        """The inverse of ``factor`` at step ``total_iters``."""
        return ops.where(step == self.total_iters, 1.0 / self.start_factor, 1.0)


class LinearLR(_ChainableScheduler):
    """Each rate times a factor that changes in ``total_iters`` steps from ``start_factor`` to ``end_factor``."""

    def __init__(
        self,
        optimizer: Optimizer,
        start_factor: float = 1.0 / 3,
        end_factor: float = 1.0,
        total_iters: int = 5,
        last_epoch: int = -1,
    ) -> None:
        if not 0.0 < start_factor <= 1.0:
            problem = "expected to be greater than 0 and less than or equal to 1."
            raise ArgValueError(f"Starting multiplicative factor {problem}")
        if not 0.0 <= end_factor <= 1.0:
            raise ArgValueError("Ending multiplicative factor expected to be between 0 and 1.")
        check_type("LinearLR", "total_iters", total_iters, int)
        self.start_factor, self.end_factor, self.total_iters = start_factor, end_factor, total_iters
        super().__init__(optimizer, last_epoch)

    def first_factor(self) -> float:
        """``start_factor``."""
        return self.start_factor

    def factor(self, step: Tensor) -> TensorLike:
        """The quotient of the factors of this step and the one before."""
        change = (self.end_factor - self.start_factor) / self.total_iters
        before = self.start_factor + (step - 1) * change
        return ops.where(step > self.total_iters, 1.0, (before + change) / before)


class _LambdaScheduler(LRScheduler):
    """Rates from one function of the number of steps per group."""

    def __init__(
        self,
        optimizer: Optimizer,
        lr_lambda: Callable[[Tensor], TensorLike] | Sequence[Callable[[Tensor], TensorLike]],
        last_epoch: int = -1,
    ) -> None:
        self.lr_lambdas = values_per_group(check_optimizer(optimizer), "lr_lambdas", lr_lambda)
        super().__init__(optimizer, last_epoch)


class LambdaLR(_LambdaScheduler):
    """Each first rate times ``lr_lambda``, a function of the number of steps, or a list of one for each group."""

    def get_lr(self) -> Sequence[TensorLike]:
        """The first rates times the functions' values."""
        pairs = zip(self.base_lrs, self.lr_lambdas, strict=True)
        return [base * function(self.last_epoch) for base, function in pairs]


class MultiplicativeLR(_LambdaScheduler):
    """Each rate times ``lr_lambda``, a function of the number of steps, or a list of one for each group."""

    def get_lr(self) -> Sequence[TensorLike]:
        """The rates times the functions' values; unchanged before the first step."""
        pairs = zip(self.optimizer.param_groups, self.lr_lambdas, strict=True)
        step = self.last_epoch
        return [group["lr"] * ops.where(step > 0, function(step), 1.0) for group, function in pairs]


class PolynomialLR(_ChainableScheduler):
    """Rates that fall from the first ones to 0 at step ``total_iters`` as (1 - step / total_iters)^power."""

    def __init__(self, optimizer: Optimizer, total_iters: int = 5, power: float = 1.0, last_epoch: int = -1) -> None:
        check_type("PolynomialLR", "total_iters", total_iters, int)
        check_type("PolynomialLR", "power", power, float)
        self.total_iters, self.power = total_iters, power
        super().__init__(optimizer, last_epoch)

    def factor(self, step: Tensor) -> TensorLike:
        """The quotient of the polynomials of this step and the one before; 1 from step ``total_iters`` on."""
        remaining_steps = ops.maximum(self.total_iters - step, 0.0)
        return ops.where(step > self.total_iters, 1.0, (remaining_steps / (remaining_steps + 1.0)) ** self.power)
