"""Tiled groups: their tiles, and the index of a tile in an operand."""

from minigraph.accel.schedule.tiled_plan import TiledGroup
from minigraph.core.types import TensorType, float32

GROUP = TiledGroup(2, 5, (7, 3), 4)


def test_the_last_tile_is_the_remainder():
    assert GROUP.tiles == [(slice(0, 4), slice(0, 4)), (slice(4, 7), slice(0, 3))]


def indices(group, *shapes):
    return [group.operand_index(TensorType(shape, float32)) for shape in shapes]


def test_operands_with_as_many_rows_are_tiled():
    assert indices(GROUP, (7, 3), (7, 1), (1, 3), (3,), ()) == ["[rows]", "[rows]", "", "", ""]


DEEP = TiledGroup(0, 2, (2, 7, 3), 4, depth=1)


def test_rows_that_are_too_large_are_tiled_along_the_next_axis():
    assert DEEP.tiles == [
        ((0, slice(0, 4)), slice(0, 4)), ((0, slice(4, 7)), slice(0, 3)),
        ((1, slice(0, 4)), slice(0, 4)), ((1, slice(4, 7)), slice(0, 3)),
    ]  # fmt: skip
    assert DEEP.tile_type(TensorType((2, 7, 3), float32)) == TensorType((4, 3), float32)


def test_every_tile_reads_the_same_of_a_broadcast_axis():
    assert indices(DEEP, (2, 7, 3), (2, 7, 1), (1, 7, 3)) == ["[rows]", "[rows]", "[0, rows[1]]"]
    assert indices(DEEP, (2, 1, 3), (7, 3), (1, 3), (3,), ()) == ["[rows[0], :]", "[rows[1]]", "", "", ""]
    assert indices(DEEP, (1, 1, 3)) == ["[0, :]"]


def test_a_tile_has_the_columns_of_the_whole():
    assert GROUP.tile_type(TensorType((7, 2), float32)) == TensorType((4, 2), float32)
