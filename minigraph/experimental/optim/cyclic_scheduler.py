"""Schedulers whose rates go up and down."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from minigraph import ops
from minigraph.core.aliases import TensorLike
from minigraph.core.errors import ArgValueError
from minigraph.core.tensor import Parameter, Tensor
from minigraph.core.types import float32
from minigraph.experimental.optim.optimizer import Optimizer
from minigraph.experimental.optim.scheduler import LRScheduler, check_type, values_per_group


class CosineAnnealingLR(LRScheduler):
    """Rates along a cosine, from the first one at step 0 to ``eta_min`` at step ``T_max``, and back.

    (Loshchilov & Hutter 2017, arXiv 1608.03983, eq. 5, without restarts.) Each step changes the current rates, so that
    several schedulers of one optimizer combine.
    """

    def __init__(self, optimizer: Optimizer, T_max: int, eta_min: float = 0.0, last_epoch: int = -1) -> None:
        check_type("CosineAnnealingLR", "T_max", T_max, int)
        check_type("CosineAnnealingLR", "eta_min", eta_min, (float, int))
        self.T_max, self.eta_min = T_max, eta_min
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> Sequence[TensorLike]:
        """The rates on the cosine."""
        step, low = self.last_epoch, self.eta_min
        now, before = (1 + ops.cos(math.pi / self.T_max * epoch) for epoch in (step, step - 1))
        is_after_minimum = (step - 1 - self.T_max) % (2 * self.T_max) == 0
        upwards = (1 - math.cos(math.pi / self.T_max)) / 2
        return [
            ops.where(step == 0, rate, ops.where(is_after_minimum, rate + (base - low) * upwards,
                                                 now / before * (rate - low) + low))
            for base, rate in zip(self.base_lrs, (group["lr"] for group in self.optimizer.param_groups), strict=True)
        ]  # fmt: skip


class CosineAnnealingWarmRestarts(LRScheduler):
    """Rates along half a cosine, from the first one to ``eta_min``, again and again.

    The first time takes ``T_0`` steps, each other one ``T_mult`` times as many (Loshchilov & Hutter 2017). ``step`` may
    have the number of steps so far, also a fraction. Raises ``ValueError`` for ``T_0`` or ``T_mult`` below 1.
    """

    def __init__(
        self, optimizer: Optimizer, T_0: int, T_mult: int = 1, eta_min: float = 0.0, last_epoch: int = -1
    ) -> None:
        for name, value in (("T_0", T_0), ("T_mult", T_mult)):
            if not isinstance(value, int) or value < 1:
                raise ArgValueError(f"{name} should be an integer and at least 1, but got {value}")
        self.T_0, self.T_mult, self.eta_min = T_0, T_mult, eta_min
        self.T_cur = Parameter(Tensor(last_epoch, float32), name="T_cur", requires_grad=False)
        self.T_i = Parameter(Tensor(T_0, float32), name="T_i", requires_grad=False)
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> Sequence[TensorLike]:
        """The rates on the cosine."""
        height = (1 + ops.cos(math.pi * self.T_cur / self.T_i)) / 2
        return [self.eta_min + (base - self.eta_min) * height for base in self.base_lrs]

    def step(self, epoch: float | None = None) -> None:
        """Counts one step, or continues at ``epoch``, and assigns the groups their rates."""
        if epoch is None:
            ops.assign_add(self.last_epoch, Tensor(1.0, float32))
            count = self.T_cur + 1
            is_over = count >= self.T_i
            ops.assign(self.T_cur, ops.where(is_over, count - self.T_i, count))
            ops.assign(self.T_i, ops.where(is_over, self.T_i * self.T_mult, self.T_i))
        else:
            self._continue_at(epoch)
        self.set_rates(self.get_lr())

    def _continue_at(self, epoch: float) -> None:
        start, length = 0.0, float(self.T_0)
        if self.T_mult == 1:
            start = epoch // length * length
        while epoch >= start + length:
            start, length = start + length, length * self.T_mult
        for state, value in ((self.last_epoch, math.floor(epoch)), (self.T_cur, epoch - start), (self.T_i, length)):
            ops.assign(state, Tensor(value, float32))


Scale = Callable[[Tensor], TensorLike]
SCALES: dict[str, tuple[Callable[[float], Scale], str]] = {  # by mode: the scale, given gamma, and its argument
    "triangular": (lambda gamma: lambda cycle: 1.0, "cycle"),
    "triangular2": (lambda gamma: lambda cycle: 0.5 ** (cycle - 1), "cycle"),
    "exp_range": (lambda gamma: lambda steps: gamma**steps, "iterations"),
}


class CyclicLR(LRScheduler):
    """Rates that rise from ``base_lr`` to ``max_lr`` in ``step_size_up`` steps, fall in ``step_size_down``, and repeat.

    (Smith 2017, arXiv 1506.01186.) The height of a cycle is constant ("triangular"), halved each time ("triangular2"),
    or times gamma^steps ("exp_range"); or ``scale_fn`` of the number of the cycle, from 1, or with ``scale_mode``
    "iterations" of the number of steps. Raises ``ValueError`` for an unknown mode or another number of rates.
    """

    def __init__(
        self,
        optimizer: Optimizer,
        base_lr: float | Sequence[float],
        max_lr: float | Sequence[float],
        step_size_up: int = 2000,
        step_size_down: int | None = None,
        mode: str = "triangular",
        gamma: float = 1.0,
        scale_fn: Scale | None = None,
        scale_mode: str = "cycle",
        last_epoch: int = -1,
    ) -> None:
        if mode not in SCALES and scale_fn is None:
            raise ArgValueError(f"mode is invalid and scale_fn is None: use one of {list(SCALES)}, got {mode!r}")
        lows = values_per_group(optimizer, "base_lrs", base_lr)
        self.max_lrs = values_per_group(optimizer, "max_lrs", max_lr)
        self.step_size_up = step_size_up
        self.total_size = step_size_up + (step_size_up if step_size_down is None else step_size_down)
        self.scale_fn, self.scale_mode = scale_fn, scale_mode
        if scale_fn is None:
            scale, self.scale_mode = SCALES[mode]
            self.scale_fn = scale(gamma)
        for group, rate in zip(optimizer.param_groups, lows, strict=True):
            group["lr"] = rate
            group["initial_lr"] = rate
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> Sequence[TensorLike]:
        """The rates of this step."""
        step, up = self.last_epoch, self.step_size_up
        cycle = ops.floor(1 + step / self.total_size)
        at = step - (cycle - 1) * self.total_size
        share = ops.where(at <= up, at / up, (self.total_size - at) / max(self.total_size - up, 1))
        assert self.scale_fn is not None
        height = share * self.scale_fn(step if self.scale_mode == "iterations" else cycle)
        return [low + (high - low) * height for low, high in zip(self.base_lrs, self.max_lrs, strict=True)]
