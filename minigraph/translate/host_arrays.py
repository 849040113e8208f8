"""numpy inside of captured functions: arrays on the host that exist only when the graph runs.

While the source of a function is captured, ``x.asnumpy()`` of a traced tensor gives a ``HostArray``. Every numpy call
on one becomes a node that makes the call whenever the graph runs, so nothing is frozen; ``Tensor(array)`` brings the
result back. What the types of a result are is found by making the call on an array of ones.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, NoReturn

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from minigraph.capture.structure import is_tensor
from minigraph.core.errors import CaptureError, MinigraphError, TraceError
from minigraph.core.location import located
from minigraph.core.op import apply, interpreting, listening
from minigraph.core.pytree import Spec, Static, flatten, statics_of, unflatten
from minigraph.core.tensor import Tensor
from minigraph.core.types import BY_NUMPY, DType, TensorType, type_of
from minigraph.operators.host import HOST, HOST_PRINT, HostCall, called, is_result
from minigraph.translate.host_text import is_printed

OF_SHAPES = (np.shape, np.ndim, np.size, np.iscomplexobj, np.isrealobj, np.result_type, np.common_type)
MOST_RESULTS = 1000
WAY_OUT = "keep it a tensor or an array, ask the tensor itself in if and while, or compute it outside of @jit"


class HostValue(NDArrayOperatorsMixin):
    """What numpy would give, had the graph run: ``tensor`` is the node that stands for it.

    Its ``kind`` is what it will be: ``np.ndarray``, ``np.generic`` (a numpy number), or ``bool``, ``int``, ``float``.
    """

    __array_priority__ = 1000.0
    kind: type = np.ndarray

    def __init__(self, tensor: Tensor) -> None:
        self.tensor = tensor
        self.shape, self.dtype = tensor.shape, tensor.dtype.numpy

    def tree_flatten(self) -> tuple[Callable[[Sequence[Any]], Any], tuple[Any, ...]]:
        """What builds it, and of which parts: a structure of one tensor, which becomes an array when the graph runs."""
        return _BUILDERS[self.kind], (self.tensor,)

    # ---- numpy's protocols -------------------------------------------------------------------------

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
        """A ufunc, or one of its methods, as a node."""
        if "out" in kwargs:
            _refuse_writing()
        for other in inputs:
            if isinstance(other, Tensor):  # as in eager mode: the tensor says what it thinks of arrays
                return getattr(other, f"__r{ufunc.__name__}__", other.__radd__)(self)
        fn = ufunc if method == "__call__" else getattr(ufunc, method)
        name = f"numpy.{ufunc.__name__}" + ("" if method == "__call__" else f".{method}")
        return host_call(fn, inputs, kwargs, name)

    def __array_function__(self, func: Callable[..., Any], types: Any, args: Any, kwargs: Any) -> Any:
        """Any other function of numpy's as a node."""
        return host_call(func, args, kwargs, f"numpy.{func.__name__}")

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NoReturn:
        raise self._unknown()

    def __getattr__(self, name: str) -> Any:
        """A method becomes a node when called; an attribute is a node, or is known already by the type."""
        if name.startswith("__") or not hasattr(np.ndarray, name):
            raise AttributeError(f"'numpy.ndarray' object has no attribute '{name}'")
        if callable(getattr(np.ndarray, name)):
            return partial(self._called, name)
        known = getattr(np.empty(self.shape, self.dtype), name)
        if not isinstance(known, np.ndarray):
            return known
        return host_call(operator.attrgetter(name), (self,), {}, f"numpy.ndarray.{name}")

    def _called(self, name: str, *args: Any, **kwargs: Any) -> Any:
        return host_call(partial(_method, name), (self, *args), kwargs, f"numpy.ndarray.{name}")

    # ---- Python's ----------------------------------------------------------------------------------

    def __getitem__(self, key: Any) -> Any:
        return host_call(operator.getitem, (self, key), {}, "numpy.ndarray.__getitem__")

    def __setitem__(self, key: Any, value: Any) -> NoReturn:
        _refuse_writing()

    def __len__(self) -> int:
        return len(np.empty(self.shape))

    def __iter__(self) -> Iterator[Any]:
        return (self[k] for k in range(len(self)))

    def __bool__(self) -> NoReturn:
        raise self._unknown()

    __int__ = __index__ = __float__ = __complex__ = __bool__

    def __repr__(self) -> str:
        return f"<numpy {self.tensor.type}, known when the graph runs>"

    def _unknown(self) -> MinigraphError:
        if self.tensor.closed:
            self.tensor.known()  # raises, saying so
        text = f"the value of a numpy {self.tensor.type} is not known while capturing, only when the graph runs"
        return located(TraceError(f"{text}; {WAY_OUT}"))


class HostArray(HostValue):
    """An array; it says that it is one when asked for its class."""

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        return np.ndarray


class HostNumber(HostValue):
    """A number. Beside a tensor it counts as a Python number does: ``number`` is one of its kind."""

    def __init__(self, tensor: Tensor, kind: type = np.generic) -> None:
        super().__init__(tensor)
        self.kind = kind
        self.number: Any = self.dtype.type(1).item()

    def as_tensor(self, dtype: DType) -> Tensor:
        """The number in the dtype that it takes beside a tensor."""
        return apply("cast", self.tensor, dtype=dtype)


def is_host(item: Any) -> bool:
    """Whether something stands for a numpy value of the time when the graph runs."""
    return issubclass(type(item), HostValue)


def as_tensor(data: Any, dtype: DType | None = None) -> Any:
    """``Tensor(data, dtype)`` of something that stands for a value: a tensor of the graph."""
    tensor = data.tensor if is_host(data) else data
    return apply("identity", tensor) if dtype in (None, tensor.dtype) else apply("cast", tensor, dtype=dtype)


# ---- calls -------------------------------------------------------------------------------------------


def host_call(fn: Callable[..., Any], args: Sequence[Any], kwargs: dict[str, Any], title: str) -> Any:
    """What a function gives for arguments with host values inside: host values, in the structure it gives.

    Raises ``CaptureError`` when it cannot be called with arrays of ones, or gives something that is no number.
    """
    leaves, spec = flatten((tuple(args), kwargs), is_tensor)
    example = _on_examples(fn, spec, leaves, title)
    if fn in OF_SHAPES:
        return example
    results, out = flatten(example, is_result)
    types = tuple(_type_of(result, title) for result in results)
    others = [type(value).__name__ for value in statics_of(out)]
    if not types or others or len(types) > MOST_RESULTS:
        what = f"a result of kind {others[0]}" if others else f"{len(types)} results"
        raise located(CaptureError(f"{title}: {what} cannot be handed on by a graph; compute it outside of @jit"))
    made = apply(HOST, *leaves, call=HostCall(fn, spec, tuple(leaf.type for leaf in leaves), types, out, title))
    nodes = made if isinstance(made, tuple) else (made,)
    return unflatten(out, [_standing(result, node) for result, node in zip(results, nodes, strict=True)])


def _on_examples(fn: Callable[..., Any], spec: Spec, leaves: Sequence[Tensor], title: str) -> Any:
    """The result on arrays of ones, or where that is refused (as a singular matrix is) on some that differ."""
    refused: Exception | None = None
    for fill in (np.ones, _rising):
        arrays = tuple(fill(leaf.shape, leaf.dtype.numpy) for leaf in leaves)
        try:
            with interpreting(None), listening(alone=True), np.errstate(all="ignore"):
                return called(fn, spec, arrays)
        except MinigraphError:
            raise
        except Exception as error:
            refused = refused or error
    text = f"{title}: {refused}, on arrays of ones, by which the types of its results are found"
    raise located(CaptureError(f"{text}; arrays are not written to while capturing, and graphs have fixed shapes"))


def _rising(shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
    """Different numbers; square matrices of them have an inverse."""
    array = np.arange(1, np.prod(shape, dtype=int) + 1).reshape(shape) % 7
    return (array + 50 * np.eye(shape[-2], shape[-1]) if len(shape) >= 2 else array).astype(dtype)


def _type_of(result: Any, title: str) -> TensorType:
    array = np.asarray(result)
    if array.dtype not in BY_NUMPY:
        raise located(CaptureError(f"{title}: no tensor has the dtype {array.dtype}; compute it outside of @jit"))
    return type_of(array)


def _standing(result: Any, node: Tensor) -> HostValue:
    if isinstance(result, np.ndarray):
        return HostArray(node)
    return HostNumber(node, np.generic if isinstance(result, np.generic) else type(result))


def _method(name: str, array: Any, *args: Any, **kwargs: Any) -> Any:
    return getattr(np.asarray(array)[()], name)(*args, **kwargs)


def _refuse_writing() -> NoReturn:
    text = "numpy array: it is known when the graph runs, and is not written to while capturing"
    raise located(CaptureError(f"{text}; make a new one, as in a = a + 1, or write to the tensor"))


def host_print(*values: Any, **options: Any) -> None:
    """Python's ``print``, made whenever the graph runs."""
    leaves, spec = flatten((values, options), is_printed)
    ins = tuple(leaf.type for leaf in leaves)
    apply(HOST_PRINT, *leaves, call=HostCall(print, spec, ins, (), Static(None, type(None)), "print"))


# ---- at run time -------------------------------------------------------------------------------------


def _array_when_run(parts: Sequence[Any]) -> Any:
    (tensor,) = parts
    return HostArray(tensor) if tensor.traced else tensor.asnumpy()


def _number_when_run(kind: type, parts: Sequence[Any]) -> Any:
    (tensor,) = parts
    if tensor.traced:
        return HostNumber(tensor, kind)
    return tensor.asnumpy()[()] if kind is np.generic else tensor.item()


_BUILDERS: dict[type, Callable[[Sequence[Any]], Any]] = {np.ndarray: _array_when_run} | {
    kind: partial(_number_when_run, kind) for kind in (np.generic, bool, int, float, complex)
}
