"""vmap: a function of one example, vectorised over a batch axis of its inputs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from minigraph.core.aliases import CallResult, Function, IntOrTuple, PyTree, TensorLike
from minigraph.core.autodiff.grad import named_after
from minigraph.core.errors import ArgRuntimeError, ArgTypeError
from minigraph.core.tensor import Tensor
from minigraph.ops.functional.creation import zeros
from minigraph.ops.functional.joining import stack

__all__ = ["vmap"]


Axes = Any  # an axis, ``None``, or a tuple of them for a tuple of tensors


def vmap(fn: Function, in_axes: Axes = 0, out_axes: IntOrTuple | None = 0) -> Function:
    """Vectorises ``fn``: applies it to each example along an axis of its inputs and stacks the results.

    ``in_axes`` is the batch axis of every input, or one per input (``None``: not batched), likewise for inputs that are
    tuples; ``out_axes`` is the batch axis of the results. Of a ``CellList`` each Cell gets one example. The examples
    run one after the other.

    >>> print(vmap(lambda x, y: (x * y).sum(), (0, None))(Tensor([[1.0, 2.0], [3.0, 4.0]]), Tensor([1.0, 10.0])))
    [21. 43.]
    """
    several: Any = fn if hasattr(type(fn), "__iter__") else ()  # a CellList
    members: list[Function] = [*several]
    if not callable(fn):
        raise ArgTypeError(f"vmap: expected a function, got {type(fn).__name__}")

    def map_examples(*inputs: PyTree) -> CallResult:
        """Apply ``fn`` to every example and stack the results; raises ``RuntimeError`` for different batch sizes."""
        axes_in = _axis_per_tensor("in_axes", in_axes, inputs)
        counts = set(_batch_sizes(inputs, axes_in)) | ({len(members)} if members else set())
        if len(counts) != 1:
            sizes = f"got {' and '.join(map(str, sorted(counts)))}" if counts else "but all axes are None"
            raise ArgRuntimeError(f"vmap: the inputs must have one batch size along in_axes, {sizes}")
        count = counts.pop()
        if not count:
            return _map_nothing(map_examples, inputs, axes_in, out_axes)
        fns = members or [fn] * count
        outs = [fns[i](*_example(inputs, axes_in, i)) for i in range(count)]
        if not isinstance(outs[0], tuple | list):
            return _stack_results(outs, out_axes)
        axes = _axis_per_tensor("out_axes", out_axes, outs[0], 1)
        results = zip(zip(*outs, strict=True), axes, strict=True)
        return type(outs[0])(_stack_results(result, axis) for result, axis in results)

    return named_after(fn, "vmap", map_examples)


def _batch_sizes(tensor: PyTree, axis: Axes) -> list[int]:
    """The sizes of the batch axes of a tensor, or of all in a tuple."""
    if isinstance(tensor, tuple | list):
        return [size for pair in zip(tensor, axis, strict=True) for size in _batch_sizes(*pair)]
    return [] if axis is None else [tensor.shape[axis]]


def _map_nothing(
    map_examples: Function, inputs: Sequence[PyTree], axes_in: Sequence[Axes], out_axes: IntOrTuple | None
) -> CallResult:
    """The results of an empty batch: those of one example of zeros, without the example."""
    results = map_examples(*(_zero_example(*pair) for pair in zip(inputs, axes_in, strict=True)))
    if isinstance(results, Tensor):
        return _no_example(results, out_axes)
    axes = _axis_per_tensor("out_axes", out_axes, results, 0)
    return type(results)(_no_example(result, axis) for result, axis in zip(results, axes, strict=True))


def _zero_example(tensor: PyTree, axis: Axes) -> PyTree:
    """Zeros for an empty tensor: one example along the axis."""
    if isinstance(tensor, tuple | list):
        return type(tensor)(_zero_example(*pair) for pair in zip(tensor, axis, strict=True))
    if axis is None:
        return tensor
    return zeros([1 if at == axis % tensor.ndim else size for at, size in enumerate(tensor.shape)], tensor.dtype)


def _no_example(tensor: Tensor, axis: Any) -> Tensor:
    return tensor[(slice(None),) * (axis % tensor.ndim) + (slice(0),)]


def _stack_results(results: Sequence[TensorLike], axis: IntOrTuple | None) -> Tensor:
    if not isinstance(axis, int):
        raise ArgRuntimeError(f"vmap: out_axes must be an integer, got {axis!r}")
    return stack([result if isinstance(result, Tensor) else Tensor(result) for result in results], axis)


def _axis_per_tensor(argument: str, axes: Axes, tensors: Sequence[PyTree], extra: int = 0) -> Sequence[Axes]:
    """The axis of each tensor, where the results have ``extra`` axes more than the tensors; of a tuple, a list."""
    per_tensor = axes if isinstance(axes, tuple | list) else [axes] * len(tensors)
    if len(per_tensor) != len(tensors):
        raise ArgRuntimeError(
            f"vmap: {argument} has {len(per_tensor)} axes for {len(tensors)} tensors; give one for each"
        )
    return [_axis_of(argument, *pair, extra) for pair in zip(per_tensor, tensors, strict=True)]


def _axis_of(argument: str, axis: Axes, tensor: PyTree, extra: int) -> Axes:
    if isinstance(tensor, tuple | list):
        return _axis_per_tensor(argument, axis, tensor, extra)
    rank = (tensor.ndim if isinstance(tensor, Tensor) else 0) + extra
    if axis is not None and not (isinstance(axis, int) and -rank <= axis < rank):
        problem = f"{argument} has {axis!r} for a tensor of {rank} axes; give an axis of it, or None"
        raise ArgRuntimeError(f"vmap: {problem}")
    return axis


def _example(tensor: PyTree, axis: Axes, index: int) -> PyTree:
    """The example of a tensor, or of each in a tuple."""
    if isinstance(tensor, tuple | list):
        return type(tensor)(_example(*pair, index) for pair in zip(tensor, axis, strict=True))
    return tensor if axis is None else tensor[(slice(None),) * (axis % tensor.ndim) + (index,)]
