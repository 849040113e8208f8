"""Primitives: operators whose attributes are set before the call, as in ``ops.MatMul(transpose_b=True)(x, w)``.

The package ``operations`` defines those of minigraph. Users define their own as a subclass of ``Primitive`` or
``PrimitiveWithInfer`` with a ``vm_impl``, and register a gradient with ``bprop_getters``.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from minigraph.core.aliases import CallResult, Function, PyTree
from minigraph.core.errors import ArgRuntimeError, ArgTypeError, UsageError, did_you_mean
from minigraph.core.location import expression_text, user_loc, with_location
from minigraph.core.op import Op
from minigraph.core.tensor import Tensor, wrap
from minigraph.core.types import TensorType
from minigraph.operators.families import check_dtype, sizes_of
from minigraph.operators.pyfunc import InputInfo, Types, call_python
from minigraph.operators.registry import LateBprop, bprop_getters, get_vm_impl_fn
from minigraph.ops.functional.operator_functions import RECORDS

__all__ = ["Primitive", "PrimitiveWithCheck", "PrimitiveWithInfer", "constexpr", "prim_attr_register"]

REQUIRED: Any = inspect.Parameter.empty  # default of a required attribute
PRIMITIVE_NAMES: dict[Op, str] = {}  # operator -> its primitive: the one with its own name, else the first defined


class Primitive:
    """The base class of all primitives, built-in and user-defined.

    A subclass has ``vm_impl(self, *inputs)``, which computes with values (or registers one with ``vm_impl_registry``),
    and for graphs ``infer_shape`` and ``infer_dtype``; its gradient is a ``get_bprop`` method or registered with
    ``bprop_getters``. Each call is one node, in every mode.

    >>> class Square(Primitive):
    ...     def vm_impl(self, x):
    ...         return x.asnumpy() ** 2
    >>> print(Square("Square")(Tensor([1.0, 3.0])))
    [1. 9.]
    """

    name = ""

    def __init__(self, name: str | None = None) -> None:
        self.name = name or type(self).name or type(self).__name__

    @property
    def attrs(self) -> dict[str, Any]:
        """The values set by ``add_prim_attr`` and ``prim_attr_register``."""
        attrs: dict[str, Any] = vars(self).setdefault("_attrs", {})
        return attrs

    def add_prim_attr(self, name: str, value: object) -> Primitive:
        """Sets an attribute, also in ``attrs``; returns the primitive."""
        self.attrs[name] = value
        setattr(self, name, value)
        return self

    def init_prim_io_names(self, inputs: Sequence[str], outputs: Sequence[str]) -> None:
        """Names the inputs and the results, for readers."""
        self.attrs.update(input_names=list(inputs), output_names=list(outputs))

    def __call__(self, *inputs: PyTree) -> CallResult:
        """The result of the kernel of the subclass."""
        kernel = getattr(self, "vm_impl", None) or get_vm_impl_fn(self)
        if kernel is None:
            text = f"Unsupported op [{self._label}] on CPU."
            advice = f"define vm_impl(self, *inputs) in {type(self).__name__}, or register it with vm_impl_registry"
            raise ArgRuntimeError(f"{text}\n{self._label}: it has no kernel{expression_text(user_loc())}; {advice}")
        getter = bprop_getters.get(self) or getattr(type(self), "get_bprop", None)
        infer = self._infer if hasattr(self, "infer_shape") or hasattr(self, "__infer__") else None
        return call_python(
            self._label, lambda *args: kernel(*map(_as_tensor, args)), inputs, infer=infer,
            bprop=getter and LateBprop(getter, self),
        )  # fmt: skip

    @property
    def _label(self) -> str:
        return self.name or type(self).__name__

    def _infer(self, operands: Sequence[InputInfo]) -> Types:
        """The types of the results, from the methods of the subclass."""
        if hasattr(self, "__infer__"):
            inferred = self.__infer__(*({**operand._asdict(), "shape": list(operand.shape)} for operand in operands))
            shape, dtype = inferred["shape"], inferred["dtype"]
        else:
            shape = self.infer_shape(*(list(operand.shape) for operand in operands))  # type: ignore[attr-defined]
            dtype = self.infer_dtype(*(operand.dtype for operand in operands))  # type: ignore[attr-defined]
        return types_of(self._label, shape, dtype)

    def __repr__(self) -> str:
        attrs = ", ".join(f"{key}={value}" for key, value in self.attrs.items())
        return f"Prim[{self._label}]" + (f"<{attrs}>" if attrs else "")


class PrimitiveWithInfer(Primitive):
    """A user's primitive whose ``infer_shape`` and ``infer_dtype`` infer the type of its result."""


class PrimitiveWithCheck(Primitive):
    """A user's primitive whose ``check_shape`` and ``check_dtype`` check the inputs of each call."""

    def __call__(self, *inputs: PyTree) -> CallResult:
        """The result, after the checks."""
        tensors = [x for x in inputs if isinstance(x, Tensor)]
        if hasattr(self, "check_shape"):
            self.check_shape(*(list(t.shape) for t in tensors))
        if hasattr(self, "check_dtype"):
            self.check_dtype(*(t.dtype for t in tensors))
        return super().__call__(*inputs)


def types_of(name: str, shape: Any, dtype: object) -> Types:
    """Types of results from one shape and dtype, or from tuples of them.

    >>> from minigraph.core.types import float32
    >>> types_of("op", ((2,), (3, 1)), float32)
    (f32[2], f32[3,1])
    """
    has_several = isinstance(shape, tuple | list) and any(isinstance(item, tuple | list) for item in shape)
    shapes = tuple(sizes_of(name, sizes) for sizes in (shape if has_several else (shape,)))
    dtypes = tuple(dtype) if isinstance(dtype, tuple | list) else (dtype,) * len(shapes)
    if len(dtypes) != len(shapes):
        raise UsageError(f"{name}: {len(shapes)} shapes and {len(dtypes)} dtypes; pass one of each per result")
    return tuple(TensorType(sizes, check_dtype(name, d)) for sizes, d in zip(shapes, dtypes, strict=True))


def _as_tensor(value: Any) -> Tensor:
    """An array as a Tensor; other inputs of a kernel as they are."""
    return wrap(value) if isinstance(value, np.ndarray) else value


def prim_attr_register(fn: Callable[..., None]) -> Callable[..., None]:
    """A decorator for ``__init__`` of a primitive: its name is the class name, its arguments become attributes."""

    @functools.wraps(fn)
    def init(self: Primitive, *args: object, **kwargs: object) -> None:
        Primitive.__init__(self, type(self).__name__)
        bound = inspect.signature(fn).bind(self, *args, **kwargs)
        bound.apply_defaults()
        for name, value in list(bound.arguments.items())[1:]:
            self.add_prim_attr(name, value)
        fn(self, *args, **kwargs)

    return init


def constexpr(fn: Function | None = None, **options: object) -> Function:
    """A decorator for functions of constants: the function itself, because capture runs any Python function.

    MindSpore's ``options`` have no effect.
    """
    return fn if fn is not None else lambda function: function


# ---- minigraph's own -------------------------------------------------------------------------------


class FunctionPrimitive(Primitive):
    """A function with its attributes; ``record`` is its operator if it is exactly one.

    Raises ``UsageError`` for an unknown attribute, ``TypeError`` for a missing one.
    """

    function: Function
    defaults: dict[str, Any]
    record: Op | None = None

    def __init__(self, *args: object, **config: object) -> None:
        if len(args) > len(self.defaults):
            raise with_location(UsageError(f"{self.name}: takes {len(self.defaults)} attributes, got {len(args)}"))
        for key, value in (self.defaults | dict(zip(self.defaults, args, strict=False)) | config).items():
            if key not in self.defaults:
                hint = did_you_mean(key, self.defaults)
                raise with_location(UsageError(f"{self.name}: no attribute '{key}'{hint}"))
            if value is REQUIRED:
                raise with_location(ArgTypeError(f"{self.name}: the attribute '{key}' is missing"))
            self.add_prim_attr(key, value)
        self.config = dict(self.attrs)

    def __call__(self, *inputs: object, **named: object) -> CallResult:
        """The result of the function for these inputs, which may have the names of its arguments."""
        return type(self).function(*inputs, **named, **self.config)


def primitive(name: str, function: Function, of: Op | None = None, **defaults: object) -> type[FunctionPrimitive]:
    """A class of primitives: ``function`` called with the inputs, and the attributes as keywords.

    ``of`` is its operator; functions that are exactly one operator have it recorded.

    >>> primitive("Twice", lambda x, times: x * times, times=2)()
    Prim[Twice]<times=2>
    """
    record = of or RECORDS.get(function)
    if record is not None and (record not in PRIMITIVE_NAMES or name == _camel_case(record)):
        PRIMITIVE_NAMES[record] = name
    return type(name, (FunctionPrimitive,), {
        "name": name,
        "function": staticmethod(function),
        "defaults": defaults,
        "record": record if record is not None and not record.attributes else None,
        "__doc__": (function.__doc__ or name).partition("\n")[0],
    })  # fmt: skip


def primitive_name(op: Op) -> str:
    """MindSpore's name of an operator: the name of its primitive, else its own in camel case.

    >>> from minigraph import ops
    >>> from minigraph.core.op import op_named
    >>> primitive_name(op_named("sum")), primitive_name(op_named("full"))
    ('ReduceSum', 'Full')
    """
    return PRIMITIVE_NAMES.get(op) or _camel_case(op) or op.name


def _camel_case(op: Op) -> str:
    return "".join(part[:1].upper() + part[1:] for part in op.name.split("_"))
