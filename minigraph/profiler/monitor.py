"""A profile of steps that a file selects while a program runs."""

from __future__ import annotations

import json
from pathlib import Path

from minigraph.core.files import write_atomically
from minigraph.core.location import warn
from minigraph.core.scope_guard import reraise_handler_error
from minigraph.profiler.recording import profile, tensorboard_trace_handler


class DynamicProfilerMonitor:
    """A profile of the steps that a file selects: ``start_step`` to ``stop_step``, from 1.

    ``cfg_path/profiler_config.json`` is written if there is none, with -1 for no step, and read at each ``step()``.
    Traces go to ``output_path``. A file that cannot be used, as one that is being written, is a warning, and the steps
    stay as they were.
    """

    def __init__(
        self, cfg_path: str = ".", output_path: str = "./dyn_profile_data", poll_interval: int = 2, **settings: object
    ) -> None:
        self.file, self.output_path, self.step_num = Path(cfg_path) / "profiler_config.json", output_path, 0
        self.file.parent.mkdir(parents=True, exist_ok=True)
        if not self.file.exists():
            write_atomically(self.file, json.dumps({"start_step": -1, "stop_step": -1}, indent=4))
        self._profile: profile | None = None
        self._start_step = self._stop_step = -1

    def step(self) -> None:
        """Begin the next step, from 1."""
        self.step_num += 1
        self._read_steps()
        if self.step_num == self._start_step and self._profile is None:
            self._profile = profile(on_trace_ready=tensorboard_trace_handler(self.output_path))
        elif self.step_num == self._stop_step + 1 and self._profile is not None:
            self._profile.stop()
            self._profile = None

    def _read_steps(self) -> None:
        try:
            config = json.loads(self.file.read_text("utf-8"))
            steps = config["start_step"], config["stop_step"]
            if not all(type(step) is int for step in steps):
                raise TypeError("a step is no whole number")
            self._start_step, self._stop_step = steps
        except (OSError, ValueError, LookupError, TypeError, RecursionError) as error:
            reraise_handler_error(error)
            problem = f"{type(error).__name__}: {error}"
            remedy = 'write {"start_step": 2, "stop_step": 3}; until then the steps stay as they were'
            warn(f"profiler: '{self.file}' cannot be used: {problem}; {remedy}", UserWarning)
