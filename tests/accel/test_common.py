"""What operators have in common is data."""

from minigraph.accel.common import Common


def test_the_rest_takes_what_was_made():
    common = Common(lambda x: x + 1, (1,), (), lambda made, *operands: (made, operands))
    operands = ("a", 2)
    assert common.rest(common.make(*(operands[i] for i in common.of)), *operands) == (3, ("a", 2))
