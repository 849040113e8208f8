"""Data parallelism: workers compute the gradients of shards of a batch; their mean updates the weights."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import reduce
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

import numpy as np

from minigraph.compilation import Jitted
from minigraph.core.aliases import PyTree
from minigraph.core.context import resolve
from minigraph.core.errors import ArgTypeError, ArgValueError, ShapeError, UsageError
from minigraph.core.tensor import Tensor
from minigraph.execute.compile import Program
from minigraph.nn.arguments import check_positive_int
from minigraph.nn.cell import Cell
from minigraph.nn.optim.optimizer import Optimizer
from minigraph.nn.wrap.training import TrainOneStepCell
from minigraph.train.remote_execution import PortableGraph, export_graph, run_graphs

if TYPE_CHECKING:
    from concurrent.futures import Executor

REDUCTIONS = ("mean", "sum")
PROCESS_POOL = "minigraph.core.processes:process_pool"  # late-bound: multiprocessing takes a while to import


class DataParallel(TrainOneStepCell):
    """``TrainOneStepCell`` with the rows of each batch split among ``shards`` calls of an ``executor``.

    The executor is any of ``concurrent.futures`` or compatible: threads, processes (``train.processes``),
    ``dask.distributed.Client.get_executor()``, ``mpi4py.futures``. Shards differ by one row at most. ``reduction`` is
    how the loss combines the losses of rows: with "mean", shards are weighted by their rows; with "sum", they are
    added. Results are summed in the order of the rows, so they are the same bits on any executor; those of a step on
    the whole batch sum the same numbers in another order, equal up to rounding.

    Workers receive the graph of the gradients, once, and arrays: nothing of the caller's program. The update runs in
    the caller when all shards have finished; if one fails, its error is raised and no Parameter has changed.

    Raises ``TypeError`` for other executors, ``ValueError`` for an invalid number or reduction, ``ShapeError`` for
    inputs of different lengths, ``UsageError`` for a network with side effects, such as random state or a moving
    average.

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
            raise ArgTypeError(f"DataParallel: 'executor' needs a method 'submit', {type(executor).__name__} has none")
        if reduction not in REDUCTIONS:
            raise ArgValueError(f"DataParallel: 'reduction' must be one of {list(REDUCTIONS)}, but got {reduction!r}")
        self.executor, self.reduction = executor, reduction
        self.shards = check_positive_int("DataParallel", "shards", shards)
        self._gradients = Jitted(self.grad_fn, title="gradients")
        self._sent: WeakKeyDictionary[Program, PortableGraph] = WeakKeyDictionary()

    def __call__(self, *inputs: Tensor, **kwargs: object) -> PyTree:
        """The loss before the update; equals the step of ``TrainOneStepCell`` on the whole batch."""
        batch = _batch_arrays(inputs, kwargs)
        shards = [[array[rows] for array in batch] for rows in _shard_slices(len(batch[0]), self.shards)]
        loss, grads = self._reduce(self._run_shards(shards), [len(shard[0]) / len(batch[0]) for shard in shards])
        self.optimizer(grads)
        if not self.return_grad:
            return loss
        return loss, {weight.name: grad for weight, grad in zip(self.weights, grads, strict=True)}

    def _run_shards(self, shards: Sequence[Sequence[np.ndarray]]) -> list[list[np.ndarray]]:
        """Scaled loss, loss and gradients of each shard."""
        by_length = {len(shard[0]): self._graph(shard) for shard in shards}
        calls = [(by_length[len(shard[0])], shard) for shard in shards]
        return run_graphs(self.executor, [(graph, [*shard, *values]) for (graph, values), shard in calls])

    def _graph(self, shard: Sequence[np.ndarray]) -> tuple[PortableGraph, list[np.ndarray]]:
        """The graph for shards of this shape, and the values of its Parameters."""
        program = self._gradients.program(*map(Tensor, shard))
        if program not in self._sent:
            self._sent[program] = export_graph(program.graph)
        graph = self._sent[program]
        return graph, [program.graph.params[key].array for key in graph.keys]

    def _reduce(
        self, results: Sequence[Sequence[np.ndarray]], parts: Sequence[float]
    ) -> tuple[Tensor, tuple[Tensor, ...]]:
        """Loss and gradients of the whole batch; ``parts`` are the shares of the rows."""
        weighted = [
            [array * array.dtype.type(part) if self.reduction == "mean" else array for array in arrays[1:]]
            for arrays, part in zip(results, parts, strict=True)
        ]
        loss, *grads = [Tensor(reduce(np.add, arrays)) for arrays in zip(*weighted, strict=True)]
        return loss, tuple(grads)


def processes(workers: int | None = None) -> Executor:
    """A pool of processes (``None``: one per processor) that does not import the caller's script and ends with it."""
    executor: Executor = resolve(PROCESS_POOL)(workers)
    return executor


def _shard_slices(rows: int, shards: int) -> Iterator[slice]:
    """The rows of each shard in order, longer shards first.

    >>> list(_shard_slices(5, 3))
    [slice(0, 2, None), slice(2, 4, None), slice(4, 5, None)]
    """
    shards, start = min(rows, shards), 0
    for k in range(shards):
        length = rows // shards + (k < rows % shards)
        yield slice(start, start + length)
        start += length


def _batch_arrays(inputs: Sequence[Tensor], kwargs: object) -> list[np.ndarray]:
    """The arrays of a batch, each with one row per sample."""
    if kwargs or not inputs or not all(isinstance(item, Tensor) for item in inputs):
        raise UsageError("DataParallel: a batch must be tensors, passed by position")
    lengths = {tensor.shape[0] if tensor.shape else None for tensor in inputs}
    if len(lengths) != 1 or not lengths - {None, 0}:
        types = " and ".join(str(tensor.type) for tensor in inputs)
        raise ShapeError(f"DataParallel: inputs need one number of rows, above 0, got {types}")
    return [tensor.array for tensor in inputs]
