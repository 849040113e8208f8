"""Tracers: tensors without values, with which a function is called to capture its graph."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from minigraph.capture.structure import unknown_state
from minigraph.core.aliases import CallResult
from minigraph.core.context import resolve
from minigraph.core.errors import MissingNameError, TraceError
from minigraph.core.location import expression_text, is_internal_file, node_location, user_loc
from minigraph.core.missing_names import lazy_message
from minigraph.core.tensor import Parameter, Tensor
from minigraph.core.types import DType, Shape, TensorType
from minigraph.ir.graph import Ref, producer
from minigraph.ir.structural_ops import INPUT


class Tracer(Tensor):
    """A symbolic tensor: it has a type, and represents a value of a graph under construction.

    ``tracing`` is the interpreter that created it, ``ref`` the value in its graph. In the user's code its ``__class__``
    is that of eager mode, Tensor or ``eager_class``; source translation replaces ``type(tracer)``.
    """

    __slots__ = ("_type", "eager_class", "number_types", "ref", "tracing")
    is_traced = True
    array_layout = None
    eager_class: type | None  # set for inputs; ``None`` for a variable that branches set to values of two classes
    number_types: tuple[type, ...]  # of a Python number, in eager mode: several if branches give several

    def __init__(self, tracing: Any, ref: Ref, type: TensorType) -> None:
        self.tracing, self.ref, self._type, self.number_types = tracing, ref, type, ()

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        """The class in eager mode; for minigraph's own code, which has to distinguish tracers, ``Tracer``."""
        return self.class_in_eager_mode() if _is_user_code(sys._getframe(1).f_code) else Tracer

    def class_in_eager_mode(self) -> type:
        """The result of ``type()`` on this value in eager mode; the graph is then specific to inputs of this class."""
        kind = getattr(self, "eager_class", Tensor)
        outermost_trace(self.tracing).reads_class |= hasattr(self, "eager_class")
        if kind is None:
            self.tracing.mark_not_executable("a variable is a Parameter in one branch only")
            return Tensor
        if is_number_tracer(self) or (self.tracing.is_body and kind is not Tensor):
            self.tracing.mark_not_executable(NUMBER_FROM_TENSOR if kind is Tensor else LOOP_CHANGES_CLASS)
        return kind

    @property
    def shape(self) -> Shape:
        """Sizes of the axes."""
        return self._type.shape

    @property
    def dtype(self) -> DType:
        """Number format of the elements."""
        return self._type.dtype

    @property
    def type(self) -> TensorType:
        """Shape and dtype."""
        return self._type

    @property
    def array(self) -> np.ndarray:  # type: ignore[override]
        """Unavailable during tracing: raises ``TraceError`` with the user's expression and line."""
        raise self.unavailable_value_error()

    def unavailable_value_error(self, operation: str = "") -> TraceError:
        """The error for an access to the value; ``operation`` is what needs it."""
        name, title = f"{self._type} %{producer(self.ref)}", self.tracing.graph.title
        here = expression_text(user_loc())
        if self.is_closed:
            return TraceError(f"{name} of '{title}' was kept after tracing ended{here}; return it from the function")
        remedy = self.tracing.mode.remedy
        return TraceError(f"{operation}the value of {name} is unavailable while tracing '{title}'{here}; {remedy}")

    def __array_function__(self, func: Callable[..., Any], types: object, args: Any, kwargs: Any) -> CallResult:
        """``np.shape``, ``np.ndim`` and ``np.size`` work; other functions of numpy raise ``TraceError``."""
        if func in (np.shape, np.ndim, np.size) and args and args[0] is self:
            return func(np.broadcast_to(0, self.shape), *args[1:], **kwargs)
        raise self.unavailable_value_error(operation=f"numpy.{func.__name__}: ")

    def __getattr__(self, name: str) -> Any:
        """Raise ``AttributeError`` with the nearest name; ``UnknownStateError`` for an attribute of Parameters."""
        is_parameter_attribute = name in vars(Parameter) and _is_user_code(sys._getframe(1).f_code)
        if is_parameter_attribute and issubclass(self.class_in_eager_mode(), Parameter):
            raise unknown_state(f"attribute '{name}' of a Parameter argument is read", "read it outside of @jit")
        raise AttributeError(name) if name.startswith("__") else MissingNameError(lazy_message("Tensor", name, Tensor))

    def __format__(self, spec: str) -> str:
        if spec:
            raise self.unavailable_value_error(operation=f"format '{spec}': ")
        return self.__str__()

    def __hash__(self) -> int:  # which sets and dicts of the program use
        resolve("minigraph.capture.joined_values:check_hash")(self)
        return super().__hash__()

    def __invert__(self) -> Any:
        return resolve("minigraph.capture.joined_values:invert")(self) if self.number_types else super().__invert__()

    @property
    def is_closed(self) -> bool:  # type: ignore[override]
        """Whether its graph is finished."""
        return not self.tracing.open

    def original_value(self) -> Tracer:
        """The value of this tracer when it was created, before later writes to it."""
        return self.tracing.original_value(self)

    @contextmanager
    def mark_gradient_nodes(self) -> Iterator[None]:
        """Mark nodes added inside the block as this one's gradient: they get its line, and name it as their source."""
        graph, before = self.tracing.graph, (self.tracing.forward, self.tracing.graph.by)
        self.tracing.forward, graph.by = producer(self.ref), "gradient"
        try:
            yield
        finally:
            self.tracing.forward, graph.by = before

    def __repr__(self) -> str:
        if not self.is_closed:
            self.tracing.mark_not_executable("the text of a tensor is unavailable during tracing")
        return f"Tensor(shape={list(self.shape)}, dtype={self.dtype}, value= <traced %{producer(self.ref)}>)"

    __str__ = __repr__


def _is_user_code(code: Any) -> bool:  # ``call_with_end`` calls functions in C for the user's code
    return code.co_name == "call_with_end" or not is_internal_file(code.co_filename)


def outermost_trace(tracing: Any) -> Any:
    """The interpreter of the outermost graph, of which this one traces a body."""
    while (parent := getattr(tracing, "parent", None)) is not None:
        tracing = parent
    return tracing


def add_input(tracing: Any, name: str, leaf: Tensor) -> Tracer:
    """A new input of a graph, which represents a tensor among the arguments."""
    node = tracing.graph.emit(INPUT, (), {"name": name}, [leaf.type], loc=node_location())
    tracing.graph.inputs.append(node)
    tracer = Tracer(tracing, node, leaf.type)
    tracer.eager_class = leaf.__class__
    return tracer


Tracer.__name__ = Tensor.__name__  # in the messages of Python's errors
# Reasons why a graph must not be run. A variable that is 1 or 2 after a branch is such a number, see ``joined_values``.
LOOP_CHANGES_CLASS = "a loop variable starts as a Parameter and may become another tensor"
NUMBER_FROM_TENSOR = "a Python number depends on a tensor, which a graph can only represent as a tensor"


def is_number_tracer(value: object) -> bool:
    """Whether a tracer represents a Python number, such as one that two branches set to different values."""
    return bool(getattr(value, "number_types", ()))
