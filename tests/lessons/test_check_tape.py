"""Right and wrong answers of the lessons themselves are in tests/test_tutorials.py."""

import pytest

from minigraph import grad, ops
from minigraph.lessons import WrongAnswerError, check_hvp, check_rule_of_tanh
from tests.tables import error_cases


def test_another_way_to_write_the_right_rule(capsys):
    check_rule_of_tanh(lambda g, out, x: g - g * (out * out))
    assert "3 operators" in capsys.readouterr().out


test_wrong_numbers_and_too_many_operators = error_cases(
    (lambda g, out, x: g * (1 - out), r"%\d+ = mul .* is wrong: at x = .* the derivative of tanh is 0\.\d+"),
    (lambda g, out, x: g * ops.ones_like(out) - g * out * out * 1.0, "three are enough"),
    by=check_rule_of_tanh,
    error=WrongAnswerError,
)


def test_another_way_to_write_the_product(capsys):
    check_hvp(lambda f, x, v: grad(lambda y: (v * grad(f)(y)).sum())(x))
    assert capsys.readouterr().out.startswith("Right")


def test_wrong_numbers_are_shown_with_the_right_ones():
    with pytest.raises(WrongAnswerError, match=r"%\d+ = .* the Hessian times v is \["):
        check_hvp(lambda f, x, v: x * v)
