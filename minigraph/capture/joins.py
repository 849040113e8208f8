"""Joins of values at control-flow merges: of two branches, or of a loop's state before and after an iteration.

As in abstract interpretation, two values are joined to one that represents both: numbers and tensors to a tensor, if
dtypes and shapes agree; equal numbers stay constants; everything else must be equal.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from minigraph.capture.body import is_leaf
from minigraph.capture.joined_containers import is_same_container
from minigraph.capture.joined_values import mark_alternatives, mark_numbers
from minigraph.capture.value_details import detail_of
from minigraph.core.aliases import PyTree
from minigraph.core.errors import ArgTypeError, BranchShapeError, MinigraphError, UnboundVarError
from minigraph.core.location import with_location
from minigraph.core.pytree import Spec, Static, flatten, unflatten
from minigraph.core.tensor import Tensor
from minigraph.core.tensor.conversion import short_repr
from minigraph.core.tensor.promotion import constant
from minigraph.core.types import DType, TensorType, scalar_dtype
from minigraph.ir.exact_keys import exact_key

Sides = tuple[str, str]
BRANCHES, ITERATIONS = ("in one branch", "in the other"), ("before an iteration", "after it")
CANNOT_JOIN = "Cannot join the return values of different branches, perhaps you need to make them equal."


class Undefined:
    """The value of an unbound variable."""

    def __repr__(self) -> str:
        return "<undefined>"


UNDEFINED = Undefined()


class Join(NamedTuple):
    """Joined alternatives: one column per leaf, and its joined type (``None``: the same number in all)."""

    spec: Spec
    columns: list[tuple[PyTree, ...]]
    types: list[TensorType | None]

    def tensors(self, alternative: int) -> list[tuple[object, TensorType]]:
        """The leaves of one alternative that become results of its body, with their joined types."""
        pairs = zip(self.columns, self.types, strict=True)
        return [(column[alternative], type) for column, type in pairs if type is not None]

    def rebuild(self, results: Sequence[object]) -> PyTree:
        """The structure rebuilt from results and constant numbers."""
        rest = iter(results)
        pairs = zip(self.columns, self.types, strict=True)
        variable = [column for column, type in pairs if type is not None]
        for value, column in zip(results, variable, strict=True):
            mark_alternatives(value, column)
        mark_numbers(results, variable)
        pairs = zip(self.columns, self.types, strict=True)
        return unflatten(self.spec, [column[0] if type is None else next(rest) for column, type in pairs])


def join(values: Sequence[PyTree], label: str = "the result", sides: Sides = BRANCHES) -> Join:
    """Join the alternatives of one value; raises ``TypeError`` or ``BranchShapeError`` if they cannot be joined.

    ``label`` names the value in errors, ``sides`` the two alternatives.
    """
    if is_same_container(values):
        return Join(Static(type(values[0]), "", values[0]), [], [])
    flat = [flatten(value, is_leaf, detail_of) for value in values]
    if any(spec != flat[0][1] for _, spec in flat):
        raise _structure_error(label, values, sides)
    columns = list(zip(*[leaves for leaves, _ in flat], strict=True))
    return Join(flat[0][1], columns, [_join_type(column, label, sides) for column in columns])


def join_variables(names: Sequence[str], states: Sequence[Sequence[object]], prefix: str) -> list[Join]:
    """One join per variable; generated variables, whose names begin with ``prefix``, are zeros where they are unbound.

    Raises ``UnboundLocalError`` for a variable that only one branch binds.
    """
    return [_join_variable(name, values, prefix) for name, values in zip(names, zip(*states, strict=True), strict=True)]


def _join_variable(name: str, values: tuple[object, ...], prefix: str) -> Join:
    defined = [value for value in values if value is not UNDEFINED]
    if len(defined) not in (0, len(values)):
        if not name.startswith(prefix):
            has, lacks = ("true", "false") if values[1] is UNDEFINED else ("false", "true")
            text = f"The local variable '{name}' is not defined in {lacks} branch, but defined in {has} branch."
            raise with_location(UnboundVarError(f"{text}\n'{name}': one branch sets it; give it a value before the if"))
        values = tuple(placeholder(defined[0]) if value is UNDEFINED else value for value in values)
    return join(values, f"'{name}'")


def placeholder(value: PyTree) -> PyTree:
    """A placeholder of the same structure, which is never read."""
    leaves, spec = flatten(value, is_leaf)
    return unflatten(spec, [zeros_of(x.type) if isinstance(x, Tensor) else x for x in leaves])


def zeros_of(type: TensorType) -> Tensor:
    """Zeros."""
    return constant(False, type.dtype) if not type.shape else Tensor.from_numpy(np.zeros(type.shape, type.dtype.numpy))


def as_tensor(value: PyTree, dtype: DType) -> Tensor:
    """A leaf as a tensor of its joined dtype."""
    return value if isinstance(value, Tensor) else constant(value, dtype)


def _join_type(column: tuple[PyTree, ...], label: str, sides: Sides) -> TensorType | None:
    tensors = [value for value in column if isinstance(value, Tensor)]
    if not tensors and len({exact_key(value) for value in column}) == 1:
        return None
    dtypes = {tensor.dtype for tensor in tensors}
    dtype = tensors[0].dtype if tensors else None
    for number in column:
        if not isinstance(number, Tensor):
            dtype = scalar_dtype(number, dtype)
    if len(dtypes | {dtype}) > 1 and tensors:
        raise _type_error(label, column, sides)
    shapes = [value.shape if isinstance(value, Tensor) else () for value in column]
    if len(set(shapes)) > 1:
        text = f"{_comparison(label, column, sides)}; give both one shape, so that one graph can represent both"
        raise with_location(BranchShapeError(text))
    assert dtype is not None
    return TensorType(shapes[0], dtype)


def _structure_error(label: str, values: Sequence[object], sides: Sides) -> MinigraphError:
    """The error for different structures; tuples or lists of different lengths count as different shapes."""
    sizes = {len(value) for value in values if isinstance(value, tuple | list)}
    if len({type(value) for value in values}) > 1 or len(sizes) < 2:
        return _type_error(label, values, sides)
    text = f"{_comparison(label, values, sides)}; give both one structure, so that one graph can represent both"
    return with_location(BranchShapeError(text))


def _type_error(label: str, values: Sequence[object], sides: Sides) -> MinigraphError:
    remedy = "give both one type, with x.astype(...) or a value for the one that has none"
    return with_location(ArgTypeError(f"{CANNOT_JOIN}\n{_comparison(label, values, sides)}; {remedy}"))


def _comparison(label: str, values: Sequence[object], sides: Sides) -> str:
    first, second = map(_describe, values)
    return f"{label} is {first} {sides[0]} and {'another' if second == first else second} {sides[1]}"


def _describe(value: object) -> str:
    if isinstance(value, Tensor):
        return str(value.type)
    if isinstance(value, tuple | list):
        return f"a {type(value).__name__} of {len(value)}"
    if isinstance(value, dict):
        return f"a dict of {', '.join(map(repr, value)) or 'nothing'}"
    return short_repr(value) if value is None or isinstance(value, str) else f"a {type(value).__name__}"
