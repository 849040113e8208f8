"""Long sums of small tensors, added up in one call.

The gradient of what a loop reads at every turn is a chain of additions, of which each takes numpy longer to start than
to do. Where everything that is added lies one behind the other in one array, a stack, a single reduction over its
first axis adds in the same order, to the same bits. And where products that are added are made of operands that lie
in stacks as well, one call makes them all.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from minigraph.accel.host.ufuncs import ufunc_of
from minigraph.accel.schedule.memories import CUT, memory
from minigraph.core.machine import MAX_BATCHED_BYTES, MIN_BATCHED_ADDITIONS
from minigraph.core.op import Op
from minigraph.core.types import TensorType
from minigraph.execute.steps import Step


class Place(NamedTuple):
    """Where in a stack, a value that is memory for others, a value lies."""

    stack: int
    at: int


class Chain(NamedTuple):
    """Additions, by place in the steps, each of the one before and of another value: the values added up in order."""

    steps: list[int]
    parts: list[int]


class Stacking:
    """Steps with sums done in stacks: the new ``steps``, and in ``places`` by value the view it is written into."""

    def __init__(self, steps: Sequence[Step], leaving: Collection[int], fresh: itertools.count[int]) -> None:
        self.places: dict[int, int] = {}
        self._at: dict[int, Place] = {}
        self._old, self._leaving, self._fresh = steps, {*leaving}, fresh
        self._maker = {out: i for i, step in enumerate(steps) for out in step.outs}
        self.steps = list(steps)
        self._sums = [i for i, step in enumerate(steps) if ufunc_of(step.op) is np.add and self._adds_made(step)]
        if len(self._sums) < MIN_BATCHED_ADDITIONS:
            return
        self._readers = defaultdict[int, list[int]](list)
        for i, step in enumerate(steps):
            for value in step.ins:
                self._readers[value].append(i)
        self._stacks: list[Step] = []
        self._instead: dict[int, list[Step]] = {}  # by place in the old steps, what stands there now
        for chain in self._chains():
            self._stack(chain)
        views = [self._view(value, place) for value, place in self._at.items()]
        rest = (new for i, step in enumerate(steps) for new in self._instead.get(i, [step]))
        self.steps = [*self._stacks, *views, *rest]

    # ---- what is there -----------------------------------------------------------------------------

    def _chains(self) -> Iterator[Chain]:
        """The longest chains of additions whose parts may all lie in one stack.

        One after the other: what lies in the stacks of one may not lie in those of the next.
        """
        done = set[int]()
        for i in self._sums:
            step = self._old[i]
            if i not in done and _is_addition(step) and self._may_lie(step.ins[0], step.types):
                chain = self._chain_from(i)
                done |= {*chain.steps}
                if len(chain.steps) >= MIN_BATCHED_ADDITIONS:
                    yield chain

    def _adds_made(self, step: Step) -> bool:
        """Whether both operands of an addition are made by steps: no other may begin a chain."""
        return step.ins[0] in self._maker and step.ins[1] in self._maker

    def _chain_from(self, i: int) -> Chain:
        """The chain that starts with the sum in a step, as far as every part may lie in a stack."""
        chain, types, total = Chain([], [self._old[i].ins[0]]), self._old[i].types, self._old[i].ins[0]
        seen = {total}
        while _is_addition(step := self._old[i]) and step.ins[0] == total:
            if step.ins[1] in seen or not self._may_lie(step.ins[1], types):
                break
            chain.steps.append(i)
            chain.parts.append(step.ins[1])
            seen.add(step.ins[1])
            total = step.outs[0]
            if len(self._readers[total]) != 1 or total in self._leaving:
                break
            i = self._readers[total][0]
        return chain

    def _may_lie(self, value: int, types: tuple[TensorType, ...]) -> bool:
        """Whether a value is one that a step may write into a stack of such tensors, seen by nobody outside."""
        i = self._maker.get(value)
        if i is None or value in self._at or value in self._leaving:
            return False
        step = self._old[i]
        elementwise = all(self._old[reader].op.family == "elementwise" for reader in self._readers[value])
        return step.op.into and not step.op.view and step.types == types and elementwise

    # ---- what stands for it ------------------------------------------------------------------------

    def _stack(self, chain: Chain) -> None:
        """Let the parts of a chain lie in a stack, and one reduction stand for the additions."""
        last = self._old[chain.steps[-1]]
        stack = self._new_stack(chain.parts, last)
        together = self._made_together(chain)
        for i in (*chain.steps, *(i for members, _ in together for i in members)):
            self._instead[i] = []
        calls = [step for members, slices in together for step in self._at_once(members, slices)]
        self._instead[chain.steps[-1]] = [*calls, last._replace(op=_total(last.types[0]), ins=(stack,), attrs={})]

    def _new_stack(self, values: Sequence[int], like: Step) -> int:
        """Memory in which values lie one behind the other."""
        stack, type = next(self._fresh), like.types[0]
        whole = TensorType((len(values), *type.shape), type.dtype)
        self._at |= {value: Place(stack, index) for index, value in enumerate(values)}
        self._stacks.append(Step(memory(whole), (), {}, (stack,), (whole,), like.loc, like.node))
        return stack

    def _view(self, value: int, place: Place) -> Step:
        """What shows where a value lies in its stack."""
        self.places[value] = next(self._fresh)
        step, outs = self._old[self._maker[value]], (self.places[value],)
        return step._replace(op=CUT, ins=(place.stack,), attrs={"key": place.at}, outs=outs)

    def _made_together(self, chain: Chain) -> list[tuple[list[int], list[Any]]]:
        """The steps of parts that one call can make, and for each operand and the result its slice, or the value."""
        groups, added = defaultdict[Any, list[int]](list), {*chain.steps}
        for part in chain.parts:
            step = self._old[self._maker[part]]
            if ufunc_of(step.op) and added.issuperset(self._readers[part]):
                groups[step.op, *(self._kind(value, step.types) for value in step.ins)].append(self._maker[part])
        found = []
        for (_, *kinds), members in groups.items():
            columns = [[self._old[i].ins[k] for i in members] for k in range(len(kinds))]
            for kind, values in zip(kinds, columns, strict=True):
                fresh = not self._at.keys() & {*values} and len({*values}) == len(values)
                if kind == "made" and len(members) >= MIN_BATCHED_ADDITIONS and fresh:
                    self._new_stack(values, self._old[members[0]])
            slices = [self._slice_of(values) for values in (*columns, [self._old[i].outs[0] for i in members])]
            if len(members) >= MIN_BATCHED_ADDITIONS and all(slice is not None for slice in slices):
                found.append((members, slices))
        return found

    def _kind(self, value: int, types: tuple[TensorType, ...]) -> Any:
        """What an operand is: in which stack it lies, "made" if it may lie in one, else the value itself."""
        if self._may_lie(value, types):
            return "made"
        place = self._at.get(value)
        return place.stack if place and self._old[self._maker[value]].types == types else ("same", value)

    def _slice_of(self, values: Sequence[int]) -> Any:
        """Where values lie at even distances, as ``(stack, slice)``; the value if they are one; else ``None``."""
        if len({*values}) == 1:
            return values[0]
        places = [self._at[value] for value in values if value in self._at]
        if len(places) < len(values) or len({place.stack for place in places}) > 1:
            return None
        first, last, by = places[0].at, places[-1].at, places[1].at - places[0].at
        if by == 0 or [place.at for place in places] != list(range(first, first + by * len(places), by)):
            return None
        stop = last + (1 if by > 0 else -1)
        return places[0].stack, slice(first, None if stop < 0 else stop, by)

    def _at_once(self, members: Sequence[int], slices: Sequence[Any]) -> Iterator[Step]:
        """One call for several steps, behind the views that it reads and writes."""
        last = self._old[members[-1]]
        whole = TensorType((len(members), *last.types[0].shape), last.types[0].dtype)
        values = []
        for found in slices:
            if isinstance(found, tuple):
                values.append(next(self._fresh))
                attrs, outs = {"key": found[1]}, (values[-1],)
                yield last._replace(op=CUT, ins=found[:1], attrs=attrs, outs=outs, types=(whole,))
            else:
                values.append(found)
        *ins, out = values
        node = " ".join(self._old[i].node for i in members[:: max(len(members) - 1, 1)])
        writing, outs = _writing(ufunc_of(last.op)), (next(self._fresh),)
        yield last._replace(op=writing, ins=(out, *ins), outs=outs, types=(whole,), node=node)


def _is_addition(step: Step) -> bool:
    return ufunc_of(step.op) is np.add and step.ins[0] != step.ins[1] and step.types[0].size > 1 and _is_small(step)


def _is_small(step: Step) -> bool:
    return step.types[0].nbytes <= MAX_BATCHED_BYTES


# ---- operators that no graph holds -------------------------------------------------------------------


@cache
def _total(type: TensorType) -> Op:
    """The operator that adds up what lies in a stack, in order."""

    def forward(stack: np.ndarray, *, out: np.ndarray | None = None) -> Any:
        add: Any = np.add
        dtype = type.dtype.numpy  # told, or numpy adds small integers as large ones
        return add.reduce(stack, 0, dtype, out, False, dtype.type(-0.0))  # -0 changes no number at all

    return Op("total", forward, lambda stack: type, into=True, doc="The sum of what lies in a stack.")


@cache
def _writing(ufunc: Any) -> Op:
    """The operator that lets a ufunc write into its first operand, which then is the result."""

    def forward(out: np.ndarray, *ins: np.ndarray) -> np.ndarray:
        found: np.ndarray = ufunc(*ins, out=out)
        return found

    return Op(ufunc.__name__, forward, lambda out, *ins: out, view=True, role="in place", doc="Written into a stack.")
