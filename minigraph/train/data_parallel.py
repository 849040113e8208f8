"""One training step on several workers: each computes the gradients of its rows, and their mean updates the weights."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import reduce
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import numpy as np

from minigraph.compilation import Jitted
from minigraph.core.context import resolve
from minigraph.core.errors import ShapeError, TypeArgument, UsageError, ValueArgument
from minigraph.core.tensor import Tensor
from minigraph.execute.compile import Program
from minigraph.nn.arguments import check_positive_int
from minigraph.nn.cell import Cell
from minigraph.nn.optim.optimizer import Optimizer
from minigraph.nn.wrap.training import TrainOneStepCell
from minigraph.train.remote_execution import Portable, all_computed, portable

if TYPE_CHECKING:
    from concurrent.futures import Executor

REDUCTIONS = ("mean", "sum")
POOL = "minigraph.core.processes:processes"  # late-bound: multiprocessing takes a while to import


class DataParallel(TrainOneStepCell):
    """``TrainOneStepCell`` with the rows of each batch shared out among ``shards`` calls of an ``executor``.

    The executor is any of ``concurrent.futures``, or behaves like one: threads, processes (``train.processes``),
    ``dask.distributed.Client.get_executor()``, ``mpi4py.futures``. Shares differ by one row at most. ``reduction`` is
    what the loss makes of the losses of rows: of a "mean", shares count by their rows; of a "sum", each counts whole.
    Results are added up in the order of the rows, so they are the same bits on any executor; those of a step on the
    whole batch are a different sum of the same numbers, equal up to rounding.

    Workers get the graph of the gradients, once, and numbers: nothing of the caller's program. The update is made
    here, when all shares are there; if one fails, its error is raised and no Parameter has changed.

    Raises ``TypeError`` for what is no executor, ``ValueError`` for another number or reduction, ``ShapeError``
    for inputs of different lengths, ``UsageError`` for a network that changes something while it computes, such as
    the state of random numbers or a moving average.

    >>> from concurrent.futures import ThreadPoolExecutor
    >>> from minigraph import nn
    >>> net = nn.Dense(1, 1, weight_init="zeros", has_bias=False)
    >>> with ThreadPoolExecutor(2) as threads:
    ...     step = DataParallel(nn.WithLossCell(net, nn.MSELoss()), nn.SGD(net.trainable_params(), 0.25), threads, 2)
    ...     print(step(Tensor([[1.0], [2.0]]), Tensor([[2.0], [4.0]])))
    10.0
    >>> print(net.weight.value())
    [[2.5]]
    """

    def __init__(
        self, network: Cell, optimizer: Optimizer, executor: Executor, shards: int, *, reduction: str = "mean",
        sens: float | None = None, return_grad: bool = False,
    ) -> None:  # fmt: skip
        super().__init__(network, optimizer, sens, return_grad)
        if not callable(getattr(executor, "submit", None)):
            raise TypeArgument(f"DataParallel: 'executor' needs a method 'submit', {type(executor).__name__} has none")
        if reduction not in REDUCTIONS:
            raise ValueArgument(f"DataParallel: 'reduction' must be one of {list(REDUCTIONS)}, but got {reduction!r}")
        self.executor, self.reduction = executor, reduction
        self.shards = check_positive_int("DataParallel", "shards", shards)
        self._gradients = Jitted(self.grad_fn, title="gradients")
        self._sent: WeakKeyDictionary[Program, Portable] = WeakKeyDictionary()

    def __call__(self, *inputs: Any, **kwargs: Any) -> Any:
        """The loss before the update, which is the step of ``TrainOneStepCell`` on the whole batch."""
        batch = _batch_of(inputs, kwargs)
        pieces = [[array[rows] for array in batch] for rows in _shares(len(batch[0]), self.shards)]
        loss, grads = self._reduced(self._computed(pieces), [len(piece[0]) / len(batch[0]) for piece in pieces])
        self.optimizer(grads)
        if not self.return_grad:
            return loss
        return loss, {weight.name: grad for weight, grad in zip(self.weights, grads, strict=True)}

    def _computed(self, pieces: Sequence[Sequence[np.ndarray]]) -> list[list[np.ndarray]]:
        """Seeded loss, loss and gradients of each piece."""
        by_length = {len(piece[0]): self._graph(piece) for piece in pieces}
        calls = [(by_length[len(piece[0])], piece) for piece in pieces]
        return all_computed(self.executor, [(graph, [*piece, *values]) for (graph, values), piece in calls])

    def _graph(self, piece: Sequence[np.ndarray]) -> tuple[Portable, list[np.ndarray]]:
        """The graph for pieces such as this one, and the values of the Parameters that it takes."""
        program = self._gradients.program(*map(Tensor, piece))
        if program not in self._sent:
            self._sent[program] = portable(program.graph)
        graph = self._sent[program]
        return graph, [program.graph.params[key].array for key in graph.keys]

    def _reduced(
        self, found: Sequence[Sequence[np.ndarray]], parts: Sequence[float]
    ) -> tuple[Tensor, tuple[Tensor, ...]]:
        """Loss and gradients of the whole batch; ``parts`` says how much of the rows each piece has."""
        weighted = [
            [array * array.dtype.type(part) if self.reduction == "mean" else array for array in arrays[1:]]
            for arrays, part in zip(found, parts, strict=True)
        ]
        loss, *grads = [Tensor(reduce(np.add, arrays)) for arrays in zip(*weighted, strict=True)]
        return loss, tuple(grads)


def processes(workers: int | None = None) -> Executor:
    """Processes (``None``: one per processor) that do not run the caller's script again and end with this one."""
    executor: Executor = resolve(POOL)(workers)
    return executor


def _shares(rows: int, shards: int) -> Iterator[slice]:
    """Rows shared out in order, longer shares first.

    >>> list(_shares(5, 3))
    [slice(0, 2, None), slice(2, 4, None), slice(4, 5, None)]
    """
    shards, at = min(rows, shards), 0
    for k in range(shards):
        length = rows // shards + (k < rows % shards)
        yield slice(at, at + length)
        at += length


def _batch_of(inputs: Sequence[Any], kwargs: Any) -> list[np.ndarray]:
    """The arrays of a batch, each with a row for each sample."""
    if kwargs or not inputs or not all(isinstance(item, Tensor) for item in inputs):
        raise UsageError("DataParallel: a batch is tensors, given by position")
    lengths = {tensor.shape[0] if tensor.shape else None for tensor in inputs}
    if len(lengths) != 1 or not lengths - {None, 0}:
        told = " and ".join(str(tensor.type) for tensor in inputs)
        raise ShapeError(f"DataParallel: inputs need one number of rows, above 0, got {told}")
    return [tensor.array for tensor in inputs]
