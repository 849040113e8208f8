"""Functions that are exactly one operator, built from its record."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Any

from minigraph.core.errors import TypeArgument
from minigraph.core.location import in_expression, user_loc
from minigraph.core.op import Op, apply
from minigraph.core.seams import bound
from minigraph.core.tensor import Tensor


def as_written(call: Callable[..., Any], operator: str, kind: str) -> Callable[..., Any]:
    """The reference's side of the seam ``function_of``: a function that is one operator, unchanged."""
    return call


function_of = bound("function_of", as_written)
RECORDS: dict[Callable[..., Any], Op] = {}  # the functions made here -> the operator each of them is


def unary(op: Op) -> Callable[[Any], Any]:
    """The function ``f(input)`` of an operator with one operand; it refuses what is not a tensor.

    >>> from minigraph.operators.elementwise import NEG
    >>> print(unary(NEG)(Tensor([1.0, -2.0])))
    [-1.  2.]
    """

    def call(input: Any) -> Any:
        return apply(op, input if isinstance(input, Tensor) else _refuse(op, input))

    return _named(function_of(call, op.name, "unary"), op)


def binary(op: Op) -> Callable[[Any, Any], Any]:
    """The function ``f(input, other)`` of an operator with two operands; numbers are taken too.

    >>> from minigraph.operators.elementwise import ADD
    >>> binary(ADD)(1, 2)
    Tensor(shape=[], dtype=Int64, value= 3)
    """

    def call(input: Any, other: Any) -> Any:
        return apply(op, input, other)

    return _named(function_of(call, op.name, "binary"), op)


def reducing(op: Op) -> Callable[..., Any]:
    """The function ``f(input, axis=None, keep_dims=False)`` of a reduction.

    >>> from minigraph.operators.reduce import SUM
    >>> print(reducing(SUM)(Tensor([[1.0, 2.0], [3.0, 4.0]]), 0))
    [4. 6.]
    """

    def call(input: Any, axis: Any = None, keep_dims: bool = False) -> Any:
        return apply(op, input, axis=axis, keepdims=keep_dims)

    return _named(call, op)


def spelled(function: Callable[..., Any], **words: str) -> Callable[..., Any]:
    """The same function with other words for some arguments, as ``x="input"``; its own are taken, too.

    >>> spelled(lambda input, axis: axis, dim="axis")(0, dim=1)
    1
    """

    @wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        return function(*args, **{words.get(word, word): value for word, value in kwargs.items()})

    told = {own: word for word, own in words.items()}
    known = inspect.signature(function)
    parameters = [one.replace(name=told.get(name, name)) for name, one in known.parameters.items()]
    call.__signature__ = known.replace(parameters=parameters)  # type: ignore[attr-defined]
    if function in RECORDS:
        RECORDS[call] = RECORDS[function]
    return call


def _named(call: Callable[..., Any], op: Op) -> Callable[..., Any]:
    call.__name__ = call.__qualname__ = op.name
    call.__doc__ = op.doc
    RECORDS[call] = op
    return call


def _refuse(op: Op, value: object) -> Any:
    name = op.name.title().replace("_", "")
    text = f'Failed calling {name} with "{name}()(input={value.__class__.__name__})".'
    raise TypeArgument(f"{text}\n{op}: needs a tensor{in_expression(user_loc())}; wrap the value in Tensor(...)")
