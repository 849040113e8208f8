"""Runs that make nothing but new values of Parameters, put at the end of a program, where they write over the old ones.

A new array for each value would cost a program more than the update: it has to be fetched from memory, written, and
fetched again by the next call, while the old one still fills the cache. But whoever writes over a Parameter cannot
go back. So everything that may fail comes first, and these runs are of ufuncs only, which one call of C goes through.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from minigraph.eager import bare_ufunc
from minigraph.run.planning.memory import memory_roots
from minigraph.run.steps import Block, Plan, Step


def put_updates_last(plan: Plan) -> None:
    """Let the blocks that may write over Parameters be the last ones of a plan, ``plan.updates``."""
    found = list(_updates(plan)) if plan.stored and plan.blocks else []
    if not found:
        return
    late = {i for block in found for i in range(block.first, block.last)}
    order = [i for i in range(len(plan.steps)) if i not in late] + sorted(late)
    place = {i: k for k, i in enumerate(order)}
    moved = {block: block._replace(first=place[block.first], last=place[block.last - 1] + 1) for block in plan.blocks}
    plan.steps = [plan.steps[i] for i in order]
    plan.blocks, plan.updates = sorted(moved.values()), [moved[block] for block in found]


def _updates(plan: Plan) -> Iterator[Block]:
    """The blocks that may write over Parameters one after the other, when all other steps are done."""
    olds, root, readers = _olds(plan), memory_roots(plan), _readers(plan)
    over = set[int]()  # Parameters that the blocks before write over
    for block in plan.blocks:
        steps = plan.steps[block.first : block.last]
        read = {root[value] for step in steps for value in step.ins}
        if over.isdisjoint(read) and _is_update(plan, block, readers, olds) and _in_order(steps, olds, root):
            over |= {olds[out] for step in steps for out in step.outs if out in olds}
            yield block


def _olds(plan: Plan) -> dict[int, int]:
    """By value that is stored, the value that the Parameter has before; where it has one in this plan."""
    sources = {source.payload: source.value for source in plan.sources if source.role == "parameter"}
    return {value: sources[key] for key, value in plan.stored.items() if key in sources}


def _readers(plan: Plan) -> dict[int, list[int]]:
    """By value, the steps that read it, and -1 for whoever is given it by the program."""
    found: dict[int, list[int]] = {value: [-1] for value in plan.outs}
    for i, step in enumerate(plan.steps):
        for value in step.ins:
            found.setdefault(value, []).append(i)
    return found


def _is_update(plan: Plan, block: Block, readers: Mapping[int, list[int]], olds: Mapping[int, int]) -> bool:
    """Whether a block is of ufuncs for one thread, and makes new values of Parameters and nothing for others."""
    steps = plan.steps[block.first : block.last]
    if block.threads > 1 or not all(bare_ufunc(step.op) and step.outs[0] not in plan.places for step in steps):
        return False
    kept = {*plan.stored.values()}
    return all(
        all(block.first <= i < block.last for i in readers.get(out, ())) and (out in olds or out not in kept)
        for step in steps
        for out in step.outs
    )


def _in_order(steps: Sequence[Step], olds: Mapping[int, int], root: Mapping[int, int]) -> bool:
    """Whether no step looks at an old value behind the one that writes over it, or at other elements of it."""
    mine, written = {olds[step.outs[0]] for step in steps if step.outs[0] in olds}, set[int]()
    for step in steps:
        if any(value in written or (root[value] in mine and root[value] != value) for value in step.ins):
            return False
        if step.outs[0] in olds:
            written.add(olds[step.outs[0]])
    return True
