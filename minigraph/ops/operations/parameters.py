"""Primitives that assign to Parameters and scatter updates into them."""

from __future__ import annotations

from minigraph.core.aliases import Function, TensorLike
from minigraph.core.tensor import Tensor
from minigraph.operators import effects
from minigraph.ops import functional as F
from minigraph.ops.primitive import REQUIRED, primitive

__all__ = [
    "Assign", "IndexAdd", "ScatterAdd", "ScatterDiv", "ScatterMax", "ScatterMin", "ScatterMul", "ScatterNdAdd",
    "ScatterNdDiv", "ScatterNdMax", "ScatterNdMin", "ScatterNdMul", "ScatterNdSub", "ScatterNdUpdate", "ScatterSub",
    "ScatterUpdate",
]  # fmt: skip


# ---- assigning -------------------------------------------------------------------------------------


Assign = primitive("Assign", F.assign, effects.ASSIGN)

# ---- scatter updates -------------------------------------------------------------------------------


def _add_use_locking(function: Function) -> Function:
    """The function with MindSpore's attribute ``use_locking``, which has no effect here."""

    def scatter(input_x: Tensor, indices: Tensor, updates: Tensor, *, use_locking: bool) -> Tensor:
        return function(input_x, indices, updates)

    scatter.__doc__ = function.__doc__
    return scatter


def _index_add(
    x: Tensor, indices: Tensor, y: TensorLike, *, axis: int, use_lock: bool, check_index_bound: bool
) -> Tensor:
    """The slices of a Parameter at indices of an axis plus the slices of ``y``, in place."""
    return F.inplace_index_add(x, indices, y, axis)


ScatterUpdate = primitive("ScatterUpdate", _add_use_locking(F.scatter_update), use_locking=True)
ScatterAdd = primitive("ScatterAdd", _add_use_locking(F.scatter_add), use_locking=False)
ScatterSub = primitive("ScatterSub", _add_use_locking(F.scatter_sub), use_locking=False)
ScatterMul = primitive("ScatterMul", _add_use_locking(F.scatter_mul), use_locking=False)
ScatterDiv = primitive("ScatterDiv", _add_use_locking(F.scatter_div), use_locking=False)
ScatterMax = primitive("ScatterMax", _add_use_locking(F.scatter_max), use_locking=False)
ScatterMin = primitive("ScatterMin", _add_use_locking(F.scatter_min), use_locking=False)
ScatterNdUpdate = primitive("ScatterNdUpdate", _add_use_locking(F.scatter_nd_update), use_locking=True)
ScatterNdAdd = primitive("ScatterNdAdd", _add_use_locking(F.scatter_nd_add), use_locking=False)
ScatterNdSub = primitive("ScatterNdSub", _add_use_locking(F.scatter_nd_sub), use_locking=False)
ScatterNdMul = primitive("ScatterNdMul", _add_use_locking(F.scatter_nd_mul), use_locking=False)
ScatterNdDiv = primitive("ScatterNdDiv", _add_use_locking(F.scatter_nd_div), use_locking=False)
ScatterNdMax = primitive("ScatterNdMax", _add_use_locking(F.scatter_nd_max), use_locking=False)
ScatterNdMin = primitive("ScatterNdMin", _add_use_locking(F.scatter_nd_min), use_locking=False)
IndexAdd = primitive("IndexAdd", _index_add, axis=REQUIRED, use_lock=True, check_index_bound=True)
