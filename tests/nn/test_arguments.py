"""Argument checks: accepted and rejected values, and the messages."""

import math

import pytest

from minigraph.nn import arguments

CHECKS = {
    "positive_int": (arguments.check_positive_int, [1, 7], [0, -2], [1.0, True, "1", None]),
    "positive_float": (arguments.check_positive_float, [0.5], [0.0, -1.0, math.nan], [1, True, None]),
    "float_from_0": (arguments.check_nonnegative_float, [0.0, 0.5], [-1.0, math.nan], [0, False, "x"]),
    "positive": (arguments.check_positive, [1, 0.5], [0, 0.0, -1, math.nan], [True, "x", None]),
    "from_0": (arguments.check_nonnegative, [0, 0.5], [-1, -0.5, math.nan], [False, "x", None]),
    "flag": (arguments.check_bool, [True, False], [], [0, 1, None, "True"]),
}


@pytest.mark.parametrize("name", CHECKS)
def test_accepted_and_rejected_values(name):
    check, good, low, wrong = CHECKS[name]
    assert [check("Who", "what", value) for value in good] == good
    for value in low:
        with pytest.raises(ValueError, match=f"^For 'Who', the 'what' must be .* and must >=? 0, but got '{value}'"):
            check("Who", "what", value)
    for value in wrong:
        with pytest.raises(TypeError, match=f"^For 'Who', the .*'what' .*but got .*'{type(value).__name__}'"):
            check("Who", "what", value)


def test_numbers_become_floats_and_sizes_of_sequences_those_of_images():
    numbers = arguments.check_positive("Who", "what", 2), arguments.check_nonnegative("Who", "what", 0)
    assert [type(number) for number in numbers] == [float, float]
    # the owner may be empty
    with pytest.raises(ValueError, match="^The 'what' must be int and must > 0, but got '0' with type 'int'.$"):
        arguments.check_positive_int("", "what", 0)
    # sequences have the sizes of images one pixel high
    assert arguments.check_1d_sizes("Who", kernel_size=3, stride=1) == [(1, 3), (1, 1)]
    with pytest.raises(ValueError, match="^For 'Who', the 'stride' must be int and must > 0, but got '0'"):
        arguments.check_1d_sizes("Who", kernel_size=3, stride=0)
