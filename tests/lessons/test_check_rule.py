"""Right and wrong answers of the lessons themselves are in tests/test_tutorials.py."""

import pytest

import passes
from minigraph import ops
from minigraph.lessons import NotYet, check_scores_rule


def test_a_rule_that_takes_the_inner_value_away_is_refused():
    rule = passes.fuse("Scores", lambda q, k, s: ops.softmax(q @ k * s), recompute=True)
    with pytest.raises(NotYet, match="although the product inside is also returned"):
        check_scores_rule(rule)
