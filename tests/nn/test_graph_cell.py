"""A loaded graph as a Cell."""

import pytest

from minigraph import Tensor, nn


def test_a_graph_is_called():
    assert nn.GraphCell(lambda x, by=1: x * by)(Tensor([2.0]), by=3).tolist() == [6.0]
    with pytest.raises(TypeError, match="ms.load"):
        nn.GraphCell(3)
