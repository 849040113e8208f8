"""Parameters under MindSpore's path."""

import minigraph as ms
from minigraph.common.parameter import Parameter, ParameterTuple


def test_they_are_the_ones():
    assert (Parameter, ParameterTuple) == (ms.Parameter, ms.ParameterTuple)
