"""Blocks: which pieces a run is computed in, and what a piece takes of an operand."""

from minigraph.accel.schedule.tiled_plan import Block
from minigraph.core.types import TensorType, float32

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
