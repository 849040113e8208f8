"""Forks while another thread compiles; run as a module, each child works, and a child that hangs is named.

Arguments: "warm" (everything was used before) or "cold", the number of seconds, the number of children at most.
"""

from __future__ import annotations

import faulthandler
import itertools
import os
import sys
import threading
import time
import traceback

import numpy as np

from minigraph import Tensor, grad, jit, ops
from minigraph.capture.trace import trace
from minigraph.npu import simulate
from passes import as_pipeline

X = np.float32([[1, -2, 3], [0.5, 0.25, -1]])
HUNG_AFTER_SECONDS = 60


def compile_everything(factor: float) -> None:
    """Compile, differentiate, optimise and simulate a new function."""

    def loss(x: Tensor) -> Tensor:
        return (ops.softmax(x * factor) * x + 0.0).sum()

    assert np.isfinite(jit(loss)(Tensor(X)).asnumpy()).all()
    assert jit(grad(loss))(Tensor(X)).shape == X.shape
    graph = trace(loss, Tensor(X))
    as_pipeline("default").run(graph)
    assert simulate(graph, chip="ascend910b1").cycles > 0


def work_in_child() -> None:
    """Work, and end the process: with an error after ``HUNG_AFTER_SECONDS``, and the place where it hangs."""
    faulthandler.dump_traceback_later(HUNG_AFTER_SECONDS, exit=True)
    code = 1
    try:
        compile_everything(2.0)
        code = 0
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(code)


def fork_for(seconds: float, most: int) -> int:
    """The number of children forked at random times while a thread compiles; ends the process if one fails."""
    stop, end = threading.Event(), time.monotonic() + seconds
    delays = np.random.default_rng()

    def compile_on() -> None:
        for k in itertools.count():
            if stop.is_set():
                return
            compile_everything(k % 97 + 1.0)

    thread = threading.Thread(target=compile_on, daemon=True)
    thread.start()
    forked = 0
    while forked < most and (not forked or time.monotonic() < end):
        time.sleep(delays.uniform(0, 0.05))
        child = os.fork()
        if child == 0:
            work_in_child()
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        forked += 1
        if status:
            sys.exit(f"child {forked} ended with {status}")
    stop.set()
    thread.join()
    return forked


if __name__ == "__main__":
    if sys.argv[1] == "warm":
        compile_everything(1.0)
    print(fork_for(float(sys.argv[2]), int(sys.argv[3])))
