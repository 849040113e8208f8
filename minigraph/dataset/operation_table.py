"""Operations of ``map`` from tables: by name, a function of arrays, and a function that checks the arguments."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any

import numpy as np

from minigraph.core.aliases import Function
from minigraph.dataset.arguments import as_array
from minigraph.dataset.config import get_seed

# name -> (function of arrays, function from the operation's arguments, which it checks, to the keywords of the first)
OperationTable = Mapping[str, tuple[Function, Function]]


class ArrayOperation:
    """The base class: ``function`` of a value, with the arguments that ``configure`` returns."""

    function: Function
    configure: Function

    def __init__(self, *args: object, **kwargs: object) -> None:
        self.arguments = type(self).configure(*args, **kwargs)

    def __call__(self, *values: object) -> Any:
        """The result of the function for arrays."""
        return type(self).function(*map(as_array, values), **self.arguments)


class RandomArrayOperation(ArrayOperation):
    """The base class of random operations: the function's first argument draws numbers, from the dataset seed."""

    def __init__(self, *args: object, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)
        self.rng = np.random.default_rng(get_seed())

    def __call__(self, *values: object) -> Any:
        """The result of the function for arrays."""
        return type(self).function(self.rng, *map(as_array, values), **self.arguments)


def operation_classes(
    table: OperationTable, module: str, base: type[ArrayOperation] = ArrayOperation
) -> dict[str, Any]:
    """A class of operations for each name in a table.

    >>> list(operation_classes({"Half": (lambda x, by: x / by, lambda by=2: {"by": by})}, __name__))
    ['Half']
    """
    return {name: operation_class(name, *functions, module, base) for name, functions in table.items()}


def operation_class(
    name: str, function: Function, configure: Function, module: str, base: type[ArrayOperation] = ArrayOperation
) -> Any:
    """A class of operations with the signature of ``configure``; it has the documentation of the function.

    >>> half = operation_class("Half", lambda x, by: x / by, lambda by=2: {"by": by}, __name__)
    >>> print(half()([3.0]))
    [1.5]
    """

    def init(self: ArrayOperation, *args: object, **kwargs: object) -> None:
        base.__init__(self, *args, **kwargs)

    self_parameter = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    parameters = [] if configure is dict else inspect.signature(configure).parameters.values()
    init.__signature__ = inspect.Signature([self_parameter, *parameters])  # type: ignore[attr-defined]
    methods = {"function": staticmethod(function), "configure": staticmethod(configure), "__init__": init}
    return type(name, (base,), {**methods, "__doc__": function.__doc__, "__module__": module})
