"""ONNX's quantised operators, as what they compute: integers, scales and zero points."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from minigraph import ops
from minigraph.core.aliases import Attrs
from minigraph.core.op import apply
from minigraph.core.tensor import Tensor
from minigraph.core.types import DType, float32, float64, int32, uint8
from minigraph.importers.onnx.convolution import convolve
from minigraph.importers.onnx.elementwise import cast
from minigraph.importers.onnx.tensors import dtype_of_code
from minigraph.importers.operator_table import Rows
from minigraph.importers.weights import constant

T = Tensor


def expand_parameter(parameter: T | None, x: T, axis: int, block: int) -> T | None:
    """Scales or zero points, of which there is one, one for each slice of an axis, or one for each block of it."""
    if parameter is None or parameter.size == 1 or parameter.ndim == 0:
        return None if parameter is None else apply("reshape", parameter, shape=())
    if block:
        length = x.shape[axis]
        whole = ops.repeat_interleave(parameter, block, axis % x.ndim)
        return whole[(*[slice(None)] * (axis % x.ndim), slice(0, length))]
    shape = [1] * x.ndim
    shape[axis] = -1
    return apply("reshape", parameter, shape=tuple(shape)) if parameter.ndim == 1 else parameter


def saturate(x: T, dtype: DType) -> T:
    """Rounded numbers as integers, limited to the range of the dtype."""
    info = np.iinfo(dtype.numpy)
    wide = cast(apply("round", x), float64)
    return cast(apply("minimum", apply("maximum", wide, float(info.min)), float(info.max)), dtype)


def quantize(x: T, scale: T, zero: T | None, axis: int = 1, block: int = 0, code: int = 0, precision: int = 0) -> T:
    """``round(x / scale) + zero point`` as integers."""
    dtype = zero.dtype if zero is not None else dtype_of_code(code, "QuantizeLinear") if code else uint8
    steps = expand_parameter(scale, x, axis, block)
    wide = steps.dtype if x.dtype.kind != "f" else x.dtype  # type: ignore[union-attr]
    ratio = apply("round", cast(cast(x, wide) / cast(steps, wide), float64))  # type: ignore[arg-type]
    offset = expand_parameter(zero, x, axis, block)
    return saturate(ratio if offset is None else ratio + cast(offset, float64), dtype)


def dequantize(x: T, scale: T, zero: T | None = None, axis: int = 1, block: int = 0, code: int = 0) -> T:
    """``(x - zero point) * scale``, in the dtype of the scale."""
    steps, offset = expand_parameter(scale, x, axis, block), expand_parameter(zero, x, axis, block)
    dtype = dtype_of_code(code, "DequantizeLinear") if code else scale.dtype
    centered = cast(x, float32) if offset is None else cast(x, float32) - cast(offset, float32)
    return cast(centered * cast(steps, float32), dtype)  # type: ignore[arg-type]


def subtract_zero_point(x: T, zero: T | None, axis: int) -> T:
    """Integers minus their zero point, as float64, in which products of integers are exact."""
    wide = cast(x, float64)
    return wide if zero is None else wide - cast(expand_parameter(zero, x, axis, 0), float64)  # type: ignore[arg-type]


def integer_product(product: Callable[[T, T], T], a: T, b: T, a_zero: T | None, b_zero: T | None, axis: int) -> T:
    """A product of integers as int32."""
    return cast(
        product(subtract_zero_point(a, a_zero, -2 if axis == -1 else 0), subtract_zero_point(b, b_zero, axis)), int32
    )


def quantized_product(product: Callable[[T, T], T], axis: int, operands: tuple[T, ...], bias: T | None = None) -> T:
    """A product of quantised operands, quantised again; ``operands`` are a, its scale and zero, b, ..., result."""
    a, a_scale, a_zero, b, b_scale, b_zero, scale, zero = operands
    out = product(subtract_zero_point(a, a_zero, -2 if axis == -1 else 0), subtract_zero_point(b, b_zero, axis))
    channels = (-1,) if axis == -1 else (-1, *(1,) * (a.ndim - 2))
    if bias is not None:
        out = out + cast(apply("reshape", bias, shape=channels), float64)
    factors = [cast(s, float64) for s in (a_scale, b_scale, scale)]
    if axis == -1 and factors[0].size > 1:
        factors[0] = apply("reshape", factors[0], shape=(-1, 1))
    shaped = [
        f if f.size > 1 and axis == -1 else apply("reshape", f, shape=channels if f.size > 1 else ()) for f in factors
    ]
    ratio = apply("round", out * (shaped[0] * shaped[1] / shaped[2]))
    return saturate(ratio + cast(apply("reshape", zero, shape=()), float64), zero.dtype)


def quantize_dynamically(x: T) -> tuple[T, T, T]:
    """Quantised to uint8 by the range of the tensor: result, scale, zero point."""
    zero = constant(np.zeros((), np.float32))
    low, high = apply("minimum", apply("min", x), zero), apply("maximum", apply("max", x), zero)
    scale = (high - low) / 255
    offset = saturate(apply("minimum", apply("maximum", -low / scale, 0.0), 255.0), uint8)
    return quantize(x, scale, offset), scale, offset


def _convolution(attrs: Attrs) -> Callable[[T, T], T]:
    return lambda x, w: convolve(x, w, **attrs)


ROWS: Rows = {
    "QuantizeLinear": lambda x, scale, zero=None, *, axis=1, block_size=0, output_dtype=0, precision=0, saturate=1:
        quantize(x, scale, zero, axis, block_size, output_dtype, precision),
    "DequantizeLinear": lambda x, scale, zero=None, *, axis=1, block_size=0, output_dtype=0: dequantize(
        x, scale, zero, axis, block_size, output_dtype),
    "DynamicQuantizeLinear": quantize_dynamically,
    "MatMulInteger": lambda a, b, a_zero=None, b_zero=None: integer_product(ops.matmul, a, b, a_zero, b_zero, -1),
    "ConvInteger": lambda x, w, x_zero=None, w_zero=None, **attrs: integer_product(
        _convolution(attrs), x, w, x_zero, w_zero, 0),
    "QLinearMatMul": lambda *operands: quantized_product(ops.matmul, -1, operands),
    "QLinearConv": lambda x, xs, xz, w, ws, wz, ys, yz, bias=None, **attrs: quantized_product(
        _convolution(attrs), 0, (x, xs, xz, w, ws, wz, ys, yz), bias),
}  # fmt: skip
