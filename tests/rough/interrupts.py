"""Exceptions raised between two instructions, as by a signal handler, and the state that they leave open."""

from __future__ import annotations

import builtins
import gc
import sys
import weakref
from collections.abc import Callable
from contextlib import suppress
from contextvars import Context, ContextVar, copy_context
from types import CodeType
from typing import Any

import numpy as np

from minigraph.capture.fork_locks import FORK_LOCKS
from minigraph.core.op import active_context
from minigraph.core.scope_guard import LOCKS

PRINT = builtins.print
WEAK_FILES = ("weakref.py", "_weakrefset.py", "<frozen _weakrefset>")
FINALIZER = weakref.finalize.__call__.__code__  # type: ignore[attr-defined]


class Interrupted(KeyboardInterrupt):
    """The exception that the tests raise."""


class _Tracer:
    """Counts the instructions of a call; raises at number ``at``.

    Finalizers and callbacks of weak references are left out: Python calls them at any time and drops their exceptions.
    """

    def __init__(self, at: int = -1) -> None:
        self.count, self.at, self.in_finalizer = 0, at, False

    def __call__(self, frame: Any, event: str, _: Any) -> Any:
        if self.in_finalizer or "hypothesis" in frame.f_code.co_filename:  # hypothesis has a callback of the collector
            return None
        if event == "call" and _ends_objects(frame.f_code):
            self.in_finalizer = True
            return self._await_return
        frame.f_trace_opcodes = True
        if event == "opcode":
            self.count += 1
            if self.count == self.at:
                raise Interrupted(f"{frame.f_code.co_filename}:{frame.f_lineno} ({frame.f_code.co_name})")
        return self

    def _await_return(self, frame: Any, event: str, _: Any) -> Any:
        """The trace function of a finalizer."""
        self.in_finalizer = event != "return"
        return self._await_return


def _ends_objects(code: CodeType) -> bool:
    """Whether Python calls this code when an object ends."""
    is_weak_callback = code.co_name in ("remove", "_remove") and code.co_filename.endswith(WEAK_FILES)
    return code is FINALIZER or code.co_name == "__del__" or is_weak_callback


def count_instructions(run: Callable[[], object]) -> int:
    """The number of instructions that a call executes."""
    tracer = _Tracer()
    _run_traced(run, tracer)
    return tracer.count


def interrupt(run: Callable[[], object], at: int) -> BaseException | None:
    """Call a function and raise at its instruction number ``at``; the exception, with its traceback."""
    try:
        _run_traced(run, _Tracer(at))
    except BaseException as error:
        return error
    finally:
        _release_locks()
    return None


def _release_locks() -> None:
    """Release locks left by a trace function, which may raise where no signal handler does: see ``open_state``."""
    for lock in (*FORK_LOCKS, *LOCKS):
        with suppress(RuntimeError):  # it is not held
            while True:
                lock.release()


def _run_traced(run: Callable[[], object], tracer: _Tracer) -> None:
    before = sys.gettrace()
    sys._getframe().f_trace_opcodes = True  # 3.12 traces instructions only if some frame says so before
    sys.settrace(tracer)
    try:
        run()
    finally:
        sys.settrace(before)


def open_state() -> dict[str, Any]:
    """All state that an interrupted call may leave open.

    Locks are not among it: CPython handles no signal between the end of a ``with`` and ``__exit__`` in C (bpo-29988),
    while a trace function may raise there.
    """
    return {
        "dispatch": active_context(),
        "gc": gc.isenabled(),
        "gc callbacks": len(gc.callbacks),
        "print": builtins.print is PRINT,
        "profile": sys.getprofile(),
        "stdout": type(sys.stdout),
        "floating-point errors": np.geterr(),
        **{variable.name: value for variable, value in copy_context().items() if _differs(variable, value)},
    }


def _differs(variable: ContextVar[Any], value: Any) -> bool:
    """Whether a variable, which is not numpy's, has another value than its default."""
    try:
        return not variable.name.startswith("numpy") and value is not Context().run(variable.get)
    except LookupError:  # it has none
        return True


def positions(count: int, samples: int) -> list[int]:
    """``samples`` instructions spread evenly over ``count``, the first and the last among them."""
    if samples >= count:
        return list(range(1, count + 1))
    return sorted({1 + k * (count - 1) // (samples - 1) for k in range(samples)})
