"""numpy in translated functions: host arrays, which exist only when the graph runs.

During tracing, ``x.asnumpy()`` of a tracer gives a ``HostArray``. A numpy call on one becomes a node, which makes the
call whenever the graph runs, so no value is frozen into the graph; ``Tensor(array)`` turns the result into a tensor.
The types of a result are inferred by making the call on arrays of ones.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, NoReturn

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from minigraph.capture.joined_values import refuse_text
from minigraph.capture.numpy_errors import error_state_of_program
from minigraph.capture.structure import is_tensor
from minigraph.core.aliases import Function
from minigraph.core.errors import CaptureError, MinigraphError, TraceError
from minigraph.core.location import with_location
from minigraph.core.op import apply, use_interpreter
from minigraph.core.pytree import Spec, Static, flatten, statics_of, unflatten
from minigraph.core.scope_guard import call_ignoring_float_errors, reraise_handler_error
from minigraph.core.tensor import Parameter, Tensor
from minigraph.core.types import DType, TensorType, find_dtype, type_of
from minigraph.operators.host import HOST, HOST_PRINT, HostCall, call_with_arrays, is_result
from minigraph.translate.host_text import is_printed
from minigraph.translate.type_stable_calls import TYPE_ATTRIBUTES, is_type_stable

SHAPE_FUNCTIONS = (np.shape, np.ndim, np.size, np.iscomplexobj, np.isrealobj, np.result_type, np.common_type)
MAX_RESULTS = 1000  # of one call
REMEDY = "use tensor operations, branch on the tensor itself in if and while, or compute it outside of @jit"


class HostValue(NDArrayOperatorsMixin):
    """A numpy value that is computed when the graph runs; ``tensor`` is the value of the graph that represents it.

    ``kind`` is its type at run time: ``np.ndarray``, ``np.generic`` (a numpy scalar), or ``bool``, ``int``, ``float``.
    """

    __array_priority__ = 1000.0
    kind: type = np.ndarray

    def __init__(self, tensor: Tensor) -> None:
        self.tensor = tensor
        self.shape, self.dtype = tensor.shape, tensor.dtype.numpy

    def tree_flatten(self) -> tuple[Callable[[Sequence[Any]], Any], tuple[Any, ...]]:
        """Its constructor, and its parts: one tensor, which becomes an array when the graph runs."""
        return _BUILDERS[self.kind], (self.tensor,)

    # ---- numpy's protocols -------------------------------------------------------------------------

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: object, **kwargs: object) -> Any:
        """A ufunc, or one of its methods, as a node."""
        if "out" in kwargs:
            _refuse_writing()
        for other in inputs:
            if isinstance(other, Tensor):  # as in eager mode, the tensor's method handles the array
                reflected: Function = getattr(other, f"__r{ufunc.__name__}__", other.__radd__)
                return reflected(self)
        fn = ufunc if method == "__call__" else getattr(ufunc, method)
        name = f"numpy.{ufunc.__name__}" + ("" if method == "__call__" else f".{method}")
        return host_call(fn, inputs, kwargs, name)

    def __array_function__(self, func: Function, types: object, args: Any, kwargs: Any) -> Any:
        """Any other numpy function as a node."""
        return host_call(func, args, kwargs, f"numpy.{func.__name__}")

    def __array__(self, dtype: object = None, copy: bool | None = None) -> NoReturn:
        raise self._unknown_error()

    def __getattr__(self, name: str) -> Any:
        """A method becomes a node when it is called; an attribute is a node, unless its value follows from the type."""
        if name.startswith("__") or not hasattr(np.ndarray, name):
            raise AttributeError(f"'numpy.ndarray' object has no attribute '{name}'")
        if callable(getattr(np.ndarray, name)):
            return partial(self._call_method, name)
        if name in TYPE_ATTRIBUTES:
            return getattr(np.empty(self.shape, self.dtype), name)
        return host_call(operator.attrgetter(name), (self,), {}, f"numpy.ndarray.{name}")

    def _call_method(self, name: str, *args: object, **kwargs: object) -> Any:
        return host_call(partial(_method, name), (self, *args), kwargs, f"numpy.ndarray.{name}")

    # ---- Python's protocols ------------------------------------------------------------------------

    def __getitem__(self, key: object) -> Any:
        return host_call(operator.getitem, (self, key), {}, "numpy.ndarray.__getitem__")

    def __setitem__(self, key: object, value: object) -> NoReturn:
        _refuse_writing()

    def __len__(self) -> int:
        return len(np.empty(self.shape))

    def __iter__(self) -> Iterator[Any]:
        return (self[k] for k in range(len(self)))

    def __bool__(self) -> NoReturn:
        raise self._unknown_error()

    __int__ = __index__ = __float__ = __complex__ = __bool__

    def __repr__(self) -> str:
        return f"<numpy {self.tensor.type}, known when the graph runs>"

    def _unknown_error(self) -> MinigraphError:
        if self.tensor.is_closed:
            self.tensor.concrete_array()  # raises the error of a closed tracer
        text = f"the value of a numpy {self.tensor.type} is computed when the graph runs, not during tracing"
        return with_location(TraceError(f"{text}; {REMEDY}"))


class HostArray(HostValue):
    """A host array; its ``__class__`` is ``numpy.ndarray``.

    ``owns_memory``: whether it is new, and no view of another array or tensor.
    """

    owns_memory = False

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        return np.ndarray


class HostNumber(HostValue):
    """A host number. It is promoted like a Python number; ``number`` is an example of its type."""

    def __init__(self, tensor: Tensor, kind: type = np.generic) -> None:
        super().__init__(tensor)
        self.kind = kind
        self.number: Any = self.dtype.type(1).item()

    def as_tensor(self, dtype: DType) -> Tensor:
        """The number as a tensor of the dtype to which it is promoted."""
        return apply("cast", self.tensor, dtype=dtype)


def is_host(item: object) -> bool:
    """Whether an object is a host value."""
    return issubclass(type(item), HostValue)


def as_tensor(data: Any, dtype: DType | None = None) -> Any:
    """``Tensor(data, dtype)`` of a host value or a tensor: a tensor of the graph; of a Parameter, without gradient."""
    tensor = data.tensor if is_host(data) else data
    tensor = apply("stop_gradient", tensor) if isinstance(tensor, Parameter) else tensor
    return apply("identity", tensor) if dtype in (None, tensor.dtype) else apply("cast", tensor, dtype=dtype)


# ---- calls -------------------------------------------------------------------------------------------


def host_call(fn: Function, args: Sequence[object], kwargs: dict[str, Any], title: str) -> Any:
    """Add a node that calls a function on arguments with host values; returns host values in the result's structure.

    Raises ``CaptureError`` if the types of the result may depend on values or are not those of numbers.
    """
    leaves, spec = flatten((tuple(args), kwargs), is_tensor)
    if fn not in SHAPE_FUNCTIONS and not is_type_stable(fn, title.rpartition(".")[2], args, kwargs):
        problem = "its result's shape or dtype may depend on values, and graphs have fixed shapes"
        raise with_location(CaptureError(f"{title}: {problem}; compute it outside of @jit"))
    example = _run_on_examples(fn, spec, leaves, title)
    if fn in SHAPE_FUNCTIONS:
        return example
    results, out = flatten(example, is_result)
    types = tuple(_type_of(result, title) for result in results)
    others = [type(value).__name__ for value in statics_of(out)]
    if not types or others or len(types) > MAX_RESULTS:
        problem = f"a result of type {others[0]}" if others else f"{len(types)} results"
        raise with_location(CaptureError(f"{title}: {problem} cannot be values of a graph; compute it outside of @jit"))
    ins, settings = tuple(leaf.type for leaf in leaves), error_state_of_program().variables()
    tensors = apply(HOST, *leaves, call=HostCall(fn, spec, ins, types, out, title, settings))
    tensors = tensors if isinstance(tensors, tuple) else (tensors,)
    return unflatten(out, [_host_value(result, tensor) for result, tensor in zip(results, tensors, strict=True)])


def _run_on_examples(fn: Function, spec: Spec, leaves: Sequence[Tensor], title: str) -> Any:
    """The result on arrays of ones, or if that fails (for example for a singular matrix) on arrays that differ."""
    first_error: Exception | None = None
    for fill in (np.ones, _example_array):
        arrays = tuple(fill(leaf.shape, leaf.dtype.numpy) for leaf in leaves)
        try:
            block = use_interpreter(None, alone=True)
            return block.call(call_ignoring_float_errors, call_with_arrays, fn, spec, arrays)
        except MinigraphError:
            raise
        except Exception as error:
            reraise_handler_error(error)
            first_error = first_error or error
    text = f"{title}: {first_error}, on arrays of ones, from which the types of its results are inferred"
    text += "; arrays are read-only during tracing, and graphs have fixed shapes"
    raise with_location(CaptureError(text)) from first_error


def _example_array(shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
    """An array of different numbers; square matrices of them are invertible."""
    array = np.arange(1, np.prod(shape, dtype=int) + 1).reshape(shape) % 7
    return (array + 50 * np.eye(shape[-2], shape[-1]) if len(shape) >= 2 else array).astype(dtype)


def _type_of(result: object, title: str) -> TensorType:
    array = np.asarray(result)
    if find_dtype(array.dtype) is None:
        raise with_location(CaptureError(f"{title}: no tensor has the dtype {array.dtype}; compute it outside of @jit"))
    return type_of(array)


def _host_value(result: object, node: Tensor) -> HostValue:
    if isinstance(result, np.ndarray):
        value = HostArray(node)
        value.owns_memory = result.flags.owndata
        return value
    return HostNumber(node, np.generic if isinstance(result, np.generic) else type(result))


def _method(name: str, array: object, *args: object, **kwargs: object) -> Any:
    return getattr(np.asarray(array)[()], name)(*args, **kwargs)


def _refuse_writing() -> NoReturn:
    text = "numpy array: it is known when the graph runs, and is read-only during tracing"
    raise with_location(CaptureError(f"{text}; make a new array, as in a = a + 1, or write to the tensor"))


def host_print(*values: object, **options: object) -> None:
    """Python's ``print``, called whenever the graph runs."""
    leaves, spec = flatten((values, options), is_printed)
    refuse_text(leaves)
    ins = tuple(leaf.type for leaf in leaves)
    apply(HOST_PRINT, *leaves, call=HostCall(print, spec, ins, (), Static(type(None), "", None), "print"))


# ---- at run time -------------------------------------------------------------------------------------


def _array_when_run(parts: Sequence[Any]) -> Any:
    (tensor,) = parts
    return HostArray(tensor) if tensor.is_traced else tensor.asnumpy()


def _number_when_run(kind: type, parts: Sequence[Any]) -> Any:
    (tensor,) = parts
    if tensor.is_traced:
        return HostNumber(tensor, kind)
    return tensor.asnumpy()[()] if kind is np.generic else tensor.item()


_BUILDERS: dict[type, Callable[[Sequence[Any]], Any]] = {np.ndarray: _array_when_run} | {
    kind: partial(_number_when_run, kind) for kind in (np.generic, bool, int, float, complex)
}
