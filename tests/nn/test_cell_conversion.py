"""Cells in another dtype: Parameters stay the same objects, and compiled code sees the new types."""

import numpy as np
import pytest

import minigraph as ms
from minigraph import Tensor, nn
from tests.tables import error_cases

EACH_MODE = pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])


def net_with_buffers() -> nn.Cell:
    net = nn.SequentialCell(nn.Dense(2, 2, "ones", "zeros"), nn.ReLU())
    net.register_buffer("scale", Tensor([1.0]))
    net.register_buffer("count", Tensor([1]))
    return net


@EACH_MODE
def test_floats_are_converted_and_parameters_stay_the_same_objects(mode):
    ms.set_context(mode=mode)
    net, x = net_with_buffers(), Tensor([[1.0, 2.0]])
    weight = net[0].weight
    assert net(x).dtype is ms.float32
    assert net.to(ms.float16) is net and net[0].weight is weight
    assert (weight.dtype, net.scale.dtype, net.count.dtype) == (ms.float16, ms.float16, ms.int64)
    assert net(x.astype(ms.float16)).dtype is ms.float16
    assert net.to("CPU", ms.float64)(x.astype(ms.float64)).tolist() == [[3.0, 3.0]]
    assert net.to(x).to().to(device="CPU")(x).dtype is ms.float32


def test_new_memory_has_the_old_types():
    net = net_with_buffers()
    net.to_empty(recurse=False)
    assert (net.scale.tolist(), net[0].weight.tolist()) == ([0.0], [[1.0, 1.0], [1.0, 1.0]])
    assert net.to_empty(device="CPU")[0].weight.tolist() == np.zeros((2, 2)).tolist()


def convert_while_tracing():
    net = nn.ReLU()
    ms.jit(lambda x: net.to(ms.float16)(x), capture_mode="trace", fullgraph=True)(Tensor(1.0))


test_errors = error_cases(
    (lambda: nn.ReLU().to(ms.int32), TypeError, "only accepts floating point"),
    (lambda: nn.ReLU().to(3), TypeError, "got int; give a dtype"),
    (lambda: nn.ReLU().to(kind=3), TypeError, "'kind'"),
    (lambda: nn.ReLU().to("XPU"), ValueError, "no device 'XPU'"),
    (lambda: nn.ReLU().to_empty(device="XPU"), ValueError, "no device 'XPU'"),
    (convert_while_tracing, RuntimeError, "a graph cannot convert its Parameters"),
)
