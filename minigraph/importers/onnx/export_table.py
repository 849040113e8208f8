"""The table of our operators as ONNX nodes, for ``to_onnx``; others as their expansion.

A converter is a function of a ``Call``: ``call("Add", *call.ins)`` writes a node and gives the name of its result.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from minigraph.core.aliases import Array
from minigraph.core.types import bool_, float32, int64
from minigraph.importers.onnx.elementwise import BINARY_OPERATORS, FLOAT_OPERATORS, UNARY_OPERATORS
from minigraph.importers.onnx.export_call import Call, Names
from minigraph.importers.onnx.export_indexing import add_at, index, index_add, set_item
from minigraph.operators.reduce import broadcast_axes


def write_unchanged(kind: str) -> Callable[[Call], Names]:
    """A converter to one ONNX node with the same operands."""
    return lambda c: c(kind, *c.ins)


def as_float(kind: str) -> Callable[[Call], Names]:
    """A converter to one ONNX node on floats."""
    return lambda c: c(kind, *(c.ins if c.types[0].dtype.is_float else [c.cast(x, c.out[0].dtype) for x in c.ins]))


def write_sequence(*kinds: str) -> Callable[[Call], Names]:
    """A converter to ONNX nodes one after the other."""

    def write(c: Call) -> Names:
        name = c(kinds[0], *c.ins)
        for kind in kinds[1:]:
            name = c(kind, name)
        return name

    return write


def write_reduction(kind: str) -> Callable[[Call], Names]:
    """A reduction over axes (``None``: all), in the dtype of our result."""

    def write(c: Call) -> Names:
        axis, out = c.attrs["axis"], c.out[0].dtype
        axes = range(c.types[0].ndim) if axis is None else axis
        dtype = out if out is not bool_ else int64
        x = c.ins[0] if c.types[0].dtype is dtype else c.cast(c.ins[0], dtype)
        if not len(tuple(axes)):
            return c("Identity", x) if dtype is out else c.cast(x, out)
        name = c(kind, x, c.ints(list(axes)), keepdims=int(c.attrs["keepdims"]))
        return name if dtype is out else c.cast(name, out)

    return write


def position(kind: str) -> Callable[[Call], Names]:
    """The position of an extremum."""

    def write(c: Call) -> Names:
        x, axis = c.ins[0], c.attrs["axis"]
        x = c("Reshape", x, c.ints([-1])) if axis is None else x
        x = c.cast(x, int64) if c.types[0].dtype is bool_ else x
        return c.cast(c(kind, x, axis=axis or 0, keepdims=0), c.out[0].dtype)

    return write


def floor_mod(c: Call) -> Names:
    """The remainder with the sign of the divisor."""
    if not c.types[0].dtype.is_float:
        return c("Mod", *c.ins)
    return c("Sub", c.ins[0], c("Mul", c("Floor", c("Div", *c.ins)), c.ins[1]))


def floor_div(c: Call) -> Names:
    """The quotient rounded down."""
    if c.types[0].dtype.is_float:
        return c("Floor", c("Div", *c.ins))
    return c("Div", c("Sub", c.ins[0], c("Mod", *c.ins)), c.ins[1])


def window_positions(shape: Sequence[int], kernel: Sequence[int], stride: Sequence[int]) -> Array:
    """The flat positions of the elements of all windows of images."""
    flat = np.arange(math.prod(shape)).reshape(shape)
    positions = np.lib.stride_tricks.sliding_window_view(flat, kernel, axis=(2, 3))
    return positions[:, :, :: stride[0], :: stride[1]]


def windows(c: Call) -> Names:
    """All windows of images."""
    positions = window_positions(c.types[0].shape, c.attrs["kernel"], c.attrs["stride"])
    return c("Gather", c("Reshape", c.ins[0], c.ints([-1])), c.ints(positions), axis=0)


def windows_add(c: Call) -> Names:
    """The windows of images, each element added where it came from."""
    shape = c.attrs["shape"]
    return add_at(c, c.ints(window_positions(shape, c.attrs["kernel"], c.attrs["stride"])), c.ins[0], shape)


def scatter_sum(c: Call) -> Names:
    """The sum of terms at keys."""
    total = []
    for name, type, key in zip(c.ins, c.types, c.attrs["keys"], strict=True):
        part = Call(c.write, [name], [type], c.out, {"key": key, "shape": c.attrs["shape"]}, c.constant)
        total.append(str(index_add(part)))
    return c("Sum", *total) if len(total) > 1 else total[0]


def one_hot(c: Call) -> Names:
    """Ones at indices along a new axis."""
    values = c.constant(np.array([0, 1], c.attrs["dtype"].numpy if c.attrs["dtype"] is not bool_ else np.int64))
    axis = c.attrs["axis"]
    # an index out of range gives a row of zeros; ONNX would count a negative one from the end
    valid = c("Where", c("Less", c.ins[0], c.number(0)), c.number(c.attrs["depth"]), c.ins[0])
    hot = c("OneHot", valid, c.ints(c.attrs["depth"]), values, axis=axis)
    return hot if c.attrs["dtype"] is not bool_ else c.cast(hot, bool_)


def conv(c: Call) -> Names:
    """A convolution of images."""
    (top, bottom), (left, right) = c.attrs["padding"]
    return c("Conv", *c.ins, **window(c), pads=[top, left, bottom, right])


def window(c: Call) -> dict[str, Any]:
    """The attributes of a sliding window."""
    return {"strides": list(c.attrs["stride"]), "dilations": list(c.attrs["dilation"]), "group": c.attrs["group"]}


def conv_input_grad(c: Call) -> Names:
    """The gradient of a convolution for its images: a transposed convolution."""
    (top, bottom), (left, right) = c.attrs["padding"]
    sizes, kernel = c.attrs["shape"][2:], c.types[1].shape[2:]
    extra = [
        n + sum(p) - (s * (m - 1) + (k - 1) * d + 1)
        for n, p, s, m, k, d in zip(sizes, c.attrs["padding"], c.attrs["stride"], c.types[0].shape[2:], kernel,
                                    c.attrs["dilation"], strict=True)
    ]  # fmt: skip
    return c("ConvTranspose", *c.ins, **window(c), pads=[top, left, bottom, right], output_padding=extra)


def argsort(c: Call) -> Names:
    """Positions in sorted order."""
    if not c.types[0].ndim:
        return c.constant(np.zeros((), np.int64))
    count = c.ints([c.types[0].shape[c.attrs["axis"]]])
    return c.with_results("TopK", 2, c.ins[0], count, axis=c.attrs["axis"], largest=int(c.attrs["descending"]))[1]


def matmul(c: Call) -> Names:
    """A matrix product; of small integers in their own dtype."""
    if c.types[0].dtype.is_float or c.types[0].dtype.itemsize >= 4:
        return c("MatMul", *c.ins)
    return c.cast(c("MatMul", *(c.cast(x, int64) for x in c.ins)), c.out[0].dtype)


def sum_to(c: Call) -> Names:
    """The sum over axes along which a smaller tensor is broadcast."""
    axes = broadcast_axes(c.types[0].shape, c.attrs["shape"])
    x = c("ReduceSum", c.ins[0], c.ints(axes), keepdims=1) if axes else c.ins[0]
    return c("Reshape", x, c.ints(c.attrs["shape"]), allowzero=1)


def on_floats(kind: str) -> Callable[[Call], Names]:
    """A test of floats; integers are finite numbers."""
    return lambda c: c(kind, c.ins[0] if c.types[0].dtype.is_float else c.cast(c.ins[0], float32))


def reshape(c: Call) -> Names:
    """The elements in the shape of our result."""
    return c("Reshape", c.ins[0], c.ints(c.out[0].shape), allowzero=1)


def is_finite(c: Call) -> Names:
    """Neither infinite nor NaN."""
    return c("Not", c("Or", str(on_floats("IsInf")(c)), str(on_floats("IsNaN")(c))))


CONVERTERS: Mapping[str, Callable[[Call], Names]] = {
    **{op: write_unchanged(kind) for kind, op in (UNARY_OPERATORS | BINARY_OPERATORS).items()},
    **{op: as_float(kind) for kind, op in FLOAT_OPERATORS.items()},
    **{op: write_unchanged(kind) for op, kind in {
        "div": "Div", "pow": "Pow", "maximum": "Max", "minimum": "Min", "where": "Where", "stop_gradient": "Identity",
        "real": "Identity", "conj": "Identity",
    }.items()},
    "depend": lambda c: c.ins[0],
    "custom_gradient": lambda c: c.ins[: len(c.out)],
    "square": lambda c: c("Mul", c.ins[0], c.ins[0]),
    "log_abs_det": lambda c: c("Log", c("Abs", c("Det", *c.ins))),
    "det_sign": lambda c: c("Sign", c("Det", *c.ins)),
    "log2": lambda c: c("Div", c("Log", *c.ins), c.number(math.log(2))),
    "log10": lambda c: c("Div", c("Log", *c.ins), c.number(math.log(10))),
    "exp2": lambda c: c("Pow", c.number(2), *c.ins),
    "rsqrt": write_sequence("Sqrt", "Reciprocal"),
    "trunc": lambda c: c("Mul", c("Floor", c("Abs", *c.ins)), c("Sign", *c.ins)),
    "fmod": lambda c: c("Mod", *c.ins, fmod=1),
    "floor_div": floor_div, "floor_mod": floor_mod,
    "bitwise_left_shift": lambda c: c("BitShift", *c.ins, direction="LEFT"),
    "bitwise_right_shift": lambda c: c("BitShift", *c.ins, direction="RIGHT"),
    "not_equal": write_sequence("Equal", "Not"),
    "isnan": on_floats("IsNaN"), "isinf": on_floats("IsInf"), "isfinite": is_finite,
    "cast": lambda c: c.cast(c.ins[0], c.attrs["dtype"]),
    "sum": write_reduction("ReduceSum"), "mean": write_reduction("ReduceMean"), "prod": write_reduction("ReduceProd"),
    "max": write_reduction("ReduceMax"), "first_max": write_reduction("ReduceMax"), "any": write_reduction("ReduceSum"),
    "min": write_reduction("ReduceMin"), "first_min": write_reduction("ReduceMin"), "all": write_reduction("ReduceMin"),
    "logsumexp": write_reduction("ReduceLogSumExp"), "argmax": position("ArgMax"), "argmin": position("ArgMin"),
    "sum_to": sum_to, "sum_rows": lambda c: c("ReduceSum", *c.ins, c.ints([0]), keepdims=0),
    "reshape": reshape, "flatten": reshape, "expand_dims": reshape, "squeeze": reshape,
    "transpose": lambda c: c("Transpose", *c.ins, perm=list(c.attrs["axes"])) if c.types[0].ndim else c.ins[0],
    "to_chwn": lambda c: c("Transpose", *c.ins, perm=[1, 2, 3, 0]),
    "to_nchw": lambda c: c("Transpose", *c.ins, perm=[3, 0, 1, 2]),
    "broadcast_to": lambda c: c("Expand", *c.ins, c.ints(c.attrs["shape"])),
    "concat": lambda c: c("Concat", *c.ins, axis=c.attrs["axis"]),
    "stack": lambda c: c("Concat", *(c("Unsqueeze", x, c.ints([c.attrs["axis"]])) for x in c.ins),
                         axis=c.attrs["axis"]),
    "split": lambda c: c.with_results("Split", len(c.out), *c.ins, c.ints([t.shape[c.attrs["axis"]] for t in c.out]),
                              axis=c.attrs["axis"]),
    "pad": lambda c: c("Pad", *c.ins, c.ints([p[side] for side in (0, 1) for p in c.attrs["widths"]]),
                       c.number(c.attrs["value"])),
    "full": lambda c: c("Expand", c.number(c.attrs["value"], c.out[0].dtype), c.ints(c.attrs["shape"])),
    "arange": lambda c: c.constant(np.arange(c.out[0].size, dtype=c.out[0].dtype.numpy) * c.out[0].dtype.numpy.type(
        c.attrs["step"]) + c.out[0].dtype.numpy.type(c.attrs["start"])),
    "eye": lambda c: c.constant(np.eye(*c.out[0].shape, dtype=c.out[0].dtype.numpy)),
    "index": index, "index_add": index_add, "set_item": set_item, "scatter_sum": scatter_sum,
    "windows": windows, "windows_add": windows_add,
    "one_hot": one_hot, "matmul": matmul, "argsort": argsort,
    "einsum": lambda c: c("Einsum", *c.ins, equation=c.attrs["equation"]),
    "cumsum": lambda c: c("CumSum", *c.ins, c.ints(c.attrs["axis"])),
    "conv2d": conv, "conv2d_input_grad": conv_input_grad,
    "gelu": lambda c: c("Gelu", *c.ins, approximate=c.attrs["approximate"]),
    "softmax": lambda c: c("Softmax", *c.ins, axis=c.attrs["axis"]),
}  # fmt: skip
