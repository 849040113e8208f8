"""Right and wrong answers of the lessons themselves are in tests/test_tutorials.py."""

import pytest

import passes
from minigraph import ops
from minigraph.lessons import WrongAnswerError, check_scores_rule, check_standardize, numbers


def test_a_rule_that_fuses_a_returned_value_is_refused():
    rule = passes.fuse("Scores", lambda q, k, s: ops.softmax(q @ k * s), recompute=True)
    with pytest.raises(WrongAnswerError, match="although the inner product is also returned"):
        check_scores_rule(rule)


def textbook(x):
    mean = x.mean(-1, keep_dims=True)
    return (x - mean) / ops.sqrt(((x - mean) ** 2).mean(-1, keep_dims=True) + 1e-5)


def test_a_recognised_pattern_is_one_kernel_and_the_textbook_version_fails(capsys):
    def standardize(x):
        centered = x - x.mean(-1, keep_dims=True)
        return centered / ops.sqrt((centered * centered).mean(-1, keep_dims=True) + 1e-5)

    check_standardize(textbook, standardize, numbers(0, 64, 64))
    assert "became 1 that move" in capsys.readouterr().out
    with pytest.raises(WrongAnswerError, match="still depends on the mean"):
        check_standardize(textbook, textbook, numbers(0, 64, 64))
