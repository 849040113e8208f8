"""What lies inside of a run where its results will lie, and these where something dies: less memory for each piece.

A run that goes piece by piece reads and writes a piece of everything that lives beside it. The fewer arrays these are,
the larger a piece may be that stays in the cache.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from minigraph.accel.schedule.blocks import inner_values
from minigraph.accel.schedule.tiled_plan import Block, TiledPlan
from minigraph.core.machine import CACHED_RESULT_BYTES
from minigraph.core.types import TensorType
from minigraph.execute.steps import Step

Roots = Mapping[int, int]  # by value, whose memory it looks at


def lay_over(plan: TiledPlan, types: Mapping[int, TensorType], root: Roots) -> None:
    """Note in ``plan.over`` and ``plan.instead`` what of the blocks may lie in whose memory.

    ``types`` are those of all values, ``root`` says whose memory each looks at (``memory_roots``).
    """
    last_use = {root[value]: i for i, step in enumerate(plan.steps) for value in step.ins}
    leaving, late = {root[value] for value in plan.leaving}, {block.first for block in plan.updates}
    own = {out for step in plan.steps if step.op.into for out in step.outs if root[out] == out} - leaving
    own -= {root[place] for place in plan.places.values()}
    for block in plan.blocks:
        steps = plan.steps[block.first : block.last]
        if block.first in late or any(step.op.role == "fused" or len(step.outs) > 1 for step in steps):
            continue
        inner = inner_values(steps, block.last, last_use, leaving | plan.places.keys())
        results = [step.outs[0] for step in steps if step.outs[0] not in inner]
        dying = _dying(block, steps, own - inner, last_use, root)
        olds = dict(_pairs(steps, [value for value in results if value in own], dying, types))
        plan.instead |= olds
        far = {value for value in results if value not in olds and types[value].nbytes > CACHED_RESULT_BYTES}
        plan.over |= in_place(steps, results, olds, far)


def _dying(
    block: Block, steps: Sequence[Step], own: Collection[int], last_use: Mapping[int, int], root: Roots
) -> dict[int, int]:
    """The values with memory of their own that a run is the last to read, themselves and no views of them: in which
    of its steps."""
    read = {value for step in steps for value in step.ins}
    seen = {root[value] for value in read if root[value] != value}
    ending = sorted(read & {*own} - seen)
    return {value: last_use[value] - block.first for value in ending if last_use[value] < block.last}


def _pairs(
    steps: Sequence[Step], results: Collection[int], dying: Mapping[int, int], types: Mapping[int, TensorType]
) -> Iterator[tuple[int, int]]:
    """Results, and what each may be written over: what has its type, dies first, and is not read behind its step."""
    free = sorted(dying, key=dying.__getitem__)
    for i, step in enumerate(steps):
        value = step.outs[0]
        old = next((old for old in free if dying[old] <= i and types[old] is types[value]), None)
        if old is not None and value in results:
            free.remove(old)
            yield value, old


def in_place(
    steps: Sequence[Step], results: Collection[int], olds: Mapping[int, int], far: Collection[int] = ()
) -> dict[int, int]:
    """By inner value, the result that lies in the same memory later; before, something else of ``olds`` may.

    ``results`` are all that are not inner values; in those that are ``far``, nothing lies before.
    """
    last = {value: i for i, step in enumerate(steps) for value in step.ins}
    made = {step.outs[0]: i for i, step in enumerate(steps) if step.outs[0] in results}
    free = {new: last.get(olds[new], 0) if new in olds else 0 for new in made if new not in far}  # from which step on
    found = dict[int, int]()
    for i, step in enumerate(steps):
        value = step.outs[0]
        if not step.op.into or value in made:
            continue
        fits = (new for new in free if step.types == steps[made[new]].types and free[new] <= i)
        new = next((new for new in fits if last.get(value, i) <= made[new]), None)
        if new is not None:
            found[value], free[new] = new, last.get(value, i)
    return found
