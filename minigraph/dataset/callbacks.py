"""Callbacks of ``Dataset.map``: methods that are called before and after rows and epochs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from minigraph.core.errors import ArgTypeError
from minigraph.dataset.arguments import check_interval
from minigraph.dataset.stages import Row


class DSRunContext(NamedTuple):
    """The state that a callback sees; steps and epochs count from 1."""

    cur_epoch_num: int
    cur_step_num_in_epoch: int
    cur_step_num: int


class DSCallback:
    """The base class: subclasses define ``ds_begin``, ``ds_epoch_begin``, ``ds_step_begin`` and their ``..._end``.

    Each takes a ``DSRunContext``; the methods of steps are called at every ``step_size``-th row. Raises ``ValueError``
    for a ``step_size`` below 1.

    >>> from minigraph.dataset import NumpySlicesDataset
    >>> class Count(DSCallback):
    ...     def ds_step_end(self, ds_run_context):
    ...         print("row", ds_run_context.cur_step_num)
    >>> rows = list(NumpySlicesDataset([1, 2], shuffle=False).map(abs, callbacks=[Count()]))
    row 1
    row 2
    """

    def __init__(self, step_size: int = 1) -> None:
        check_interval("step_size", step_size, 1)
        self.step_size = step_size

    def ds_begin(self, ds_run_context: DSRunContext) -> None:
        """Called before the first epoch."""

    def ds_epoch_begin(self, ds_run_context: DSRunContext) -> None:
        """Called before an epoch."""

    def ds_epoch_end(self, ds_run_context: DSRunContext) -> None:
        """Called after an epoch."""

    def ds_step_begin(self, ds_run_context: DSRunContext) -> None:
        """Called before a row."""

    def ds_step_end(self, ds_run_context: DSRunContext) -> None:
        """Called after a row."""


def observed(
    callbacks: DSCallback | Sequence[DSCallback] | None, process: Callable[[Iterable[Row]], Iterator[Row]]
) -> Callable[[Iterable[Row]], Iterator[Row]]:
    """The function of rows with calls before and after each. Raises ``TypeError`` for other callbacks."""
    observers = Observers(callbacks, process)
    return observers.observe if observers.callbacks else process


class Observers:
    """The callbacks of one stage, and its epochs and rows so far."""

    def __init__(
        self, callbacks: DSCallback | Sequence[DSCallback] | None, process: Callable[[Iterable[Row]], Iterator[Row]]
    ) -> None:
        self.process = process
        self.callbacks = [callbacks] if isinstance(callbacks, DSCallback) else list(callbacks or ())
        for callback in self.callbacks:
            if not isinstance(callback, DSCallback):
                raise ArgTypeError(f"map: callbacks must be DSCallbacks, got {type(callback).__name__}")
        self.epoch, self.total = 0, 0

    def observe(self, rows: Iterable[Row]) -> Iterator[Row]:
        """The processed rows of one epoch, with calls before and after each."""
        self.epoch, first = self.epoch + 1, self.total
        if self.epoch == 1:
            self._notify("ds_begin", DSRunContext(0, 0, 0))
        self._notify("ds_epoch_begin", DSRunContext(self.epoch, 0, first))
        for row in rows:
            self.total += 1
            context = DSRunContext(self.epoch, self.total - first, self.total)
            self._notify("ds_step_begin", context)
            (result,) = self.process([row])
            self._notify("ds_step_end", context)
            yield result
        self._notify("ds_epoch_end", DSRunContext(self.epoch, self.total - first, self.total))

    def _notify(self, event: str, context: DSRunContext) -> None:
        for callback in self.callbacks:
            if "step" not in event or (context.cur_step_num_in_epoch - 1) % callback.step_size == 0:
                getattr(callback, event)(context)
