"""Kernels for dtypes that numpy does not compute with: bfloat16 is computed in float32, and each result is rounded."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from minigraph.core.aliases import Array, CallResult, Function
from minigraph.core.errors import MinigraphError
from minigraph.core.op import Op, forward_of, use_interpreter
from minigraph.core.tensor.tensor import Tensor, wrap
from minigraph.core.types import bfloat16, float32, type_of, widen


def emulating_kernel(op: Op) -> Function:
    """The kernel of an operator for operands of which some are bfloat16: it computes in float32 and rounds its results.

    Composites round after each of their operators, as their expansion does. Views and functions on the host get the
    operands unchanged.
    """
    if op.view or op.effects or op.unit in ("none", "scalar"):
        return forward_of(op)
    return partial(_run_expansion, op.expand) if op.expand else partial(_run_in_float32, op)


def _run_in_float32(op: Op, *arrays: Array, out: Array | None = None, **attrs: Any) -> Array | tuple[Array, ...]:
    """The results of an operator in the dtypes that its type rule gives, computed in float32."""
    operand_types = list(map(type_of, arrays))
    try:
        types = op.types(operand_types, attrs)
    except MinigraphError:  # the shape of its results depends on values
        types = ()
    if (
        types
        and op.unit == "move"
        and not op.work(types if len(types) > 1 else types[0], *operand_types, **attrs).lanes
    ):
        return _copy_to_out(out, forward_of(op)(*arrays, **attrs))  # a copy: nothing is computed
    result = forward_of(op)(*map(widen, arrays), **attrs)
    results = list(map(np.asarray, result if isinstance(result, tuple) else (result,)))
    dtypes = [type.dtype for type in types] or [
        bfloat16 if array.dtype == float32.numpy else type_of(array).dtype for array in results
    ]
    rounded = tuple([array.astype(dtype.numpy, copy=False) for array, dtype in zip(results, dtypes, strict=True)])
    return _copy_to_out(out, rounded if isinstance(result, tuple) else rounded[0])


def _run_expansion(
    expand: Function, *arrays: Array, out: Array | None = None, **attrs: Any
) -> Array | tuple[Array, ...]:
    """The results of a composite's expansion, each of whose operators rounds."""
    result: CallResult = use_interpreter(None, alone=True).call(expand, *map(wrap, arrays), **attrs)
    return _copy_to_out(out, result.array if isinstance(result, Tensor) else tuple([tensor.array for tensor in result]))


def _copy_to_out(out: Array | None, result: Array | tuple[Array, ...]) -> Array | tuple[Array, ...]:
    """The result; in ``out``, if there is one."""
    if out is None or isinstance(result, tuple):
        return result
    out[...] = result
    return out
