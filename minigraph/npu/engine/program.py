"""What one core runs: instructions, repeats of them, and the buffer rings between its queues.

Rings work like Ascend C's ``TQue``: a producer takes a free slot (``alloc``) and hands it over full
(``enque``); a consumer waits for a full one (``deque``) and gives it back (``free``). With two slots a load
fills one while the other is computed on: double buffering.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

QUEUES = ("S", "V", "M", "MTE1", "MTE2", "MTE3", "FIXP")


class Instr(NamedTuple):
    """One instruction of one queue.

    ``cycles`` is its time in the unit, or a transfer's latency. A transfer then moves ``moved`` bytes at
    ``rate`` bytes per cycle, and keeps device memory busy for ``gm`` and L2 for ``l2`` cycles, counted over
    all cores that do the same; ``device`` of its bytes reach device memory. A load that is ``alone`` starts
    when the one before has ended. The queue takes nothing for ``rest`` cycles after it. A ``barrier`` waits for
    every queue of the core.
    """

    queue: str
    name: str
    cycles: int
    moved: int = 0
    rate: float = 0.0
    gm: float = 0.0
    l2: float = 0.0
    device: float = 0.0
    alloc: str = ""
    enque: str = ""
    deque: str = ""
    free: str = ""
    barrier: bool = False
    alone: bool = False
    rest: int = 0


class Repeat(NamedTuple):
    """A loop: ``body`` run ``times`` times."""

    body: tuple[Instr | Repeat, ...]
    times: int


Items = tuple[Instr | Repeat, ...]


@dataclass(frozen=True)
class Program:
    """The busiest core's instructions; ``core`` is "aic" or "aiv", ``rings`` maps each ring to its slots.

    ``cores`` run it, ``share`` is the mean of their work over this core's. ``sizes`` says of each ring what one slot
    takes of which buffers, ``kept`` what the program keeps of them from first to last, both in bytes.
    """

    core: str
    rings: Mapping[str, int]
    items: Items
    cores: int
    share: float
    sizes: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    kept: Mapping[str, int] = field(default_factory=dict)

    @property
    def room(self) -> dict[str, int]:
        """Bytes of each buffer when every slot is taken."""
        found = Counter(self.kept)
        for ring, slot in self.sizes.items():
            found.update({buffer: self.rings[ring] * size for buffer, size in slot.items()})
        return dict(found)


def length(items: Items) -> int:
    """Instructions executed in all, loops unrolled.

    >>> add = Instr("V", "VADD", 20)
    >>> length((Repeat((add, add), 10), add))
    21
    """
    return sum(length(item.body) * item.times if isinstance(item, Repeat) else 1 for item in items)
