"""Runs of elementwise steps over large tensors, computed a piece of rows at a time.

What lies between two steps of a run is then as large as a piece and stays in the cache; whole tensors would go to
memory and back for every step. Elements do not depend on each other, so the bits are the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from minigraph.run.steps import Block, Step
from minigraph.run.threads import threads_for
from minigraph.types import Shape, TensorType

LARGE = 1 << 19  # bytes of a tensor from which pieces pay: half of a common second-level cache
PIECE = 1 << 17  # bytes of a piece: several fit into that cache, and a call of numpy on one takes 20 times its start


def blocks_of(steps: Sequence[Step]) -> Iterator[Block]:
    """The longest runs, of two steps or of a body of some, that are worth it, in order."""
    first = 0
    for last in range(1, len(steps) + 1):
        if last < len(steps) and _shape(steps[last]) is not None and _shape(steps[first]) == _shape(steps[last]):
            continue
        block = _block(first, last, steps[first:last]) if _shape(steps[first]) else None
        if block is not None:
            yield block
        first = last


def _block(first: int, last: int, run: Sequence[Step]) -> Block | None:
    """The block of a run, if it is worth one: of a single body, a piece for each thread, which needs no cache."""
    types = [type for step in run for type in step.types]
    count, nbytes = types[0].shape[0], sum(type.nbytes for type in types)
    if len(run) == 1:
        threads = threads_for(nbytes, count) if run[0].op.role == "fused" else 1
        return Block(first, last, types[0].shape, -(-count // threads), threads) if threads > 1 else None
    rows = _rows(types)
    return Block(first, last, types[0].shape, rows, threads_for(nbytes, -(-count // rows))) if rows else None


def _shape(step: Step) -> Shape | None:
    """The shape that a step works in element by element; ``None`` if it does not."""
    elementwise = step.op.family == "elementwise" and not step.op.effects and step.types
    return step.types[0].shape or None if elementwise else None


def _rows(types: Sequence[TensorType]) -> int:
    """How many rows a piece has; 0 if whole tensors are small enough, or rows too large."""
    widest = max(types, key=lambda type: type.nbytes)
    if widest.nbytes < LARGE:
        return 0
    rows = PIECE * widest.shape[0] // widest.nbytes
    return rows if 0 < rows <= widest.shape[0] // 2 else 0


def inner_values(block: Block, steps: Sequence[Step], last_use: Mapping[int, int], leaving: set[int]) -> set[int]:
    """The results of a run's steps that nobody outside of it asks for."""
    made = (out for step in steps[block.first : block.last] for out in step.outs)
    return {value for value in made if value not in leaving and last_use.get(value, 0) < block.last}
