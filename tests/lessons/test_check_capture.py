"""Right and wrong answers of the lessons themselves are in tests/test_tutorials.py."""

import pytest

from minigraph.lessons import NotYet, check_predictions

pytestmark = pytest.mark.filterwarnings("ignore::minigraph.capture.sideeffects.SideEffect")
TRUTH = {"eager_prints": 3, "jit_prints": 2, "graph_operators": 1, "compiles": 2}


def program(x):
    print("once")
    return x + x


def test_the_truth_is_counted_not_kept(capsys):
    check_predictions(program, TRUTH)
    assert capsys.readouterr().out == f"Right: {TRUTH}\n"


@pytest.mark.parametrize("name", TRUTH)
def test_each_prediction_is_compared(name):
    with pytest.raises(NotYet, match=rf"{name}: you said 7, it was {TRUTH[name]}: \w"):
        check_predictions(program, TRUTH | {name: 7})
    with pytest.raises(NotYet, match=f"no prediction yet for {name}:"):
        check_predictions(program, TRUTH | {name: None})
