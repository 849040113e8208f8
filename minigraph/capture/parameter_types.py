"""The guard of Parameters: programs read their values at every call, and assume only their shapes and dtypes."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import Any, NamedTuple

from minigraph.core.tensor import Parameter, Tensor


class ParameterTypesGuard(NamedTuple):
    """Guards the shapes and dtypes of Parameters; their values may change."""

    parameters: tuple[Parameter, ...]
    types: list[Any]

    @property
    def holds(self) -> bool:
        """Whether all have the same shape and dtype."""
        return types_of(self.parameters) == self.types

    @property
    def description(self) -> str:
        """The types in words, with the first Parameter whose type differs."""
        pairs = zip(self.parameters, types_of(self.parameters), self.types, strict=True)
        changed = next((parameter.name for parameter, now, before in pairs if now != before), None)
        return "a Parameter's shape or dtype" if changed is None else f"the shape or dtype of Parameter '{changed}'"

    @property
    def key(self) -> Hashable:
        """The Parameters."""
        return ParameterTypesGuard, *map(id, self.parameters)


def types_of(tensors: Iterable[Tensor]) -> list[Any]:
    """The shapes and dtypes of tensors."""
    return [(tensor.array.shape, tensor.array.dtype) for tensor in tensors]


def guards_of(parameters: Sequence[Parameter]) -> list[ParameterTypesGuard]:
    """The guard of a program's Parameters, if there are any."""
    return [ParameterTypesGuard(tuple(parameters), types_of(parameters))] if parameters else []
