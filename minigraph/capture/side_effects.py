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
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from threading import Lock
from typing import Any, NamedTuple

import numpy as np

from minigraph.capture.argument_mutation import put_into
from minigraph.capture.bytecode import line_changing, line_loading, line_setting
from minigraph.capture.guards import MISSING, Condition, Contents, Elements, Guard, Never, array_of, found, restore
from minigraph.capture.reachable_state import Reach
from minigraph.capture.structure import is_tensor
from minigraph.core.location import Loc, in_expression, user_loc
from minigraph.core.pytree import flatten
from minigraph.core.tensor import Tensor

KEEP = "Python runs only while capturing, so the next call captures anew; use a Parameter and ops.assign, or return it"
READ = "a graph would repeat it, so the next call captures anew; read it outside of @jit, and pass it as a tensor"
DRAW = "a graph would repeat them, so the next call captures anew; draw with ops.rand or ms.numpy.rand"
PRINT = "it prints only while capturing; ops.Print() prints at every run"
NUMPY, PYTHON = "numpy's global generator", "Python's global generator"
CLOCK = "the time, a file or something of the system's is read"
CLOCKS = (
    time.time, time.time_ns, time.perf_counter, time.perf_counter_ns, time.monotonic, time.monotonic_ns,
    time.process_time, time.process_time_ns, datetime.datetime.now, datetime.datetime.utcnow, datetime.datetime.today,
    datetime.date.today, os.urandom, uuid.uuid1, uuid.uuid4, os.getenv, os.environ, open, np.load, np.loadtxt,
)  # fmt: skip
GENERATORS: dict[str, tuple[Any, Any]] = {  # of global random numbers: the module, and the object behind its functions
    NUMPY: (np.random, np.random.mtrand._rand),
    PYTHON: (random, random._inst),
}


KINDS = (np.random.Generator, np.random.RandomState, random.Random)


class SideEffect(UserWarning):
    """A function changes something in Python, or draws random numbers or prints there, while it is captured."""


class Happened(NamedTuple):
    """One side effect: what happened, where in the user's program, and the way out."""

    what: str
    loc: Loc | None
    advice: str


class Ended(NamedTuple):
    """A capture's end: every side effect, and what the code depends on.

    Among the ``guards`` is something that never holds if the capture changed any of that.
    """

    happened: list[Happened]
    guards: list[Condition]


class Watch:
    """What a function can change in Python, as it was before a capture."""

    def __init__(self, fn: Callable[..., Any], beside: Iterable[Any] = ()) -> None:
        self.reach = Reach(fn, beside)
        self._before = self.reach.guards()
        self._random = self._generators()
        named = not self.reach.names.isdisjoint(getattr(clock, "__name__", "environ") for clock in CLOCKS)
        self._clock = line_loading(self.reach.functions, _is_clock) if named else None  # clocks keep no state
        self._seen: list[Happened] = []
        self._left: list[Any] = []  # guards of the places that hold what is known when the graph has run

    def ended(self) -> Ended:
        """What there is to tell of the capture, and to remember, looked at once."""
        changed, drawn = self._changed(), self._drawn()
        return Ended(self._happened(changed, drawn), self._guards(changed, drawn))

    def _guards(self, changed: list[Any], drawn: list[str]) -> list[Condition]:
        never = [Never(guard.place) for guard in changed]
        never += [Never("what was drawn at random") for _ in drawn]
        never += [Never("the time, a file or the system")] * (self._clock is not None)
        never += [Never(f"what {_place(guard)} gives next") for guard in self._iterators()]
        return [*changed, *never, *self.reach.standing(self._before)]

    def _happened(self, changed: list[Any], drawn: list[str]) -> list[Happened]:
        changes = [_change(guard, self.reach) for guard in changed if getattr(guard, "name", "") != "_version"]
        draws = [Happened(f"numbers are drawn from {it}", self._line_drawing(it), DRAW) for it in drawn]
        reads = [Happened(CLOCK, self._clock, READ)] * (self._clock is not None)
        nexts = [self._next_of(guard) for guard in self._iterators()]
        return [*changes, *draws, *reads, *nexts, *self._seen]

    def _next_of(self, guard: Guard) -> Happened:
        loc = line_loading(self.reach.functions, lambda name, _: name == (guard.label or guard.name))
        return Happened(f"{_place(guard)} gives one value after the other", loc, READ)

    def _iterators(self) -> list[Guard]:
        """The places of what gives another value each time it is asked."""
        return [g for g in self._before if isinstance(g, Guard) and isinstance(g.value, Iterator)]

    @contextmanager
    def prints(self) -> Iterator[None]:
        """Notice ``print`` inside the block."""
        token = _printed.set(self._seen)
        _hear_prints()
        try:
            yield
        finally:
            _stop_hearing()
            _printed.reset(token)

    def leave(self) -> tuple[Any, ...]:
        """What the code put into places outside of it and is known when the graph has run only; ``fill`` puts it there.

        A list that the function appended a loss to holds a tracer until then.
        """
        self._left = [guard for guard in self._changed() if _waits(_standing(guard))]
        return tuple(map(_standing, self._left))

    def fill(self, values: Sequence[Any]) -> None:
        """Put values in the places where the code left something without one."""
        for guard, value in zip(self._left, values, strict=True):
            if isinstance(guard, Contents):
                put_into(guard.container, tuple(value), value.values() if isinstance(value, dict) else value)
            elif isinstance(guard.owner, dict):
                guard.owner[guard.name] = value
            else:
                setattr(guard.owner, guard.name, value)

    def undo(self) -> None:
        """Put everything back as it was: a capture that fails leaves nothing behind."""
        for guard in sorted(self._changed(), key=lambda guard: getattr(guard, "name", "") == "_version"):
            _put_back(guard)
        for name, (generator, state) in self._random.items():
            if name in self._drawn():
                _set_state(generator, state)

    def _changed(self) -> list[Any]:
        return [guard for guard in self._before if not guard.holds]

    def _drawn(self) -> list[str]:
        """The generators that are not in the state they were in."""
        return [name for name, (it, state) in self._random.items() if _comparable(_state_of(it)) != _comparable(state)]

    def _generators(self) -> dict[str, tuple[Any, Any]]:
        """Generators of random numbers and their states: the global ones and those the function reaches."""
        named = {f"'{g.label or g.name}'": g.value for g in self._before if isinstance(g, Guard)}
        everyone = {name: generator for name, (_, generator) in GENERATORS.items()} | named
        return {name: (it, _state_of(it)) for name, it in everyone.items() if isinstance(it, KINDS)}

    def _line_drawing(self, name: str) -> Loc | None:
        if name not in GENERATORS:
            return line_loading(self.reach.functions, lambda found, _: f"'{found}'" == name)
        module, generator = GENERATORS[name]
        return line_loading(
            self.reach.functions,
            lambda _, value: value is module or value is generator or getattr(value, "__self__", None) is generator,
        )


# ---- print ---------------------------------------------------------------------------------------------

# Python's print is replaced, for all threads, as long as anybody traces; each thread's prints are its own.
_printed: ContextVar[list[Happened] | None] = ContextVar("printed", default=None)
_plain: list[Any] = []  # print itself, once for everyone who traces now
_lock = Lock()


def _hear_prints() -> None:
    with _lock:
        _plain.append(_plain[0] if _plain else builtins.print)
        builtins.print = _heard


def _stop_hearing() -> None:
    with _lock:
        plain = _plain.pop()
        if not _plain:
            builtins.print = plain


def _heard(*values: Any, **options: Any) -> None:
    seen, plain = _printed.get(), _plain[:1]
    if seen is not None:
        seen.append(Happened("print is called", user_loc(), PRINT))
    (plain[0] if plain else builtins.print)(*values, **options)


# ---- telling -------------------------------------------------------------------------------------------


def tell(title: str, happened: Iterable[Happened], told: set[str]) -> None:
    """Warn of what is not among the ``told``, at the user's line."""
    for one in happened:
        text = f"jit '{title}': {one.what}{in_expression(one.loc)}: {one.advice}"
        if text not in told:
            told.add(text)
            place = (one.loc.file, one.loc.line) if one.loc else ("<unknown>", 1)
            warnings.warn_explicit(text, SideEffect, *place)


def _standing(guard: Any) -> Any:
    """What stands at a place now."""
    return found(guard.owner, guard.name) if isinstance(guard, Guard) else getattr(guard, "container", None)


def _waits(value: Any) -> bool:
    return any(leaf.traced for leaf in flatten(value, is_tensor)[0])


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


def _put_back(guard: Any) -> None:
    """Let what a guard watches be again what it was."""
    if isinstance(guard, Contents):
        restore(guard.container, guard.items)
    elif isinstance(guard, Elements):
        array_of(guard.thing())[...] = guard.before
    elif isinstance(guard.owner, dict):
        guard.owner.update({guard.name: guard.value})
        if guard.value is MISSING:
            del guard.owner[guard.name]
    elif guard.value is MISSING:
        delattr(guard.owner, guard.name)
    else:
        setattr(guard.owner, guard.name, guard.value)


def _state_of(generator: Any) -> Any:
    if isinstance(generator, np.random.Generator):
        return generator.bit_generator.state
    return generator.get_state(legacy=False) if isinstance(generator, np.random.RandomState) else generator.getstate()


def _set_state(generator: Any, state: Any) -> None:
    if isinstance(generator, np.random.Generator):
        generator.bit_generator.state = state
    else:
        (generator.set_state if isinstance(generator, np.random.RandomState) else generator.setstate)(state)


def _is_clock(name: str, value: Any) -> bool:
    return any(value is clock or (callable(value) and _is_bound_as(value, clock)) for clock in CLOCKS)


def _is_bound_as(value: Any, clock: Any) -> bool:
    """Whether two are one method of one class: Python makes a new object each time."""
    owner = getattr(clock, "__self__", None)
    return isinstance(owner, type) and getattr(value, "__self__", None) is owner and value.__name__ == clock.__name__


def _comparable(state: Any) -> Any:
    if isinstance(state, dict):
        return tuple((key, _comparable(value)) for key, value in state.items())
    return state.tobytes() if isinstance(state, np.ndarray) else state
