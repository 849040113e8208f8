"""minigraph: see dynamic and static graphs, write passes and fusion rules, and know what they save.

Speaks MindSpore: ``import minigraph as ms``.
"""

from minigraph import context as context
from minigraph import dataset as dataset
from minigraph import eager as eager
from minigraph import ops as ops
from minigraph import types as dtype
from minigraph.capture.trace import trace
from minigraph.context import GRAPH_MODE, PYNATIVE_MODE, get_context, set_context
from minigraph.grad import GradOperation, grad, value_and_grad
from minigraph.ir.graph import Graph
from minigraph.jit import jit
from minigraph.run.interpret import interpret
from minigraph.tensor import Parameter, ParameterTuple, Tensor
from minigraph.types import (
    bool_,
    complex64,
    complex128,
    float16,
    float32,
    float64,
    int8,
    int16,
    int32,
    int64,
    uint8,
    uint16,
    uint32,
    uint64,
)
