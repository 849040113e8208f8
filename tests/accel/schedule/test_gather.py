"""Large elementwise steps stand beside each other; what they compute stays what it was."""

import numpy as np
import pytest

import minigraph as ms
from minigraph import Parameter, Tensor, jit, ops, trace
from minigraph.accel.schedule.plan import planned
from minigraph.core.machine import MIN_TILED_BYTES

RNG = np.random.default_rng(0)
SIDE = int((MIN_TILED_BYTES / 4) ** 0.5) + 1
X, Y, Z = (Tensor(RNG.normal(size=(SIDE, SIDE)).astype(np.float32)) for _ in range(3))
FEW = Tensor(RNG.normal(size=(4, 4)).astype(np.float32))


def names(fn, *args):
    return [step.op.name for step in planned(trace(fn, *args)).steps]


def waits_for_nothing(x, y, z):
    scaled = y * 0.5
    return scaled + x @ z


def has_all_it_needs(x, y, z):
    first = x @ y + z
    second = first @ y
    return first * 0.5, second


def a_chain_waits(x, y, z):
    scaled = (y * 0.5).exp()
    return x @ z - scaled


def one_operand_rises(x, y, z):
    first = x @ y + z
    second = first @ z
    late = (second * 0.5).tanh()
    return first * 2.0, (first * 3.0) * (second - 1.0) + late, late


def read_by_a_product(x, y, z):
    scaled = y * 0.5
    return (x @ z) @ scaled


def read_twice(x, y, z):
    scaled = y * 0.5
    return scaled + x @ z, (x @ y) * scaled


def test_steps_that_wait_for_nothing_sink_to_who_reads_them():
    assert names(waits_for_nothing, X, Y, Z) == ["matmul", "mul", "add"]
    assert names(a_chain_waits, X, Y, Z) == ["matmul", "mul", "exp", "sub"]


def test_steps_that_have_all_they_need_rise():
    assert names(has_all_it_needs, X, Y, Z) == ["matmul", "add", "mul", "matmul"]


@pytest.mark.parametrize("fn", [read_by_a_product, read_twice])
def test_others_stay(fn):
    assert names(fn, X, Y, Z)[0] == "mul"


def test_small_steps_stay():
    assert names(waits_for_nothing, FEW, FEW, FEW) == ["mul", "matmul", "add"]


@pytest.mark.parametrize(
    "fn", [waits_for_nothing, has_all_it_needs, a_chain_waits, one_operand_rises, read_by_a_product, read_twice]
)
def test_the_bits_are_those_of_eager_mode(fn):
    want, got = (found if isinstance(found, tuple) else (found,) for found in (fn(X, Y, Z), jit(fn)(X, Y, Z)))
    for one, other in zip(got, want, strict=True):
        assert one.array.tobytes() == other.array.tobytes()


def test_the_update_of_a_weight_is_one_run():
    weight = Parameter(Tensor(X), name="w")
    optimizer = ms.nn.Momentum([weight], 0.1, 0.9)

    def step(x):
        optimizer(ms.grad(lambda x: ops.tanh(x @ weight).sum(), None, optimizer.parameters)(x))
        return x.sum()

    compiled = jit(step)
    compiled(Y)
    (block,) = compiled.program(Y).plan.updates
    steps = compiled.program(Y).plan.steps[block.first : block.last]
    assert [step.op.name for step in steps] == ["mul", "add", "mul", "sub"]
