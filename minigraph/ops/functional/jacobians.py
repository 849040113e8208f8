"""Jacobian products in both modes, whole Jacobians, and higher derivatives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from minigraph.capture.structure import is_tensor
from minigraph.core.autodiff.grad import Position, Weights, grad, value_and_grad
from minigraph.core.errors import ShapeError, TypeArgument, UsageError, ValueArgument
from minigraph.core.pytree import flatten, unflatten
from minigraph.core.tensor import Tensor
from minigraph.ops.functional.creation import zeros_like
from minigraph.ops.functional.joining import stack
from minigraph.ops.functional.shapes import reshape

__all__ = ["derivative", "jacfwd", "jacrev", "jvp", "vjp"]


Function = Callable[..., Any]


def _tensors(name: str, given: Any) -> tuple[Any, ...]:
    """One tensor or several, as a tuple."""
    found = tuple(given) if isinstance(given, list | tuple) else (given,)
    for one in found:
        if not isinstance(one, Tensor):
            raise TypeArgument(f"{name}: tensors are wanted, got {type(one).__name__}; wrap it in Tensor(...)")
    return found


def _check_shapes(name: str, vectors: tuple[Any, ...], like: tuple[Any, ...]) -> None:
    """Raise ``ShapeError`` unless there is a vector of the same shape for each of the others."""
    found, wanted = ([list(one.shape) for one in items] for items in (vectors, like))
    if found != wanted:
        raise ShapeError(f"{name}: vectors of shapes {wanted} are wanted, got {found}; give one for each, of its shape")


def _first(fn: Function) -> Function:
    """The first result of a function alone."""

    def first(*inputs: Any) -> Any:
        out = fn(*inputs)
        if not isinstance(out, tuple) or len(out) < 2:
            raise ValueArgument("When 'has_aux' is True, origin 'fn' requires more than one outputs.")
        return out[0]

    return first


def _rest(out: Any) -> Any:
    return out[1] if len(out) == 2 else out[1:]


# ---- products --------------------------------------------------------------------------------------


def vjp(fn: Function, *inputs: Any, weights: Weights = None, has_aux: bool = False) -> Any:
    """(the results of ``fn``, a function from as many vectors to their products with its Jacobian).

    The products are a tuple, one per input; with ``weights`` (that tuple, those by the weights). With ``has_aux``
    only the first result counts, and the others come third. The function is run again for each product.

    >>> out, pull = vjp(lambda x: x * x, Tensor([1.0, 3.0]))
    >>> print(out, pull(Tensor([1.0, 10.0]))[0])
    [1. 9.] [ 2. 60.]
    """
    _tensors("vjp", inputs)
    out = fn(*inputs)
    part = _first(fn) if has_aux else fn
    gradient = grad(part, tuple(range(len(inputs))), weights, sens_param=True)

    def pull(*vectors: Any) -> Any:
        given = vectors[0] if len(vectors) == 1 else vectors
        _check_shapes("vjp", _tensors("vjp", given), _tensors("vjp", out[0] if has_aux else out))
        found = gradient(*inputs, given)
        if len(inputs) > 1:
            return found
        return (found,) if weights is None else ((found[0],), found[1])

    if not has_aux:
        return out, pull
    _first(lambda: out)()
    return out[0], pull, _rest(out)


def jvp(fn: Function, inputs: Any, v: Any, has_aux: bool = False) -> Any:
    """(the results of ``fn``, the products of its Jacobian with the vectors ``v``, one per input).

    With ``has_aux`` only the first result counts, and the others come third.

    >>> out, along = jvp(lambda x, y: x * y, (Tensor([1.0, 3.0]), Tensor([2.0, 2.0])), (Tensor([1.0, 0.0]),) * 2)
    >>> print(out, along)
    [2. 6.] [3. 0.]
    """
    given, vectors = _tensors("jvp", inputs), _tensors("jvp", v)
    _check_shapes("jvp", vectors, given)
    out = fn(*given)
    part = _first(fn) if has_aux else fn
    results, spec = flatten(part(*given) if has_aux else out, is_tensor)
    pulled = grad(part, tuple(range(len(given))), sens_param=True)

    def transposed(*seeds: Any) -> Any:
        """Linear in the seeds, so its own products with vectors are those wanted."""
        return pulled(*given, unflatten(spec, list(seeds)))

    zeros = [zeros_like(one) for one in results]
    sens = vectors if len(vectors) > 1 else vectors[0]
    along = grad(transposed, tuple(range(len(zeros))), sens_param=True)(*zeros, sens)
    along = unflatten(spec, list(along) if len(zeros) > 1 else [along])
    return (out[0], along, _rest(out)) if has_aux else (out, along)


# ---- Jacobians -------------------------------------------------------------------------------------


def jacrev(fn: Function, grad_position: Position = 0, has_aux: bool = False) -> Function:
    """A function of the Jacobian: result.shape + input.shape, a tuple for several inputs, and for several results.

    Every row is a gradient: for fewer results than inputs. With ``has_aux`` only the first result counts, and the
    others come second.

    >>> print(jacrev(lambda x: x * x)(Tensor([1.0, 3.0])))
    [[2. 0.]
     [0. 6.]]
    """
    part = _first(fn) if has_aux else fn

    def jacobian(*inputs: Any) -> Any:
        out = fn(*inputs)
        result = out[0] if has_aux else out
        found = [_rows(part, at, one, inputs, grad_position) for at, one in enumerate(_tensors("jacrev", result))]
        whole = tuple(found) if isinstance(result, tuple | list) else found[0]
        return (whole, _rest(out)) if has_aux else whole

    return jacobian


def _rows(fn: Function, at: int, result: Any, inputs: tuple[Any, ...], position: Position) -> Any:
    """The Jacobian of one result: a gradient per element."""
    gradient = grad(lambda *given: _tensors("jacrev", fn(*given))[at], position, sens_param=True)
    seeds = np.eye(max(result.size, 1)).reshape(-1, *result.shape)
    found = [gradient(*inputs, Tensor(seed, result.dtype)) for seed in seeds]
    if not isinstance(found[0], tuple):
        return reshape(stack(found), (*result.shape, *found[0].shape))
    return tuple(reshape(stack(rows), (*result.shape, *rows[0].shape)) for rows in zip(*found, strict=True))


def jacfwd(fn: Function, grad_position: Position = 0, has_aux: bool = False) -> Function:
    """The same as ``jacrev``, a column at a time: for fewer inputs than results.

    >>> print(jacfwd(lambda x: x * x)(Tensor([1.0, 3.0])))
    [[2. 0.]
     [0. 6.]]
    """
    part = _first(fn) if has_aux else fn
    several = isinstance(grad_position, tuple) and len(grad_position) > 1
    positions = grad_position if isinstance(grad_position, tuple) else (grad_position or 0,)

    def jacobian(*inputs: Any) -> Any:
        out = fn(*inputs)
        result = out[0] if has_aux else out
        by_input = [_columns(part, at, inputs) for at in positions]
        count = len(_tensors("jacfwd", result))
        found = [tuple(one[k] for one in by_input) if several else by_input[0][k] for k in range(count)]
        whole = tuple(found) if isinstance(result, tuple | list) else found[0]
        return (whole, _rest(out)) if has_aux else whole

    return jacobian


def _columns(fn: Function, at: int, inputs: tuple[Any, ...]) -> list[Any]:
    """The Jacobians of all results by one input: a product per element of it."""
    given = inputs[at]

    def of_one(one: Any) -> Any:
        return fn(*inputs[:at], one, *inputs[at + 1 :])

    units = np.eye(given.size).reshape(-1, *given.shape)
    columns = [_tensors("jacfwd", jvp(of_one, given, Tensor(unit, given.dtype))[1]) for unit in units]
    return [reshape(stack(parts, -1), (*parts[0].shape, *given.shape)) for parts in zip(*columns, strict=True)]


def derivative(fn: Function, primals: Any, order: int) -> tuple[Any, Any]:
    """(the result of ``fn``, its ``order``-th derivative by an input whose every element moves by itself).

    >>> value, third = derivative(lambda x: x**3, Tensor([2.0]), 3)
    >>> print(value, third)
    [8.] [6.]
    """
    if not isinstance(order, int) or order < 1:
        raise ValueArgument(f"derivative: order is a whole number from 1, got {order!r}")
    if not isinstance(primals, Tensor):
        raise UsageError(f"derivative: one tensor is wanted, got {type(primals).__name__}")
    higher = fn
    for _ in range(order - 1):
        higher = grad(higher)
    if order == 1:
        return value_and_grad(fn)(primals)
    return fn(primals), grad(higher)(primals)
