"""The kernels that are not exact are named, with a reason."""

from minigraph.accel.kernels.table import FORWARDS
from minigraph.accel.near import NEAR


def test_only_tuned_kernels_are_near_and_each_says_why():
    assert NEAR.keys() <= FORWARDS.keys()
    assert all(near.epsilons <= 8 and near.reason for near in NEAR.values())
