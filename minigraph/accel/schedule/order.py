"""Steps of a run in an order in which few of their results live at a time.

Elementwise steps may stand in any order that makes operands before they are read, to the same bits. A fused node
stands where its last step stood, so what its first ones read waits for it; here every step comes as soon as that frees
memory. The fewer pieces live at a time, the more of them a cache holds.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from heapq import heappop, heappush

from minigraph.execute.steps import Step


def in_close_order(run: Sequence[Step], inner: Collection[int]) -> list[Step]:
    """The steps in another order if less lives at a time then; ``inner`` are results that only they read."""
    found = _Closely(run, inner).order()
    return found if most_alive(found, inner) < most_alive(run, inner) else list(run)


def most_alive(run: Sequence[Step], inner: Collection[int]) -> int:
    """The most bytes of results in ``inner`` that live at a time, each written over what is read last with it."""
    last_use = {value: i for i, step in enumerate(run) for value in (*step.outs, *step.ins)}
    nbytes = _sizes(run, inner)
    alive = most = 0
    for i, step in enumerate(run):
        alive += sum(nbytes.get(out, 0) for out in step.outs)
        alive -= sum(nbytes.get(value, 0) for value in {*step.ins} if last_use[value] == i)
        most = max(most, alive)
        alive -= sum(nbytes.get(out, 0) for out in step.outs if last_use[out] == i)
    return most


def _sizes(run: Sequence[Step], inner: Collection[int]) -> dict[int, int]:
    """By value of ``inner``, its bytes."""
    pairs = (pair for step in run for pair in zip(step.outs, step.types, strict=True))
    return {out: type.nbytes for out, type in pairs if out in inner}


class _Closely:
    """Steps that are taken one by one: of those that may come next, the one that leaves least alive."""

    def __init__(self, run: Sequence[Step], inner: Collection[int]) -> None:
        self.run, self.nbytes = run, _sizes(run, inner)
        made = {out for step in run for out in step.outs}
        self.waits = [len(made.intersection(step.ins)) for step in run]  # operands that are still to be made
        self.readers: Mapping[int, set[int]] = defaultdict(set)
        for i, step in enumerate(run):
            for value in made.intersection(step.ins):
                self.readers[value].add(i)
        self.ready: list[tuple[int, int]] = []

    def order(self) -> list[Step]:
        """All steps."""
        taken = dict[int, Step]()
        for i in range(len(self.run)):
            self._offer(i)
        while self.ready:
            i = heappop(self.ready)[1]
            if i not in taken:  # it is offered again whenever it has become better
                taken[i] = self.run[i]
                self._take(i)
        return list(taken.values())

    def _offer(self, i: int) -> None:
        if not self.waits[i]:
            heappush(self.ready, (self._grows(i), i))

    def _grows(self, i: int) -> int:
        """How many bytes more are alive after a step."""
        step = self.run[i]
        freed = sum(self.nbytes.get(value, 0) for value in {*step.ins} if self.readers[value] == {i})
        return sum(self.nbytes.get(out, 0) for out in step.outs) - freed

    def _take(self, i: int) -> None:
        for out in self.run[i].outs:
            for reader in self.readers[out]:
                self.waits[reader] -= 1
                self._offer(reader)
        for value in {*self.run[i].ins}:
            readers = self.readers[value]
            readers.discard(i)
            if len(readers) == 1:
                self._offer(*readers)
