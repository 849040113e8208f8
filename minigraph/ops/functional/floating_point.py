"""The spacing of floating-point numbers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from minigraph.core.autodiff.tape import full_like
from minigraph.core.float_limits import float_limits
from minigraph.core.tensor import Tensor
from minigraph.core.types import TensorType, broadcast
from minigraph.operators.families import check_kinds
from minigraph.operators.pyfunc import InputInfo, Types, call_python
from minigraph.ops.functional.forms import export
from minigraph.ops.functional.gamma_functions import reduce_to

FORMS = """
method: nextafter:NextAfter
function: eps:Eps
"""
export(globals())


def eps(x: Tensor) -> Tensor:
    """Machine epsilon of the dtype, the spacing of numbers at 1, in the shape of ``x``.

    >>> print(eps(Tensor([3.0])))
    [1.1920929e-07]
    """
    return full_like(x, float(float_limits(x.dtype.numpy).eps))


def nextafter(input: Tensor, other: Tensor) -> Tensor:
    """The next number after ``input`` in the direction of ``other``, elementwise; its derivative with respect to
    ``input`` is 1.

    >>> print(nextafter(Tensor([1.0]), Tensor([2.0])) - 1)
    [1.1920929e-07]
    """
    check_kinds("nextafter", "f", TensorType(input.shape, input.dtype), TensorType(other.shape, other.dtype))

    def infer(operands: Sequence[InputInfo]) -> Types:
        return (TensorType(broadcast(*(operand.shape for operand in operands)), operands[0].dtype),)

    def bprop(x: Tensor, y: Tensor, out: Tensor, dout: Tensor) -> tuple[Tensor, Tensor]:
        return reduce_to(dout, x), full_like(y, 0.0)

    result: Tensor = call_python("nextafter", np.nextafter, (input, other), infer=infer, bprop=bprop)
    return result
