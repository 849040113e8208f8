"""minigraph: dynamic and static graphs, passes and fusion rules, and their cost on a simulated NPU.

The API is MindSpore's: ``import minigraph as ms``. Every name is imported at first use. The list for
type checkers and the table below it must agree, which a test checks.
"""

from typing import TYPE_CHECKING

from minigraph.core.lazy import attach

if TYPE_CHECKING:  # isort: off
    from minigraph import (
        amp as amp, common as common, communication as communication, context as context, dataset as dataset, errors as
        errors, experimental as experimental, mindrecord as mindrecord, mint as mint, nn as nn, npu as npu, numpy as
        numpy, ops as ops, parallel as parallel, profiler as profiler, runtime as runtime, train as train,
    )  # fmt: skip
    from minigraph._version import __version__ as __version__
    from minigraph.capture.trace import trace
    from minigraph.common import dtype as dtype
    from minigraph.common.api import jit_class, lazy_inline, mutable, no_inline
    from minigraph.common.device import (
        get_current_device, run_check, set_deterministic, set_device, set_recursion_limit,
    )  # fmt: skip
    from minigraph.common.dtype import (
        Int, TensorType, Type, bfloat16, bool_, byte, cdouble, cfloat, complex64, complex128, double,
        dtype_to_nptype, dtype_to_pytype, float16, float32, float64, float_, get_py_obj_dtype, half, int8,
        int16, int32, int64, int_, intc, intp, long, pytype_to_dtype, short, single, ubyte, uint8, uint16,
        uint32, uint64, uintc, uintp, ushort, list_, number, string, tensor_type, tuple_, type_none,
    )  # fmt: skip
    from minigraph.common.generator import (
        Generator, default_generator, get_rng_state, initial_seed, manual_seed, seed, set_rng_state,
    )  # fmt: skip
    from minigraph.common.recompute import recompute
    from minigraph.common.seed import get_seed, set_seed
    from minigraph.common.tensor import from_numpy, frombuffer, is_tensor, tensor
    from minigraph.compilation import JitConfig, jit
    from minigraph.core.autodiff.grad import grad, value_and_grad
    from minigraph.core.autodiff.grad_operation import GradOperation, get_grad
    from minigraph.core.context import (
        COMPATIBLE, GRAPH_MODE, LAX, PYNATIVE_MODE, STRICT, ParallelMode, get_context, set_context,
    )  # fmt: skip
    from minigraph.core.op import op_named
    from minigraph.core.tensor import eager as eager
    from minigraph.core.tensor.abstract import abstract_parameters
    from minigraph.core.tensor.fast_path import Parameter, ParameterTuple, Tensor
    from minigraph.execute.interpret import interpret
    from minigraph.importers.onnx.load import load_onnx
    from minigraph.importers.onnx.mindspore_files import export, load
    from minigraph.importers.onnx.writer import to_onnx
    from minigraph.importers.torch.load import from_torch
    from minigraph.ir.graph import Graph
    from minigraph.npu import simulate
    from minigraph.ops import COOTensor, CSRTensor, RowTensor, SparseTensor, jacfwd, jacrev, jvp, vjp, vmap
    from minigraph.serialize import load_checkpoint, load_param_into_net, save_checkpoint
    from minigraph.train import (
        MAE, MSE, Accuracy, Callback, Loss, LossMonitor, Metric, Model, RunContext, TimeMonitor,
    )  # fmt: skip
    from minigraph.train.loss_scale_manager import (
        DynamicLossScaleManager, FixedLossScaleManager, LossScaleManager,
    )  # fmt: skip
else:
    __getattr__, __dir__ = attach(
        __name__,
        {
            "": (
                "amp common communication context dataset errors experimental mindrecord mint nn npu numpy ops "
                "parallel profiler runtime train"
            ),
            "minigraph._version": "__version__",
            "minigraph.capture.trace": "trace",
            "minigraph.common": "dtype",
            "minigraph.common.api": "jit_class lazy_inline mutable no_inline",
            "minigraph.common.device": "get_current_device run_check set_deterministic set_device set_recursion_limit",
            "minigraph.common.dtype": (
                "Int TensorType Type bfloat16 bool_ byte cdouble cfloat complex64 complex128 double dtype_to_nptype "
                "dtype_to_pytype float16 float32 float64 float_ get_py_obj_dtype half int8 int16 int32 int64 int_ "
                "intc intp long pytype_to_dtype short single ubyte uint8 uint16 uint32 uint64 uintc uintp ushort "
                "list_ number string tensor_type tuple_ type_none"
            ),
            "minigraph.common.generator": (
                "Generator default_generator get_rng_state initial_seed manual_seed seed set_rng_state"
            ),
            "minigraph.common.recompute": "recompute",
            "minigraph.common.seed": "get_seed set_seed",
            "minigraph.common.tensor": "from_numpy frombuffer is_tensor tensor",
            "minigraph.compilation": "JitConfig jit",
            "minigraph.core.autodiff.grad": "grad value_and_grad",
            "minigraph.core.autodiff.grad_operation": "GradOperation get_grad",
            "minigraph.core.context": (
                "COMPATIBLE GRAPH_MODE LAX PYNATIVE_MODE STRICT ParallelMode get_context set_context"
            ),
            "minigraph.core.op": "op_named",
            "minigraph.core.tensor": "eager",
            "minigraph.core.tensor.abstract": "abstract_parameters",
            "minigraph.core.tensor.fast_path": "Parameter ParameterTuple Tensor",
            "minigraph.execute.interpret": "interpret",
            "minigraph.importers.onnx.load": "load_onnx",
            "minigraph.importers.onnx.mindspore_files": "export load",
            "minigraph.importers.onnx.writer": "to_onnx",
            "minigraph.importers.torch.load": "from_torch",
            "minigraph.ir.graph": "Graph",
            "minigraph.npu": "simulate",
            "minigraph.ops": "COOTensor CSRTensor RowTensor SparseTensor jacfwd jacrev jvp vjp vmap",
            "minigraph.serialize": "load_checkpoint load_param_into_net save_checkpoint",
            "minigraph.train.loss_scale_manager": "DynamicLossScaleManager FixedLossScaleManager LossScaleManager",
            "minigraph.train": "MAE MSE Accuracy Callback Loss LossMonitor Metric Model RunContext TimeMonitor",
        },
        missing="minigraph.core.missing_names:minigraph_getattr",
    )

__all__ = [
    "COMPATIBLE", "GRAPH_MODE", "LAX", "MAE", "MSE", "PYNATIVE_MODE", "STRICT", "Accuracy", "COOTensor", "CSRTensor",
    "Callback", "DynamicLossScaleManager", "FixedLossScaleManager", "Generator", "GradOperation", "Graph", "Int",
    "JitConfig", "Loss", "LossMonitor", "LossScaleManager", "Metric", "Model", "ParallelMode", "Parameter",
    "ParameterTuple", "RowTensor", "RunContext", "SparseTensor", "Tensor", "TensorType", "TimeMonitor", "Type",
    "abstract_parameters", "amp", "bfloat16", "bool_", "byte", "cdouble", "cfloat", "common", "complex64", "complex128",
    "context", "dataset", "default_generator", "double", "dtype", "dtype_to_nptype", "dtype_to_pytype", "eager",
    "export", "float16", "float32", "float64", "float_", "from_numpy", "from_torch", "frombuffer", "get_context",
    "get_current_device", "get_grad", "get_py_obj_dtype", "get_rng_state", "get_seed", "grad", "half", "initial_seed",
    "int8", "int16", "int32", "int64", "int_", "intc", "interpret", "intp", "is_tensor", "jacfwd", "jacrev", "jit",
    "jit_class", "jvp", "lazy_inline", "list_", "load", "load_checkpoint", "load_onnx", "load_param_into_net", "long",
    "manual_seed", "mindrecord", "mutable", "nn", "no_inline", "number", "numpy", "op_named", "ops", "pytype_to_dtype",
    "recompute", "run_check", "runtime", "save_checkpoint", "seed", "set_context", "set_deterministic", "set_device",
    "set_recursion_limit", "set_rng_state", "set_seed", "short", "simulate", "single", "string", "tensor",
    "tensor_type", "to_onnx", "trace", "train", "tuple_", "type_none", "ubyte", "uint8", "uint16", "uint32", "uint64",
    "uintc", "uintp", "ushort", "value_and_grad", "vjp", "vmap",
]  # fmt: skip
