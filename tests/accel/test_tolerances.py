"""The kernels that are not bit-identical are listed, with a tolerance and a reason."""

from minigraph.accel.kernels.table import FORWARDS
from minigraph.accel.tolerances import TOLERANCES


def test_only_tuned_kernels_have_a_tolerance_each_with_a_reason():
    assert TOLERANCES.keys() <= FORWARDS.keys()
    assert all(tolerance.epsilons <= 8 and tolerance.reason for tolerance in TOLERANCES.values())
