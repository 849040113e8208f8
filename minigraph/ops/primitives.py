"""MindSpore's primitives: ``ops.MatMul(transpose_b=True)(x, w)`` is configured first and called then.

Each line of the table is one class: its name, the function it calls, the operator that this is (where it is
exactly one), and the defaults of its configuration.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minigraph.errors import UsageError, ValueArgument, did_you_mean
from minigraph.op import Op, apply
from minigraph.ops import compare, control, conv, effects, elementwise, joining, linalg, losses, reduce, regions, views
from minigraph.ops import nn as activations
from minigraph.ops.functional import math, nn, shape, state
from minigraph.ops.functional.calls import RECORDS

__all__ = [
    "Abs",
    "Add",
    "Assign",
    "AssignAdd",
    "AssignSub",
    "BatchMatMul",
    "BiasAdd",
    "BroadcastTo",
    "Cast",
    "Ceil",
    "Concat",
    "Conv2D",
    "Cos",
    "Depend",
    "Div",
    "Equal",
    "Erf",
    "Exp",
    "ExpandDims",
    "Floor",
    "FloorDiv",
    "FloorMod",
    "ForiLoop",
    "Gather",
    "GeLU",
    "Greater",
    "GreaterEqual",
    "Less",
    "LessEqual",
    "Log",
    "LogSoftmax",
    "LogicalAnd",
    "LogicalNot",
    "LogicalOr",
    "MatMul",
    "Maximum",
    "Minimum",
    "Mul",
    "Neg",
    "NotEqual",
    "OneHot",
    "OnesLike",
    "Pow",
    "Primitive",
    "Print",
    "ReLU",
    "RealDiv",
    "Reciprocal",
    "ReduceMax",
    "ReduceMean",
    "ReduceMin",
    "ReduceSum",
    "Reshape",
    "Round",
    "Rsqrt",
    "Scan",
    "Select",
    "Sigmoid",
    "Sign",
    "Sin",
    "Softmax",
    "Sqrt",
    "Square",
    "Squeeze",
    "Stack",
    "Sub",
    "Tan",
    "Tanh",
    "Tile",
    "Transpose",
    "WhileLoop",
    "ZerosLike",
]  # fmt: skip


_names: dict[Op, str] = {}  # operator -> the first primitive of the table that is it


class Primitive:
    """An operator with its configuration; ``name`` is MindSpore's.

    Raises ``UsageError`` for a configuration that the primitive has not.
    """

    name = ""
    function: Callable[..., Any]
    defaults: dict[str, Any]

    def __init__(self, *args: Any, **config: Any) -> None:
        if len(args) > len(self.defaults):
            raise UsageError(f"{self.name}: takes {len(self.defaults)} configuration values, got {len(args)}")
        self.config = self.defaults | dict(zip(self.defaults, args, strict=False)) | config
        for key in self.config:
            if key not in self.defaults:
                raise UsageError(f"{self.name}: no configuration '{key}'{did_you_mean(key, self.defaults)}")

    def __call__(self, *inputs: Any) -> Any:
        """The result of the function for these inputs."""
        return type(self).function(*inputs, **self.config)

    def __repr__(self) -> str:
        shown = ", ".join(f"{key}={value}" for key, value in self.config.items())
        return f"Prim[{self.name}]" + (f"<{shown}>" if shown else "")


def primitive(name: str, function: Callable[..., Any], of: Op | None = None, **defaults: Any) -> type[Primitive]:
    """A class of primitives: ``function`` called with the inputs and the configuration as keywords.

    ``of`` is the operator it calls; functions that are exactly one operator know it themselves.

    >>> primitive("Softmax", nn.softmax, axis=-1)()
    Prim[Softmax]<axis=-1>
    """
    record = of or RECORDS.get(function)
    if record is not None:
        _names.setdefault(record, name)
    first_line = (function.__doc__ or name).partition("\n")[0]
    body = {"name": name, "function": staticmethod(function), "defaults": defaults, "__doc__": first_line}
    return type(name, (Primitive,), body)


def primitive_name(op: Op) -> str:
    """What MindSpore calls an operator: the name of its primitive, else its own in camel case.

    >>> from minigraph.ops.create import FULL
    >>> primitive_name(reduce.SUM), primitive_name(FULL)
    ('ReduceSum', 'Full')
    """
    camel = "".join(part[:1].upper() + part[1:] for part in op.name.split("_"))
    return _names.get(op) or camel or op.name


# ---- what differs from the functions ---------------------------------------------------------------


def _matmul(x: Any, y: Any, transpose_a: bool, transpose_b: bool) -> Any:
    if x.ndim != 2 or y.ndim != 2:
        raise ValueArgument("MatMul inputs should have the same dimension size and equal to 2.")
    return _batch_matmul(x, y, transpose_a, transpose_b)


def _batch_matmul(x: Any, y: Any, transpose_a: bool, transpose_b: bool) -> Any:
    return math.matmul(x.mT if transpose_a else x, y.mT if transpose_b else y)


def _reduction(name: str, op: Op) -> type[Primitive]:
    return primitive(
        name, lambda x, axis=(), *, keep_dims: apply(op, x, axis=axis, keepdims=keep_dims), op, keep_dims=False
    )


def _conv2d(x: Any, weight: Any, *, out_channel: int, kernel_size: Any, pad_mode: str, pad: Any, **config: Any) -> Any:
    return nn.conv2d(x, weight, None, config["stride"], pad_mode, pad, config["dilation"], config["group"])


def _one_hot(indices: Any, depth: int, on_value: Any, off_value: Any, *, axis: int) -> Any:
    return shape.one_hot(indices, depth, on_value, off_value, axis)


# ---- the table -------------------------------------------------------------------------------------

Add, Sub, Mul = primitive("Add", math.add), primitive("Sub", math.sub), primitive("Mul", math.mul)
Div, RealDiv = primitive("Div", math.div, elementwise.DIV), primitive("RealDiv", math.div)
FloorDiv, FloorMod = primitive("FloorDiv", math.floor_div), primitive("FloorMod", math.floor_mod)
Pow, Maximum, Minimum = (
    primitive("Pow", math.pow, elementwise.POW), primitive("Maximum", math.maximum), primitive("Minimum", math.minimum)
)  # fmt: skip
Neg, Abs, Sign = primitive("Neg", math.neg), primitive("Abs", math.abs), primitive("Sign", math.sign)
Exp, Log, Square = primitive("Exp", math.exp), primitive("Log", math.log), primitive("Square", math.square)
Sqrt, Rsqrt = primitive("Sqrt", math.sqrt), primitive("Rsqrt", math.rsqrt)
Reciprocal, Erf = primitive("Reciprocal", math.reciprocal), primitive("Erf", math.erf)
Sin, Cos, Tan = primitive("Sin", math.sin), primitive("Cos", math.cos), primitive("Tan", math.tan)
Floor, Ceil, Round = primitive("Floor", math.floor), primitive("Ceil", math.ceil), primitive("Round", math.round)
Cast, Select = primitive("Cast", math.cast, elementwise.CAST), primitive("Select", math.where, compare.WHERE)
Equal, NotEqual = primitive("Equal", math.equal), primitive("NotEqual", math.not_equal)
Less, LessEqual = primitive("Less", math.less), primitive("LessEqual", math.less_equal)
Greater, GreaterEqual = primitive("Greater", math.greater), primitive("GreaterEqual", math.greater_equal)
LogicalAnd, LogicalOr = primitive("LogicalAnd", math.logical_and), primitive("LogicalOr", math.logical_or)
LogicalNot = primitive("LogicalNot", math.logical_not)

MatMul = primitive("MatMul", _matmul, linalg.MATMUL, transpose_a=False, transpose_b=False)
BatchMatMul = primitive("BatchMatMul", _batch_matmul, transpose_a=False, transpose_b=False)

ReduceSum, ReduceMean = _reduction("ReduceSum", reduce.SUM), _reduction("ReduceMean", reduce.MEAN)
ReduceMax, ReduceMin = _reduction("ReduceMax", reduce.MAX), _reduction("ReduceMin", reduce.MIN)

Reshape = primitive("Reshape", shape.reshape, views.RESHAPE)
Transpose = primitive("Transpose", shape.transpose, views.TRANSPOSE)
ExpandDims = primitive("ExpandDims", shape.expand_dims, views.EXPAND_DIMS)
Squeeze = primitive("Squeeze", shape.squeeze, views.SQUEEZE, axis=None)
BroadcastTo = primitive("BroadcastTo", shape.broadcast_to, views.BROADCAST_TO, shape=())
Tile = primitive("Tile", shape.tile)
Concat = primitive("Concat", shape.concat, joining.CONCAT, axis=0)
Stack = primitive("Stack", shape.stack, joining.STACK, axis=0)
Gather, OneHot = primitive("Gather", shape.gather), primitive("OneHot", _one_hot, losses.ONE_HOT, axis=-1)
ZerosLike, OnesLike = primitive("ZerosLike", shape.zeros_like), primitive("OnesLike", shape.ones_like)

ReLU, Tanh, Sigmoid = primitive("ReLU", nn.relu), primitive("Tanh", math.tanh), primitive("Sigmoid", nn.sigmoid)
GeLU = primitive("GeLU", lambda x: nn.gelu(x, approximate="tanh"), activations.GELU)
Softmax = primitive("Softmax", nn.softmax, activations.SOFTMAX, axis=-1)
LogSoftmax = primitive("LogSoftmax", nn.log_softmax, activations.LOG_SOFTMAX, axis=-1)
BiasAdd = primitive("BiasAdd", nn.bias_add)
Conv2D = primitive(
    "Conv2D", _conv2d, conv.CONV2D,
    out_channel=1, kernel_size=1, mode=1, pad_mode="valid", pad=0, stride=1, dilation=1, group=1,
)  # fmt: skip

Assign, AssignAdd = primitive("Assign", state.assign, effects.ASSIGN), primitive("AssignAdd", state.assign_add)
AssignSub = primitive("AssignSub", state.assign_sub)
Depend, Print = primitive("Depend", state.depend, effects.DEPEND), primitive("Print", state.print_, effects.PRINT)


# ---- loops -----------------------------------------------------------------------------------------


class WhileLoop:
    """``WhileLoop()(cond_func, loop_func, init_val)``: the same as ``while_loop``."""

    def __call__(self, cond_func: Callable[..., Any], loop_func: Callable[..., Any], init_val: Any) -> Any:
        """The value after the loop."""
        return control.while_loop(cond_func, loop_func, init_val)


class ForiLoop:
    """``ForiLoop()(lower, upper, loop_func, init_val)``: the same as ``fori_loop``."""

    def __call__(
        self, lower: Any, upper: Any, loop_func: Callable[..., Any], init_val: Any, unroll: bool = True
    ) -> Any:
        """The value after the loop."""
        return control.fori_loop(lower, upper, loop_func, init_val)


class Scan:
    """``Scan()(loop_func, init, xs, length)``: the same as ``scan``."""

    def __call__(
        self, loop_func: Callable[..., Any], init: Any, xs: Any, length: int | None = None, unroll: bool = True
    ) -> tuple[Any, Any]:
        """The last value and the stacked results."""
        return control.scan(loop_func, init, xs, length)


_names |= {regions.WHILE: WhileLoop.__name__, regions.SCAN: Scan.__name__}
