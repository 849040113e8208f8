"""PyNative mode: every operator is computed with numpy at once."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from minigraph.errors import MinigraphError, ShapeError
from minigraph.lift import lifted
from minigraph.op import Attrs, Op, check_attributes, set_ground
from minigraph.tensor import Tensor, wrap

# IEEE results (inf, nan) are values here, not accidents; the filter holds for warnings raised in our rooms only
warnings.filterwarnings("ignore", category=RuntimeWarning, module=r"minigraph\.")


class Eager:
    """The interpreter at the bottom of the stack."""

    typed = True

    def lift(self, op: Op, args: tuple[Any, ...]) -> tuple[Tensor, ...]:
        """Operands as tensors; the common case, tensors of one dtype, passes untouched."""
        dtype = None
        for arg in args:
            if not isinstance(arg, Tensor):
                return lifted(op, args)
            if dtype is None:
                dtype = arg.array.dtype
            elif arg.array.dtype is not dtype:
                return lifted(op, args)
        return lifted(op, args) if op.floats and dtype is not None and dtype.kind in "biu" else args

    def emit(self, op: Op, args: tuple[Tensor, ...], attrs: Attrs) -> Any:
        """Compute now; when numpy refuses, the record's ``infer`` words the error."""
        if args and args[0].array.dtype not in op.accepted:
            _check_dtype(op, args, attrs)
        try:
            out = op.forward(*[arg.array for arg in args], **attrs)
        except MinigraphError:
            raise
        except RuntimeWarning:  # the user's filters make warnings errors; inf and nan are values here all the same
            with np.errstate(all="ignore"):
                out = op.forward(*[arg.array for arg in args], **attrs)
        except Exception as error:
            raise _explained(op, args, attrs, error) from None
        if op.stores:
            args[0].array = out
        return tuple(_result(o) for o in out) if out.__class__ is tuple else _result(out)


def _result(array: Any) -> Tensor:
    return wrap(array if array.__class__ is np.ndarray else np.asarray(array))


def _check_dtype(op: Op, args: tuple[Tensor, ...], attrs: Attrs) -> None:
    """Refuse a dtype that the record refuses though numpy would take it, so that eager and captured agree."""
    try:
        op.types([arg.type for arg in args], attrs)
    except MinigraphError as error:
        if isinstance(error, TypeError):
            raise
    except Exception:  # wrong attributes, too: numpy is asked first, then the error explained
        return
    else:
        op.accepted.add(args[0].array.dtype)


def _explained(op: Op, args: tuple[Tensor, ...], attrs: Attrs, error: Exception) -> MinigraphError:
    types = [arg.type for arg in args]
    try:
        check_attributes(op, attrs)
        op.types(types, attrs)
    except MinigraphError as told:
        return told
    return ShapeError(f"{op}({', '.join(map(str, types))}): {error}; check the operands against help(ops.{op})")


EAGER = Eager()
set_ground(EAGER)
