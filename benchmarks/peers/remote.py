"""Contenders that live in another process, because they cannot share ours: MindSpore needs numpy below 2.

``MINIGRAPH_MINDSPORE`` names the interpreter that has it (``path/to/venv/bin/python``); without it, MindSpore takes
part if this interpreter has it. And minigraph's reference is measured alone, which a process decides when it starts.
Blocks are timed over there, one at a time, between ours.
"""

from __future__ import annotations

import atexit
import importlib.util
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.measuring.harness import Contender, Seconds
from benchmarks.peers.worker import packed, unpacked

VARIABLE = "MINIGRAPH_MINDSPORE"
QUEUED = "pynative queued"
MODES = ("pynative", QUEUED, "jit")
REFERENCE = {"pynative": "eager, reference", "jit": "jit, reference"}  # by MindSpore's mode, the reference's
OURS, THEIRS = "import minigraph as ms\nfrom minigraph import", "import mindspore as ms\nfrom mindspore import"
ROOT = Path(__file__).parents[2]
others_take_part = True  # whether anybody else is started


class WorkerFailed(RuntimeError):
    """The other interpreter did not start, or could not do what it was asked."""


class Elsewhere:
    """A worker process of another interpreter; raises ``WorkerFailed`` with what it says.

    ``module`` answers for what it is told to be; ``variables`` are set there, beside those that are set here.
    """

    def __init__(self, python: str, *told: str, module: str = "benchmarks.peers.worker", **variables: str) -> None:
        ours = {"PYTHONPATH": str(ROOT)}  # MindSpore's reads our workloads, and nothing else of ours
        with ExitStack() as stack:
            folder = stack.enter_context(tempfile.TemporaryDirectory())  # for what frameworks leave lying about
            self._process = subprocess.Popen(
                [python, "-m", module, *told], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL, text=True, cwd=folder, env=os.environ | ours | variables,
            )  # fmt: skip
            stack.callback(self._process.communicate)
            stack.callback(self._process.kill)
            about = self.ask(do="about")
            self.name, self.version = about["name"], about["version"]
            self._open = stack.pop_all()
        atexit.register(self.close)

    def ask(self, **request: Any) -> dict[str, Any]:
        """The answer to one request."""
        assert self._process.stdin is not None and self._process.stdout is not None
        try:
            self._process.stdin.write(json.dumps(request) + "\n")
            self._process.stdin.flush()
            line = self._process.stdout.readline()
        except BrokenPipeError:
            line = ""
        answer: dict[str, Any] = json.loads(line) if line else {"error": "the worker is gone"}
        if "error" in answer:
            raise WorkerFailed(answer["error"])
        return answer

    def contender(self, mode: str, workload: str, arrays: list[np.ndarray], **details: Any) -> Contender:
        """A contender whose calls are made, and timed, over there."""
        sent = [packed(array) for array in arrays]
        return self.asked_for(f"{self.name} {mode}", mode=mode, workload=workload, arrays=sent, **details)

    def asked_for(self, name: str, **request: Any) -> Contender:
        """The same of whatever the other side makes for a request."""
        return self.numbered(name, self.ask(do="make", **request)["number"])

    def numbered(self, name: str, number: int) -> Contender:
        """The same of what the other side has made."""

        def run() -> tuple[np.ndarray, ...]:
            return tuple(unpacked(item) for item in self.ask(do="run", number=number)["results"])

        def timed(times: int) -> Seconds:
            answer = self.ask(do="time", number=number, times=times)
            return Seconds(answer["cpu"], answer["wall"])

        return Contender(name, run, timed=timed)

    def close(self) -> None:
        """End the process and remove its folder."""
        self._open.close()


def interpreter() -> str | None:
    """The interpreter that has MindSpore, if any is known."""
    return os.environ.get(VARIABLE) or (sys.executable if importlib.util.find_spec("mindspore") else None)


@cache
def mindspore(mode: str) -> Elsewhere | None:
    """MindSpore's worker for a mode; ``None``, after one line that says so, when there is none.

    One process a mode: once something was jitted, PyNative operators take fifty times as long in that process.
    """
    python = interpreter()
    if python is None:
        print(f"mindspore is left out: {VARIABLE} does not name an interpreter that has it", file=sys.stderr)
        return None
    try:
        return Elsewhere(python, "mindspore, queued" if mode == QUEUED else "mindspore")
    except (OSError, WorkerFailed) as error:
        print(f"mindspore is left out: {VARIABLE}={python}: {error}", file=sys.stderr)
        return None


@cache
def reference() -> Elsewhere | None:
    """The worker that has minigraph's reference alone."""
    return Elsewhere(sys.executable, "reference", MINIGRAPH_ACCEL="0")


def contenders(
    workload: str, arrays: list[np.ndarray], modes: Sequence[str] = MODES, **details: Any
) -> list[Contender]:
    """MindSpore's contenders for a workload, one per mode, if it is here; behind the reference's.

    A ``text`` among the details is a program of minigraph's.
    """
    if not others_take_part:
        return []
    alone = reference() if {*modes} & {*REFERENCE} else None
    ours = [alone.contender(REFERENCE[m], workload, arrays, **details) for m in modes if alone and m in REFERENCE]
    if "text" in details:
        details["text"] = details["text"].replace(OURS, THEIRS)
    workers = {mode: worker for mode in modes if (worker := mindspore(mode))}
    return ours + [worker.contender(mode, workload, arrays, **details) for mode, worker in workers.items()]


def versions() -> list[str]:
    """MindSpore and its version, if its worker was started."""
    started = [worker for mode in MODES if mindspore.cache_info().currsize and (worker := mindspore(mode))]
    return [f"{started[0].name} {started[0].version}"] if started else []
