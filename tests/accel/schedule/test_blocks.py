"""Runs of elementwise steps in pieces: which steps, how large, and that nothing shows in the bits."""

import numpy as np
import pytest

import minigraph as ms
from minigraph import Parameter, Tensor, grad, jit, ops, trace
from minigraph.accel.host import threads
from minigraph.accel.schedule import blocks
from minigraph.accel.schedule.blocks import blocks_of
from minigraph.accel.schedule.plan import planned
from minigraph.accel.schedule.tiled_plan import TiledPlan
from minigraph.core.machine import LIVE_TILES_BYTES, MIN_TILE_BYTES, MIN_TILED_BYTES
from minigraph.core.op import TABLE
from minigraph.execute.compile import compile_graph
from tests.execute.samples import samples_of
from tests.observed import bits
from tests.random_programs import random_program

ROWS = MIN_TILED_BYTES // 4 + 5  # float32 elements: large, and no whole number of pieces
X = Tensor(np.random.default_rng(0).normal(size=ROWS).astype(np.float32))


@pytest.fixture(params=[1, 3], ids=["one thread", "three threads"])
def small_pieces(monkeypatch, request):
    """Pieces of a few elements, so that small programs have many."""
    monkeypatch.setattr(threads, "MIN_THREADED_BYTES", 1)
    monkeypatch.setattr(threads, "processors", lambda: request.param)
    monkeypatch.setattr(blocks, "MIN_TILED_BYTES", 1)
    monkeypatch.setattr(blocks, "MIN_TILE_BYTES", 8)


def runs_of(fn, *args):
    plan = planned(trace(fn, *args))
    return [[step.op.name for step in plan.steps[block.first : block.last]] for block in plan.blocks]


def test_a_run_is_of_elementwise_steps_of_one_shape():
    table = X[: ROWS // 8 * 8].reshape(-1, 8)
    assert runs_of(lambda x: ((x * x).tanh() + 1.0).sum(1), table) == [["mul", "tanh", "add"]]
    assert runs_of(lambda x: (x * x).sum(1), table) == [], "one step has nothing between"
    assert runs_of(lambda x: x * 2.0 + x.T.T * x, table) == [["mul", "add"]], "a view ends a run"
    assert runs_of(lambda x: x * x + x, Tensor(np.ones((4, 8), np.float32))) == [], "what is small stays whole"


def test_rows_that_are_too_large_are_cut_too(monkeypatch):
    monkeypatch.setattr(threads, "processors", lambda: 1)
    for shape in (1, ROWS), (1, 1, ROWS), (3, ROWS), (2, 3, ROWS, 1):
        x = Tensor(np.zeros(shape, np.float32))
        (block,) = planned(trace(lambda x: (x * x + x).tanh(), x)).blocks
        assert shape[block.depth] == ROWS
        count = np.zeros(shape, np.int32)
        for rows, some in block.pieces:
            count[rows] += 1
            assert count[rows].shape[0] == some.stop <= block.rows < ROWS
        assert (count == 1).all()


def test_pieces_cover_every_row_once():
    (block,) = planned(trace(lambda x: x * x + x, X)).blocks
    covered = [row for rows, _ in block.pieces for row in range(rows.start, rows.stop)]
    assert covered == list(range(ROWS))
    assert all(rows.stop - rows.start == some.stop <= block.rows for rows, some in block.pieces)


def nbytes_of_a_piece(fn, elements):
    (block,) = planned(trace(fn, Tensor(np.zeros(elements, np.float32)))).blocks
    return block.rows * 4


def many(x):
    results = [(x * float(k)).tanh() for k in range(40)]
    return sum((a * b for a, b in zip(results, reversed(results), strict=True)), x)


def test_pieces_are_as_large_as_what_lives_beside_them_allows(monkeypatch):
    monkeypatch.setattr(threads, "processors", lambda: 1)
    few = nbytes_of_a_piece(lambda x: (x * x + x).tanh(), 1 << 22)
    assert MIN_TILE_BYTES < few <= LIVE_TILES_BYTES // 3, "operand, result and one between them"
    assert nbytes_of_a_piece(many, 1 << 22) == MIN_TILE_BYTES, "the smallest"
    assert nbytes_of_a_piece(lambda x: (x * x + x).tanh(), MIN_TILED_BYTES // 4) == MIN_TILED_BYTES // 4, (
        "a tensor has some pieces"
    )


def test_pieces_begin_at_lines_of_the_cache():
    table = Tensor(np.zeros((100_003, 3), np.float32))
    (block,) = planned(trace(lambda x: (x * x + x).tanh(), table)).blocks
    assert block.rows % 64 == 0


def test_what_is_between_takes_no_more_than_pieces():
    plan = planned(trace(lambda x: ((x * x + x).tanh() * x + 1.0).exp(), X))
    assert plan.nbytes <= 2 * blocks.MIN_TILE_BYTES
    assert len(plan.inner) == 5


@pytest.mark.parametrize("seed", range(80))
def test_random_programs_in_pieces_give_the_same_bits(seed, small_pieces):
    program = random_program(seed)
    first, second = program.arguments(0), program.arguments(1)
    run = compile_graph(trace(program.function, *first))
    for arguments in (first, second, first):
        assert bits(run(*[arg.array for arg in arguments])) == bits(program.function(*arguments))


ELEMENTWISE = [op for op in TABLE.values() if op.family == "elementwise" and not op.effects]


@pytest.mark.parametrize(("op", "args", "attrs"), [case for op in ELEMENTWISE for case in samples_of(op, seed=1)])
def test_a_piece_has_the_bits_of_the_whole(op, args, attrs):
    """Vector instructions take many elements at once and the rest one by one: to the same bits, wherever one stands."""
    flat = [np.resize(np.asarray(arg), 1031) for arg in args]
    with np.errstate(all="ignore"):
        whole = np.asarray(op.forward(*flat, **attrs))
        pieces = [np.asarray(op.forward(*(a[i : i + 97] for a in flat), **attrs)) for i in range(0, 1031, 97)]
    assert np.concatenate(pieces).tobytes() == whole.tobytes()


WEIGHT = np.float32([0.5, -1.0, 2.0])
LARGE_ROWS = np.random.default_rng(2).normal(size=(MIN_TILED_BYTES // 12 + 7, 3)).astype(np.float32)
PROGRAMS = {
    "a row beside rows": lambda x: (x * Tensor(WEIGHT) + 1.0).tanh() * x,
    "a column beside rows": lambda x: (x * x[:, :1] + x).tanh(),
    "an operand in another order": lambda x: (x.T.T * x + 1.0) * x,
    "two results leave": lambda x: ((x * 2.0).tanh(), x * 2.0 + 1.0),
    "one is needed later": lambda x: ((x * x + 1.0).tanh() * x, (x * x + 1.0).sum()),
    "a view of one leaves": lambda x: (x * x + 1.0).reshape(-1)[::2],
    "dtypes change": lambda x: (x * 3.0).astype(ms.float64) * 2.0 > 1.0,
    "one has no memory to write into": lambda x: ops.where(x > 0, x * 2.0, x) + x,
    "the last has none": lambda x: ops.where(x * 3.0 > 1.0, x, -x),
    "runs one after the other": lambda x: ((x * x + x) / (x * x + x).sum()).exp() * 2.0,
    "a row that is too large": lambda x: (x.reshape(1, -1) * 2.0 + 1.0).tanh() * x.reshape(-1),
    "rows that are too large": lambda x: (x.T * Tensor(WEIGHT).reshape(-1, 1) + x[:, 0]).tanh() * x.T[:1],
    "columns of three axes": lambda x: (x.T.reshape(1, 3, -1) * Tensor(WEIGHT).reshape(3, 1) + 1.0).tanh() * x[0, 0],
    "a gradient": grad(lambda x: ((x * x).tanh() * x).sum()),
    "pieces and whole tensors change places": lambda x: ((x * 2.0 + 1.0).sum(0) + (x + x * x) * (x - 1.0)).tanh() + x,
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_pieces_do_not_show(name):
    fn, x = PROGRAMS[name], Tensor(LARGE_ROWS)
    eager = bits(fn(x))
    for run in (compile_graph(trace(fn, x)), jit(fn).program(x)):
        assert run.plan.blocks
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
    assert run.plan.blocks
    run(LARGE_ROWS)
    assert bits([weight.array]) == bits([expected])


def test_no_run_without_steps():
    assert blocks_of(TiledPlan()) == []
