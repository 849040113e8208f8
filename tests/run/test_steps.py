"""What a program is made of."""

from minigraph.op import TABLE
from minigraph.run.steps import Block, Plan, Source, Step
from minigraph.types import TensorType, float32

BLOCK = Block(2, 5, (7, 3), 4)


def test_the_last_piece_is_what_is_left():
    assert BLOCK.pieces == [(slice(0, 4), slice(0, 4)), (slice(4, 7), slice(0, 3))]


def parts(block, *shapes):
    return [block.part_of(TensorType(shape, float32)) for shape in shapes]


def test_what_has_as_many_rows_is_cut():
    assert parts(BLOCK, (7, 3), (7, 1), (1, 3), (3,), ()) == ["[rows]", "[rows]", "", "", ""]


DEEP = Block(0, 2, (2, 7, 3), 4, depth=1)


def test_rows_that_are_too_large_are_cut_themselves():
    assert DEEP.pieces == [
        ((0, slice(0, 4)), slice(0, 4)), ((0, slice(4, 7)), slice(0, 3)),
        ((1, slice(0, 4)), slice(0, 4)), ((1, slice(4, 7)), slice(0, 3)),
    ]  # fmt: skip
    assert DEEP.piece_of(TensorType((2, 7, 3), float32)) == TensorType((4, 3), float32)


def test_of_what_is_repeated_along_an_axis_every_piece_takes_the_same():
    assert parts(DEEP, (2, 7, 3), (2, 7, 1), (1, 7, 3)) == ["[rows]", "[rows]", "[0, rows[1]]"]
    assert parts(DEEP, (2, 1, 3), (7, 3), (1, 3), (3,), ()) == ["[rows[0], :]", "[rows[1]]", "", "", ""]
    assert parts(DEEP, (1, 1, 3)) == ["[0, :]"]


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
