"""Axes of loops: which go together, which an operand has, and the words for them."""

from minigraph.accel.loops.axes import axes_of, indented, index_of, owned_axes, size_of
from tests.tables import results

test_axes_that_everybody_has_or_repeats_go_together = results(
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
test_the_first_axis_may_be_cut = results(size_of, ([0, 1], (2, 3, 4), -1), ([1, 2], (2, 3, 4), 12))


def test_words():
    assert [index_of(own) for own in ((), (0,), (0, 2))] == ["()", "i", "i, k"]
    assert indented(1) == " " * 8
