"""Periods of a loop, from states between its iterations."""

from minigraph.npu.engine.steady_state import State, steady_period


def test_a_steady_state_needs_three_equal_periods():
    def period(*times, counts=None):
        return steady_period([State(list(t), [c]) for t, c in zip(times, counts or range(len(times)), strict=True)])

    assert period([0], [7], [14]) == 0
    assert period([0], [7], [14], [21]) == 1
    assert period([0], [3], [10], [13], [20], [23], [30]) == 2
    assert period([0], [7], [14], [21], counts=[0, 1, 2, 4]) == 0
    assert period([100, 0], [107, 6], [114, 12], [121, 18]) == 1  # a time that falls behind never binds
    assert period([100, 0], [107, 8], [114, 16], [121, 24]) == 0  # a time that catches up will bind


def test_only_the_given_periods_are_looked_for():
    states = [State([100 * (k // 5) + (0, 7, 11, 18, 40)[k % 5]], [k]) for k in range(16)]
    assert steady_period(states) == 0
    assert steady_period(states, (1, 5)) == 5
    assert steady_period(states[:15], (1, 5)) == 0
