"""Functions that are exactly one operator, built from its record."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from typing import NoReturn

from minigraph.core.aliases import Function, IntOrTuple, TensorLike
from minigraph.core.errors import ArgTypeError
from minigraph.core.location import expression_text, user_loc
from minigraph.core.op import Op, apply
from minigraph.core.tensor.fast_path import Tensor, function_of

RECORDS: dict[Function, Op] = {}  # function built here -> its operator


def unary(op: Op) -> Callable[[Tensor], Tensor]:
    """The function ``f(input)`` of a unary operator; it rejects operands that are not tensors.

    >>> from minigraph.operators.elementwise import NEG
    >>> print(unary(NEG)(Tensor([1.0, -2.0])))
    [-1.  2.]
    """

    def call(input: Tensor) -> Tensor:
        return apply(op, input if isinstance(input, Tensor) else _raise_not_a_tensor(op, input))

    return _register(function_of(call, op.name, "unary"), op)


def binary(op: Op) -> Callable[[TensorLike, TensorLike], Tensor]:
    """The function ``f(input, other)`` of a binary operator; it accepts numbers.

    >>> from minigraph.operators.elementwise import ADD
    >>> binary(ADD)(1, 2)
    Tensor(shape=[], dtype=Int64, value= 3)
    """

    def call(input: TensorLike, other: TensorLike) -> Tensor:
        return apply(op, input, other)

    return _register(function_of(call, op.name, "binary"), op)


def reduction(op: Op) -> Callable[..., Tensor]:
    """The function ``f(input, axis=None, keep_dims=False)`` of a reduction.

    >>> from minigraph.operators.reduce import SUM
    >>> print(reduction(SUM)(Tensor([[1.0, 2.0], [3.0, 4.0]]), 0))
    [4. 6.]
    """

    def call(input: Tensor, axis: IntOrTuple | None = None, keep_dims: bool = False) -> Tensor:
        return apply(op, input, axis=axis, keepdims=keep_dims)

    return _register(call, op)


def rename_arguments(function: Function, **names: str) -> Function:
    """The same function with other names for some arguments, as ``x="input"``; it still accepts its own names.

    >>> rename_arguments(lambda input, axis: axis, dim="axis")(0, dim=1)
    1
    """

    @wraps(function)
    def call(*args: object, **kwargs: object) -> Tensor:
        return function(*args, **{names.get(name, name): value for name, value in kwargs.items()})

    renamed = {original: alias for alias, original in names.items()}
    signature = inspect.signature(function)
    parameters = [parameter.replace(name=renamed.get(name, name)) for name, parameter in signature.parameters.items()]
    call.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    if function in RECORDS:
        RECORDS[call] = RECORDS[function]
    return call


def _register(call: Function, op: Op) -> Function:
    call.__name__ = call.__qualname__ = op.name
    call.__doc__ = op.doc
    RECORDS[call] = op
    return call


def _raise_not_a_tensor(op: Op, value: object) -> NoReturn:
    name = op.name.title().replace("_", "")
    text = f'Failed calling {name} with "{name}()(input={value.__class__.__name__})".'
    raise ArgTypeError(f"{text}\n{op}: needs a tensor{expression_text(user_loc())}; wrap the value in Tensor(...)")
