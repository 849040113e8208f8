"""Right and wrong answers of the lessons themselves are in tests/test_tutorials.py."""

import pytest

from minigraph.lessons import WrongAnswerError, check_gcd, check_predictions

pytestmark = pytest.mark.filterwarnings("ignore::minigraph.capture.side_effects.SideEffectWarning")
TRUTH = {"eager_prints": 3, "jit_prints": 2, "graph_operators": 1, "compiles": 2}


def program(x):
    print("once")
    return x + x


def test_right_predictions_are_counted_on_the_program(capsys):
    check_predictions(program, TRUTH)
    assert capsys.readouterr().out == f"Right: {TRUTH}\n"


@pytest.mark.parametrize("name", TRUTH)
def test_each_prediction_is_compared(name):
    with pytest.raises(WrongAnswerError, match=rf"{name}: you predicted 7, the result is {TRUTH[name]}: \w"):
        check_predictions(program, TRUTH | {name: 7})
    with pytest.raises(WrongAnswerError, match=f"no prediction yet for {name}:"):
        check_predictions(program, TRUTH | {name: None})


def gcd_by_subtraction(a, b):
    while b != 0:
        if a >= b:
            a = a - b
        else:
            a, b = b, a
    return a


def test_another_algorithm_passes_and_a_loop_that_ends_too_early_fails(capsys):
    def gcd_that_stops_early(a, b):
        while b > 6:
            a, b = b, a % b
        return a

    check_gcd(gcd_by_subtraction)
    assert "is the loop" in capsys.readouterr().out
    with pytest.raises(WrongAnswerError, match=r"gcd\(12, 18\) is 6, not 12"):
        check_gcd(gcd_that_stops_early)
