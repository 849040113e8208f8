"""minigraph: see dynamic and static graphs, write passes and fusion rules, and know what they save.

Speaks MindSpore: ``import minigraph as ms``.
"""

from minigraph import context as context
from minigraph import dataset as dataset
from minigraph import eager as eager
from minigraph import nn as nn
from minigraph import numpy as numpy
from minigraph import ops as ops
from minigraph import runtime as runtime
from minigraph import train as train
from minigraph import types as dtype
from minigraph.capture.trace import trace
from minigraph.context import (
    COMPATIBLE,
    GRAPH_MODE,
    LAX,
    PYNATIVE_MODE,
    STRICT,
    ParallelMode,
    get_context,
    set_context,
)
from minigraph.device import get_current_device, set_deterministic, set_device, set_recursion_limit
from minigraph.grad import GradOperation, grad, value_and_grad
from minigraph.ir.graph import Graph
from minigraph.jit import jit
from minigraph.missing import in_minigraph as __getattr__  # noqa: F401 - Python calls it
from minigraph.npu import simulate
from minigraph.op import op_named
from minigraph.run.interpret import interpret
from minigraph.seed import get_seed, set_seed
from minigraph.serialize import load_checkpoint, load_param_into_net, save_checkpoint
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

__all__ = [
    "COMPATIBLE",
    "GRAPH_MODE",
    "LAX",
    "PYNATIVE_MODE",
    "STRICT",
    "GradOperation",
    "Graph",
    "ParallelMode",
    "Parameter",
    "ParameterTuple",
    "Tensor",
    "bool_",
    "complex64",
    "complex128",
    "context",
    "dataset",
    "dtype",
    "eager",
    "float16",
    "float32",
    "float64",
    "get_context",
    "get_current_device",
    "get_seed",
    "grad",
    "int8",
    "int16",
    "int32",
    "int64",
    "interpret",
    "jit",
    "load_checkpoint",
    "load_param_into_net",
    "nn",
    "numpy",
    "op_named",
    "ops",
    "runtime",
    "save_checkpoint",
    "set_context",
    "set_deterministic",
    "set_device",
    "set_recursion_limit",
    "set_seed",
    "simulate",
    "trace",
    "train",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "value_and_grad",
]
