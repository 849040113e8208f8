"""Parts of a sum made where they are to lie, instead of made elsewhere and copied.

A part that is put in its place in a total, and that nobody else reads, is written there by the step that makes it,
where that step can write into an array with gaps. The memory of the total is then made before it. What is left of
putting the part there is to turn -0 into 0.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Sequence

import numpy as np

from minigraph.accel.host.ufuncs import ufunc_of
from minigraph.accel.kernels.table import WITH_ROW_GAPS
from minigraph.accel.schedule.totals import PUT
from minigraph.core.op import Op
from minigraph.execute.steps import Step, ops_of


class Parts:
    """Steps with parts made in their places: the new ``steps``, and in ``places`` by value the view it is written into.

    ``leaving`` are values that somebody else is given, ``lying`` those that have a place already.
    """

    def __init__(self, steps: Sequence[Step], leaving: Collection[int], lying: Collection[int]) -> None:
        self.places: dict[int, int] = {}
        self._old = self.steps = steps
        if PUT not in ops_of(steps):
            return
        self._maker = {out: i for i, step in enumerate(steps) for out in step.outs}
        self._uses = Counter(value for step in steps for value in step.ins)
        self._uses.update((*leaving, *lying))
        self._wanted = dict[int, int]()  # by memory of a total, the place in the old steps where it is wanted
        self._instead = dict[int, Step]()
        for i, step in enumerate(steps):
            if step.op is PUT and self._may_be_placed(*step.ins[1:]):
                self._write(i, *step.ins[1:])
        self.steps = list(self._in_order())

    def _may_be_placed(self, place: int, part: int) -> bool:
        """Whether the step that makes a part may write it into its place in a total."""
        if part not in self._maker or self._uses[part] > 1:
            return False
        made, lies = self._old[self._maker[part]], self._like(place)
        if not made.op.into or made.op.view or made.op.role == "fused" or len(made.outs) > 1:
            return False
        in_rows = lies.ndim > 0 and lies.strides[-1] == lies.itemsize
        return lies.flags.c_contiguous or (in_rows and (made.op in WITH_ROW_GAPS or ufunc_of(made.op) is not None))

    def _like(self, place: int) -> np.ndarray:
        """An array that lies as a part of a total will."""
        view = self._old[self._maker[place]]
        whole = self._old[self._maker[view.ins[0]]].types[0]
        found: np.ndarray = view.op.forward(np.empty(whole.shape, whole.dtype.numpy), **view.attrs)
        return found

    def _write(self, put: int, place: int, part: int) -> None:
        """Let a part be written into its place; what puts it there only settles it."""
        step, memory = self._old[put], self._old[self._maker[place]].ins[0]
        self._wanted[memory] = min(self._run_of(self._maker[part]), self._wanted.get(memory, self._maker[memory]))
        self.places[part] = place
        self._instead[put] = step._replace(op=_SETTLE, ins=(step.ins[0], part))

    def _run_of(self, i: int) -> int:
        """Where the elementwise steps begin that a step is the last of: they stay together."""
        while i and self._old[i].op.family == self._old[i - 1].op.family == "elementwise":
            i -= 1
        return i

    def _in_order(self) -> list[Step]:
        """The steps, totals in front of where they are wanted, with all views of them."""
        before, found = defaultdict[int, list[Step]](list), list[Step]()
        for step in self._old:
            if (total := self._moving(step)) is not None:
                before[self._wanted[total]].append(step)
        for i, step in enumerate(self._old):
            found += before[i] if self._moving(step) is not None else (*before[i], self._instead.get(i, step))
        return found

    def _moving(self, step: Step) -> int | None:
        """The total that a step makes, or shows a part of, if it is wanted elsewhere."""
        total = (step.ins if step.op.view and len(step.ins) == 1 else step.outs)[:1]
        return total[0] if total and total[0] in self._wanted else None


def _settle(total: np.ndarray, part: np.ndarray) -> np.ndarray:
    np.add(part, part.dtype.type(0), part)
    return total


_SETTLE = Op("settle", _settle, lambda total, _: total, view=True, role="in place", doc="Part of a total, -0 as 0.")
