"""A wrapper around a network for evaluation."""

from __future__ import annotations

from minigraph.core.aliases import Function
from minigraph.core.tensor import Tensor
from minigraph.core.tensor.promotion import converted_function
from minigraph.core.types import float32
from minigraph.nn.arguments import check_bool
from minigraph.nn.cell import Cell


class WithEvalCell(Cell):
    """A network and its loss, for metrics: (loss, ``network(data)``, label); in float32 with ``add_cast_fp32``.

    >>> from minigraph import nn, Tensor
    >>> net = WithEvalCell(nn.Identity(), nn.MSELoss())
    >>> [str(x) for x in net(Tensor([3.0]), Tensor([1.0]))]
    ['4.0', '[3.]', '[1.]']
    """

    def __init__(self, network: Cell, loss_fn: Function, add_cast_fp32: bool = False) -> None:
        super().__init__(auto_prefix=False)
        self._network = network
        self._loss_fn = loss_fn
        self.add_cast_fp32 = check_bool("WithEvalCell", "add_cast_fp32", add_cast_fp32)

    def construct(self, data: Tensor, label: Tensor) -> tuple[Tensor, ...]:
        """Loss, outputs and label of one batch."""
        outputs = self._network(data)
        if self.add_cast_fp32:
            outputs, label = outputs.astype(float32), label.astype(float32)
        return converted_function(self._loss_fn)(outputs, label), outputs, label
