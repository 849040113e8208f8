"""Runs that make nothing but new values of Parameters, put at the end of a program, where they write over the old ones.

A new array for each value would cost a program more than the update: it has to be fetched from memory, written, and
fetched again by the next call, while the old one still fills the cache. But whoever writes over a Parameter cannot
go back. So everything that may fail comes first, and these runs are of ufuncs only, which one call of C goes through.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from minigraph.accel.host.ufuncs import ufunc_of
from minigraph.accel.schedule.blocks import rows_of
from minigraph.accel.schedule.over import in_place
from minigraph.accel.schedule.tiled_plan import Block, TiledPlan
from minigraph.core.types import TensorType
from minigraph.execute.steps import Step

Olds = Mapping[int, int]  # by value that is stored, the value that the Parameter has before


def put_updates_last(plan: TiledPlan, types: Mapping[int, TensorType], root: Mapping[int, int]) -> None:
    """Let the steps of blocks that may write over Parameters be blocks at the end of a plan, ``plan.updates``.

    ``types`` are those of all values, ``root`` says whose memory each looks at (``memory_roots``).
    """
    olds = _olds(plan) if plan.blocks else {}
    found = dict(_updates(plan, olds, root)) if olds else {}
    if not found:
        return
    late = [i for steps in found.values() for i in steps]
    order = [i for i in range(len(plan.steps)) if i not in {*late}] + late
    place = {i: k for k, i in enumerate(order)}
    for steps in found.values():
        plan.over |= in_place([plan.steps[i] for i in steps], olds, olds)
    plan.steps = [plan.steps[i] for i in order]
    early = [(block, [i for i in range(block.first, block.last) if i not in {*late}]) for block in plan.blocks]
    plan.blocks = [_moved(block, steps, place) for block, steps in early if len(steps) > (block in found)]
    plan.updates = [_whole(plan, _moved(block, steps, place), olds, types) for block, steps in found.items()]
    plan.blocks += plan.updates


def _moved(block: Block, steps: Sequence[int], place: Mapping[int, int]) -> Block:
    return block._replace(first=place[steps[0]], last=place[steps[-1]] + 1)


def _olds(plan: TiledPlan) -> dict[int, int]:
    """The values that Parameters have before, of those that have one in this plan."""
    sources = {source.payload: source.value for source in plan.sources if source.role == "parameter"}
    return {value: sources[key] for key, value in plan.stored.items() if key in sources}


def _updates(plan: TiledPlan, olds: Olds, root: Mapping[int, int]) -> Iterator[tuple[Block, list[int]]]:
    """Blocks, and their steps that may write over Parameters one after the other, when all others are done."""
    readers, over = _readers(plan), set[int]()  # Parameters that the blocks before write over
    for block in plan.blocks:
        late = _late(plan, block, readers, olds)
        steps = [plan.steps[i] for i in late]
        read = {root[value] for step in steps for value in step.ins}
        if late and over.isdisjoint(read) and _keeps_order(steps, olds, root):
            over |= {olds[out] for step in steps for out in step.outs if out in olds}
            yield block, late


def _readers(plan: TiledPlan) -> dict[int, list[int]]:
    """By value, the steps that read it, and -1 for whoever is given it by the program."""
    found: dict[int, list[int]] = {value: [-1] for value in plan.outs}
    for i, step in enumerate(plan.steps):
        for value in step.ins:
            found.setdefault(value, []).append(i)
    return found


def _late(plan: TiledPlan, block: Block, readers: Mapping[int, list[int]], olds: Olds) -> list[int]:
    """The steps of a block that are ufuncs and make new values of Parameters, and nothing for others."""
    late, elsewhere = set[int](), plan.places.keys() | {*plan.stored.values()} - olds.keys()
    for i in reversed(range(block.first, block.last) if block.threads == 1 else ()):
        out = plan.steps[i].outs[0]
        asking = readers.get(out, ())
        if ufunc_of(plan.steps[i].op) and out not in elsewhere and (asking or out in olds) and late.issuperset(asking):
            late.add(i)
    return sorted(late)


def _keeps_order(steps: Sequence[Step], olds: Olds, root: Mapping[int, int]) -> bool:
    """Whether no step looks at an old value behind the one that writes over it, or at other elements of it."""
    mine, written = {olds[step.outs[0]] for step in steps if step.outs[0] in olds}, set[int]()
    for step in steps:
        if any(value in written or (root[value] in mine and root[value] != value) for value in step.ins):
            return False
        if step.outs[0] in olds:
            written.add(olds[step.outs[0]])
    return True


def _whole(plan: TiledPlan, block: Block, olds: Olds, types: Mapping[int, TensorType]) -> Block:
    """The block in as few pieces as memory near the processor allows: each takes as long to start as many elements."""

    def places(values: tuple[int, ...]) -> tuple[int, ...]:
        """The values whose memory these lie in."""
        above = (plan.over.get(value, value) for value in values)
        return tuple(olds.get(value, value) for value in above)

    run = plan.steps[block.first : block.last]
    steps = [step._replace(ins=places(step.ins), outs=places(step.outs)) for step in run]
    inner = {step.outs[0] for step in steps} - {*olds.values()}
    rows, depth = rows_of(steps, inner, types, fewest=1)
    return block._replace(rows=rows, depth=depth)
