"""Statistics: counts and their text."""

from collections import Counter

from minigraph.core.op_fields import Macs, Work
from passes import RuleStats, Statistics


def test_matches_are_rewrites_and_rejections():
    stats = RuleStats(10, 3, Counter({"where": 2, "order": 1}))
    assert stats.matches == 6
    assert str(stats) == "10 tries, 6 matches, 3 rewrites, 2 rejected (where), 1 rejected (order), 0.0 ms"


def test_recomputed_work_is_reported():
    added = Work(macs=(Macs(1, 4, 8, 2),), lanes=(("simple", 6),))
    assert "64 multiply-adds and 6 lanes recomputed" in str(RuleStats(added=added))
    assert "6 lanes recomputed" in str(RuleStats(added=Work(lanes=(("simple", 6),))))
    assert "recomputed" not in str(RuleStats())


def test_statistics_start_at_zero_for_every_rule():
    statistics = Statistics()
    statistics["a"].tries += 1
    assert statistics["a"].tries == 1 and "b" not in statistics and statistics["b"] == RuleStats()
