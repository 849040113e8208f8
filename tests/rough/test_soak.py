"""Long runs: no memory grows."""

import warnings
from functools import partial

import pytest

from minigraph import Tensor, grad, jit, nn, ops, value_and_grad
from minigraph.capture.trace import trace
from minigraph.errors import MinigraphError
from minigraph.ir.verify import verify
from minigraph.npu import simulate
from tests.rough.growing import KINDS, allocated_blocks, empty_caches, kept_after
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


def kept_of(new_thing, count):
    """The memory blocks kept of new things, and their number; if many, of twice as many: Python's own pools fill up."""
    kept_after(new_thing, range(1, 11))
    first = 100
    for size in (count, 2 * count, 4 * count, 8 * count):
        kept = kept_after(new_thing, range(first, first + size))
        if kept < 2 * size:
            break
        first += size
    return kept, size


@pytest.mark.filterwarnings("ignore::minigraph.compilation.recompile_reasons.RecompileWarning")
@pytest.mark.parametrize("name", KINDS)
def test_nothing_is_kept_of_new_things_once_the_caches_are_empty(name, tmp_path, effort, report):
    """So every cache is in the table of ``minigraph/RELIABILITY.md``, whose caches are those that are emptied here."""
    kept, count = kept_of(partial(KINDS[name], tmp_path), effort.samples(40))
    assert kept < 2 * count, f"{kept} memory blocks are kept of {count} new {name}"
    report(f"ever new {name}", f"{count} times", f"{kept} memory blocks more")


def test_a_cache_that_is_not_emptied_is_seen(tmp_path):
    leaked = {}
    kept, count = kept_of(lambda k: leaked.setdefault(f"name {k}", (k, str(k), [k])), 40)
    assert kept >= 2 * count, f"{kept} memory blocks are kept of {count} things"


def test_a_graph_outlives_emptied_caches():
    graph = jit(lambda x: (x * 2).sum()).graph(Tensor([1.0, 2.0]))
    empty_caches()
    verify(graph)  # its types are still the ones of their shapes
