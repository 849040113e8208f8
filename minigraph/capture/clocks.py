"""Functions that give another result at each call and have no state to compare: clocks, files, the system."""

from __future__ import annotations

import datetime
import os
import time
import uuid
from collections.abc import Container, Iterable
from types import FunctionType
from typing import Any

import numpy as np

from minigraph.capture.bytecode import find_load
from minigraph.core.aliases import Function
from minigraph.core.location import Loc

CLOCKS = (
    time.time, time.time_ns, time.perf_counter, time.perf_counter_ns, time.monotonic, time.monotonic_ns,
    time.process_time, time.process_time_ns, datetime.datetime.now, datetime.datetime.utcnow, datetime.datetime.today,
    datetime.date.today, os.urandom, uuid.uuid1, uuid.uuid4, os.getenv, os.environ, open, np.load, np.loadtxt,
    np.fromfile, np.datetime64,
)  # fmt: skip


def find_clock(functions: Iterable[FunctionType], names: Container[str]) -> Loc | None:
    """The first line of code with these ``names`` that loads a clock; ``None`` if there is none."""
    may_read = any(getattr(clock, "__name__", "environ") in names for clock in CLOCKS)
    return find_load(functions, _is_clock) if may_read else None


def _is_clock(name: str, value: object) -> bool:
    return any(value is clock or (callable(value) and _is_bound_as(value, clock)) for clock in CLOCKS)


def _is_bound_as(value: Function, clock: Any) -> bool:
    """Whether both are the same class method; each access creates a new method object."""
    owner = getattr(clock, "__self__", None)
    return isinstance(owner, type) and getattr(value, "__self__", None) is owner and value.__name__ == clock.__name__
