"""Idle buffers: programs keep their buffers for the next call, because fresh memory costs a page fault for every 4 kB.

When all idle buffers of the process exceed ``MAX_IDLE_BYTES``, those of the programs that allocated earliest are
released, down to half of that. A program that is called again allocates again. Simultaneous calls of one program have a
set of buffers each: those beyond the first stay idle only while they fit into the bound.

Not handled: programs that alternate and each need more than ``MAX_IDLE_BYTES`` allocate at every call.
"""

from __future__ import annotations

import weakref
from functools import partial
from typing import Protocol

import numpy as np

from minigraph.execute.plan import Plan

MAX_IDLE_BYTES = 1 << 28  # of all programs: a bound of memory, not tuned; a training step of LeNet takes a twentieth


class HasBuffers(Protocol):
    """A program: its plan, which says how large a set of buffers is, and the sets that no call is using."""

    plan: Plan
    idle_buffers: list[list[np.ndarray]]


class IdleBuffers:
    """The programs that have allocated buffers, in order of allocation; they are not kept alive."""

    def __init__(self) -> None:
        self._programs: dict[int, weakref.ref[HasBuffers]] = {}
        self._allocated = 0  # bytes allocated since the last count, and bytes at the last count

    def make_room(self, program: HasBuffers) -> None:
        """Release idle buffers of other programs if there are too many; called before ``program`` allocates a set."""
        if program.plan.nbytes:
            key = id(program)
            self._programs.pop(key, None)
            self._programs[key] = weakref.ref(program, partial(self._programs.pop, key))  # freed with the program
            self._allocated += program.plan.nbytes
            if self._allocated > MAX_IDLE_BYTES:
                self._release(program)

    def limit(self, program: HasBuffers) -> None:
        """Release the sets of a program beyond its first if they exceed the bound; called after it added a new one."""
        if len(program.idle_buffers) > 1 and self.nbytes > MAX_IDLE_BYTES:
            del program.idle_buffers[1:]

    def _release(self, program: HasBuffers) -> None:
        """No lock: every step is atomic, and a set that a call takes meanwhile stays that call's."""
        idle = self.nbytes
        for reference in list(self._programs.values()):
            other = reference()
            if other is not None and idle > MAX_IDLE_BYTES // 2 and other is not program:
                idle -= _idle_bytes(other)
                other.idle_buffers.clear()
        self._allocated = idle + program.plan.nbytes

    @property
    def nbytes(self) -> int:
        """The size of all idle buffers in bytes."""
        programs = [reference() for reference in list(self._programs.values())]
        return sum(_idle_bytes(program) for program in programs if program is not None)


def _idle_bytes(program: HasBuffers) -> int:
    return len(program.idle_buffers) * program.plan.nbytes


IDLE_BUFFERS = IdleBuffers()
