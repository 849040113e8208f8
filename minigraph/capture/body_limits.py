"""Limits of Python code in the traced body of a branch or a loop, which may be code that never runs, and never ends.

Loops and calls of translated code are counted here, calls of other code by ``call_monitor``, loops of other code by
Python's trace hook, unless the thread has a debugger. Iterators of Python's that have no end are not given to functions
in C, which nothing could interrupt; code that is not translated may not make such iterators.
"""

from __future__ import annotations

import builtins
import itertools
import sys
from collections.abc import Callable, Iterator
from functools import partial
from operator import length_hint
from types import CellType, CodeType, FrameType, FunctionType
from typing import Any

from minigraph.capture.bytecode import find_load
from minigraph.capture.names_in_code import codes_in
from minigraph.capture.object_state import read_iterator
from minigraph.capture.profile_hook import Hook
from minigraph.capture.pure_calls import is_standard_file
from minigraph.capture.structure import unknown_state
from minigraph.core.bytecode import may_call
from minigraph.core.location import is_internal_file
from minigraph.core.op import current_interpreter
from minigraph.core.scope_guard import call_and_restore, consume

IN_BODY = "in a branch or loop that depends on a tensor"

MAX_ITERATIONS = 10_000  # of Python's loops in one body
MAX_CALLS = 100_000  # of the program's functions in one body; an iteration has several, and resumes generators
INFINITE_ITERATORS = (itertools.count, itertools.cycle, type(iter(int, 1)))
ENDLESS_CALLS = (  # what gives an iterator without end, and its number of arguments, if only that number does
    (itertools.count, None), (itertools.cycle, None), (itertools.repeat, 1), (builtins.iter, 2),
)  # fmt: skip
REMEDY = "bound the loops, or run them outside of @jit"


def count_iteration(interpreter: Any) -> None:
    """Raise ``UnknownStateError`` if Python loops in a body do not seem to end."""
    if is_body(interpreter):
        interpreter.iterations += 1
        if interpreter.iterations > MAX_ITERATIONS:
            raise unknown_state(f"Python loops run more than {MAX_ITERATIONS:,} iterations {IN_BODY}", REMEDY)


def is_body(interpreter: object) -> bool:
    """Whether an interpreter traces the body of a branch or a loop."""
    return getattr(interpreter, "is_body", False)


def calls_too_often(interpreter: Any) -> bool:
    """Count a call of the program's; returns whether a body has too many."""
    if not is_body(interpreter):
        return False
    interpreter.calls += 1
    return interpreter.calls > MAX_CALLS


def call_with_end(fn: Callable[..., Any], *args: object, **kwargs: object) -> Any:
    """The result of a function in C; raises ``UnknownStateError`` for an infinite operand or result in a body."""
    _check_ends((*args, *kwargs.values()))
    result = fn(*args, **kwargs)
    _check_ends([result])
    return result


def _check_ends(values: Any) -> None:
    if is_body(current_interpreter()) and any(map(is_endless, values)):
        raise unknown_state(f"an iterator without end is used {IN_BODY}", REMEDY)


def is_endless(value: object) -> bool:
    """Whether an iterator of Python's has no end, as far as that is known.

    >>> [is_endless(it) for it in (itertools.count(), zip(itertools.repeat(1)), itertools.repeat(1, 2), [1])]
    [True, True, False, False]
    """
    if not isinstance(value, Iterator):
        return False
    if isinstance(value, itertools.repeat):
        return length_hint(value, -1) < 0
    return isinstance(value, INFINITE_ITERATORS) or any(map(is_endless, read_iterator(value)))


# ---- loops of code that runs as written ----------------------------------------------------------------

RUNTIME_NAME = "mg"  # under which translated code reaches the runtime that counts its loops
EVENT = "line" if sys.version_info >= (3, 12) else "opcode"  # 3.11 has no event for the line of ``while True: pass``


def counts_loops(code: CodeType) -> bool:
    """Whether code counts its own loops: translated code, and minigraph's."""
    return RUNTIME_NAME in code.co_freevars or is_internal_file(code.co_filename)


def call_counting_loops(fn: Callable[..., Any], *args: object, **kwargs: object) -> Any:
    """The result of a function in a body; raises ``UnknownStateError`` if loops of code in it do not seem to end."""
    return call_with_tracer(_trace_frame, fn, *args, **kwargs)


def _trace_frame(frame: FrameType, event: str, arg: object) -> Callable[..., Any] | None:
    """Python's trace hook: the function that it calls at each line or instruction of a new frame."""
    interpreter: Any = current_interpreter()
    if counts_loops(frame.f_code) or not is_body(interpreter):
        return None
    if id(frame.f_code) not in interpreter.checked:
        _check_makes_no_endless(frame)
        interpreter.checked[id(frame.f_code)] = frame.f_code
    return call_at_jumps_back(frame, lambda: count_iteration(current_interpreter()))


def call_at_jumps_back(frame: FrameType, call: Callable[[], object]) -> Callable[..., Any]:
    """The trace function of a new frame, which calls a function at every jump back: once per iteration of a loop."""
    frame.f_trace_opcodes = EVENT == "opcode"
    last = -1

    def trace_line(frame: FrameType, event: str, arg: object) -> Callable[..., Any]:
        nonlocal last
        if event == EVENT:
            if frame.f_lasti <= last:
                call()
            last = frame.f_lasti
        return trace_line

    return trace_line


def _check_makes_no_endless(frame: FrameType) -> None:
    """Raise ``UnknownStateError`` if code of the program, which runs as written, may make an iterator without end."""
    code = frame.f_code
    if is_standard_file(code.co_filename) and not code.co_filename.startswith("<"):
        return
    cells = tuple(CellType(frame.f_locals.get(name)) for name in code.co_freevars)
    function = FunctionType(code, frame.f_globals, closure=cells)
    if loc := find_load([function], partial(_makes_endless, code)):
        raise unknown_state(f"an iterator without end may be used {IN_BODY}", REMEDY, loc)


def _makes_endless(code: CodeType, name: str, value: object) -> bool:
    """Whether code that loads a value under a name may call it for an iterator without end."""
    counts = [count for maker, count in ENDLESS_CALLS if value is maker]
    return any(count is None or any(may_call(inner, name, count) for inner in codes_in(code)) for count in counts)


def call_with_tracer(hook: Hook, fn: Callable[..., Any], /, *args: object, **kwargs: object) -> Any:
    """The result of ``fn(*args, **kwargs)``, called under a trace hook, unless the thread has another one.

    >>> call_with_tracer(lambda *event: None, sys.gettrace) is None
    False
    """
    if sys.gettrace() is not None:
        return fn(*args, **kwargs)
    restore = partial(consume, map(sys.settrace, [None]))
    return call_and_restore(restore, _trace_and_call, hook, fn, args, kwargs)


def _trace_and_call(hook: Any, fn: Callable[..., Any], args: tuple[object, ...], kwargs: dict[str, object]) -> Any:
    sys.settrace(hook)
    return fn(*args, **kwargs)
