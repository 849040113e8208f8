"""Rows that wait for a signal of the training loop: ``sync_wait`` and ``sync_update``."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from minigraph.core.errors import ArgRuntimeError, ArgTypeError
from minigraph.dataset.arguments import check_interval
from minigraph.dataset.stages import Row
from minigraph.dataset.stream import Stream


class Gate:
    """A named condition: the number of rows that may still pass, and the function to call at every signal."""

    def __init__(self, name: str, num_batch: int, callback: Callable[[Any], object] | None) -> None:
        self.name, self.num_batch, self.callback = name, num_batch, callback
        self.permits = num_batch

    def pass_rows(self, rows: Iterator[Row]) -> Iterator[Row]:
        """The rows, as long as signals permit; raises ``RuntimeError`` for a row without one."""
        self.permits = self.num_batch
        for row in rows:
            if not self.permits:
                text = f"sync_wait: no sync_update({self.name!r}) after {self.num_batch} rows"
                raise ArgRuntimeError(f"{text}; call it in the loop over the rows, which otherwise waits for ever")
            self.permits -= 1
            yield row


class SynchronizedStream(Stream):
    """A stage whose rows may wait for signals of the loop that uses them."""

    gate: Gate | None = None

    def sync_wait(
        self, condition_name: str, num_batch: int = 1, callback: Callable[[Any], object] | None = None
    ) -> Any:
        """A stage that passes ``num_batch`` rows, then needs ``sync_update(condition_name)`` for as many more.

        ``callback`` gets the data of every signal, for functions of ``map`` that depend on the training. A row without
        a signal raises ``RuntimeError``: rows are computed in the calling thread, so that waiting would never end.

        >>> from minigraph.dataset import NumpySlicesDataset
        >>> rows = NumpySlicesDataset([1, 2, 3], "n", shuffle=False).sync_wait("policy")
        >>> for (n,) in rows:
        ...     rows.sync_update("policy")
        """
        if not isinstance(condition_name, str):
            raise ArgTypeError(f"Argument condition_name with value {condition_name!r} is not of type [<class 'str'>].")
        check_interval("num_batch", num_batch, 1)
        if any(gate.name == condition_name for gate in self._gates()):
            raise ArgRuntimeError(f"Condition name is already in use; choose another than {condition_name!r}")
        gate = Gate(condition_name, num_batch, callback)

        def rows(rng: np.random.Generator) -> Iterator[Row]:
            return gate.pass_rows(self.epoch())

        stage = self._next(rows, self._size)  # type: ignore[attr-defined]  # of the class with all stages
        stage.gate = gate
        return stage

    def sync_update(self, condition_name: str, num_batch: int | None = None, data: object = None) -> None:
        """Signals a ``sync_wait`` of this pipeline: ``num_batch`` more rows may pass, its callback gets ``data``.

        Raises ``RuntimeError`` for another name.
        """
        for gate in self._gates():
            if gate.name == condition_name:
                gate.permits = gate.num_batch if num_batch is None else num_batch
                if gate.callback is not None:
                    gate.callback(data)
                return
        raise ArgRuntimeError(f"Condition name not found: {condition_name!r}; pass the name of a sync_wait")

    def _gates(self) -> list[Gate]:
        """The conditions of this stage and all before it."""
        gates = (getattr(stage, "gate", None) for stage in self._ancestors())
        return [gate for gate in gates if gate is not None]
