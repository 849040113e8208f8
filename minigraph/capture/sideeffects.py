"""What a function does to Python while it is captured: found by looking before and after, and told once.

A compiled call does not run Python, so what the function does to globals, lists or the screen would happen while
capturing only. Where a later call could depend on it, every call captures anew, and is as right as it is slow.
"""

from __future__ import annotations

import builtins
import datetime
import os
import random
import time
import uuid
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

from minigraph.capture.lines import line_changing, line_loading, line_setting
from minigraph.capture.trace import tracing_now
from minigraph.guards import MISSING, Condition, Contents, Elements, Guard, Never
from minigraph.loc import Loc, in_expression, user_loc
from minigraph.reach import Reach
from minigraph.tensor import Tensor

KEEP = "Python runs only while capturing, so the next call captures anew; use a Parameter and ops.assign, or return it"
READ = "a graph would repeat it, so the next call captures anew; read it outside of @jit, and pass it as a tensor"
DRAW = "a graph would repeat them, so the next call captures anew; draw with ops.rand or ms.numpy.rand"
PRINT = "it prints only while capturing; ops.Print() prints at every run"
NUMPY, PYTHON = "numpy's global generator", "Python's global generator"
CLOCK = "the time, or a number from the system, is read"
CLOCKS = (
    time.time, time.time_ns, time.perf_counter, time.perf_counter_ns, time.monotonic, time.monotonic_ns,
    time.process_time, time.process_time_ns, datetime.datetime.now, datetime.datetime.utcnow, datetime.datetime.today,
    datetime.date.today, os.urandom, uuid.uuid1, uuid.uuid4,
)  # fmt: skip
GENERATORS: dict[str, tuple[Any, Any]] = {  # of global random numbers: the module, and the object behind its functions
    NUMPY: (np.random, np.random.mtrand._rand),
    PYTHON: (random, random._inst),
}


class SideEffect(UserWarning):
    """A function changes something in Python, or draws random numbers or prints there, while it is captured."""


class Happened(NamedTuple):
    """One side effect: what happened, where in the user's program, and the way out."""

    what: str
    loc: Loc | None
    advice: str


class Watch:
    """What a function can change in Python, as it was before a capture.

    ``guards`` are what the captured code depends on.
    """

    def __init__(self, fn: Callable[..., Any], beside: Iterable[Any] = ()) -> None:
        self.reach = Reach(fn, beside)
        self._before = self.reach.guards()
        self._random = self._generators()
        named = not self.reach.names.isdisjoint(clock.__name__ for clock in CLOCKS)
        self._clock = line_loading(self.reach.functions, _is_clock) if named else None  # clocks keep no state
        self._seen: list[Happened] = []

    @property
    def guards(self) -> list[Condition]:
        """What the code depends on; something that never holds among it if the capture changed any of that."""
        drawn = [Never("what was drawn at random") for _ in self._drawn()]
        read = [Never("the time")] * (self._clock is not None)
        changed = self._changed()
        never = [Never(guard.place) for guard in changed]
        return [*changed, *never, *drawn, *read, *(g for g in self._before if getattr(g, "value", None) is not MISSING)]

    @property
    def happened(self) -> list[Happened]:
        """Every side effect since."""
        changes = [_change(guard, self.reach) for guard in self._changed() if getattr(guard, "name", "") != "_version"]
        draws = [Happened(f"numbers are drawn from {it}", self._line_drawing(it), DRAW) for it in self._drawn()]
        reads = [Happened(CLOCK, self._clock, READ)] * (self._clock is not None)
        return [*changes, *draws, *reads, *self._seen]

    @contextmanager
    def prints(self) -> Iterator[None]:
        """Notice ``print`` inside the block. It is replaced for all threads, but heard in capturing ones only."""
        plain = builtins.print

        def heard(*values: Any, **options: Any) -> None:
            if tracing_now():
                self._seen.append(Happened("print is called", user_loc(), PRINT))
            plain(*values, **options)

        builtins.print = heard
        try:
            yield
        finally:
            builtins.print = plain

    def _changed(self) -> list[Any]:
        return [guard for guard in self._before if not guard.holds]

    def _drawn(self) -> list[str]:
        """The generators that are not in the state they were in."""
        now = self._generators()
        return [name for name, state in self._random.items() if now.get(name) != state]

    def _generators(self) -> dict[str, Any]:
        """The states of generators of random numbers: the global ones and those the function reaches."""
        named = {f"'{g.label or g.name}'": g.value for g in self._before if isinstance(g, Guard)}
        mine = {name: value for name, value in named.items() if _state_of(value) is not None}
        everyone = {name: generator for name, (_, generator) in GENERATORS.items()}
        return {name: _state_of(value) for name, value in (everyone | mine).items()}

    def _line_drawing(self, name: str) -> Loc | None:
        if name not in GENERATORS:
            return line_loading(self.reach.functions, lambda found, _: f"'{found}'" == name)
        module, generator = GENERATORS[name]
        return line_loading(
            self.reach.functions,
            lambda _, value: value is module or value is generator or getattr(value, "__self__", None) is generator,
        )


def tell(title: str, happened: Iterable[Happened], told: set[str]) -> None:
    """Warn of what is not among the ``told``, at the user's line."""
    for one in happened:
        text = f"jit '{title}': {one.what}{in_expression(one.loc)}: {one.advice}"
        if text not in told:
            told.add(text)
            place = (one.loc.file, one.loc.line) if one.loc else ("<unknown>", 1)
            warnings.warn_explicit(text, SideEffect, *place)


def _change(guard: Condition, reach: Reach) -> Happened:
    """A guard that does not hold any more, as a side effect."""
    if isinstance(guard, Guard):
        name = guard.label or guard.name
        return Happened(f"{_place(guard)} is set", line_setting(reach.functions, name), KEEP)
    assert isinstance(guard, Contents | Elements)
    thing = guard.container if isinstance(guard, Contents) else guard.thing()
    kind = "tensor" if isinstance(thing, Tensor) else type(thing).__name__
    what = f"the {kind} '{guard.label}' is changed in place"
    return Happened(what, line_changing(reach.functions, guard.label), KEEP)


def _place(guard: Guard) -> str:
    if isinstance(guard.owner, dict):
        return f"global '{guard.name}'"
    return f"the variable '{guard.label}'" if guard.label else f"'{guard.name}' of a {type(guard.owner).__name__}"


def _state_of(generator: Any) -> Any:
    """The state of a generator of random numbers, comparable; ``None`` of anything else."""
    if isinstance(generator, np.random.Generator):
        return _comparable(generator.bit_generator.state)
    if isinstance(generator, np.random.RandomState):
        return _comparable(generator.get_state(legacy=False))
    return generator.getstate() if isinstance(generator, random.Random) else None


def _is_clock(name: str, value: Any) -> bool:
    return callable(value) and any(value is clock or _is_bound_as(value, clock) for clock in CLOCKS)


def _is_bound_as(value: Any, clock: Any) -> bool:
    """Whether two are one method of one class: Python makes a new object each time."""
    owner = getattr(clock, "__self__", None)
    return isinstance(owner, type) and getattr(value, "__self__", None) is owner and value.__name__ == clock.__name__


def _comparable(state: Any) -> Any:
    if isinstance(state, dict):
        return tuple((key, _comparable(value)) for key, value in state.items())
    return state.tobytes() if isinstance(state, np.ndarray) else state
