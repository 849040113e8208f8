"""Running a program in eager mode and captured, and the first difference between the two."""

import builtins
import contextlib
import functools
import io
import itertools
import linecache
import os
import random
import signal
import tempfile
import types
import warnings
from pathlib import Path
from typing import NamedTuple

import numpy as np

import minigraph as ms
from minigraph.compilation import OpByOpWarning
from minigraph.core import context
from minigraph.core.errors import MinigraphError
from tests.capture.fuzz.documented import PRINTS_ONCE, Joined, is_documented, joined_results
from tests.capture.fuzz.observation import Observation, state_of
from tests.capture.fuzz.program import IMPORTS

SECONDS = 10  # of processor time; a program that takes longer hangs, and so does one that waits WAITS times as long
WAITS = 6
NUMBERS = itertools.count()


class Difference(NamedTuple):
    """The first difference: its kind, its place, and the observations in eager mode and captured."""

    kind: str  # "silent", "warned", "refused", "crash", "hang"
    section: str  # "result", "arguments", "state", "output", "exception", "identity"
    path: str
    eager: str
    captured: str

    def __str__(self):
        return f"{self.kind}, {self.path}: eager {self.eager[:300]}; captured {self.captured[:300]}"


class Call(NamedTuple):
    """The observation after a call; if the call raised, the text of the error, and the state after it."""

    lines: dict
    error: str = ""
    is_refusal: bool = False  # an error of minigraph
    left: tuple = ()
    numbers: frozenset = frozenset()  # the paths of results that a graph joins with a number
    copies: frozenset = frozenset()  # of results that it joins with another tensor itself
    prints_once: bool = False  # whether a warning says so


class Outcome(NamedTuple):
    """The result of running a program once: the observation after each call, and the warnings."""

    calls: list
    warned: list
    how: str = "captured"


class Verdict(NamedTuple):
    """The outcome of a program: a difference or ``None``, how it ran, and whether eager mode itself raised."""

    difference: Difference | None
    how: str  # "captured", "segments", "op by op", "refused with its line", "not a program"


class TimeLimitError(BaseException):
    """A program does not end; no ``except Exception`` of its own catches this."""


def check(program, seconds=SECONDS):
    """Run a program in eager mode and captured, and compare all that can be seen after each call."""
    try:
        eager = _run_limited(seconds, program, is_captured=False)
    except (Exception, TimeLimitError) as error:
        return Verdict(None, f"not a program: {type(error).__name__}")
    try:
        captured = _run_limited(seconds, program, is_captured=True)
    except TimeLimitError:
        return Verdict(Difference("hang", "exception", "call", "ends", "does not end"), "hang")
    except Exception as error:
        text = f"{type(error).__name__}: {error}"
        return Verdict(Difference("crash", "exception", "calls", "runs", text), "crash")
    difference = _compare(eager, captured, program)
    if difference and program.setting.capture_mode == "trace" and _is_refusal_as_promised(difference, captured):
        return Verdict(None, "refused with its line")
    return Verdict(difference, difference.kind if difference else captured.how)


def _run(program, is_captured):
    """The outcome of a program; every run starts from the same random numbers, context and files."""
    context.reset()
    with _empty_folder() as folder, _restore_state(), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        ms.set_context(mode=getattr(ms, program.setting.context_mode if is_captured else "PYNATIVE_MODE"))
        with _module(program, folder) as namespace:
            calls = _Calls(namespace, program, is_captured, caught)
            with contextlib.redirect_stdout(calls.output):
                namespace["calls"](calls)
    messages = [str(warning.message) for warning in caught if warning.category.__module__.startswith("minigraph")]
    fallbacks = [str(warning.message) for warning in caught if issubclass(warning.category, OpByOpWarning)]
    has_segments = any("cache_info().segments" in text for text in fallbacks)
    return Outcome(calls.seen, messages, "segments" if has_segments else "op by op" if fallbacks else "captured")


class _Calls:
    """Calls the function and keeps the observation after each call."""

    def __init__(self, namespace, program, is_captured, caught=()):
        self.namespace, self.seen, self.output, self.caught = namespace, [], io.StringIO(), caught
        self.function = _captured_function(namespace, program.setting) if is_captured else _original_function(namespace)
        self.is_captured, self.with_gradient = is_captured, program.setting.gradient == "yes"

    def __call__(self, *args, **kwargs):
        before = self._state_lines() if self.is_captured else {}
        start, result, gradient, error = len(self.output.getvalue()), None, None, None
        try:
            if self.with_gradient:
                result, gradient = _result_and_gradient(self.function, args, kwargs)
            else:
                result = self.function(*args, **kwargs)
        except Exception as caught:
            error = caught
        seen = Observation().add("result", _exception(error) if error else result)
        seen.add("gradient", gradient).add("arguments", (args, kwargs)).add("state", state_of(self.namespace))
        seen.add("numpy's generator", np.random.get_state()[2:]).add("random's generator", hash(random.getstate()))
        seen.lines["output"] = self.output.getvalue()[start:]
        prints_once = any(PRINTS_ONCE in str(warning.message) for warning in self.caught)
        if error is None:
            joined = joined_results(self.function, result) if self.is_captured else Joined()
            numbers, copies = map(seen.paths_of, joined)
            self.seen.append(Call(seen.lines, numbers=numbers, copies=copies, prints_once=prints_once))
        else:
            now = self._state_lines() if self.is_captured else {}
            left = tuple(path for path in {**before, **now} if before.get(path) != now.get(path))
            text = f"{type(error).__name__}: {error}"
            self.seen.append(Call(seen.lines, text, isinstance(error, MinigraphError), left, prints_once=prints_once))
        return result

    def _state_lines(self):
        return Observation().add("state", state_of(self.namespace)).lines


def _result_and_gradient(function, args, kwargs):
    """The result of a call, and the gradient of the sum of its float tensors by the first argument."""
    results = []

    def loss(*args, **kwargs):
        results.append(result := function(*args, **kwargs))
        leaves = [leaf for leaf in _tensors(result) if leaf.dtype in (ms.float32, ms.float64)]
        return sum((leaf.sum() for leaf in leaves), args[0].sum() * 0.0)

    gradient = ms.grad(loss)(*args, **kwargs)
    return results[0], gradient


def _tensors(item):
    """The tensors in nested tuples, lists and dicts."""
    if isinstance(item, ms.Tensor):
        yield item
    elif isinstance(item, tuple | list):
        for part in item:
            yield from _tensors(part)
    elif isinstance(item, dict):
        yield from _tensors(list(item.values()))


def _exception(error):
    """The part of an error that must be equal in both modes: the type, and the text if the program raised it."""
    kind = next(kind for kind in type(error).__mro__ if kind.__module__ in ("builtins", "program"))
    return types.SimpleNamespace(raised=kind.__name__, text=None if kind is not type(error) else str(error))


def _original_function(namespace):
    return namespace["net"] if "net" in namespace else namespace["step"]


def _captured_function(namespace, setting):
    if "net" not in namespace:
        return ms.jit(namespace["step"], capture_mode=setting.capture_mode)
    if setting.context_mode == "PYNATIVE_MODE" or setting.capture_mode == "trace":
        ms.jit(type(namespace["net"]), capture_mode=setting.capture_mode)
    return namespace["net"]


@contextlib.contextmanager
def _module(program, folder):
    """The namespace of a program's module, whose source ``inspect`` finds."""
    file = f"program_{os.getpid()}_{next(NUMBERS)}.py"
    lines = program.text.splitlines(keepends=True)
    linecache.cache[file] = (len(program.text), None, lines, file)
    namespace = {"__name__": "program", "__file__": file, "__builtins__": builtins, "FOLDER": Path(folder)}
    exec(_PRELUDE, namespace)
    namespace["__given__"] = {*namespace, "calls", "call"}
    try:
        exec(compile(program.text, file, "exec"), namespace)
        yield namespace
    finally:
        del linecache.cache[file]


_PRELUDE = compile(IMPORTS, "imports", "exec")


@contextlib.contextmanager
def _empty_folder():
    """A folder that is empty afterwards, too; one for a process, because to create and remove one takes long."""
    folder = _folder().name
    try:
        yield folder
    finally:
        for file in Path(folder).iterdir():
            file.unlink()


@functools.cache
def _folder():
    return tempfile.TemporaryDirectory()


@contextlib.contextmanager
def _restore_state():
    """Fixed seeds inside the block; environment and output stay as they were."""
    environment, states = dict(os.environ), (random.getstate(), np.random.get_state())
    random.seed(0)
    np.random.seed(0)
    ms.set_seed(1)
    try:
        yield
    finally:
        random.setstate(states[0])
        np.random.set_state(states[1])
        os.environ.clear()
        os.environ.update(environment)


def _run_limited(seconds, program, is_captured):
    """The outcome of a program; raises ``TimeLimitError`` in it after that much time, also repeatedly.

    A signal that comes late, when the program has ended, finds no frame of ``_run`` and raises nothing.
    """

    def stop(_, frame):
        while frame is not None and frame.f_code is not _run.__code__:
            frame = frame.f_back
        if frame is not None:
            raise TimeLimitError

    before = {number: signal.signal(number, stop) for number in (signal.SIGPROF, signal.SIGALRM)}
    try:
        signal.setitimer(signal.ITIMER_PROF, seconds, 1)
        signal.setitimer(signal.ITIMER_REAL, seconds * WAITS, 1)  # a lock that is held takes no other time
        return _run(program, is_captured)
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.setitimer(signal.ITIMER_REAL, 0)
        for number, handler in before.items():
            signal.signal(number, handler)


# ---- comparing -----------------------------------------------------------------------------------------


def _compare(eager, captured, program):
    """The first difference that the README does not name, with how loud it is."""
    for left, right in zip(eager.calls, captured.calls, strict=False):
        paths = [path for path in {**left.lines, **right.lines} if left.lines.get(path) != right.lines.get(path)]
        paths = [path for path in paths if not is_documented(path, left, right, program.setting)]
        if paths and right.error and (not left.error or (right.is_refusal and not left.is_refusal)):
            kind = "refused" if right.is_refusal else "crash"
            state = f", and changed {', '.join(right.left)}" if right.left else ""
            return Difference(kind, "exception", "call", left.error or "runs", f"{right.error}{state}")
        if paths:
            return _difference(paths, left, right, "warned" if captured.warned else "silent")
    return None


def _difference(paths, left, right, kind):
    """The most telling of the lines that differ."""
    first = [path for path in paths if path.startswith("result.raised")]
    shared = tuple(path for path in paths if "same as" in f"{left.lines.get(path)} {right.lines.get(path)}")
    same = {path for path in paths if path.startswith(shared)}
    path = (first or [path for path in paths if path not in same] or paths)[0]
    section = "identity" if path in same else "exception" if first else path.split(".")[0].split("[")[0].split("(")[0]
    suffix = f" ({right.error})" if right.error else ""
    return Difference(kind, section, path, left.lines.get(path, "nothing"), right.lines.get(path, "nothing") + suffix)


def _is_refusal_as_promised(difference, captured):
    """Whether a function run as written was refused with the user's line, and nothing was changed."""
    refusal = next((call for call in captured.calls if call.is_refusal), None)
    return difference.kind == "refused" and not refusal.left and "program_" in refusal.error
