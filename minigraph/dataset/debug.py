"""Debug hooks: functions that see the values before and after each operation of ``map``, without changing them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence, Sized
from typing import Any

import numpy as np

from minigraph.dataset.arguments import Operation

__all__ = ["DebugHook", "PrintDataHook", "PrintMetaDataHook"]


class DebugHook(ABC):
    """The base class: subclasses define ``compute``, which gets the values; its result is ignored.

    ``config.set_debug_mode(True, [hook])`` puts it before and after each operation; it may also stand between the
    operations of ``map``. ``prev_op_name`` is printed before each call.

    >>> from minigraph.dataset import NumpySlicesDataset
    >>> class Show(DebugHook):
    ...     def compute(self, values):
    ...         print(*values)
    >>> rows = list(NumpySlicesDataset([1, 2], shuffle=False).map([np.negative, Show()]))
    -1
    -2
    """

    def __init__(self, prev_op_name: str | None = None) -> None:
        self.prev_op_name, self.is_first_op = prev_op_name, False

    def __call__(self, *args: Any) -> tuple[Any, ...]:
        """The values, unchanged, after ``compute``."""
        _observe(self, self.prev_op_name, self.is_first_op, args)
        return args

    @abstractmethod
    def compute(self, *args: Any) -> Any:
        """Called with one tuple: the values of the columns."""

    def set_previous_op_name(self, prev_op_name: str | None) -> None:
        """Set the name that is printed before each call; ``None`` prints nothing."""
        self.prev_op_name = prev_op_name

    def set_is_first(self, is_first_op: bool) -> None:
        """Set whether the values are the input of the named operation, instead of its output."""
        self.is_first_op = is_first_op


class PrintDataHook(DebugHook):
    """Prints the values of the columns.

    >>> PrintDataHook()(np.array([1, 2]))
    Column 0. The data is [[1 2]].
    (array([1, 2]),)
    """

    def compute(self, *args: Any) -> None:
        """Print a line per column."""
        for number, value in enumerate(*args):
            print(f"Column {number}. The data is [{value}].", flush=True)


class PrintMetaDataHook(DebugHook):
    """Prints dtype and shape of the columns that are arrays, and type and size of other values.

    >>> PrintMetaDataHook()(np.array([1.0, 2.0]))
    Column 0. The dtype is [float64]. The shape is [(2,)].
    (array([1., 2.]),)
    """

    def compute(self, *args: Any) -> None:
        """Print a line per column."""
        for number, value in enumerate(*args):
            text = ""
            if isinstance(value, np.ndarray):
                text = f"The dtype is [{value.dtype}]. The shape is [{value.shape}]."
            elif hasattr(value, "size") and hasattr(value, "getbands"):  # an image of PIL
                text = f"The type is [{type(value)}]. The shape is [{value.size}]."
            elif isinstance(value, Sized):
                text = f"The type is [{type(value)}]. The size is [{len(value)}]."
            print(f"Column {number}. {text}", flush=True)


def with_hooks(operations: Sequence[Operation], hooks: Sequence[DebugHook]) -> Sequence[Operation]:
    """The operations with each hook before the first and after every one; without hooks, the operations.

    >>> list(map(str, with_hooks([abs], [])))
    ['<built-in function abs>']
    """
    if not hooks or not operations:
        return operations
    observed = [_observer(hooks, operations[0], True)]
    for operation in operations:
        observed += [operation, _observer(hooks, operation, False)]
    return observed


def _observer(hooks: Sequence[DebugHook], operation: Operation, is_input: bool) -> Operation:
    """An identity that calls the hooks with the input or output of an operation."""
    name = getattr(operation, "__name__", type(operation).__name__)

    def observe(*values: Any) -> tuple[Any, ...]:
        for hook in hooks:
            _observe(hook, name, is_input, values)
        return values

    return observe


def _observe(hook: DebugHook, name: str | None, is_input: bool, values: tuple[Any, ...]) -> None:
    if name:
        side = "INPUT" if is_input else "OUTPUT"
        print(f"[Dataset debugger] Print the [{side}] of the operation [{name}].", flush=True)
    hook.compute(values)
