"""Long runs: no memory grows."""

import gc
import sys
import warnings

import pytest

from minigraph import Tensor, grad, jit, nn, ops, value_and_grad
from minigraph.capture.trace import trace
from minigraph.errors import MinigraphError
from minigraph.npu import simulate
from tests.rough.interrupts import interrupt
from tests.rough.program import X

NET = nn.SequentialCell(nn.Dense(3, 4), nn.ReLU(), nn.Dense(4, 2))
OPTIMIZER = nn.Adam(NET.trainable_params(), 1e-3)
FORWARD = value_and_grad(lambda x: ops.softmax(NET(x)).sum(), None, OPTIMIZER.parameters)
INPUT = Tensor(X)


def eager_step():
    OPTIMIZER(FORWARD(INPUT)[1])


COMPILED = jit(lambda x: OPTIMIZER(FORWARD(x)[1]))
GRAPH = trace(lambda x: ops.softmax(x) @ x.T, INPUT)


def failing_call():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for fn in (lambda: jit(lambda x: x @ x)(INPUT), lambda: grad(lambda x: x @ x)(INPUT), lambda: INPUT @ INPUT):
            with pytest.raises(MinigraphError):
                fn()


RUNS = {  # the repeated action, and its number of repetitions in CI
    "eager steps": (eager_step, 300),
    "compiled steps": (lambda: COMPILED(INPUT), 1000),
    "functions compiled and dropped": (lambda: jit(lambda x: (x * 2.0).sum())(INPUT), 40),
    "nested gradients": (lambda: grad(grad(lambda x: (x**3).sum()))(INPUT), 100),
    "simulations": (lambda: simulate(GRAPH, chip="ascend910b1"), 40),
    "errors": (failing_call, 40),
    "interrupted steps": (lambda: interrupt(eager_step, 4000), 30),
}


@pytest.mark.parametrize("name", RUNS)
def test_no_memory_grows(name, effort, report):
    run, most = RUNS[name]
    for _ in range(max(10, most // 10)):
        run()
    before = allocated_blocks()
    rounds = sum(run() is None or True for _ in effort.rounds(seconds=6, most=most))
    grown = allocated_blocks() - before
    assert grown < max(400, rounds), f"{grown} objects and memory blocks in {rounds} rounds"
    report(f"soak: {name}", f"{rounds:,} times", f"{grown} memory blocks more")


def allocated_blocks():
    """The number of memory blocks that Python has allocated, after a full collection."""
    for _ in range(3):
        gc.collect()
    return sys.getallocatedblocks()
