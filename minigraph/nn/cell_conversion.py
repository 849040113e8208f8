"""Converts the Parameters and buffers of Cells to another dtype, or to uninitialised memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Self

from minigraph.core.errors import ArgRuntimeError, ArgTypeError, ArgValueError
from minigraph.core.op import is_eager
from minigraph.core.settings import DEVICES
from minigraph.core.tensor import Parameter, Tensor
from minigraph.core.tensor.tensor import set_array
from minigraph.core.types import DType
from minigraph.nn.cell_settings import BUFFERS
from minigraph.ops.functional.creation import zeros
from minigraph.ops.functional.dtypes import cast

CONVERTED_KINDS = "fc"  # numpy's letters for float and complex dtypes


class ConvertibleCell:
    """The methods of a Cell that convert its Parameters and buffers, and those of all Cells below it."""

    def to(self, *targets: object, non_blocking: bool = False, **options: Any) -> Self:
        """``to(dtype)``, ``to(device, dtype)`` or ``to(tensor)``: converts float and complex Parameters and buffers.

        A Parameter stays the same object, so that optimizers see its new values; a buffer is replaced. All values are
        in CPU memory, so ``device`` and ``non_blocking`` have no effect. Raises ``TypeError`` for other dtypes and
        arguments, ``ValueError`` for an unknown device, and ``RuntimeError`` inside of a graph.

        >>> from minigraph import nn, float16
        >>> nn.Dense(2, 2).to(float16).weight.dtype
        mindspore.float16
        """
        unknown = sorted(options.keys() - {"device", "dtype", "tensor"})
        if unknown or len(targets) + len(options) > 2:
            raise ArgTypeError(
                f"Cell.to: got {unknown or len(targets)}; give a dtype, a device and a dtype, or a tensor"
            )
        dtype = _dtype_of((*targets, *options.values()))
        if dtype is None:
            return self
        if dtype.kind not in CONVERTED_KINDS:
            raise ArgTypeError(f"Cell.to only accepts floating point or complex dtypes, but got desired dtype={dtype}")
        return self._convert(lambda value: cast(value, dtype) if value.dtype.kind in CONVERTED_KINDS else value)

    def to_empty(self, *, device: str | None = None, recurse: bool = True) -> Self:
        """Gives Parameters and buffers new memory, here zeros, of the same shapes and dtypes; returns the Cell.

        Raises ``ValueError`` for an unknown device.

        >>> from minigraph import nn
        >>> print(nn.Dense(2, 2).to_empty().bias.value())
        [0. 0.]
        """
        _dtype_of((device,))
        return self._convert(lambda value: zeros(value.shape, value.dtype), recurse)

    def _convert(self, convert: Callable[[Tensor], Tensor], recurse: bool = True) -> Self:
        if not is_eager():
            raise ArgRuntimeError(
                "Cell.to: a graph cannot convert its Parameters; convert the Cell before it is called"
            )
        cells: list[Any] = [cell for _, cell in self.cells_and_names()] if recurse else [self]  # type: ignore[attr-defined]
        for cell in cells:
            for parameter in cell._params.values():
                if isinstance(parameter, Parameter):
                    set_array(parameter, convert(parameter).asnumpy())
            for name in vars(cell).get(BUFFERS, ()):
                buffer = getattr(cell, name)
                if isinstance(buffer, Tensor):
                    setattr(cell, name, convert(buffer))
            vars(cell)["_version"] += 1  # compiled code is guarded by it
        return self


def _dtype_of(targets: Iterable[object]) -> DType | None:
    """The dtype among a dtype, a device and a tensor; raises for anything else."""
    dtype: DType | None = None
    for target in targets:
        if isinstance(target, str) and target not in DEVICES:
            raise ArgValueError(f"Cell.to: no device '{target}'; there are {list(DEVICES)}")
        if isinstance(target, Tensor):
            dtype = target.dtype
        elif isinstance(target, DType):
            dtype = target
        elif target is not None and not isinstance(target, str):
            raise ArgTypeError(f"Cell.to: got {type(target).__name__}; give a dtype, a device and a dtype, or a tensor")
    return dtype
