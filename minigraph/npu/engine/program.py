"""The program of one core: instructions, loops of them, and the buffer rings between its queues.

Rings are Ascend C's ``TQue``: a producer allocates a free slot (``alloc``) and enqueues it full (``enque``); a consumer
dequeues it (``deque``) and frees it (``free``). Two slots make double buffering: a load fills one while the consumer
reads the other.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

QUEUES = ("S", "V", "M", "MTE1", "MTE2", "MTE3", "FIXP")


class Instr(NamedTuple):
    """One instruction of one queue.

    ``cycles``: time in the unit, or latency of a transfer. A transfer then moves ``bytes_moved`` at ``rate`` bytes per
    cycle and occupies device memory for ``gm`` and L2 for ``l2`` cycles, summed over the cores that execute the same
    instruction; ``device`` of its bytes reach device memory. A ``serialized`` load starts when the one before has
    ended. The queue is blocked for ``turnaround`` more cycles after the instruction. A ``barrier`` waits for all queues
    of the core.
    """

    queue: str
    name: str
    cycles: int
    bytes_moved: int = 0
    rate: float = 0.0
    gm: float = 0.0
    l2: float = 0.0
    device: float = 0.0
    alloc: str = ""
    enque: str = ""
    deque: str = ""
    free: str = ""
    barrier: bool = False
    serialized: bool = False
    turnaround: int = 0


class Loop(NamedTuple):
    """``body``, executed ``times`` times."""

    body: tuple[Instr | Loop, ...]
    times: int


Items = tuple[Instr | Loop, ...]


@dataclass(frozen=True)
class Program:
    """The instructions of the busiest core, an "aic" or "aiv"; ``rings`` maps each ring to its number of slots.

    ``cores`` run the program; ``balance`` is their mean work over the work of the busiest one. ``slot_bytes``: bytes of
    each buffer in one slot of each ring. ``resident``: bytes of each buffer that are allocated from start to end.
    """

    core: str
    rings: Mapping[str, int]
    items: Items
    cores: int
    balance: float
    slot_bytes: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    resident: Mapping[str, int] = field(default_factory=dict)

    @property
    def footprint(self) -> dict[str, int]:
        """Bytes of each buffer with all slots allocated."""
        footprint = Counter(self.resident)
        for ring, slot in self.slot_bytes.items():
            footprint.update({buffer: self.rings[ring] * size for buffer, size in slot.items()})
        return dict(footprint)


def instruction_count(items: Items) -> int:
    """Instructions executed, loops unrolled.

    >>> add = Instr("V", "VADD", 20)
    >>> instruction_count((Loop((add, add), 10), add))
    21
    """
    return sum(instruction_count(item.body) * item.times if isinstance(item, Loop) else 1 for item in items)
