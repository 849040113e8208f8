"""Tensor and Parameter: a numpy array with operators as methods.

Every method is one call of ``apply``. A ``Tracer`` (``minigraph.capture.tracer``) is a Tensor without an array.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from minigraph.core.aliases import ArrayLike, Index, PyTree, TensorLike
from minigraph.core.context import INITIALIZER, resolve
from minigraph.core.errors import (
    ArgRuntimeError,
    ArgTypeError,
    ArgValueError,
    DTypeError,
    MinigraphError,
    ShapeError,
    UsageError,
)
from minigraph.core.location import expression_text, user_loc, with_location
from minigraph.core.missing_names import add_unsupported_methods
from minigraph.core.op import active_observers, apply, current_interpreter, is_eager, op_named
from minigraph.core.tensor.conversion import array_of, check_dtype
from minigraph.core.tensor.inplace import write
from minigraph.core.tensor.operator_methods import Operators
from minigraph.core.types import DTYPE_BY_NUMPY, DType, Shape, TensorType, int32, type_of, widen


class Tensor(Operators):
    """A numpy array (``array``) with a shape and a dtype.

    ``Tensor(1)`` is Int64, ``Tensor(1.0)`` and lists of floats are Float32, numpy arrays keep their dtype
    and are copied. ``dtype`` converts. Without data, the tensor is filled by ``init`` (an initializer or its name;
    default: zeros) with the given ``shape`` and ``dtype``. ``const_arg`` and ``device`` have no effect here. Raises
    ``TypeError`` for data that is not numeric, ``ValueError`` for an incomplete description.

    >>> Tensor([1.0, 2.0]) * 3
    Tensor(shape=[2], dtype=Float32, value= [ 3.00000000e+00,  6.00000000e+00])
    """

    __slots__ = ("__weakref__", "array", "array_layout", "view_of", "views")
    is_traced = False  # True for a Tracer
    is_closed = False  # True for a Tracer whose graph is finished
    number_types: tuple[type, ...] = ()  # of a Tracer that represents a Python number: its types in eager mode
    __array_ufunc__ = None  # so that ``ndarray + Tensor`` calls ``Tensor.__radd__``
    array: np.ndarray
    array_layout: Any  # the accelerator's layout of the array; ``set_array`` resets it with another array
    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any: ...  # the methods that ``ops.methods`` attaches at the first look-up

    def __init__(
        self, input_data: ArrayLike | None = None, dtype: DType | None = None,
        shape: int | Sequence[int] | None = None, init: object = None, const_arg: bool = False,
        device: str | None = None,
    ) -> None:  # fmt: skip
        source = input_data.concrete_array() if isinstance(input_data, Tensor) else input_data
        if shape is not None or init is not None:
            source = _initial_values(input_data, dtype, shape, init)
        try:
            set_array(self, array_of(source, dtype))
        except MinigraphError as error:
            raise with_location(error) from None
        _register_constant(self)
        for tape in active_observers() if type(self) is Tensor is type(input_data) and is_eager() else ():
            tape.record(op_named("cast"), (input_data,), {"dtype": self.dtype}, self)  # it passes its gradient on

    @staticmethod
    def from_numpy(array: np.ndarray) -> Tensor:
        """A tensor that shares memory with ``array``; raises ``TypeError`` for an unsupported dtype."""
        return _register_constant(wrap(check_dtype(np.asarray(array)).view()))

    def init_data(self, *where: object, **how: object) -> Tensor:
        """The tensor itself: here an ``init`` fills the tensor when it is created, not when this is called."""
        return self

    @property
    def shape(self) -> Shape:
        """Sizes of the axes."""
        return self.array.shape

    @property
    def dtype(self) -> DType:
        """Number format of the elements."""
        return DTYPE_BY_NUMPY[self.array.dtype]

    @property
    def type(self) -> TensorType:
        """Shape and dtype together, printing like ``f32[2,3]``."""
        return type_of(self.array)

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """Number of elements."""
        return self.type.size

    @property
    def nbytes(self) -> int:
        """Bytes of the elements."""
        return self.type.nbytes

    @property
    def itemsize(self) -> int:
        """Bytes of one element."""
        return self.dtype.itemsize

    def asnumpy(self) -> np.ndarray:
        """A numpy array that shares memory, writeable unless it is a view that repeats elements.

        In translated source, a tensor known only when the graph runs gives a host array; numpy calls on it are nodes.
        """
        return self.array.view() if is_eager() else self.concrete_array(to_numpy=True)

    def concrete_array(self, to_numpy: bool = False) -> np.ndarray:
        """The array, if its value is known now; during tracing the tracer decides, mostly by raising an error.

        A tensor that the graph reads at run time, above all a Parameter, must not be read during tracing: the graph
        would keep that value as a constant. ``to_numpy``: a host array, known when the graph runs, is sufficient.
        """
        read = getattr(current_interpreter(), "concrete_array", None)
        return self.array if read is None else read(self, to_numpy)

    def numpy(self) -> np.ndarray:
        """The same as ``asnumpy``."""
        return self.asnumpy()

    def tolist(self) -> PyTree:
        """Nested Python lists of Python numbers."""
        return widen(self.concrete_array()).tolist()

    def item(self) -> bool | int | float | complex:
        """The only element as a Python number; raises ``ValueError`` when there is not exactly one."""
        if self.size != 1:
            text = f"The tensor should have only one element, but got {self.size}, more than one element is ambiguous."
            raise with_location(ArgValueError(text))
        return widen(self.concrete_array()).item()

    def __array__(self, dtype: np.dtype | None = None, copy: bool | None = None) -> np.ndarray:
        return np.array(self.concrete_array(), dtype=dtype, copy=copy)

    def __bool__(self) -> bool:
        return bool(self.item())

    def __int__(self) -> int:
        return int(self.item())  # type: ignore[arg-type]

    def __index__(self) -> int:
        if self.dtype.kind != "i":
            raise with_location(DTypeError(f"index: needs one integer, got {self.type}; cast with x.astype(ms.int64)"))
        return int(self)

    def __float__(self) -> float:
        return float(self.item())  # type: ignore[arg-type]

    def __len__(self) -> int:
        if not self.shape:
            raise with_location(ArgTypeError("Not support len of a 0-D tensor"))
        return self.shape[0]

    def __iter__(self) -> Iterator[Tensor]:
        return (self[i] for i in range(len(self)))

    def __setitem__(self, key: Index, value: TensorLike) -> None:
        """Give the elements selected by ``key`` a new value, cast to this dtype; every view of them sees it."""
        write(self, key, value)

    def __getstate__(self) -> Any:
        return resolve("minigraph.core.tensor.copying:state_of")(self)

    def __copy__(self, memo: dict[int, Any] | None = None) -> Any:
        return resolve("minigraph.core.tensor.copying:copy_of")(self, memo)

    __deepcopy__ = __copy__

    def __repr__(self) -> str:
        return str(resolve("minigraph.core.tensor.printing:tensor_repr")(self.array, self.dtype))

    def __str__(self) -> str:
        return str(resolve("minigraph.core.tensor.printing:tensor_str")(self.array))

    def _repr_html_(self) -> str:
        return f"<pre>{self.type}\n{str(self).replace('&', '&amp;').replace('<', '&lt;')}</pre>"


add_unsupported_methods(Tensor, "Tensor", late="minigraph.ops.methods", more=("char", "unsorted_segment_sum"))


class Parameter(Tensor):
    """A tensor that training updates in place; prints its metadata, never its values.

    ``name=None`` takes the name of the Cell attribute it is assigned to. A Python int becomes Int32, as in
    MindSpore. ``requires_grad=False`` excludes it from ``trainable_params``. ``layerwise_parallel``,
    ``parallel_optimizer`` and ``storage_format`` are for several devices and are only stored. Raises ``TypeError`` for
    flags that are not bools, ``ValueError`` for a name that is not a string and a ``device`` other than "CPU".

    >>> Parameter(Tensor([1.0, 2.0]), name="w")
    Parameter (name=w, shape=(2,), dtype=Float32, requires_grad=True)
    """

    __slots__ = ("explicit_name", "layerwise_parallel", "name", "parallel_optimizer", "requires_grad", "storage_format")
    _counter = itertools.count()

    def __init__(
        self, default_input: ArrayLike, name: str | None = None, requires_grad: bool = True,
        layerwise_parallel: bool = False, parallel_optimizer: bool = True, storage_format: str = "",
        device: str | None = None,
    ) -> None:  # fmt: skip
        flags = {"layerwise_parallel": layerwise_parallel, "parallel_optimizer": parallel_optimizer}
        for flag, value in ({"requires_grad": requires_grad} | flags).items():
            if not isinstance(value, bool):
                raise with_location(ArgTypeError(f"The argument `{flag}` must be bool type."))
        if device not in (None, "CPU"):
            raise with_location(ArgValueError(f"Only 'CPU' is supported for device, but got {device!r}."))
        if name is not None and (not isinstance(name, str) or not name):
            raise with_location(UsageError(f"Parameter: a name is a string with at least one letter, got {name!r}"))
        super().__init__(default_input, int32 if type(default_input) is int else None)
        self.explicit_name = name is not None
        self.name = name if name is not None else f"Parameter#{next(self._counter)}"
        self.requires_grad, self.storage_format = requires_grad, storage_format
        self.layerwise_parallel, self.parallel_optimizer = layerwise_parallel, parallel_optimizer

    def value(self) -> Tensor:
        """The current value as a Tensor (not a copy; an assignment replaces the array)."""
        return apply("identity", self)

    data = property(value)

    def set_data(self, data: ArrayLike, slice_shape: bool = False) -> Parameter:
        """Set a new value, cast to this dtype, and return the parameter.

        Raises ``ShapeError`` for another shape unless ``slice_shape``, and ``RuntimeError`` during tracing.
        """
        if not is_eager():
            raise ArgRuntimeError(
                "Failed to compile in GRAPH_MODE because the 'Parameter' object's method 'set_data' is not supported "
                f"in 'construct' or function with @jit decorator.\nset_data of Parameter '{self.name}'"
                f"{expression_text(user_loc())}; use ops.assign"
            )
        if isinstance(data, np.ndarray):
            text = f"set_data of Parameter '{self.name}': got numpy.ndarray; wrap it in Tensor(...)"
            raise with_location(ArgTypeError(text))
        new = Tensor(data, self.dtype).array
        if new.shape != self.shape and not slice_shape:
            raise with_location(ShapeError(
                f"set_data of Parameter '{self.name}': its type is {self.type}, the new value has shape "
                f"{list(new.shape)}; pass slice_shape=True to change the shape"
            ))  # fmt: skip
        set_array(self, new)
        return self

    def __repr__(self) -> str:
        facts = f"shape={self.shape}, dtype={self.dtype}, requires_grad={self.requires_grad}"
        return f"Parameter (name={self.name}, {facts})"

    __str__ = __repr__


class ParameterTuple(tuple[Parameter, ...]):
    """A tuple of Parameters, as ``optimizer.parameters`` is."""


def wrap(array: np.ndarray) -> Tensor:
    """A Tensor around an array, without copying or checking."""
    tensor = Tensor.__new__(Tensor)
    tensor.array, tensor.array_layout = array, None
    return tensor


def set_array(tensor: Tensor, array: np.ndarray) -> None:
    """Set the array of a tensor."""
    tensor.array, tensor.array_layout = array, None


def _initial_values(data: object, dtype: DType | None, shape: int | Sequence[int] | None, init: object) -> np.ndarray:
    """The initial values of a tensor that is described by shape, dtype and initializer."""
    if data is not None:
        known = f"'shape' should be set to None.But got shape: {shape}."
        raise with_location(ArgValueError(f"When initializing a tensor with 'input_data', {known}"))
    if shape is None or dtype is None:
        raise with_location(ArgValueError("init, dtype and shape must have values at the same time."))
    sizes = shape if isinstance(shape, int) else [0 if size is None else size for size in shape]  # None: any size
    tensor: Tensor = resolve(INITIALIZER)("zeros" if init is None else init, sizes, dtype)
    return tensor.array


def _register_constant(tensor: Tensor) -> Tensor:
    """The tensor; during tracing, the tracer registers it as created by the traced code."""
    if not is_eager():
        getattr(current_interpreter(), "register_created", id)(tensor)  # the tracer of patterns has no such method
    return tensor
