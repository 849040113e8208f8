"""ONNX's quantised operators, as arithmetic on integers, scales and zero points."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np

from minigraph import ops
from minigraph.core.aliases import Function
from minigraph.core.errors import ModelError
from minigraph.core.op import apply
from minigraph.core.tensor import Tensor
from minigraph.core.types import DType, float32, float64, int32, uint8
from minigraph.importers.onnx.convolution import conv
from minigraph.importers.onnx.elementwise import cast
from minigraph.importers.onnx.tensors import dtype_of_code
from minigraph.importers.operator_table import Converters, node_axis
from minigraph.importers.weights import constant

T = Tensor


def expand_parameter(parameter: T | None, x: T, axis: int, block: int) -> T | None:
    """Scales or zero points: one for all, one per slice of an axis, or one per block of it."""
    if parameter is None or parameter.size == 1 or parameter.ndim == 0:
        return None if parameter is None else apply("reshape", parameter, shape=())
    if block:
        length = x.shape[axis]
        dim = node_axis(axis, x.ndim)
        return ops.repeat_interleave(parameter, block, dim)[(*[slice(None)] * dim, slice(0, length))]
    shape = [1] * x.ndim
    shape[axis] = -1
    return apply("reshape", parameter, shape=tuple(shape)) if parameter.ndim == 1 else parameter


def saturate(x: T, dtype: DType) -> T:
    """Rounded numbers as integers, limited to the range of the dtype."""
    info = np.iinfo(dtype.numpy)
    double = cast(apply("round", x), float64)
    return cast(apply("minimum", apply("maximum", double, float(info.min)), float(info.max)), dtype)


def quantize(x: T, scale: T, zero: T | None, axis: int = 1, block: int = 0, code: int = 0) -> T:
    """``round(x / scale) + zero point`` as integers."""
    dtype = zero.dtype if zero is not None else dtype_of_code(code, "QuantizeLinear") if code else uint8
    if dtype.is_float:
        raise ModelError("numbers are quantised to integers only, not to float8; export the model without")
    steps = expand_parameter(scale, x, axis, block)
    ratio_dtype = steps.dtype if x.dtype.kind != "f" else x.dtype  # type: ignore[union-attr]
    ratio = apply("round", cast(cast(x, ratio_dtype) / cast(steps, ratio_dtype), float64))  # type: ignore[arg-type]
    offset = expand_parameter(zero, x, axis, block)
    return saturate(ratio if offset is None else ratio + cast(offset, float64), dtype)


def dequantize(x: T, scale: T | None, zero: T | None, axis: int, dtype: DType, block: int = 0) -> T:
    """``(x - zero point) * scale``, computed in a dtype; without a scale, in steps."""
    integers, offset = cast(x, dtype), expand_parameter(zero, x, axis, block)
    integers = integers if offset is None else integers - cast(offset, dtype)
    return integers if scale is None else integers * cast(expand_parameter(scale, x, axis, block), dtype)  # type: ignore[arg-type]


def product_of(product: Function, axes: tuple[int, int], operands: Sequence[T | None], bias: T | None = None) -> T:
    """A product of two quantised operands, each with its scale and zero point, in float64: of integers, exactly.

    ``axes`` are those along which an operand may have several scales. A bias is in steps of the product.
    """
    a, b = (dequantize(*operands[k : k + 3], axis, float64) for k, axis in zip((0, 3), axes, strict=True))  # type: ignore[call-arg,arg-type]
    if bias is None:
        return product(a, b)
    step = cast(operands[1], float64) * cast(operands[4], float64)  # type: ignore[arg-type]
    return product(a, b, cast(bias, float64) * step)


def quantize_dynamically(x: T) -> tuple[T, T, T]:
    """Quantised to uint8 by the range of the tensor: result, scale, zero point."""
    zero = constant(np.zeros((), np.float32))
    low, high = apply("minimum", apply("min", x), zero), apply("maximum", apply("max", x), zero)
    scale = (high - low) / 255
    offset = saturate(apply("minimum", apply("maximum", -low / scale, 0.0), 255.0), uint8)
    return quantize(x, scale, offset), scale, offset


MATMUL_AXES, CONV_AXES = (-2, -1), (1, 0)
CONVERTERS: Converters = {
    "QuantizeLinear": lambda x, scale, zero=None, *, axis=1, block_size=0, output_dtype=0, precision=0, saturate=1:
        quantize(x, scale, zero, axis, block_size, output_dtype),
    "DequantizeLinear": lambda x, scale, zero=None, *, axis=1, block_size=0, output_dtype=0: cast(
        dequantize(x, scale, zero, axis, float32, block_size),
        dtype_of_code(output_dtype, "DequantizeLinear") if output_dtype else scale.dtype),
    "DynamicQuantizeLinear": quantize_dynamically,
    "MatMulInteger": lambda a, b, a_zero=None, b_zero=None: cast(
        product_of(ops.matmul, MATMUL_AXES, (a, None, a_zero, b, None, b_zero)), int32),
    "ConvInteger": lambda x, w, x_zero=None, w_zero=None, **attrs: cast(
        product_of(partial(conv, **attrs), CONV_AXES, (x, None, x_zero, w, None, w_zero)), int32),
    "QLinearMatMul": lambda *operands: quantize(
        product_of(ops.matmul, MATMUL_AXES, operands[:6]), operands[6], operands[7], -2),
    "QLinearConv": lambda x, xs, xz, w, ws, wz, ys, yz, bias=None, **attrs: quantize(
        product_of(partial(conv, **attrs), CONV_AXES, (x, xs, xz, w, ws, wz), bias), ys, yz),
}  # fmt: skip
