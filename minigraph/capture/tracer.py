"""Tensors without a value: what a function is called with while it is captured."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from minigraph.core.errors import MissingName, TraceError
from minigraph.core.location import in_expression, user_loc
from minigraph.core.missing import lazy_message
from minigraph.core.tensor import Tensor
from minigraph.core.types import DType, Shape, TensorType
from minigraph.ir.graph import Ref, producer


class Tracer(Tensor):
    """A tensor that stands for a node of a graph under construction: a type, but no value yet.

    ``tracing`` is the interpreter that made it, ``ref`` the value in its graph.
    """

    __slots__ = ("_type", "ref", "tracing")
    traced = True
    form = None

    def __init__(self, tracing: Any, ref: Ref, type: TensorType) -> None:
        self.tracing, self.ref, self._type = tracing, ref, type

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
        """Not known while tracing: raises ``TraceError`` with the user's expression and line."""
        raise self.unknown()

    def unknown(self, what: str = "") -> TraceError:
        """The error that says so; ``what`` is who asks."""
        name, title, place = f"{self._type} %{producer(self.ref)}", self.tracing.graph.title, in_expression(user_loc())
        if self.closed:
            return TraceError(f"{name} of '{title}' was kept after tracing ended{place}; return it from the function")
        way_out = self.tracing.reads.way_out
        return TraceError(f"{what}the value of {name} is not known while tracing '{title}'{place}; {way_out}")

    def __array_function__(self, func: Callable[..., Any], types: Any, args: Any, kwargs: Any) -> Any:
        """numpy's functions get shapes, and ``TraceError`` where they ask for more."""
        if func in (np.shape, np.ndim, np.size) and args and args[0] is self:
            return func(np.broadcast_to(0, self.shape), *args[1:], **kwargs)
        raise self.unknown(what=f"numpy.{func.__name__}: ")

    def __getattr__(self, name: str) -> Any:
        """Raise ``AttributeError`` with the nearest name; of a Tensor with a value, Python's own traceback tells it."""
        raise AttributeError(name) if name.startswith("__") else MissingName(lazy_message("Tensor", name, Tensor))

    def __format__(self, spec: str) -> str:
        if spec:
            raise self.unknown(what=f"format '{spec}': ")
        return str(self)

    @property
    def closed(self) -> bool:  # type: ignore[override]
        """Whether its graph is finished."""
        return not self.tracing.open

    def as_made(self) -> Tracer:
        """This value itself, even if the tensor was written to since and reads as another."""
        made: Tracer = self.tracing.as_made(self)
        return made

    @contextmanager
    def mark_gradient_nodes(self) -> Iterator[None]:
        """Nodes added inside the block belong to this one's gradient: they take its line and name it as source."""
        graph, before = self.tracing.graph, (self.tracing.forward, self.tracing.graph.by)
        self.tracing.forward, graph.by = producer(self.ref), "gradient"
        try:
            yield
        finally:
            self.tracing.forward, graph.by = before

    def __repr__(self) -> str:
        return f"Tensor(shape={list(self.shape)}, dtype={self.dtype}, value= <traced %{producer(self.ref)}>)"

    __str__ = __repr__
