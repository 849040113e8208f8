"""Parameters under MindSpore's path."""

import minigraph as ms
from minigraph.common.parameter import Parameter, ParameterTuple


def test_the_classes_are_the_same():
    assert (Parameter, ParameterTuple) == (ms.Parameter, ms.ParameterTuple)
