"""What a program is made of."""

from minigraph.op import TABLE
from minigraph.run.steps import Block, Plan, Source, Step
from minigraph.types import TensorType, float32

BLOCK = Block(2, 5, (7, 3), 4)


def test_the_last_piece_is_what_is_left():
    assert BLOCK.pieces == [(slice(0, 4), slice(0, 4)), (slice(4, 7), slice(0, 3))]


def test_what_has_as_many_rows_is_cut():
    cut = {shape: BLOCK.is_cut(TensorType(shape, float32)) for shape in [(7, 3), (7, 1), (1, 3), (3,), ()]}
    assert [shape for shape, is_cut in cut.items() if is_cut] == [(7, 3), (7, 1)]


def test_a_piece_has_the_columns_of_the_whole():
    assert BLOCK.piece_of(TensorType((7, 2), float32)) == TensorType((4, 2), float32)


def test_a_plan_counts_its_memory():
    assert Plan(buffers=[8, 16]).nbytes == 24


def test_a_plan_knows_what_leaves_it_and_the_type_of_every_value():
    small, large = TensorType((2,), float32), TensorType((7, 2), float32)
    step = Step(TABLE["neg"], (0,), {}, (5,), (large,))
    plan = Plan([Source("input", 0, 0, small)], [step], outs=(5,), stored={"w": 0})
    assert plan.leaving == (5, 0)
    assert plan.types == {0: small, 5: large}
