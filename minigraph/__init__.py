"""minigraph: see dynamic and static graphs, write passes and fusion rules, and know what they save.

Speaks MindSpore: ``import minigraph as ms``.
"""

import importlib

from minigraph import common as common
from minigraph import communication as communication
from minigraph import context as context
from minigraph import dataset as dataset
from minigraph import eager as eager
from minigraph import nn as nn
from minigraph import numpy as numpy
from minigraph import ops as ops
from minigraph import runtime as runtime
from minigraph import train as train
from minigraph._version import __version__ as __version__
from minigraph.autodiff.grad import GradOperation, grad, value_and_grad
from minigraph.capture.trace import trace
from minigraph.common import dtype as dtype
from minigraph.common.api import jit_class, mutable
from minigraph.common.dtype import (
    bool_,
    byte,
    cdouble,
    cfloat,
    complex64,
    complex128,
    double,
    dtype_to_nptype,
    dtype_to_pytype,
    float16,
    float32,
    float64,
    float_,
    get_py_obj_dtype,
    half,
    int8,
    int16,
    int32,
    int64,
    int_,
    intc,
    intp,
    long,
    pytype_to_dtype,
    short,
    single,
    ubyte,
    uint8,
    uint16,
    uint32,
    uint64,
    uintc,
    uintp,
    ushort,
)
from minigraph.common.tensor import from_numpy, is_tensor, tensor
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
from minigraph.ground.missing import in_minigraph
from minigraph.ir.graph import Graph
from minigraph.jit import jit
from minigraph.op import op_named
from minigraph.ops import jacfwd, jacrev, jvp, vjp, vmap
from minigraph.run.interpret import interpret
from minigraph.seed import get_seed, set_seed
from minigraph.serialize import load_checkpoint, load_param_into_net, save_checkpoint
from minigraph.tensor import Parameter, ParameterTuple, Tensor
from minigraph.train import (
    MAE,
    MSE,
    Accuracy,
    Callback,
    Loss,
    LossMonitor,
    Metric,
    Model,
    RunContext,
    TimeMonitor,
)

__all__ = [
    "COMPATIBLE",
    "GRAPH_MODE",
    "LAX",
    "MAE",
    "MSE",
    "PYNATIVE_MODE",
    "STRICT",
    "Accuracy",
    "Callback",
    "GradOperation",
    "Graph",
    "Loss",
    "LossMonitor",
    "Metric",
    "Model",
    "ParallelMode",
    "Parameter",
    "ParameterTuple",
    "RunContext",
    "Tensor",
    "TimeMonitor",
    "bool_",
    "byte",
    "cdouble",
    "cfloat",
    "common",
    "complex64",
    "complex128",
    "context",
    "dataset",
    "double",
    "dtype",
    "dtype_to_nptype",
    "dtype_to_pytype",
    "eager",
    "float16",
    "float32",
    "float64",
    "float_",
    "from_numpy",
    "get_context",
    "get_current_device",
    "get_py_obj_dtype",
    "get_seed",
    "grad",
    "half",
    "int8",
    "int16",
    "int32",
    "int64",
    "int_",
    "intc",
    "interpret",
    "intp",
    "is_tensor",
    "jacfwd",
    "jacrev",
    "jit",
    "jit_class",
    "jvp",
    "load_checkpoint",
    "load_param_into_net",
    "long",
    "mutable",
    "nn",
    "numpy",
    "op_named",
    "ops",
    "pytype_to_dtype",
    "runtime",
    "save_checkpoint",
    "set_context",
    "set_deterministic",
    "set_device",
    "set_recursion_limit",
    "set_seed",
    "short",
    "simulate",
    "single",
    "tensor",
    "trace",
    "train",
    "ubyte",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "uintc",
    "uintp",
    "ushort",
    "value_and_grad",
    "vjp",
    "vmap",
]


def __getattr__(name: str) -> object:
    """``npu`` and ``simulate`` when they are first asked for: few programs need them, and they take time to import."""
    if name not in ("npu", "simulate"):
        return in_minigraph(name)
    room = importlib.import_module("minigraph.npu")
    return room if name == "npu" else room.simulate
