"""Monitors tracing: every call of the user's program must be known to depend only on its arguments and guarded state.

``reachable_state`` finds statically what a function may read. Here that is verified while the function runs: Python's
profile hook reports each call before it is made. The call of a function in C that ``pure_calls`` does not list (a
clock, a file, a queue, an unseeded generator) is refused before it does anything, and so is Python code that the
static analysis has not found, for example a special method or a function found under a computed name.

Not seen: functions of extensions made by Cython, functions in C that other functions in C call (``functions_in_c``
refuses them), and operators of extension types; nothing while another profiler is active.
"""

from __future__ import annotations

import copy
import functools
import gc
import os
import random
import threading
from collections.abc import Callable, Iterable
from traceback import walk_stack, walk_tb
from types import CodeType, FrameType, FunctionType
from typing import Any, TypeVar

from minigraph.capture.body_limits import IN_BODY, MAX_CALLS, call_with_end, calls_too_often
from minigraph.capture.body_limits import REMEDY as BOUND_REMEDY
from minigraph.capture.garbage_collection import is_collecting
from minigraph.capture.guards import FailingGuard
from minigraph.capture.names_in_code import codes_in
from minigraph.capture.profile_hook import call_with_profiler
from minigraph.capture.pure_calls import (
    accesses_numpy_settings,
    draws_numbers,
    has_effects_of_its_own,
    is_pure_builtin,
    is_pure_file,
    is_standard_file,
)  # fmt: skip
from minigraph.capture.query_guards import registered_classes
from minigraph.capture.reads_of_minigraph import GUARDS_OF_READS, ReadGuard
from minigraph.capture.structure import unknown_state
from minigraph.core.bytecode import line_of_handler
from minigraph.core.errors import MinigraphError
from minigraph.core.location import Loc, is_internal_file, is_user_file
from minigraph.core.op import current_interpreter, is_eager
from minigraph.core.scope_guard import codes_of_signal_handlers

T = TypeVar("T")

HANDLER_REMEDY = "put the try around the call"
REMEDY = "do it outside of @jit, and pass the result as an argument"
RANDOM_REMEDY = "a graph would repeat them: draw with ops.rand or ms.numpy.rand"
WEIGHTS_REMEDY = "a graph would repeat them: make the layer or the tensor before the call"
RANDOM_FUNCTIONS = (os.urandom,)
IMPORTS = "<frozen importlib"
FORWARDER = call_with_end.__code__  # calls functions in C for the program
CALLERS = (
    os.path.join("translate", "call_conversion.py"),
    os.path.join("translate", "host_text.py"),
    os.path.join("capture", "body_limits.py"),
    os.path.join("capture", "profile_hook.py"),
    os.path.join("core", "scope_guard.py"),
)  # loaded for the program
ABSTRACT_CLASS_QUERIES = ("_abc_instancecheck", "_abc_subclasscheck", "_abc_init", "get_cache_token")  # of ``_abc``


class CallMonitor:
    """The calls that tracing makes; ``refused`` is the first that is not known to be pure."""

    def __init__(
        self, functions: Iterable[FunctionType], codes: Iterable[CodeType] = (), may_print: bool = False
    ) -> None:
        self.may_print = may_print
        self.guards: list[ReadGuard] = []  # of state that the program has read through libraries
        self.refused: Exception | None = None
        self._leaving: object = None  # the ``__exit__``, written in C, that runs now and is refused when it is done
        self._lines: dict[str, list[tuple[int, int]]] = {}  # file -> the first and the last lines of known code
        for function in functions:
            code = function.__code__
            self._lines.setdefault(code.co_filename, []).append((code.co_firstlineno, _last_line(code)))
        self._allowed = {id(inner): inner for code in codes for inner in codes_in(code)}  # by identity: hashes are slow
        self._internal: dict[int, CodeType] = {}  # the code of minigraph that has run

    def call(self, fn: Callable[..., T], /, *args: object) -> T:
        """The result of ``fn(*args)``; raises ``UnknownStateError`` for a call in it that is not known to be pure."""
        result = call_with_profiler(self._on_event, fn, *args)
        if self.refused is not None:
            raise self.refused
        return result

    def _on_event(self, frame: FrameType, event: str, arg: object) -> None:
        if event == "c_call":
            if (id(frame.f_code) in self._internal and frame.f_code is not FORWARDER) or is_pure_builtin(arg):
                return
            is_own_call = is_internal_file(frame.f_code.co_filename) and frame.f_code is not FORWARDER
            if not is_own_call and not self._may_call(frame, arg):
                if getattr(arg, "__name__", "") == "__exit__":  # else what its ``__enter__`` took, a lock, stays taken
                    self._leaving = arg
                else:
                    self._refuse_builtin(frame, arg)
        elif event in ("c_return", "c_exception"):
            if self._leaving is not None and arg is self._leaving:
                self._leaving = None
                self._refuse_builtin(frame, arg)
        elif event == "call" and id(frame.f_code) not in self._internal:
            if id(frame.f_code) not in self._allowed:
                self._check_code(frame)
            elif calls_too_often(current_interpreter()):
                self._refuse(
                    f"Python functions are called more than {MAX_CALLS:,} times {IN_BODY}", frame, BOUND_REMEDY
                )

    def _check_code(self, frame: FrameType) -> None:
        """Refuse code that runs for the first time, if it is not known to be pure."""
        code = frame.f_code
        is_exit = code.co_name == "__exit__"  # checked at every call
        if is_exit and (error := _error_in_exit(frame)) is not None:
            self._refuse_exit(frame, error)
        if is_internal_file(code.co_filename):
            if has_effects_of_its_own(code) and (user := self._calling_frame(frame.f_back)) is not None:
                self._refuse(f"'{code.co_qualname}' reads or changes files or settings", user)
            is_draw, guards_of_read = draws_numbers(code), GUARDS_OF_READS.get(id(code))
            if is_draw and is_eager():  # checked at every call, since most draws are traced
                self._refuse("initial weights are drawn", _users_frame(frame), WEIGHTS_REMEDY, is_transient=True)
            if guards_of_read is not None:  # at every call, since each may read something else
                self._add_guards(frame, guards_of_read(frame))
                return
            if not (is_exit or is_draw):
                self._internal[id(code)] = code
        elif is_collecting():
            return
        elif _is_user_file(code.co_filename) and (line := line_of_handler(code)):
            self._refuse("a handler might catch an exception that only capture raises", frame, HANDLER_REMEDY, line)
        elif not (self._is_known(code) or _is_generated(frame) or _is_guarded(code)) or _asks_settings(frame):
            self._refuse_code(frame)
            return
        if not is_exit:
            self._allowed[id(code)] = code

    def _add_guards(self, frame: FrameType, guards: Iterable[ReadGuard]) -> None:
        for guard in guards:
            if isinstance(guard, FailingGuard):
                self._refuse(guard.description, _users_frame(frame))
            self.guards.append(guard)

    def _may_call(self, frame: FrameType, fn: object) -> bool:
        """Whether a function reads registrations of abstract classes, which are guarded, is ``print``, or finds copies.

        ``print`` to the screen is captured; with a ``file`` it would write at once.
        """
        if getattr(fn, "__module__", "") == "_abc" and getattr(fn, "__name__", "") in ABSTRACT_CLASS_QUERIES:
            if self._calling_frame(frame) is not None:
                self.guards.append(registered_classes())
            return True
        if fn is id and frame.f_code.co_filename == copy.deepcopy.__code__.co_filename:  # the key of what is copied
            return True
        consts = frame.f_code.co_consts  # the place of the names of keyword arguments
        return (
            self.may_print and fn is print and not any(isinstance(const, tuple) and "file" in const for const in consts)
        )

    def _is_known(self, code: CodeType) -> bool:
        """Whether the state that code reads is guarded, or belongs to minigraph."""
        file, line = code.co_filename, code.co_firstlineno
        if any(first <= line <= last for first, last in self._lines.get(file, ())):
            return not is_standard_file(file) or file.startswith("<") or is_pure_file(file)
        return is_standard_file(file) and is_pure_file(file)

    def _refuse_builtin(self, frame: FrameType, fn: object) -> None:
        if (user := self._calling_frame(frame)) is None or _is_released_at_end(frame, fn) or _is_interruption(frame):
            return
        if fn in RANDOM_FUNCTIONS or isinstance(getattr(fn, "__self__", None), random.Random):
            self._refuse("numbers are drawn from a random generator of Python", user, RANDOM_REMEDY)
        self._refuse(f"{name_of(fn)} may read or change state that cannot be guarded", user)

    def _refuse_code(self, frame: FrameType) -> None:
        user = self._calling_frame(frame.f_back)
        if user is None and _is_user_file(frame.f_code.co_filename) and not _is_importing(frame):
            user = frame  # code of ours calls it
        if user is not None and not _is_interruption(frame):
            where = f"{os.path.basename(frame.f_code.co_filename)}:{frame.f_code.co_firstlineno}"
            self._refuse(f"'{frame.f_code.co_name}' ({where}) may read state that cannot be guarded", user)

    def _refuse_exit(self, frame: FrameType, error: Any) -> None:
        """Refuse a ``with`` that an exception leaves, since it may catch what only capture raises."""
        caller = frame.f_back or frame
        if not isinstance(error, MinigraphError):
            self._refuse("an exception leaves a 'with', which may catch it", caller, HANDLER_REMEDY)
        outer = [(frame.f_code, line) for frame, line in walk_stack(caller.f_back)]
        error.frames = [*reversed(outer), *((frame.f_code, line) for frame, line in walk_tb(error.__traceback__))]
        self.refused = error
        raise error

    def _calling_frame(self, frame: FrameType | None) -> FrameType | None:
        """The program's frame that makes a call, also through a library; ``None`` for calls by minigraph or imports."""
        while frame is not None and self._is_library_code(frame.f_code):
            frame = frame.f_back
        if frame is None or is_internal_file(frame.f_code.co_filename):
            return None
        return None if _is_importing(frame) else frame

    def _is_library_code(self, code: CodeType) -> bool:
        """Whether code belongs to Python, or to an installed package and is not reached by the captured function."""
        file = code.co_filename
        if is_internal_file(file):
            return file.endswith(CALLERS)
        return is_standard_file(file) or not (is_user_file(file) or self._is_known(code))

    def _refuse(
        self, text: str, frame: FrameType, remedy: str = REMEDY, at: int = 0, is_transient: bool = False
    ) -> None:  # fmt: skip
        positions = list(frame.f_code.co_positions())[frame.f_lasti // 2]
        line, last, start, end = positions
        columns = (start or 0, end or 0) if line == last else (0, 0)
        columns = (0, 0) if at else columns
        loc = Loc(frame.f_code.co_filename, at or line or frame.f_lineno, *columns, frame.f_code.co_name)
        self.refused = unknown_state(text, remedy, loc)
        self.refused.is_transient = is_transient
        raise self.refused


def _users_frame(frame: FrameType) -> FrameType:
    """The innermost frame of the user's program, or the outermost of all."""
    while is_internal_file(frame.f_code.co_filename) and frame.f_back is not None:
        frame = frame.f_back
    return frame


def _is_importing(frame: FrameType) -> bool:
    """Whether a frame belongs to an import that the captured function makes."""
    outer: FrameType | None = frame
    while outer is not None and outer.f_code is not CallMonitor.call.__code__:
        if outer.f_code.co_filename.startswith(IMPORTS):
            return True
        outer = outer.f_back
    return False


def _is_guarded(code: CodeType) -> bool:
    """Whether code belongs to a function that is guarded since it was called: of a Cell that the program creates."""
    guards = getattr(current_interpreter(), "guards", ())
    guarded = (guard.value for guard in guards if getattr(guard, "name", "") == "__code__")
    file, line = code.co_filename, code.co_firstlineno
    return any(fn.co_filename == file and fn.co_firstlineno <= line <= _last_line(fn) for fn in guarded)


def _error_in_exit(frame: FrameType) -> BaseException | None:
    """The exception that an ``__exit__`` which the program calls now may catch."""
    if frame.f_back is None or not _is_user_file(frame.f_back.f_code.co_filename):
        return None
    values = [frame.f_locals.get(name) for name in frame.f_code.co_varnames]
    values += [item for value in values if type(value) is tuple for item in value]  # of ``*args``
    return next((value for value in values if isinstance(value, BaseException)), None)


def _asks_settings(frame: FrameType) -> bool:
    return frame.f_back is not None and accesses_numpy_settings(frame.f_code, frame.f_back.f_code)


def _is_user_file(file: str) -> bool:
    return is_user_file(file) and not is_standard_file(file)


def _is_interruption(frame: FrameType | None) -> bool:
    """Whether the call comes from a garbage collection or a signal handler, not from the captured code."""
    if is_collecting():
        return True
    codes = codes_of_signal_handlers() | {getattr(callback, "__code__", None) for callback in gc.callbacks}
    while frame is not None and frame.f_code not in codes:
        frame = frame.f_back
    return frame is not None


def _is_generated(frame: FrameType) -> bool:
    """Whether code was generated by a dataclass or a named tuple, or makes a lock."""
    code = frame.f_code
    if code.co_filename == "<string>":
        return code.co_name.startswith("__") or str(frame.f_globals.get("__name__")).startswith("namedtuple_")
    return code.co_name == "RLock" and code.co_filename == threading.__file__


def _is_released_at_end(frame: FrameType, fn: object) -> bool:
    """Whether the change is temporary: numpy's own error settings, or the lock of ``cached_property``."""
    file, kind = frame.f_code.co_filename, type(getattr(fn, "__self__", None)).__name__
    return ("numpy" in file and kind == "ContextVar") or (file == functools.__file__ and kind == "RLock")


def name_of(fn: Any) -> str:
    """The name of a function in C with that of its module or class, in quotes."""
    owner = getattr(fn, "__self__", None)
    where = getattr(fn, "__module__", None) or (owner.__name__ if isinstance(owner, type) else type(owner).__name__)
    return f"'{where}.{fn.__name__}'"


def _last_line(code: CodeType) -> int:
    lines = [line for inner in codes_in(code) for _, _, line in inner.co_lines() if line is not None]
    return max(lines, default=code.co_firstlineno)
