"""Higher-order functions: mapping over sequences, dispatch by type, clipping gradients."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from minigraph.core.aliases import CallResult, Function, PyTree
from minigraph.core.autodiff.grad_operation import GradOperation
from minigraph.core.errors import ArgRuntimeError, ArgTypeError, DTypeError, UsageError
from minigraph.core.location import with_location
from minigraph.core.op import apply, is_eager
from minigraph.core.tensor import Parameter, Tensor
from minigraph.core.tensor.promotion import converted_function
from minigraph.core.types import float32
from minigraph.operators import comparison, elementwise, reduce
from minigraph.ops.functional.arithmetic import clip_by_value

__all__ = [
    "GradOperation", "HyperMap", "Map", "MultitypeFuncGraph", "clip_by_global_norm", "clip_by_norm", "clip_by_value",
    "partial",
]  # fmt: skip


# ---- mapping ---------------------------------------------------------------------------------------


class Map:
    """``Map()(fn, xs, ys)`` is the tuple of ``fn(x, y)``; ``Map(fn)(xs, ys)`` is the same.

    >>> Map()(lambda x, y: x + y, [1, 2], (10, 20))
    (11, 22)
    """

    def __init__(self, ops: Function | None = None, reverse: bool = False) -> None:
        self.ops, self.reverse = ops, reverse

    def __call__(self, *args: PyTree) -> tuple[PyTree, ...]:
        """The results as a tuple; raises ``UsageError`` when the lengths of the sequences differ."""
        fn, sequences = (args[0], args[1:]) if self.ops is None else (self.ops, args)
        if len({len(sequence) for sequence in sequences}) != 1:
            lengths = " and ".join(str(len(sequence)) for sequence in sequences) or "none"
            raise with_location(UsageError(f"{type(self).__name__}: expected sequences of one length, got {lengths}"))
        rows = list(zip(*sequences, strict=True))
        results = [self._apply(fn, row) for row in (reversed(rows) if self.reverse else rows)]
        return tuple(reversed(results) if self.reverse else results)

    def _apply(self, fn: Function, row: tuple[PyTree, ...]) -> int:
        return converted_function(fn)(*row)


class HyperMap(Map):
    """``Map`` for nested sequences: ``fn`` is applied to the leaves.

    >>> HyperMap()(lambda x: x * 2, (1, (2, [3])))
    (2, (4, (6,)))
    """

    def _apply(self, fn: Function, row: tuple[PyTree, ...]) -> PyTree:
        return HyperMap(fn, self.reverse)(*row) if isinstance(row[0], tuple | list) else converted_function(fn)(*row)


# ---- dispatch by type ------------------------------------------------------------------------------

TYPES_BY_NAME: dict[str, tuple[type, ...]] = {
    "Tensor": (Tensor,), "Parameter": (Parameter,), "Number": (bool, int, float, complex), "Bool": (bool,),
    "Int": (int,), "Int32": (int,), "Int64": (int,), "Float": (float,), "Float32": (float,), "Float64": (float,),
    "String": (str,), "Tuple": (tuple,), "List": (list,), "Dictionary": (dict,), "NoneType": (type(None),),
    "Function": (type(lambda: None), partial),
}  # fmt: skip


class MultitypeFuncGraph:
    """One name for several functions, dispatched by the types of the arguments.

    >>> add = MultitypeFuncGraph("add")
    >>> @add.register("Number", "Number")
    ... def add_numbers(x, y):
    ...     return x + y
    >>> add(1, 2)
    3
    """

    def __init__(self, name: str, read_value: bool = False) -> None:
        self.name = name
        self.entries: list[tuple[tuple[Any, ...], Function]] = []

    def register(self, *type_names: object) -> Callable[[Function], Function]:
        """A decorator for the function of arguments of these types: names such as "Tensor", or classes.

        Raises ``UsageError`` for an unknown name.
        """
        for name in type_names:
            if isinstance(name, str) and name not in TYPES_BY_NAME:
                text = f"MultitypeFuncGraph '{self.name}': no type '{name}'"
                raise with_location(UsageError(f"{text}; known: {', '.join(TYPES_BY_NAME)}"))
        types = tuple(TYPES_BY_NAME[name] if isinstance(name, str) else name for name in type_names)

        def add_entry(fn: Function) -> Function:
            self.entries.append((types, fn))
            return fn

        return add_entry

    def __call__(self, *args: PyTree) -> PyTree:
        """The result of the first function registered for these types; raises ``TypeError`` if there is none."""
        for types, fn in self.entries:
            if len(types) == len(args) and all(map(isinstance, args, types)):
                return converted_function(fn)(*args)
        got = ", ".join(type(arg).__name__ for arg in args)
        raise with_location(
            DTypeError(f"MultitypeFuncGraph '{self.name}': nothing registered for ({got}); register it")
        )

    def __repr__(self) -> str:
        return f"MultitypeFuncGraph[{self.name}]"


# ---- clipping --------------------------------------------------------------------------------------


def clip_by_norm(
    x: Tensor | Sequence[Tensor], max_norm: float, norm_type: float = 2.0, error_if_nonfinite: bool = False
) -> CallResult:
    """Tensors scaled by one factor so that their common norm is at most ``max_norm``; one tensor, or a sequence.

    The norm, of order ``norm_type``, is the norm of all elements together. With ``error_if_nonfinite`` an infinite norm
    or NaN raises ``RuntimeError``; under ``@jit`` it does not, because values are not known.
    """
    tensors = [x] if isinstance(x, Tensor) else list(x)
    powers = [apply(reduce.SUM, apply(elementwise.POW, apply(elementwise.ABS, t), norm_type)) for t in tensors]
    norm = apply(elementwise.POW, sum(powers[1:], powers[0]), 1 / norm_type)
    if error_if_nonfinite and is_eager() and not apply(comparison.ISFINITE, norm):
        text = f"clip_by_norm: the norm of the tensors is {norm}; clip finite tensors, or set error_if_nonfinite=False"
        raise with_location(ArgRuntimeError(text))
    factor = apply(elementwise.MINIMUM, max_norm / (norm + 1e-6), 1.0)
    clipped = tuple(t * factor for t in tensors)
    return clipped[0] if isinstance(x, Tensor) else clipped


def clip_by_global_norm(x: Sequence[Tensor], clip_norm: float = 1.0, use_norm: object = None) -> tuple[Tensor, ...]:
    """Tensors scaled so that the root of the sum of all their squares is at most ``clip_norm``.

    >>> print(clip_by_global_norm([Tensor([3.0, 4.0])], 1.0)[0])
    [0.6 0.8]
    """
    if not isinstance(x, tuple | list):
        raise ArgTypeError(f"For 'clip_by_global_norm', the 'x' must be a list or tuple of tensors, but got {type(x)}.")
    squares = [apply(reduce.SUM, apply(elementwise.SQUARE, apply(elementwise.CAST, t, dtype=float32))) for t in x]
    norm = apply(elementwise.SQRT, sum(squares[1:], squares[0]))
    bound = apply(comparison.WHERE, norm > clip_norm, norm, clip_norm)
    return tuple(apply(elementwise.CAST, t * clip_norm / bound, dtype=t.dtype) for t in x)
