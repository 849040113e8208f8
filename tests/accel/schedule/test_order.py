"""The order of steps in a run: fewer results alive, every operand made before it is read."""

import numpy as np
import pytest

from minigraph import Tensor, grad, jit, trace
from minigraph.accel.schedule.order import in_close_order, most_alive
from minigraph.accel.schedule.plan import planned
from minigraph.core.machine import MIN_TILED_BYTES
from minigraph.core.op import TABLE
from minigraph.core.types import TensorType, float32
from minigraph.execute.steps import Step

FOUR = TensorType((4,), float32)
X = Tensor(np.random.default_rng(0).normal(size=MIN_TILED_BYTES // 4).astype(np.float32))


def steps_of(*lines):
    """Steps by (operator, operands, result), of four floats."""
    return [Step(TABLE[name], ins, {}, (out,), (FOUR,)) for name, ins, out in lines]


def results(steps):
    return [step.outs[0] for step in steps]


WIDE = steps_of(("neg", (0,), 1), ("exp", (0,), 2), ("neg", (1,), 3), ("neg", (2,), 4), ("add", (3, 4), 5))
LATE = steps_of(
    ("neg", (0,), 1), ("exp", (0,), 2), ("tanh", (0,), 3), ("abs", (0,), 4),
    ("add", (1, 2), 5), ("add", (5, 3), 6), ("add", (6, 4), 7),
)  # fmt: skip


def test_alive_is_what_is_read_later():
    assert most_alive(WIDE, {1, 2, 3, 4}) == 2 * FOUR.nbytes
    assert most_alive(LATE, {1, 2, 3, 4, 5, 6}) == 4 * FOUR.nbytes
    assert most_alive(LATE, {1, 2}) == 2 * FOUR.nbytes, "what others read is no piece"
    assert most_alive([], set()) == 0


def test_a_step_stands_as_soon_as_that_frees_memory():
    found = in_close_order(LATE, {1, 2, 3, 4, 5, 6})
    assert results(found) == [1, 2, 5, 3, 6, 4, 7]
    assert most_alive(found, {1, 2, 3, 4, 5, 6}) == 2 * FOUR.nbytes


def test_an_order_that_is_as_good_stays():
    assert in_close_order(WIDE, {1, 2, 3, 4}) == WIDE


def test_results_that_nobody_reads_and_steps_that_read_one_value_twice():
    steps = steps_of(("neg", (0,), 1), ("mul", (1, 1), 2), ("exp", (0,), 3), ("add", (2, 2), 4))
    found = in_close_order(steps, {1, 2, 3})
    assert sorted(results(found)) == [1, 2, 3, 4]
    assert most_alive(found, {1, 2, 3}) <= most_alive(steps, {1, 2, 3})


@pytest.mark.parametrize("seed", range(30))
def test_every_operand_is_made_before_it_is_read(seed):
    rng = np.random.default_rng(seed)
    steps = steps_of(*(("add", tuple(map(int, rng.integers(max(0, k - 6), k, 2))), k) for k in range(1, 40)))
    inner = {k for k in range(1, 40) if rng.random() < 0.8}
    found = in_close_order(steps, inner)
    assert sorted(results(found)) == results(steps)
    assert most_alive(found, inner) <= most_alive(steps, inner)
    made = {0}
    for step in found:
        assert made.issuperset(step.ins)
        made.update(step.outs)


def test_a_gradient_adds_up_as_it_goes_back():
    """The sum over all uses of y is one fused node behind everything else; what it adds need not wait for it."""

    def fn(x, y):
        for _ in range(6):
            x = (x * y).tanh() + y
        return x

    program = jit(grad(fn, (0, 1))).program(X, X)
    assert len(program.plan.blocks) == 1
    assert len({program.plan.buffer_of.get(value) for value in program.plan.inner}) <= 2 * 6 + 2
    eager = [item.asnumpy() for item in grad(fn, (0, 1))(X, X)]
    assert all(map(np.array_equal, program(X.array, X.array), eager))


def test_small_tensors_stay_in_order():
    plan = planned(trace(lambda x: (x.exp() + x.tanh()) + (x.abs() + x), Tensor(np.ones(4, np.float32))))
    assert [step.op.name for step in plan.steps] == ["exp", "tanh", "add", "abs", "add", "add"]
