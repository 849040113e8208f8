"""Jacobian products in both modes, whole Jacobians, and higher derivatives.

The engine differentiates in reverse mode only. ``jvp`` builds the forward mode from it: u -> J^T u is linear in u, so
the vector-Jacobian product of that function with v is J v (J. Townsend, "A new trick for calculating Jacobian vector
products", 2017).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial

import numpy as np

from minigraph.capture.structure import is_tensor
from minigraph.core.aliases import CallResult, Function, TensorLike
from minigraph.core.autodiff.grad import Position, Weights, grad, named_after, value_and_grad
from minigraph.core.errors import ArgTypeError, ArgValueError, ShapeError, UsageError
from minigraph.core.pytree import flatten, unflatten
from minigraph.core.tensor import Tensor
from minigraph.core.types import float32
from minigraph.ops.functional.creation import zeros_like
from minigraph.ops.functional.dtypes import cast
from minigraph.ops.functional.joining import stack
from minigraph.ops.functional.shapes import reshape

__all__ = ["derivative", "jacfwd", "jacrev", "jet", "jvp", "linearize", "vjp"]


def _tensors(name: str, value: Tensor | Sequence[Tensor]) -> tuple[Tensor, ...]:
    """One tensor or several, as a tuple."""
    tensors = tuple(value) if isinstance(value, list | tuple) else (value,)
    for tensor in tensors:
        if not isinstance(tensor, Tensor):
            raise ArgTypeError(f"{name}: expected tensors, got {type(tensor).__name__}; wrap it in Tensor(...)")
    return tensors


def _check_shapes(name: str, vectors: tuple[Tensor, ...], like: tuple[Tensor, ...]) -> None:
    """Raises ``ShapeError`` unless the vectors have the shapes of ``like``, one for each."""
    shapes, expected = ([list(item.shape) for item in items] for items in (vectors, like))
    if shapes != expected:
        raise ShapeError(f"{name}: expected vectors of shapes {expected}, one for each, got {shapes}")


def _first_result(fn: Function) -> Function:
    """The function that returns only the first result of ``fn``."""

    def first(*inputs: Tensor) -> Tensor:
        out = fn(*inputs)
        if not isinstance(out, tuple) or len(out) < 2:
            raise ArgValueError("When 'has_aux' is True, origin 'fn' requires more than one outputs.")
        return out[0]

    return first


def _other_results(out: tuple[Tensor, ...]) -> CallResult:
    return out[1] if len(out) == 2 else out[1:]


# ---- products --------------------------------------------------------------------------------------


def vjp(fn: Function, *inputs: Tensor, weights: Weights = None, has_aux: bool = False) -> CallResult:
    """(the results of ``fn``, the function from cotangents of the results to cotangents of the inputs).

    The cotangents of the inputs are a tuple; with ``weights`` (that tuple, the cotangents of the weights). With
    ``has_aux`` only the first result is differentiated, and the others come third. Each product runs ``fn`` again.

    >>> out, pullback = vjp(lambda x: x * x, Tensor([1.0, 3.0]))
    >>> print(out, pullback(Tensor([1.0, 10.0]))[0])
    [1. 9.] [ 2. 60.]
    """
    _tensors("vjp", inputs)
    out = fn(*inputs)
    target = _first_result(fn) if has_aux else fn
    gradient = grad(target, tuple(range(len(inputs))), weights, sens_param=True)

    def pullback(*vectors: CallResult) -> CallResult:
        cotangents = vectors[0] if len(vectors) == 1 else vectors
        _check_shapes("vjp", _tensors("vjp", cotangents), _tensors("vjp", out[0] if has_aux else out))
        products = gradient(*inputs, cotangents)
        if len(inputs) > 1:
            return products
        return (products,) if weights is None else ((products[0],), products[1])

    if not has_aux:
        return out, pullback
    _first_result(lambda: out)()
    return out[0], pullback, _other_results(out)


def jvp(
    fn: Function, inputs: Tensor | Sequence[Tensor], v: Tensor | Sequence[Tensor], has_aux: bool = False
) -> CallResult:
    """(the results of ``fn``, the products of its Jacobian with the vectors ``v``, one per input).

    With ``has_aux`` only the first result is differentiated, and the others come third.

    >>> out, tangents = jvp(lambda x, y: x * y, (Tensor([1.0, 3.0]), Tensor([2.0, 2.0])), (Tensor([1.0, 0.0]),) * 2)
    >>> print(out, tangents)
    [2. 6.] [3. 0.]
    """
    primals, vectors = _tensors("jvp", inputs), _tensors("jvp", v)
    _check_shapes("jvp", vectors, primals)
    out = fn(*primals)
    target = _first_result(fn) if has_aux else fn
    results, spec = flatten(target(*primals) if has_aux else out, is_tensor)
    vjp_of_target = grad(target, tuple(range(len(primals))), sens_param=True)

    def pullback(*cotangents: Tensor) -> CallResult:
        """Linear in the cotangents: its vector-Jacobian product with ``v`` is the Jacobian-vector product."""
        return vjp_of_target(*primals, unflatten(spec, list(cotangents)))

    zeros = [zeros_like(result) for result in results]
    sens = vectors if len(vectors) > 1 else vectors[0]
    tangents = grad(pullback, tuple(range(len(zeros))), sens_param=True)(*zeros, sens)
    tangents = unflatten(spec, list(tangents) if len(zeros) > 1 else [tangents])
    return (out[0], tangents, _other_results(out)) if has_aux else (out, tangents)


# ---- Jacobians -------------------------------------------------------------------------------------


def jacrev(fn: Function, grad_position: Position = 0, has_aux: bool = False) -> Function:
    """The function that computes Jacobians, result.shape + input.shape; tuples for several inputs or several results.

    Reverse mode, one gradient per row: for fewer results than inputs. With ``has_aux`` only the first result is
    differentiated, and the others come second.

    >>> print(jacrev(lambda x: x * x)(Tensor([1.0, 3.0])))
    [[2. 0.]
     [0. 6.]]
    """
    target = _first_result(fn) if has_aux else fn

    def jacobian(*inputs: Tensor) -> CallResult:
        out = fn(*inputs)
        result = out[0] if has_aux else out
        tensors = enumerate(_tensors("jacrev", result))
        jacobians = [_jacobian_rows(target, i, tensor, inputs, grad_position) for i, tensor in tensors]
        derivatives = tuple(jacobians) if isinstance(result, tuple | list) else jacobians[0]
        return (derivatives, _other_results(out)) if has_aux else derivatives

    return named_after(fn, "jacrev", jacobian)


def _jacobian_rows(
    fn: Function, index: int, result: Tensor, inputs: tuple[Tensor, ...], position: Position
) -> CallResult:
    """The Jacobian of one result: one gradient per element."""
    gradient = grad(lambda *operands: _tensors("jacrev", fn(*operands))[index], position, sens_param=True)
    seeds = np.eye(max(result.size, 1)).reshape(-1, *result.shape)
    gradients = [gradient(*inputs, Tensor(seed, result.dtype)) for seed in seeds]
    if not isinstance(gradients[0], tuple):
        return reshape(stack(gradients), (*result.shape, *gradients[0].shape))
    return tuple(reshape(stack(rows), (*result.shape, *rows[0].shape)) for rows in zip(*gradients, strict=True))


def jacfwd(fn: Function, grad_position: Position = 0, has_aux: bool = False) -> Function:
    """``jacrev`` in forward mode, one product per column: for fewer inputs than results.

    >>> print(jacfwd(lambda x: x * x)(Tensor([1.0, 3.0])))
    [[2. 0.]
     [0. 6.]]
    """
    target = _first_result(fn) if has_aux else fn
    has_several = isinstance(grad_position, tuple) and len(grad_position) > 1
    positions = grad_position if isinstance(grad_position, tuple) else (grad_position or 0,)

    def jacobian(*inputs: Tensor) -> CallResult:
        out = fn(*inputs)
        result = out[0] if has_aux else out
        by_input = [_jacobian_columns(target, position, inputs) for position in positions]
        count = len(_tensors("jacfwd", result))
        jacobians = [tuple(rows[k] for rows in by_input) if has_several else by_input[0][k] for k in range(count)]
        derivatives = tuple(jacobians) if isinstance(result, tuple | list) else jacobians[0]
        return (derivatives, _other_results(out)) if has_aux else derivatives

    return named_after(fn, "jacfwd", jacobian)


def _jacobian_columns(fn: Function, index: int, inputs: tuple[Tensor, ...]) -> list[Tensor]:
    """The Jacobians of all results by one input: one Jacobian-vector product per element."""
    primal = inputs[index]

    def of_input(value: TensorLike) -> CallResult:
        return fn(*inputs[:index], value, *inputs[index + 1 :])

    units = np.eye(primal.size).reshape(-1, *primal.shape)
    columns = [_tensors("jacfwd", jvp(of_input, primal, Tensor(unit, primal.dtype))[1]) for unit in units]
    return [reshape(stack(parts, -1), (*parts[0].shape, *primal.shape)) for parts in zip(*columns, strict=True)]


def derivative(fn: Function, primals: Tensor, order: int) -> tuple[Tensor, Tensor]:
    """(the result of an elementwise function ``fn``, its ``order``-th derivative).

    >>> value, third = derivative(lambda x: x**3, Tensor([2.0]), 3)
    >>> print(value, third)
    [8.] [6.]
    """
    if not isinstance(order, int) or order < 1:
        raise ArgValueError(f"derivative: order must be an integer >= 1, got {order!r}")
    if not isinstance(primals, Tensor):
        raise UsageError(f"derivative: expected one tensor, got {type(primals).__name__}")
    primals = primals if primals.dtype.is_float else cast(primals, float32)
    higher = fn
    for _ in range(order - 1):
        higher = grad(higher)
    if order == 1:
        return value_and_grad(fn)(primals)
    return fn(primals), grad(higher)(primals)


def jet(fn: Function, primals: Tensor, series: Tensor) -> tuple[Tensor, Tensor]:
    """(fn(x), the derivatives of fn along a curve through x): ``series[k]`` is the curve's derivative of order k + 1.

    >>> value, derivatives = jet(lambda x: x**2, Tensor([3.0]), Tensor([[1.0], [0.0]]))
    >>> print(value, derivatives)
    [9.] [[6.]
     [2.]]
    """
    orders = series.shape[0] if isinstance(series, Tensor) and series.ndim else 0
    if not isinstance(primals, Tensor) or not orders or series.shape[1:] != primals.shape:
        raise ShapeError(f"jet: needs x and derivatives [orders, *x.shape] of a curve, got {primals!r} and {series!r}")

    if not primals.dtype.is_float:
        primals, series = cast(primals, float32), cast(series, float32)

    def along_curve(t: Tensor) -> Tensor:
        x: Tensor = primals
        for k in range(orders):
            x = x + series[k] * t ** (k + 1) * (1 / math.factorial(k + 1))
        return fn(x)

    start, one = zeros_like(primals).sum(), zeros_like(primals).sum() + 1
    values, function = [], along_curve
    for _ in range(orders):
        function = partial(_directional, function, one)
        values.append(function(start))
    return fn(primals), stack(values, 0)


def _directional(fn: Function, direction: Tensor, t: Tensor) -> Tensor:
    """The derivative of a function of one number."""
    derivative: Tensor = jvp(fn, t, direction)[1]
    return derivative


def linearize(fn: Function, inputs: Tensor | Sequence[Tensor]) -> tuple[CallResult, Function]:
    """(fn(*inputs), the linear function that maps a change of the inputs to the change of the result).

    >>> value, change = linearize(lambda x: x * x, Tensor([3.0]))
    >>> print(value, change(Tensor([2.0])))
    [9.] [12.]
    """
    arguments = tuple(inputs) if isinstance(inputs, tuple | list) else (inputs,)

    def change(*vectors: Tensor) -> CallResult:
        return jvp(fn, arguments if len(arguments) > 1 else arguments[0], vectors if len(vectors) > 1 else vectors[0])[
            1
        ]

    return fn(*arguments), change
