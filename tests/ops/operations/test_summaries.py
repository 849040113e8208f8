"""Summary operators give values to the open records."""

import numpy as np
import pytest

import minigraph as ms
from minigraph import Tensor, nn, ops
from minigraph.ops.operations.summaries import RECORDERS


class Record:
    """Keeps the latest values, as ``SummaryRecord`` does."""

    def __init__(self):
        self.values = {}
        RECORDERS[self] = True

    def keep_latest(self, kind, name, array):
        self.values[kind, name] = array.tolist()


class Network(nn.Cell):
    """A network that shows what it computes."""

    def construct(self, x):
        y = x * 2
        ops.ScalarSummary()("sum", y.sum())
        ops.TensorSummary()("y", y)
        return y


def test_eager_and_compiled_networks_give_values():
    record = Record()
    for function in (Network(), ms.jit(Network()), ms.value_and_grad(Network())):
        record.values.clear()
        function(Tensor([1.0, 2.0]))
        assert record.values == {("scalar", "sum"): 6.0, ("tensor", "y"): [2.0, 4.0]}
    assert ops.ImageSummary()("picture", Tensor(np.ones((1, 1, 2, 2)))) is None
    ops.HistogramSummary()("values", Tensor([1.0]))
    assert set(record.values) > {("image", "picture"), ("histogram", "values")}
    del record
    Network()(Tensor([1.0]))


def test_a_name_and_a_tensor_are_needed():
    with pytest.raises(TypeError, match="ScalarSummary: needs a name and a tensor, got str and float"):
        ops.ScalarSummary()("loss", 1.0)
