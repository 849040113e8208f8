"""Managers of the loss scale: they determine how a training step scales its loss and reacts to an overflow."""

from __future__ import annotations

from abc import ABC, abstractmethod

from minigraph.core.errors import ArgValueError
from minigraph.nn.arguments import check_positive_int
from minigraph.nn.cell import Cell
from minigraph.nn.wrap.loss_scale import DynamicLossScaleUpdateCell, FixedLossScaleUpdateCell


class LossScaleManager(ABC):
    """The base class of managers of the loss scale."""

    @abstractmethod
    def get_loss_scale(self) -> float:
        """The loss scale now."""

    @abstractmethod
    def update_loss_scale(self, overflow: bool) -> None:
        """Updates the scale after a step."""

    @abstractmethod
    def get_update_cell(self) -> Cell | None:
        """The Cell that updates the scale in a training step; ``None``: the scale is constant."""


class FixedLossScaleManager(LossScaleManager):
    """A constant loss scale; ``drop_overflow_update``: skip an update whose gradients overflow.

    >>> FixedLossScaleManager(1024.0, False).get_loss_scale()
    1024.0
    """

    def __init__(self, loss_scale: float = 128.0, drop_overflow_update: bool = True) -> None:
        if loss_scale < 1:
            raise ArgValueError(
                "For 'FixedLossScaleManager', the argument 'loss_scale' must be >= 1, "
                f"but got 'loss_scale' = {loss_scale}"
            )
        self._loss_scale, self._drop_overflow_update = loss_scale, drop_overflow_update

    def get_loss_scale(self) -> float:
        """The loss scale."""
        return self._loss_scale

    def get_drop_overflow_update(self) -> bool:
        """Whether an update is skipped when gradients overflow."""
        return self._drop_overflow_update

    def update_loss_scale(self, overflow: bool) -> None:
        """Changes nothing."""

    def get_update_cell(self) -> Cell | None:
        """The Cell of a training step, if overflows are dropped."""
        return FixedLossScaleUpdateCell(self._loss_scale) if self._drop_overflow_update else None


class DynamicLossScaleManager(LossScaleManager):
    """A loss scale divided by ``scale_factor`` after an overflow, multiplied by it after ``scale_window`` good steps.

    >>> manager = DynamicLossScaleManager(16, 2, 2)
    >>> for overflow in (True, False, False):
    ...     manager.update_loss_scale(overflow)
    ...     print(manager.get_loss_scale())
    8.0
    8.0
    16.0
    """

    def __init__(self, init_loss_scale: float = 16777216, scale_factor: int = 2, scale_window: int = 2000) -> None:
        if init_loss_scale < 1:
            raise ArgValueError(
                f"For 'DynamicLossScaleManager', the argument 'init_loss_scale' must be > 1, but got {init_loss_scale}"
            )
        self.loss_scale, self._good_steps = init_loss_scale, 0
        self.scale_factor = check_positive_int("DynamicLossScaleManager", "scale_factor", scale_factor)
        self.scale_window = check_positive_int("DynamicLossScaleManager", "scale_window", scale_window)

    def get_loss_scale(self) -> float:
        """The loss scale now."""
        return self.loss_scale

    def get_drop_overflow_update(self) -> bool:
        """True: an update is skipped when gradients overflow."""
        return True

    def update_loss_scale(self, overflow: bool) -> None:
        """Updates the scale after a step."""
        self._good_steps = 0 if overflow else self._good_steps + 1
        if overflow:
            self.loss_scale = max(self.loss_scale / self.scale_factor, 1)
        elif self._good_steps >= self.scale_window:
            self.loss_scale, self._good_steps = self.loss_scale * self.scale_factor, 0

    def get_update_cell(self) -> Cell:
        """The Cell of a training step."""
        return DynamicLossScaleUpdateCell(self.loss_scale, self.scale_factor, self.scale_window)
