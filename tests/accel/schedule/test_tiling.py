"""Loop tiling: which steps form a group, the size of tiles, and the same bits."""

import numpy as np
import pytest

import minigraph as ms
from minigraph import Parameter, Tensor, grad, jit, ops, trace
from minigraph.accel.host import threads
from minigraph.accel.schedule import tiling
from minigraph.accel.schedule.plan import make_plan
from minigraph.accel.schedule.tiled_plan import TiledPlan
from minigraph.accel.schedule.tiling import tiled_groups_of
from minigraph.core.machine import LIVE_TILES_BYTES, MIN_TILE_BYTES, MIN_TILED_BYTES
from minigraph.core.op import TABLE
from minigraph.execute.compile import compile_graph
from tests.execute.samples import samples_of
from tests.inspection import bits
from tests.random_programs import random_program

ROW_COUNT = MIN_TILED_BYTES // 4 + 5  # float32 elements: large, and no whole number of tiles
X = Tensor(np.random.default_rng(0).normal(size=ROW_COUNT).astype(np.float32))


@pytest.fixture(params=[1, 3], ids=["one thread", "three threads"])
def small_tiles(monkeypatch, request):
    """Tiles of a few elements, so that small programs have many."""
    monkeypatch.setattr(threads, "MIN_THREADED_BYTES", 1)
    monkeypatch.setattr(threads, "usable_cpu_count", lambda: request.param)
    monkeypatch.setattr(tiling, "MIN_TILED_BYTES", 1)
    monkeypatch.setattr(tiling, "MIN_TILE_BYTES", 8)


def groups_of(fn, *args):
    plan = make_plan(trace(fn, *args))
    return [[step.op.name for step in plan.steps[group.first : group.last]] for group in plan.tiled_groups]


def test_a_group_is_a_run_of_elementwise_steps_of_one_shape():
    table = X[: ROW_COUNT // 8 * 8].reshape(-1, 8)
    assert groups_of(lambda x: ((x * x).tanh() + 1.0).sum(1), table) == [["mul", "tanh", "add"]]
    assert groups_of(lambda x: (x * x).sum(1), table) == [], "one step has no values in between"
    assert groups_of(lambda x: x * 2.0 + x.T.T * x, table) == [["mul", "add"]], "a view ends a group"
    assert groups_of(lambda x: x * x + x, Tensor(np.ones((4, 8), np.float32))) == [], "small tensors are not tiled"


def test_rows_that_are_too_large_are_tiled_along_the_next_axis(monkeypatch):
    monkeypatch.setattr(threads, "usable_cpu_count", lambda: 1)
    for shape in (1, ROW_COUNT), (1, 1, ROW_COUNT), (3, ROW_COUNT), (2, 3, ROW_COUNT, 1):
        x = Tensor(np.zeros(shape, np.float32))
        (group,) = make_plan(trace(lambda x: (x * x + x).tanh(), x)).tiled_groups
        assert shape[group.depth] == ROW_COUNT
        count = np.zeros(shape, np.int32)
        for rows, part in group.tiles:
            count[rows] += 1
            assert count[rows].shape[0] == part.stop <= group.rows < ROW_COUNT
        assert (count == 1).all()


def test_tiles_cover_every_row_once():
    (group,) = make_plan(trace(lambda x: x * x + x, X)).tiled_groups
    covered = [row for rows, _ in group.tiles for row in range(rows.start, rows.stop)]
    assert covered == list(range(ROW_COUNT))
    assert all(rows.stop - rows.start == part.stop <= group.rows for rows, part in group.tiles)


def tile_nbytes(fn, elements):
    (group,) = make_plan(trace(fn, Tensor(np.zeros(elements, np.float32)))).tiled_groups
    return group.rows * 4


def product_of_reversed(x):
    results = [(x * float(k)).tanh() for k in range(40)]
    return sum((a * b for a, b in zip(results, reversed(results), strict=True)), x)


def test_the_tile_size_follows_from_the_live_tiles(monkeypatch):
    monkeypatch.setattr(threads, "usable_cpu_count", lambda: 1)
    few = tile_nbytes(lambda x: (x * x + x).tanh(), 1 << 22)
    assert MIN_TILE_BYTES < few <= LIVE_TILES_BYTES // 3, "operand, result and one value between"
    assert tile_nbytes(product_of_reversed, 1 << 22) == MIN_TILE_BYTES, "the smallest"
    smallest = MIN_TILED_BYTES // 4
    assert tile_nbytes(lambda x: (x * x + x).tanh(), smallest) == smallest, "a tensor has at least some tiles"


def test_tiles_start_at_cache_lines():
    table = Tensor(np.zeros((100_003, 3), np.float32))
    (group,) = make_plan(trace(lambda x: (x * x + x).tanh(), table)).tiled_groups
    assert group.rows % 64 == 0


def test_values_between_steps_take_no_more_memory_than_tiles():
    plan = make_plan(trace(lambda x: ((x * x + x).tanh() * x + 1.0).exp(), X))
    assert plan.nbytes <= 2 * tiling.MIN_TILE_BYTES
    assert len(plan.tile_values) == 5


@pytest.mark.parametrize("seed", range(80))
def test_random_programs_in_tiles_give_the_same_bits(seed, small_tiles):
    program = random_program(seed)
    first, second = program.arguments(0), program.arguments(1)
    run = compile_graph(trace(program.function, *first))
    for arguments in (first, second, first):
        assert bits(run(*[arg.array for arg in arguments])) == bits(program.function(*arguments))


ELEMENTWISE = [op for op in TABLE.values() if op.family == "elementwise" and not op.effects]


@pytest.mark.parametrize(("op", "args", "attrs"), [case for op in ELEMENTWISE for case in samples_of(op, seed=1)])
def test_a_tile_has_the_bits_of_the_whole(op, args, attrs):
    """Vector instructions compute many elements at once and the rest one by one; the bits must not depend on that."""
    flat = [np.resize(np.asarray(arg), 1031) for arg in args]
    with np.errstate(all="ignore"):
        untiled = np.asarray(op.forward(*flat, **attrs))
        tiles = [np.asarray(op.forward(*(a[i : i + 97] for a in flat), **attrs)) for i in range(0, 1031, 97)]
    assert np.concatenate(tiles).tobytes() == untiled.tobytes()


WEIGHT = np.float32([0.5, -1.0, 2.0])
LARGE_ROWS = np.random.default_rng(2).normal(size=(MIN_TILED_BYTES // 12 + 7, 3)).astype(np.float32)
PROGRAMS = {
    "a broadcast row": lambda x: (x * Tensor(WEIGHT) + 1.0).tanh() * x,
    "a broadcast column": lambda x: (x * x[:, :1] + x).tanh(),
    "an operand in another order": lambda x: (x.T.T * x + 1.0) * x,
    "two results are returned": lambda x: ((x * 2.0).tanh(), x * 2.0 + 1.0),
    "one is read later": lambda x: ((x * x + 1.0).tanh() * x, (x * x + 1.0).sum()),
    "a view of one is returned": lambda x: (x * x + 1.0).reshape(-1)[::2],
    "dtypes change": lambda x: (x * 3.0).astype(ms.float64) * 2.0 > 1.0,
    "one has no out": lambda x: ops.where(x > 0, x * 2.0, x) + x,
    "the last has no out": lambda x: ops.where(x * 3.0 > 1.0, x, -x),
    "several groups": lambda x: ((x * x + x) / (x * x + x).sum()).exp() * 2.0,
    "a row that is too large": lambda x: (x.reshape(1, -1) * 2.0 + 1.0).tanh() * x.reshape(-1),
    "rows that are too large": lambda x: (x.T * Tensor(WEIGHT).reshape(-1, 1) + x[:, 0]).tanh() * x.T[:1],
    "columns of three axes": lambda x: (x.T.reshape(1, 3, -1) * Tensor(WEIGHT).reshape(3, 1) + 1.0).tanh() * x[0, 0],
    "a gradient": grad(lambda x: ((x * x).tanh() * x).sum()),
    "tiles and whole tensors alternate": lambda x: ((x * 2.0 + 1.0).sum(0) + (x + x * x) * (x - 1.0)).tanh() + x,
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_tiling_does_not_change_the_bits(name):
    fn, x = PROGRAMS[name], Tensor(LARGE_ROWS)
    eager = bits(fn(x))
    for run in (compile_graph(trace(fn, x)), jit(fn).program(x)):
        assert run.plan.tiled_groups
        assert bits(run(x.array)) == eager
        assert bits(run(np.asfortranarray(x.array))) == eager, "an argument in another order"
        assert bits(run(x.array)) == eager, "the second call"


def test_parameters_are_written_whole():
    weight = Parameter(Tensor(LARGE_ROWS), name="weight")

    def step(x):
        ops.assign(weight, weight * 0.5 + x.tanh())
        return weight.sum()

    expected = LARGE_ROWS * np.float32(0.5) + np.tanh(LARGE_ROWS)
    run = compile_graph(trace(step, Tensor(LARGE_ROWS)))
    assert run.plan.tiled_groups
    run(LARGE_ROWS)
    assert bits([weight.array]) == bits([expected])


def test_no_group_without_steps():
    assert tiled_groups_of(TiledPlan()) == []
