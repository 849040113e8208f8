"""``ms.profiler``: the times of operators in PyNative mode, in MindSpore's folders, as a Chrome trace.

Settings of devices have no effect. A compiled program calls no operator: ``minigraph explain`` shows its times.
"""

from __future__ import annotations

import json
import os
import platform
import time
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from enum import Enum
from pathlib import Path
from typing import Any
from weakref import WeakSet, finalize

from minigraph.core.aliases import Attrs, CallResult
from minigraph.core.errors import RuntimeArgument, ValueArgument
from minigraph.core.files import write_atomically
from minigraph.core.missing_names import missing_name_getattr
from minigraph.core.module_paths import add_module_path
from minigraph.core.op import Op, use_interpreter
from minigraph.core.tensor import Tensor
from minigraph.core.tensor.eager import Eager

__all__ = [
    "AicoreMetrics", "DynamicProfilerMonitor", "ExportType", "ProfilerAction", "ProfilerActivity", "ProfilerLevel",
    "analyse", "mstx", "profile", "schedule", "tensorboard_trace_handler",
]  # fmt: skip

__getattr__ = missing_name_getattr("profiler")
FOLDER, TRACE, DEFAULT_FOLDER = "ASCEND_PROFILER_OUTPUT", "trace_view.json", "data"
TRACE_PROCESS_ID = 2  # of the operators, in the trace


class ProfilerLevel(Enum):
    """How much of a device is recorded; no effect."""

    LevelNone, Level0, Level1, Level2 = "LevelNone", "Level0", "Level1", "Level2"


class ProfilerActivity(Enum):
    """Which device is recorded; no effect."""

    NPU, GPU, CPU = "NPU", "GPU", "CPU"


class ProfilerAction(Enum):
    """What a profile does in a step."""

    NONE, WARM_UP, RECORD, RECORD_AND_SAVE = range(4)


class ExportType(Enum):
    """The format of a device's files; no effect."""

    Db, Text = "db", "text"


class AicoreMetrics(Enum):
    """The counters of a device's cores; no effect."""

    PipeUtilization, ArithmeticUtilization = "PipeUtilization", "ArithmeticUtilization"
    Memory, MemoryL0, MemoryUB = "Memory", "MemoryL0", "MemoryUB"
    ResourceConflictRatio, L2Cache = "ResourceConflictRatio", "L2Cache"
    MemoryAccess, AiCoreNone = "MemoryAccess", "None"


RECORDING = (ProfilerAction.RECORD, ProfilerAction.RECORD_AND_SAVE)
_active = WeakSet[Any]()  # profiles that have started


class schedule:
    """The action of each step: ``skip_first`` steps, then cycles of ``wait``, ``warmup`` and ``active`` steps.

    ``repeat`` is the number of cycles, 0 for any. Numbers that are no counts are taken as the default.

    >>> steps = schedule(wait=1, warmup=1, active=2, repeat=1)
    >>> [steps(step).name for step in range(5)]
    ['NONE', 'WARM_UP', 'RECORD', 'RECORD_AND_SAVE', 'NONE']
    """

    def __init__(self, *, wait: int, active: int, warmup: int = 0, repeat: int = 0, skip_first: int = 0) -> None:
        self.wait, self.active = _count(wait, 0), _count(active, 1)
        self.warmup, self.repeat, self.skip_first = _count(warmup, 0), _count(repeat, 0), _count(skip_first, 0)

    def __call__(self, step: int) -> ProfilerAction:
        """The action of a step, from 0; raises ``ValueError`` for a negative one."""
        if step < 0:
            raise ValueArgument("Invalid parameter step, which must be not less than 0.")
        cycle, position = divmod(step - self.skip_first, self.wait + self.warmup + self.active)
        if step < self.skip_first or 0 < self.repeat <= cycle or position < self.wait:
            return ProfilerAction.NONE
        if position < self.wait + self.warmup:
            return ProfilerAction.WARM_UP
        is_last = position == self.wait + self.warmup + self.active - 1
        return ProfilerAction.RECORD_AND_SAVE if is_last else ProfilerAction.RECORD

    def __repr__(self) -> str:
        return f"Schedule({', '.join(f'{name}={number}' for name, number in vars(self).items())})"


def _count(number: Any, least: int) -> int:
    is_count = isinstance(number, int) and not isinstance(number, bool) and number >= least
    return number if is_count else least


class TimedEager(Eager):
    """Eager mode that keeps the name, start and nanoseconds of each operator."""

    def __init__(self) -> None:
        self.events: list[tuple[str, int, int]] = []

    def emit(self, op: Op, args: tuple[Tensor, ...], attrs: Attrs) -> CallResult:
        """Compute the call, and keep its time."""
        start, before = time.time_ns(), time.perf_counter_ns()
        result = super().emit(op, args, attrs)
        self.events.append((op.name, start, time.perf_counter_ns() - before))
        return result


class profile:
    """Records the operators of the block in PyNative mode, in steps that ``schedule`` selects; without one, all.

    ``on_trace_ready`` is called with the profile after each cycle: by default it writes a trace to ``./data``. Other
    settings are those of devices, and have no effect.

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
        self._timer, self._block, self._has_started = TimedEager(), ExitStack(), False
        finalize(self, self._block.close)  # one that is dropped, as by an interrupt, records nothing further
        if start_profile:
            self.start()

    def start(self) -> None:
        """Begin with step 0."""
        if not self._has_started:
            self._has_started = True
            _active.add(self)
            self._change(self.schedule(0))

    def step(self) -> None:
        """Begin the next step; raises ``RuntimeError`` before ``start``."""
        if not self._has_started:
            raise RuntimeArgument("profile.step: it has not started; call start, or enter the with block")
        self.step_num += 1
        self._change(self.schedule(self.step_num))

    def stop(self) -> None:
        """End, and write what is recorded."""
        if self._has_started:
            self._has_started = False
            _active.discard(self)
            self._change(ProfilerAction.NONE)

    def _change(self, action: ProfilerAction) -> None:
        """From the action of a step to that of the next; a cycle that ends is written."""
        before, self.current_action = self.current_action, action
        if before is ProfilerAction.RECORD_AND_SAVE or (before in RECORDING and action not in RECORDING):
            self._block.close()
            self.on_trace_ready(self)
            self._timer = TimedEager()
        if action in RECORDING and (before not in RECORDING or not self._timer.events):
            self._block.close()
            self._block.enter_context(use_interpreter(self._timer))

    def add_metadata(self, key: str, value: str) -> None:
        """Keep a text, which the trace has in its event ``metadata``."""
        self.metadata[key] = value

    def add_metadata_json(self, key: str, value: str) -> None:
        """Keep a value, given as JSON."""
        self.metadata[key] = json.loads(value)

    def add_mark(self, name: str) -> None:
        """Keep a point in time."""
        self._timer.events.append((name, time.time_ns(), 0))

    def trace(self) -> list[dict[str, Any]]:
        """The events of the current cycle in the Chrome trace format; times in microseconds."""
        track = {"pid": TRACE_PROCESS_ID, "tid": 0}
        head = {"ph": "M", "name": "process_name", **track, "args": {"name": "CPU OP"}}
        meta = [{"ph": "M", "name": "metadata", **track, "args": self.metadata}] if self.metadata else []
        kind = {"cat": "", "args": {"type": "HostCpuOps"}}
        return [head, *meta, *({"ph": "X", "name": name, **track, "ts": start / 1000, "dur": length / 1000, **kind}
                for name, start, length in self._timer.events)]  # fmt: skip

    def __enter__(self) -> profile:
        self.start()
        return self

    def __exit__(self, *error: object) -> None:
        self.stop()


def tensorboard_trace_handler(
    dir_name: str | None = None, worker_name: str | None = None, analyse_flag: bool = True, async_mode: bool = False
) -> Callable[[profile], None]:
    """A handler that writes each cycle to a folder of ``dir_name``, by default ``./data``, that has its time."""

    def write(prof: profile) -> None:
        now = f"{time.strftime('%Y%m%d%H%M%S')}{time.time_ns() // 1_000_000 % 1000:03}"
        folder = Path(dir_name or DEFAULT_FOLDER) / f"{worker_name or platform.node()}_{os.getpid()}_{now}_ascend_ms"
        (folder / FOLDER).mkdir(parents=True, exist_ok=True)
        write_atomically(folder / FOLDER / TRACE, json.dumps(prof.trace()))

    return write


def analyse(profiler_path: str, max_process_number: int = 1, **settings: object) -> None:
    """Nothing to do: a trace is written when it is recorded. Raises ``RuntimeError`` if there is no such folder."""
    if not os.path.isdir(profiler_path):
        raise RuntimeArgument(f"analyse: there is no folder {profiler_path!r}; give the one of the handler")


class _ExperimentalConfig:
    """Settings of Ascend's profiler, kept as attributes.

    >>> _ExperimentalConfig(profiler_level=ProfilerLevel.Level1).l2_cache
    False
    """

    def __init__(
        self,
        profiler_level: Any = ProfilerLevel.Level0,
        aic_metrics: Any = AicoreMetrics.AiCoreNone,
        **settings: object,
    ) -> None:
        self.profiler_level, self.aic_metrics, self.l2_cache, self.mstx = profiler_level, aic_metrics, False, False
        vars(self).update(settings)


class mstx:
    """Marks in the trace of every open ``profile``; streams have no effect."""

    @staticmethod
    def mark(message: str, stream: object = None, domain: str = "default") -> None:
        """Mark this point in time."""
        for prof in list(_active):
            prof.add_mark(message)

    @staticmethod
    def range_start(message: str, stream: object = None, domain: str = "default") -> int:
        """Mark the start of a range; its number is 0, as in MindSpore on a CPU."""
        mstx.mark(message)
        return 0

    @staticmethod
    def range_end(range_id: int, domain: str = "default") -> None:
        """Nothing: ranges are those of a device."""


class DynamicProfilerMonitor:
    """A profile of the steps that a file selects: ``start_step`` to ``stop_step``, from 1.

    ``cfg_path/profiler_config.json`` is written if there is none, with -1 for no step, and read at each ``step()``.
    Traces go to ``output_path``.
    """

    def __init__(
        self, cfg_path: str = ".", output_path: str = "./dyn_profile_data", poll_interval: int = 2, **settings: object
    ) -> None:
        self.file, self.output_path, self.step_num = Path(cfg_path) / "profiler_config.json", output_path, 0
        self.file.parent.mkdir(parents=True, exist_ok=True)
        if not self.file.exists():
            write_atomically(self.file, json.dumps({"start_step": -1, "stop_step": -1}, indent=4))
        self._profile: profile | None = None

    def step(self) -> None:
        """Begin the next step, from 1."""
        self.step_num, config = self.step_num + 1, json.loads(self.file.read_text("utf-8"))
        if self.step_num == config["start_step"] and self._profile is None:
            self._profile = profile(on_trace_ready=tensorboard_trace_handler(self.output_path))
        elif self.step_num == config["stop_step"] + 1 and self._profile is not None:
            self._profile.stop()
            self._profile = None


add_module_path(__name__, "profiler")
