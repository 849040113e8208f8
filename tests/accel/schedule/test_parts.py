"""Parts of a sum made where they lie: no copies, the bits of eager mode."""

import numpy as np
import pytest

from minigraph import Tensor, float32, grad, jit, trace
from minigraph.accel.schedule.parts import Parts
from minigraph.accel.schedule.plan import planned
from minigraph.accel.schedule.totals import PUT
from minigraph.core.pytree import leaves_of
from tests.random_programs import random_program

RNG = np.random.default_rng(0)
X = Tensor(RNG.normal(size=(6, 4)).astype(np.float32))
W = Tensor(RNG.normal(size=(3, 4, 4)).astype(np.float32))


def layers(x, w):
    for i in range(3):
        x = (x @ w[i]).tanh()
    return x


def gates(x, w):
    """Columns of one product, each used on its own; parts with gaps between their rows."""
    both = x @ w[0]
    return both[:, :1].exp() * both[:, 1:3].sum(-1, keepdims=True) + both[:, 3:].tanh()


def blocks_of_columns(x, w):
    return (x @ w[0, :, :2]) @ w[1, :2] + (x @ w[0, :, 2:]) @ w[2, 2:]


def stacked(x, w):
    """Batches of products into places with gaps between the matrices as well."""
    wide = w[:, 1:3] @ w[:, :, 1:]
    return (wide[:, :, :1] * wide[:, :, 1:2]).sum() * x


def read_twice(x, w):
    part = x @ w[0]
    return part[:2] * part[:2].exp() + part[2:4]


def put_and_added_to(x, w):
    y = x.tanh()
    return (y[:3] * y[3:]).exp() @ w[0] + y[1:4].sin() @ w[1]


PROGRAMS = [layers, gates, blocks_of_columns, stacked, read_twice, put_and_added_to]


@pytest.mark.parametrize("fn", PROGRAMS)
@pytest.mark.parametrize("pipeline", [(), "default"])
@pytest.mark.parametrize("factor", [1.0, -0.0, 1e-30])
def test_compiled_gradients_have_the_bits_of_eager_ones(fn, pipeline, factor):
    gradient = grad(lambda x, w: fn(x, w) * factor, (0, 1))
    compiled = jit(gradient, pipeline=pipeline)
    for _ in range(2):
        for got, want in zip(compiled(X, W), gradient(X, W), strict=True):
            assert got.array.tobytes() == want.array.tobytes()


def steps_of(fn):
    return planned(trace(grad(fn, (0, 1)), X, W)).steps


@pytest.mark.parametrize("fn", [layers, blocks_of_columns])
def test_products_are_written_where_they_lie(fn):
    steps = steps_of(fn)
    assert not any(step.op is PUT for step in steps)
    assert sum(step.op.name == "settle" for step in steps) >= 3


def test_the_memory_of_a_total_is_made_before_its_parts_with_all_views_of_it():
    steps = steps_of(layers)
    made = {out: i for i, step in enumerate(steps) for out in step.outs}
    plan = planned(trace(grad(layers, (0, 1)), X, W))
    assert all(made[place] < made[value] for value, place in plan.places.items() if value in made)
    at = next(i for i, step in enumerate(steps) if step.op.role == "memory")
    assert [step.op.name for step in steps[at + 1 : at + 4]] == ["cut"] * 3


def test_a_part_that_somebody_else_reads_is_copied():
    names = [step.op.name for step in steps_of(read_twice)]
    assert "put" in names or "index_add" in names


def test_nothing_moves_without_totals():
    steps = planned(trace(lambda x: (x @ x.T).tanh(), X)).steps
    found = Parts(steps, (), ())
    assert found.steps == steps and not found.places


@pytest.mark.parametrize("seed", range(30))
def test_gradients_of_random_programs_give_the_same_bits(seed):
    program = random_program(seed)
    args = program.arguments(0)

    def total(*xs):
        outs = leaves_of(program.function(*xs), lambda item: isinstance(item, Tensor))
        return sum((out.astype(float32).sum() for out in outs), Tensor(0.0, float32))

    places = tuple(i for i, arg in enumerate(args) if arg.dtype.kind == "f")
    gradient = grad(total, places)
    want = [g.array.tobytes() for g in gradient(*args)]
    assert [g.array.tobytes() for g in jit(gradient, capture_mode="trace")(*args)] == want
