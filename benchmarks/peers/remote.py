"""Contenders in other processes: MindSpore, which needs numpy below 2, and minigraph without its accelerator.

``MINIGRAPH_MINDSPORE`` names the interpreter with MindSpore (``path/to/venv/bin/python``); if it is not set, this
interpreter is used if it has MindSpore. The accelerator can only be switched off when a process starts.
The worker times its own blocks, in alternation with the contenders of this process.
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
from benchmarks.peers.worker import pack, unpack

VARIABLE = "MINIGRAPH_MINDSPORE"
QUEUED = "pynative queued"
MODES = ("pynative", QUEUED, "jit")
REFERENCE = {"pynative": "eager, reference", "jit": "jit, reference"}  # MindSpore's mode: the reference's
OUR_IMPORTS = "import minigraph as ms\nfrom minigraph import"
MINDSPORE_IMPORTS = "import mindspore as ms\nfrom mindspore import"
ROOT = Path(__file__).parents[2]
workers_enabled = True


class WorkerError(RuntimeError):
    """The worker did not start, or a request failed."""


class RemoteWorker:
    """A worker process, ``python -m module *arguments``; raises ``WorkerError`` with the worker's error.

    The process gets the environment of this one, and ``variables`` in addition.
    """

    def __init__(self, python: str, *arguments: str, module: str = "benchmarks.peers.worker", **variables: str) -> None:
        path = {"PYTHONPATH": str(ROOT)}  # MindSpore's worker imports ``benchmarks.work.workloads`` only
        with ExitStack() as stack:
            folder = stack.enter_context(tempfile.TemporaryDirectory())  # for files that frameworks leave behind
            self._process = subprocess.Popen(
                [python, "-m", module, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL, text=True, cwd=folder, env=os.environ | path | variables,
            )  # fmt: skip
            stack.callback(self._process.communicate)
            stack.callback(self._process.kill)
            about = self.request(do="about")
            self.name, self.version = about["name"], about["version"]
            self._open = stack.pop_all()
        atexit.register(self.close)

    def request(self, **request: Any) -> dict[str, Any]:
        """The answer to one request."""
        assert self._process.stdin is not None and self._process.stdout is not None
        try:
            self._process.stdin.write(json.dumps(request) + "\n")
            self._process.stdin.flush()
            line = self._process.stdout.readline()
        except BrokenPipeError:
            line = ""
        reply: dict[str, Any] = json.loads(line) if line else {"error": "the worker has exited"}
        if "error" in reply:
            raise WorkerError(reply["error"])
        return reply

    def contender(self, mode: str, workload: str, arrays: list[np.ndarray], **details: Any) -> Contender:
        """A contender that runs, and is timed, in the worker."""
        packed = [pack(array) for array in arrays]
        return self.contender_for(f"{self.name} {mode}", mode=mode, workload=workload, arrays=packed, **details)

    def contender_for(self, name: str, **request: Any) -> Contender:
        """A contender for the workload that the worker makes for a request."""
        return self.contender_by_number(name, self.request(do="make", **request)["number"])

    def contender_by_number(self, name: str, number: int) -> Contender:
        """A contender for a workload that the worker has already made."""

        def run() -> tuple[np.ndarray, ...]:
            return tuple(unpack(item) for item in self.request(do="run", number=number)["results"])

        def time_block(times: int) -> Seconds:
            reply = self.request(do="time", number=number, times=times)
            return Seconds(reply["cpu"], reply["wall"])

        return Contender(name, run, timer=time_block)

    def close(self) -> None:
        """End the process and remove its folder."""
        self._open.close()


def interpreter() -> str | None:
    """The interpreter with MindSpore, or ``None``."""
    return os.environ.get(VARIABLE) or (sys.executable if importlib.util.find_spec("mindspore") else None)


@cache
def mindspore(mode: str) -> RemoteWorker | None:
    """MindSpore's worker for a mode; ``None``, with a message on stderr, if there is none.

    One process per mode: after the first jitted call, PyNative operators take fifty times as long in the same process.
    """
    python = interpreter()
    if python is None:
        print(f"mindspore is left out: {VARIABLE} does not name an interpreter that has it", file=sys.stderr)
        return None
    try:
        return RemoteWorker(python, "mindspore, queued" if mode == QUEUED else "mindspore")
    except (OSError, WorkerError) as error:
        print(f"mindspore is left out: {VARIABLE}={python}: {error}", file=sys.stderr)
        return None


@cache
def reference() -> RemoteWorker | None:
    """The worker that runs minigraph without its accelerator."""
    return RemoteWorker(sys.executable, "reference", MINIGRAPH_ACCEL="0")


def contenders(
    workload: str, arrays: list[np.ndarray], modes: Sequence[str] = MODES, **details: Any
) -> list[Contender]:
    """The contenders for a workload, one per mode: the reference's, then MindSpore's if it is available.

    ``text`` in ``details`` is the source of a minigraph program; MindSpore runs it with its own imports.
    """
    if not workers_enabled:
        return []
    base = reference() if {*modes} & {*REFERENCE} else None
    references = [base.contender(REFERENCE[m], workload, arrays, **details) for m in modes if base and m in REFERENCE]
    if "text" in details:
        details["text"] = details["text"].replace(OUR_IMPORTS, MINDSPORE_IMPORTS)
    workers = {mode: worker for mode in modes if (worker := mindspore(mode))}
    return references + [worker.contender(mode, workload, arrays, **details) for mode, worker in workers.items()]


def versions() -> list[str]:
    """MindSpore and its version, if a worker was started."""
    started = [worker for mode in MODES if mindspore.cache_info().currsize and (worker := mindspore(mode))]
    return [f"{started[0].name} {started[0].version}"] if started else []
