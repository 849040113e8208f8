"""Independent branches of a program, side by side on threads where each is work enough.

Steps are gone through in order. Each belongs to the branch that made what it reads; where one reads what two heavy
branches made, these have ended, and what comes is divided anew. A heavy step on light work begins a branch of its own:
the light work is done before. Every branch is a program with memory of its own, so the bits are those of one thread.
Views are made on both sides of its edge: how an operand lies in memory decides how BLAS adds.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from minigraph.accel.host.blas import blas_threads
from minigraph.accel.host.threads import alone, side_by_side, threads_at_hand
from minigraph.accel.schedule.blocks import is_shared, widest
from minigraph.accel.schedule.buffers import arrays_of
from minigraph.accel.schedule.tiled_plan import TiledPlan
from minigraph.accel.schedule.tiled_source import TiledSource
from minigraph.core.machine import (
    BYTES_PER_SECOND,
    HEAVY_STEP_SECONDS,
    MACS_PER_SECOND,
    MIN_BRANCH_BYTES,
    MIN_BRANCH_SECONDS,
)
from minigraph.core.op import Op
from minigraph.core.types import TensorType
from minigraph.execute.steps import Source, Step

Types = Mapping[int, TensorType]


@dataclass
class _Branch:
    """Steps that depend on each other, and seconds that they take."""

    seconds: float = 0.0
    members: list[int] = field(default_factory=list)


class _Segment(NamedTuple):
    """Steps between two places where branches meet, by number; ``branches`` do not read from each other."""

    steps: list[int]
    branches: list[_Branch]


def with_branches(
    steps: Sequence[Step], leaving: Collection[int], types: Types, finished: Callable[[TiledPlan], TiledPlan]
) -> list[Step]:
    """The steps, those of branches as one that runs them side by side; ``finished`` makes plans of them."""
    threads = threads_at_hand()
    if threads < 2:
        return list(steps)
    if max([widest(steps), *[type.nbytes for type in types.values()]]) < MIN_BRANCH_BYTES:
        return list(steps)
    types = dict(types) | {out: type for step in steps for out, type in zip(step.outs, step.types, strict=True)}
    large = {value for value, type in types.items() if type.nbytes >= MIN_BRANCH_BYTES}
    views = {step.outs[0]: i for i, step in enumerate(steps) if step.op.view and step.ins}
    read = _readers(steps, leaving)
    found: list[Step] = []
    for segment in _segments(steps, [_seconds(step, types, large) for step in steps]):
        shares = _shares(segment.branches, threads)
        apart = {i for share in shares for i in share}
        found += [steps[i] for i in segment.steps if i not in apart]
        if shares:
            cuts = [_cut(share, steps, read, views) for share in shares]
            found.append(_together([_part(cut, types, finished) for cut in cuts], types))
            found += [step for cut in cuts for step in cut.after]
    return found


# ---- which steps -----------------------------------------------------------------------------------


def _segments(steps: Sequence[Step], seconds: Sequence[float]) -> Iterator[_Segment]:
    segment, where = _Segment([], []), dict[int, _Branch]()
    for i, step in enumerate(steps):
        near = _near(step, where)
        if _is_apart(step) or sum(branch.seconds >= MIN_BRANCH_SECONDS for branch in near) > 1:
            yield segment
            segment, near = _Segment([], []), []
            where.clear()
        segment.steps.append(i)
        if _is_apart(step) or (step.op.view and not near):  # of a value from outside, which must be seen to live
            continue
        if seconds[i] >= HEAVY_STEP_SECONDS and all(branch.seconds < HEAVY_STEP_SECONDS for branch in near):
            _retire(near, steps, segment, where)
            near = []
        mine = _merged(near, steps, segment, where)
        mine.members.append(i)
        mine.seconds += seconds[i]
        where.update(dict.fromkeys(step.outs, mine))
    yield segment


def _near(step: Step, where: Mapping[int, _Branch]) -> list[_Branch]:
    """The branches that made what a step reads."""
    return list({id(branch): branch for value in step.ins if (branch := where.get(value))}.values())


def _retire(branches: Sequence[_Branch], steps: Sequence[Step], segment: _Segment, where: dict[int, _Branch]) -> None:
    """Light work that a heavy step reads is no branch: it is done before."""
    for branch in branches:
        segment.branches.remove(branch)
        for i in branch.members:
            for value in steps[i].outs:
                del where[value]


def _merged(near: Sequence[_Branch], steps: Sequence[Step], segment: _Segment, where: dict[int, _Branch]) -> _Branch:
    """One branch of several, or a new one."""
    if not near:
        segment.branches.append(_Branch())
        return segment.branches[-1]
    largest = max(near, key=lambda branch: len(branch.members))
    for other in near:
        if other is not largest:
            largest.seconds += other.seconds
            largest.members += other.members
            where.update({value: largest for i in other.members for value in steps[i].outs})
            segment.branches.remove(other)
    return largest


def _seconds(step: Step, types: Types, large: set[int]) -> float:
    """About how long a step takes; what threads share otherwise, in BLAS or piece by piece, leaves none for others."""
    if step.op.view or _is_apart(step) or is_shared(step) or large.isdisjoint((*step.ins, *step.outs)):
        return 0.0
    out = step.types[0] if len(step.types) == 1 else step.types
    work = step.op.work(out, *[types[value] for value in step.ins], **step.attrs)
    products = sum(macs.total for macs in work.macs) if blas_threads() == 1 else 0
    return products / MACS_PER_SECOND + (work.read + work.written) / BYTES_PER_SECOND


def _is_apart(step: Step) -> bool:
    """Whether a step may do what others see, so that it stays where it is."""
    return bool(step.op.effects) or step.op.family == "region" or "bodies" in step.attrs


def _shares(branches: Sequence[_Branch], threads: int) -> list[list[int]]:
    """The steps that each thread computes, the heaviest branches first; none if there is only one."""
    heavy = sorted(
        (branch for branch in branches if branch.seconds >= MIN_BRANCH_SECONDS), key=lambda branch: -branch.seconds
    )
    shares = [_Branch() for _ in range(min(threads, len(heavy)))] if len(heavy) > 1 else []
    for branch in heavy if shares else ():
        least = min(shares, key=lambda share: share.seconds)
        least.seconds += branch.seconds
        least.members += branch.members
    return [sorted(share.members) for share in shares]


# ---- the step --------------------------------------------------------------------------------------


def _readers(steps: Sequence[Step], leaving: Collection[int]) -> dict[int, set[int]]:
    """By value, the steps that read it, -1 for whoever is given it."""
    found = {value: {-1} for value in leaving}
    for i, step in enumerate(steps):
        for value in step.ins:
            found.setdefault(value, set()).add(i)
    return found


class _Cut(NamedTuple):
    """What becomes a program: its steps, the values it takes and gives, and views of these that others read."""

    steps: list[Step]
    ins: tuple[int, ...]
    outs: tuple[int, ...]
    after: list[Step]


def _cut(share: Sequence[int], steps: Sequence[Step], read: Mapping[int, set[int]], views: Mapping[int, int]) -> _Cut:
    own = {value for i in share for value in steps[i].outs}
    seen = [value for i in share for value in steps[i].outs if not read.get(value, set()) <= set(share)]  # by others
    before = {k for i in share for value in steps[i].ins for k in _views_to(value, steps, views)}
    inside = [steps[i] for i in sorted(before.union(share))]
    made = {value for step in inside for value in step.outs}
    ins = tuple(dict.fromkeys(value for step in inside for value in step.ins if value not in made))
    after = {k for value in seen for k in _views_to(value, steps, views) if steps[k].outs[0] in own}
    outs = tuple(dict.fromkeys(_root(value, steps, views, own) for value in seen))
    return _Cut(inside, ins, outs, [steps[k] for k in sorted(after)])


def _views_to(value: int, steps: Sequence[Step], views: Mapping[int, int]) -> Iterator[int]:
    """The views through which a value is seen, by number."""
    while value in views:
        yield views[value]
        value = steps[views[value]].ins[0]


def _root(value: int, steps: Sequence[Step], views: Mapping[int, int], own: Collection[int]) -> int:
    """The value of one's own that another is a view of."""
    while value in views and value in own:
        value = steps[views[value]].ins[0]
    return value


def _part(cut: _Cut, types: Types, finished: Callable[[TiledPlan], TiledPlan]) -> Part:
    sources = [Source("input", value, k, types[value]) for k, value in enumerate(cut.ins)]
    with alone():
        return Part(finished(TiledPlan(sources=sources, steps=list(cut.steps), outs=cut.outs)), cut.ins)


def _together(programs: Sequence[Part], types: Types) -> Step:
    """One step that computes all of the programs."""
    ins = tuple(dict.fromkeys(value for program in programs for value in program.ins))
    outs = tuple(value for program in programs for value in program.plan.outs)
    taken = [[ins.index(value) for value in program.ins] for program in programs]
    made = tuple(types[value] for value in outs)

    def forward(*arrays: np.ndarray) -> tuple[np.ndarray, ...] | np.ndarray:
        found: list[list[np.ndarray]] = [[] for _ in programs]
        given = [[arrays[k] for k in some] for some in taken]
        works = zip(programs, given, found, strict=True)
        side_by_side(Part.into, *works)
        results = tuple(array for some in found for array in some)
        return results if len(results) != 1 else results[0]

    text = "\n".join(line for program in programs for line in program.text.splitlines())
    op = Op("branches", forward, lambda *_: made, role="fused", doc=text)
    node = " ".join(step.node for program in programs for step in program.plan.steps)
    return Step(op, ins, {}, outs, made, (), node)


class Part:
    """Some steps of a program with memory of their own; ``ins`` are the values it takes."""

    def __init__(self, plan: TiledPlan, ins: tuple[int, ...]) -> None:
        self.plan, self.ins = plan, ins
        self._written = TiledSource(plan)
        self.text = self._written.text
        functions = self._written.functions()
        self._run, self._views = functions["run"], functions.get("views", list)
        self._idle: list[list[np.ndarray]] = []

    def into(self, arrays: Sequence[np.ndarray], results: list[np.ndarray]) -> None:
        """Compute, and append the results to a list."""
        try:
            buffers = self._idle.pop()
        except IndexError:
            buffers = self._views(arrays_of(self.plan.buffers, self._written.slots))
        outs, _ = self._run(arrays, (), buffers)
        self._idle.append(buffers)
        results += outs
