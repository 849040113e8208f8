"""Axes of loop nests: which are collapsed, which an operand has, and their indices."""

from minigraph.accel.loops.axes import axes_of, indentation, index_of, owned_axes, size_of
from tests.tables import results

test_axes_that_all_operands_have_or_repeat_are_collapsed = results(
    axes_of,
    ((2, 3), [(2, 3)], [[0, 1]]),
    ((2, 3), [(2, 3), (3,)], [[0], [1]]),
    ((2, 1, 3), [(2, 1, 3), (2, 1, 1)], [[0], [2]]),
    ((2, 3, 4), [(3, 1)], [[0], [1], [2]]),
    ((1, 1), [()], []),
)
test_an_operand_has_axes_counted_from_the_end = results(
    owned_axes, ((3, 1), [[0], [1], [2]], (2, 3, 4), (1,)), ((), [[0, 1, 2]], (2, 3, 4), ())
)
test_the_first_axis_may_be_tiled = results(size_of, ([0, 1], (2, 3, 4), -1), ([1, 2], (2, 3, 4), 12))


def test_indices_and_indentation():
    assert [index_of(axes) for axes in ((), (0,), (0, 2))] == ["()", "i", "i, k"]
    assert indentation(1) == " " * 8
