"""``profile``: records the operators of a block, and writes traces."""

from __future__ import annotations

import json
import os
import platform
import time
from collections.abc import Callable, Iterable
from contextvars import ContextVar
from functools import partial
from itertools import compress
from operator import is_
from pathlib import Path
from typing import Any
from weakref import ref

from minigraph.core.aliases import Attrs, CallResult
from minigraph.core.errors import ArgRuntimeError
from minigraph.core.files import write_atomically
from minigraph.core.module_paths import add_module_path
from minigraph.core.op import Op, use_interpreter
from minigraph.core.scope_guard import VariableBlock
from minigraph.core.tensor import Tensor
from minigraph.core.tensor.eager import Eager
from minigraph.core.weak_table import WeakTable
from minigraph.profiler.settings import ProfilerActivity
from minigraph.profiler.steps import RECORDING, ProfilerAction

FOLDER, TRACE, DEFAULT_FOLDER = "ASCEND_PROFILER_OUTPUT", "trace_view.json", "data"
TRACE_PROCESS_ID = 2  # of the operators, in the trace
ACTIVE_PROFILES = WeakTable["profile", bool]()  # those that have started


class TimedEager(Eager):
    """Eager mode that keeps the name, start and nanoseconds of each operator, while it is the timer of a profile."""

    def __init__(self, profile: profile) -> None:
        self.events: list[tuple[str, int, int]] = []
        self.profile, self.blocks = ref(profile), profile.blocks

    def emit(self, op: Op, args: tuple[Tensor, ...], attrs: Attrs) -> CallResult:
        """Compute the call, and keep its time."""
        if getattr(self.profile(), "timer", None) is not self:
            leave_blocks(self.blocks)
            return super().emit(op, args, attrs)
        start, before = time.time_ns(), time.perf_counter_ns()
        result = super().emit(op, args, attrs)
        self.events.append((op.name, start, time.perf_counter_ns() - before))
        return result


def leave_blocks(blocks: list[VariableBlock]) -> None:
    """Leave the blocks, also those that an exception kept from being entered or left completely.

    One inside of which another block is entered, as of a tape, stays in the list.
    """
    for block in blocks[::-1]:
        if block.variable.get() is block.value:
            block.__exit__(None, None, None)
            blocks.remove(block)


def leave_with(owner: object, block: VariableBlock) -> ref[Any]:
    """A weak reference to ``owner``, whose callback leaves the block, which was not entered yet, if it is innermost.

    The callback is C: a signal handler's exception in one that is Python would be lost, and the block stay entered.
    """
    is_innermost = map(partial(is_, block.value), map(ContextVar.get, [block.variable]))
    leave = map(block.variable.set, compress([block.variable.get()], is_innermost))
    return ref(owner, partial(next, leave))  # the callback's argument is the default of ``next``


class profile:
    """Records the operators of the block in PyNative mode, in steps that ``schedule`` selects; without one, all.

    ``on_trace_ready`` is called with the profile after each cycle: by default it writes a trace to ``./data``. Other
    settings are those of devices, and have no effect. An exception of a signal handler as the block begins or ends
    ends the recording when the exception is dropped at the latest.

    >>> import tempfile
    >>> from minigraph import Tensor, profiler
    >>> folder = tempfile.mkdtemp()
    >>> with profile(on_trace_ready=profiler.tensorboard_trace_handler(folder)) as prof:
    ...     x = Tensor([1.0]) + 1
    >>> [trace] = Path(folder).rglob("trace_view.json")
    >>> [event["name"] for event in json.loads(trace.read_text()) if event["ph"] == "X"]
    ['add']
    """

    def __init__(
        self,
        activities: Iterable[ProfilerActivity] | None = None,
        start_profile: bool = True,
        schedule: Callable[[int], ProfilerAction] | None = None,
        on_trace_ready: Callable[[profile], Any] | None = None,
        **settings: object,
    ) -> None:
        self.schedule = schedule or (lambda step: ProfilerAction.RECORD)
        self.on_trace_ready = on_trace_ready or tensorboard_trace_handler()
        self.step_num, self.current_action, self.metadata = 0, ProfilerAction.NONE, dict[str, Any]()
        self.blocks = list[VariableBlock]()  # in which the operators are recorded
        self.timer, self._has_started = TimedEager(self), False
        if start_profile:
            self.start()

    def start(self) -> None:
        """Begin with step 0; an exception, as of Ctrl-C, ends the profile."""
        if not self._has_started:
            try:
                self._has_started = True
                ACTIVE_PROFILES[self] = True
                self._change(self.schedule(0))
            except BaseException:
                self._end()
                raise

    def step(self) -> None:
        """Begin the next step; raises ``RuntimeError`` before ``start``."""
        if not self._has_started:
            raise ArgRuntimeError("profile.step: it has not started; call start, or enter the with block")
        self.step_num += 1
        self._change(self.schedule(self.step_num))

    def stop(self) -> None:
        """End, and write what is recorded."""
        if self._has_started:
            try:
                self._change(ProfilerAction.NONE)
            finally:
                self._end()

    def _end(self) -> None:
        # without writing
        self._has_started, self.current_action = False, ProfilerAction.NONE
        ACTIVE_PROFILES.discard(self)
        leave_blocks(self.blocks)

    def _change(self, action: ProfilerAction) -> None:
        """From the action of a step to that of the next; a cycle that ends is written."""
        before, self.current_action = self.current_action, action
        if before is ProfilerAction.RECORD_AND_SAVE or (before in RECORDING and action not in RECORDING):
            leave_blocks(self.blocks)
            self.on_trace_ready(self)
            self.timer = TimedEager(self)
        if action in RECORDING and (before not in RECORDING or not self.timer.events):
            leave_blocks(self.blocks)
            block = use_interpreter(self.timer)
            self.timer.profile = leave_with(self, block)  # one that is dropped, as by an interrupt, records no further
            self.blocks.append(block)
            block.__enter__()

    def add_metadata(self, key: str, value: str) -> None:
        """Keep a text, which the trace has in its event ``metadata``."""
        self.metadata[key] = value

    def add_metadata_json(self, key: str, value: str) -> None:
        """Keep a value, given as JSON."""
        self.metadata[key] = json.loads(value)

    def add_mark(self, name: str) -> None:
        """Keep a point in time."""
        self.timer.events.append((name, time.time_ns(), 0))

    def trace(self) -> list[dict[str, Any]]:
        """The events of the current cycle in the Chrome trace format; times in microseconds."""
        track = {"pid": TRACE_PROCESS_ID, "tid": 0}
        head = {"ph": "M", "name": "process_name", **track, "args": {"name": "CPU OP"}}
        meta = [{"ph": "M", "name": "metadata", **track, "args": self.metadata}] if self.metadata else []
        kind = {"cat": "", "args": {"type": "HostCpuOps"}}
        return [head, *meta, *({"ph": "X", "name": name, **track, "ts": start / 1000, "dur": length / 1000, **kind}
                for name, start, length in self.timer.events)]  # fmt: skip

    def __enter__(self) -> profile:
        self.start()
        return self

    def __exit__(self, *error: object) -> None:
        self.stop()


def _new_folder(parent: Path, prefix: str) -> Path:
    """A folder with the time in its name that no other profile writes to."""
    parent.mkdir(parents=True, exist_ok=True)
    while True:
        now = f"{time.strftime('%Y%m%d%H%M%S')}{time.time_ns() // 1_000_000 % 1000:03}"
        try:
            (folder := parent / f"{prefix}_{now}_ascend_ms").mkdir()
            return folder
        except FileExistsError:  # the one of a profile that ended in the same millisecond
            time.sleep(0.001)


def tensorboard_trace_handler(
    dir_name: str | None = None, worker_name: str | None = None, analyse_flag: bool = True, async_mode: bool = False
) -> Callable[[profile], None]:
    """A handler that writes each cycle to a folder of ``dir_name``, by default ``./data``, that has its time."""

    def write(prof: profile) -> None:
        folder = _new_folder(Path(dir_name or DEFAULT_FOLDER), f"{worker_name or platform.node()}_{os.getpid()}")
        (folder / FOLDER).mkdir()
        write_atomically(folder / FOLDER / TRACE, json.dumps(prof.trace()))

    return write


def analyse(profiler_path: str, max_process_number: int = 1, **settings: object) -> None:
    """Nothing to do: a trace is written when it is recorded. Raises ``RuntimeError`` if there is no such folder."""
    if not os.path.isdir(profiler_path):
        raise ArgRuntimeError(f"analyse: there is no folder {profiler_path!r}; give the one of the handler")


add_module_path("minigraph.profiler", "profiler")
