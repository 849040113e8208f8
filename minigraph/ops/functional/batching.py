"""Vectorising maps: a function of one example applied along an axis of its inputs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from minigraph.core.errors import RuntimeArgument, TypeArgument
from minigraph.core.tensor import Tensor
from minigraph.ops.functional.jacobians import Function
from minigraph.ops.functional.joining import stack

__all__ = ["vmap"]


def vmap(fn: Function, in_axes: Any = 0, out_axes: Any = 0) -> Function:
    """A function of many cases: ``fn`` for each place along an axis of its inputs, the results side by side.

    ``in_axes`` is the axis of every input, or one (``None``: the same for all cases) for each; ``out_axes`` is
    where the cases are in the results. The cases are run one after the other.

    >>> print(vmap(lambda x, y: (x * y).sum(), (0, None))(Tensor([[1.0, 2.0], [3.0, 4.0]]), Tensor([1.0, 10.0])))
    [21. 43.]
    """
    if not callable(fn):
        raise TypeArgument(f"vmap: a function is wanted, got {type(fn).__name__}")

    def mapped(*inputs: Any) -> Any:
        places = _aligned("in_axes", in_axes, inputs)
        counts = {one.shape[axis] for one, axis in zip(inputs, places, strict=True) if axis is not None}
        if len(counts) != 1:
            told = f"got {' and '.join(map(str, sorted(counts)))}" if counts else "but all axes are None"
            raise RuntimeArgument(f"vmap: the inputs have one number of cases along their axes, {told}")
        if counts == {0}:
            raise RuntimeArgument("vmap: no cases, so nobody knows what the results are; give one at least")
        outs = [fn(*(_case(*pair, at) for pair in zip(inputs, places, strict=True))) for at in range(counts.pop())]
        if not isinstance(outs[0], tuple | list):
            return _side_by_side(outs, out_axes)
        axes = _aligned("out_axes", out_axes, outs[0], 1)
        results = zip(zip(*outs, strict=True), axes, strict=True)
        return type(outs[0])(_side_by_side(result, axis) for result, axis in results)

    return mapped


def _side_by_side(cases: Sequence[Any], axis: Any) -> Any:
    if not isinstance(axis, int):
        raise RuntimeArgument(f"vmap: out_axes says where the cases are in a result, got {axis!r}; give a number")
    return stack([case if isinstance(case, Tensor) else Tensor(case) for case in cases], axis)


def _aligned(what: str, axes: Any, items: Sequence[Any], more: int = 0) -> Sequence[Any]:
    """The axis of each tensor, which has ``more`` axes than it shows."""
    each = axes if isinstance(axes, tuple | list) else [axes] * len(items)
    if len(each) != len(items):
        raise RuntimeArgument(f"vmap: {what} has {len(each)} axes for {len(items)} tensors; give one for each")
    for axis, item in zip(each, items, strict=True):
        rank = (item.ndim if isinstance(item, Tensor) else 0) + more
        if axis is not None and not (isinstance(axis, int) and -rank <= axis < rank):
            told = f"{what} has {axis!r} for a tensor of {rank} axes; give an axis of it, or None"
            raise RuntimeArgument(f"vmap: {told}")
    return each


def _case(given: Any, axis: int | None, at: int) -> Any:
    if axis is None:
        return given
    return given[(slice(None),) * (axis % given.ndim) + (at,)]
