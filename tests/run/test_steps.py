"""What a program is made of."""

from minigraph.run.steps import Block, Plan
from minigraph.types import TensorType, float32

BLOCK = Block(2, 5, (7, 3), 4)


def test_the_last_piece_is_what_is_left():
    assert BLOCK.pieces == [(slice(0, 4), slice(0, 4)), (slice(4, 7), slice(0, 3))]


def test_threads_share_the_pieces():
    block = Block(0, 2, (70,), 10, threads=3)
    assert [len(share) for share in block.shares] == [2, 2, 3]
    assert [piece for share in block.shares for piece in share] == block.pieces


def test_what_has_as_many_rows_is_cut():
    cut = {shape: BLOCK.is_cut(TensorType(shape, float32)) for shape in [(7, 3), (7, 1), (1, 3), (3,), ()]}
    assert [shape for shape, is_cut in cut.items() if is_cut] == [(7, 3), (7, 1)]


def test_a_piece_has_the_columns_of_the_whole():
    assert BLOCK.piece_of(TensorType((7, 2), float32)) == TensorType((4, 2), float32)


def test_a_plan_counts_its_memory():
    assert Plan(buffers=[8, 16]).nbytes == 24
