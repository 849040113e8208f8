"""Right and wrong answers of the lessons themselves are in tests/test_tutorials.py."""

import pytest

from minigraph import ops
from minigraph.lessons import NotYet, check_rule_of_tanh


def test_another_way_to_write_the_right_rule(capsys):
    check_rule_of_tanh(lambda g, out, x: g - g * (out * out))
    assert "3 operators" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("rule", "says"),
    [
        (lambda g, out, x: g * (1 - out), r"%\d+ = mul .* is wrong: at x = .* the slope of tanh is 0\.\d+"),
        (lambda g, out, x: g * ops.ones_like(out) - g * out * out * 1.0, "where three do"),
    ],
)
def test_wrong_numbers_and_too_many_operators(rule, says):
    with pytest.raises(NotYet, match=says):
        check_rule_of_tanh(rule)
