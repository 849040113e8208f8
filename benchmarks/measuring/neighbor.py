"""A busy neighbour: a process that multiplies matrices on one core until it is killed or its time is over.

``python -m benchmarks.measuring.neighbor SECONDS`` prints ``busy`` when it starts. It ends after ``SECONDS`` or when
its parent process ends.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from benchmarks.measuring.harness import ONE_THREAD_VARIABLES

ROOT = Path(__file__).parents[2]
MAX_SECONDS = 4 * 3600.0
MATRIX_SIZE = 256  # rows and columns: a product takes less than a millisecond, and its matrices stay in a core's cache
READY_MESSAGE = "busy"


class NeighborEndedError(RuntimeError):
    """The neighbour ended before the measurement."""


@contextmanager
def neighbor(max_seconds: float = MAX_SECONDS) -> Iterator[subprocess.Popen[str]]:
    """Keep one core busy inside the block; raises ``NeighborEndedError`` if it was not busy all the time."""
    command = [sys.executable, "-m", "benchmarks.measuring.neighbor", str(max_seconds)]
    with subprocess.Popen(
        command, cwd=ROOT, env=os.environ | ONE_THREAD_VARIABLES, stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout is not None
            if process.stdout.readline().strip() != READY_MESSAGE:
                raise NeighborEndedError("the neighbour did not start")
            yield process
            if process.poll() is not None:
                raise NeighborEndedError("the neighbour ended before the measurement did")
        finally:
            process.kill()


def multiply(seconds: float) -> int:
    """Multiply matrices until the time is over or the parent process has ended; the number of products."""
    deadline, parent, count = time.monotonic() + seconds, os.getppid(), 0
    x = np.full((MATRIX_SIZE, MATRIX_SIZE), 1 / MATRIX_SIZE, np.float32)
    y = x.copy()
    while time.monotonic() < deadline and os.getppid() == parent:
        np.matmul(x, x, out=y)
        count += 1
    return count


if __name__ == "__main__":
    print(READY_MESSAGE, flush=True)
    multiply(float(sys.argv[1]))
