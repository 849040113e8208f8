"""Which steps of a program are computed together, as one body.

A step joins those who made what it reads, if one loop can compute them all: elementwise steps of one shape, reductions
of that shape over its last axes, and elementwise steps on what these leave. As soon as anybody else reads a value of a
group, the group is closed: so all of a group stands before its readers, and may be computed where its last step is.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from minigraph.accel.loops.elements import FOLDS
from minigraph.accel.machine import CACHED_ROW_BYTES, MAX_LOOP_STEPS
from minigraph.core.types import Shape, TensorType
from minigraph.execute.steps import Step

Types = Mapping[int, TensorType]
NONE: frozenset[int] = frozenset()


class Group(NamedTuple):
    """Steps by number, elementwise in ``shape``, or reducing its last ``trailing`` axes, or on what that leaves.

    ``made`` are their values; of these, ``rows`` are what reductions left, ``late`` wait for such a one.
    """

    shape: Shape
    trailing: int = 0
    members: tuple[int, ...] = ()
    made: frozenset[int] = NONE
    rows: frozenset[int] = NONE
    late: frozenset[int] = NONE

    def with_step(self, i: int, step: Step, types: Types) -> Group | None:
        """The group and step ``i``, if it may join."""
        if len(self.members) == MAX_LOOP_STEPS:
            return None
        mine = [value for value in step.ins if value in self.made]
        if step.op in FOLDS:
            return self._with_fold(i, step, types)
        if step.types[0].shape == self.shape:
            return self._with_whole(i, step, mine, types)
        return self._with_row(i, step, mine, types)

    def _with_fold(self, i: int, step: Step, types: Types) -> Group | None:
        trailing, operand = trailing_of(step, types), step.ins[0]
        if not trailing or self.trailing not in (0, trailing) or types[operand].shape != self.shape:
            return None
        if operand in self.rows:
            return None
        return self._with(i, step)._replace(trailing=trailing, rows=self.rows | {step.outs[0]})

    def _with_whole(self, i: int, step: Step, mine: Sequence[int], types: Types) -> Group | None:
        rows = self.rows.intersection(mine)
        if not all(len(types[value].shape) in (0, len(self.shape)) for value in rows):
            return None
        if not rows and self.late.isdisjoint(mine):
            return self._with(i, step)
        length = math.prod(self.shape[len(self.shape) - self.trailing :])
        if length * step.types[0].dtype.itemsize > CACHED_ROW_BYTES:
            return None
        return self._with(i, step)._replace(late=self.late | {step.outs[0]})

    def _with_row(self, i: int, step: Step, mine: Sequence[int], types: Types) -> Group | None:
        shape = step.types[0].shape
        kept = self.shape[: len(self.shape) - self.trailing] + (1,) * self.trailing
        of_rows = mine and all(value in self.rows and types[value].shape == shape for value in mine)
        if not of_rows or not (shape == kept or all(types[v].size == 1 for v in step.ins if v not in self.made)):
            return None
        return self._with(i, step)._replace(rows=self.rows | {step.outs[0]})

    def _with(self, i: int, step: Step) -> Group:
        return self._replace(members=(*self.members, i), made=self.made | {step.outs[0]})

    def with_group(self, other: Group) -> Group | None:
        """Both as one, if that may be."""
        trailing = self.trailing or other.trailing
        if self.shape != other.shape or other.trailing not in (0, trailing):
            return None
        members, made = tuple(sorted(self.members + other.members)), self.made | other.made
        return Group(self.shape, trailing, members, made, self.rows | other.rows, self.late | other.late)


def trailing_of(step: Step, types: Types) -> int:
    """Of a reduction over the last axes, how many; 0 where they are others, or have one element."""
    shape, axis = types[step.ins[0]].shape, step.attrs["axis"]
    first = len(shape) - len(axis)
    return len(axis) if axis == tuple(range(first, len(shape))) and math.prod(shape[first:]) > 1 else 0


class _Groups:
    """Groups that grow: all of them by their first step, and the open ones by what they make."""

    def __init__(self, types: Types) -> None:
        self.types, self.all, self.open = types, dict[int, Group](), dict[int, Group]()

    def look(self, i: int, step: Step, joins: bool) -> None:
        """Put a step where it belongs, and close the groups that it reads from outside."""
        near = {group.members[0]: group for v in reversed(step.ins) if (group := self.open.get(v)) is not None}
        mine: Group | None = None  # those that the step joins, without it and with it
        grown: Group | None = None
        for group in near.values():
            both = group if mine is None else mine.with_group(group)
            found = both.with_step(i, step, self.types) if joins and both is not None else None
            if found is None:
                self._close(group)
            else:
                mine, grown = both, found
                self.all.pop(group.members[0], None)
        self._keep(grown if grown is not None else _begun(i, step, self.types) if joins else None)

    def _close(self, group: Group) -> None:
        for value in group.made:
            del self.open[value]

    def _keep(self, group: Group | None) -> None:
        if group is not None:
            self.all[group.members[0]] = group
            self.open.update(dict.fromkeys(group.made, group))


def _begun(i: int, step: Step, types: Types) -> Group | None:
    """A new group for a step; none for a reduction over other axes."""
    return Group(types[step.ins[0]].shape if step.op in FOLDS else step.types[0].shape).with_step(i, step, types)


def groups_of(steps: Sequence[Step], joins: Collection[int], types: Types) -> list[Group]:
    """The groups of those steps that can be part of a loop, ``joins``."""
    found = _Groups(types)
    for i, step in enumerate(steps):
        found.look(i, step, i in joins)
    return list(found.all.values())
