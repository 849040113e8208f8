"""Right and wrong answers of the lessons themselves are in tests/test_tutorials.py."""

import pytest

from minigraph import Tensor, grad
from minigraph.core.op import TABLE
from minigraph.lessons import WrongAnswerError, check_hypot
from minigraph.lessons.check_operator import hypot_with
from tests.tables import error_cases

RIGHT = (lambda g, out, x, y: g * x / out, lambda g, out, x, y: g * y / out)


def test_equivalent_answers_are_accepted(capsys):
    check_hypot((lambda g, out, x, y: g / out * x, lambda g, out, x, y: y * (g / out)))
    assert capsys.readouterr().out.startswith("Right")


def test_the_operator_is_not_registered():
    hypot = hypot_with(RIGHT)
    assert hypot(Tensor(3.0), Tensor(4.0)).item() == 5
    assert grad(hypot, 1)(Tensor(3.0), Tensor(4.0)).item() == pytest.approx(0.8)
    assert "hypot" not in TABLE


test_what_is_missing_or_wrong = error_cases(
    ((RIGHT[0], None), "the rule for y is None"),
    ((), "has 0 rules"),
    ((*RIGHT, RIGHT[0]), "has 3 rules"),
    ((lambda g, out, x, y: g * x, RIGHT[1]), "the rule for x is wrong: at x ="),
    by=check_hypot,
    error=WrongAnswerError,
)
