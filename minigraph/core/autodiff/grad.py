"""``grad`` and ``value_and_grad``: functions that return gradients of functions.

The results have MindSpore's structure. Gradients consist of operators, so they nest and work inside ``@jit``.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from minigraph.core.aliases import Function, PyTree
from minigraph.core.autodiff.differentiability import DiagnosticTape, hooked_gradients
from minigraph.core.autodiff.tape import full_like
from minigraph.core.context import resolve
from minigraph.core.errors import ArgRuntimeError, ArgTypeError, ArgValueError, UsageError
from minigraph.core.location import shorten_traceback, warn, with_location
from minigraph.core.op import apply, current_interpreter, is_eager, op_named, record_on
from minigraph.core.pytree import leaves_of
from minigraph.core.seams import current_implementation
from minigraph.core.tensor import Parameter, Tensor
from minigraph.core.tensor.inplace import assign_whole, detach_view
from minigraph.core.tensor.promotion import converted_function
from minigraph.core.tensor.tensor import set_array
from minigraph.core.types import bool_

Weights = Parameter | Iterable[Parameter] | None
Position = int | tuple[int, ...] | None
REPORT = "minigraph.core.autodiff.blocked_gradients:report_blocked_gradients"


class UnusedParameterWarning(UserWarning):
    """A gradient is zero because the loss does not depend on the parameter."""


class Request(NamedTuple):
    """Which gradients to compute, and in which structure to return them."""

    positions: tuple[int, ...]
    weights: Parameter | tuple[Parameter, ...] | None
    has_aux: bool
    return_ids: bool
    sens_param: bool

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """The weights as a tuple."""
        return (self.weights,) if isinstance(self.weights, Parameter) else self.weights or ()


def grad(
    fn: Function,
    grad_position: Position = 0,
    weights: Weights = None,
    has_aux: bool = False,
    return_ids: bool = False,
    sens_param: bool = False,
) -> Function:
    """A function that returns gradients of ``fn`` (a function or a Cell).

    ``grad_position``: the argument(s) to differentiate; 0 and (0,) give the bare gradient, (0, 1) a tuple.
    ``weights``: a Parameter (bare gradient) or several (tuple). With both: (inputs, weights). Outputs that
    are not scalars are seeded with ones, all outputs unless ``has_aux``: then only the first is
    differentiated and the result is (gradients, tuple of the others). ``return_ids`` pairs each gradient
    with its position or name. ``sens_param``: the seed is the last argument, or ``sens=``.

    Raises ``ValueError`` when neither positions nor weights are given and when ``fn`` returns no tensor,
    ``RuntimeError`` for a position that the call does not have.

    >>> from minigraph import Tensor
    >>> print(grad(lambda x: x ** 3)(Tensor(2.0)))
    12.0
    """
    request = _request(fn, grad_position, weights, has_aux, return_ids, sens_param)

    def gradient(*args: PyTree, **kwargs: PyTree) -> PyTree:
        out, grads = _differentiate(fn, request, args, kwargs)
        return (grads, tuple(out[1:])) if has_aux else grads

    return named_after(fn, "grad", gradient)


def value_and_grad(
    fn: Function,
    grad_position: Position = 0,
    weights: Weights = None,
    has_aux: bool = False,
    return_ids: bool = False,
    sens_param: bool = False,
) -> Function:
    """Like ``grad``, but returns (result of ``fn``, gradients).

    >>> from minigraph import Tensor
    >>> value, gradient = value_and_grad(lambda x: x ** 3)(Tensor(2.0))
    >>> print(value, gradient)
    8.0 12.0
    """
    request = _request(fn, grad_position, weights, has_aux, return_ids, sens_param)

    def value_and_gradient(*args: object, **kwargs: object) -> PyTree:
        return _differentiate(fn, request, args, kwargs)

    return named_after(fn, "value_and_grad", value_and_gradient)


def named_after(fn: Function, transformation: str, result: Any) -> Function:
    """The ``result`` of a transformation of ``fn``, whose arguments it takes, with a name such as ``grad(loss)``."""
    result.__name__ = f"{transformation}({getattr(fn, '__name__', type(fn).__name__)})"
    result._transformed_function = fn
    return result


# ---- the request -------------------------------------------------------------------------------------


def _request(
    fn: object, position: object, weights: object, has_aux: bool, return_ids: bool, sens_param: bool
) -> Request:
    if not callable(fn):
        raise with_location(ArgTypeError(f"grad: needs a function or a Cell, got {type(fn).__name__}"))
    if position is None and weights is None:
        raise with_location(ArgValueError("`grad_position` and `weight` can not be None at the same time."))
    return Request(_positions(position), _weights(weights), has_aux, return_ids, sens_param)


def _positions(position: object) -> tuple[int, ...]:
    positions = () if position is None else position if isinstance(position, tuple) else (position,)
    if not all(isinstance(p, int) and not isinstance(p, bool) for p in positions):
        raise with_location(ArgTypeError("For 'F.grad', the 'grad_position' must be int or tuple."))
    if any(p < 0 for p in positions):
        raise with_location(ArgValueError("grad_position must be >= 0."))
    return positions


def _weights(weights: object) -> Parameter | tuple[Parameter, ...] | None:
    """The weights; an iterable of several becomes a tuple, because it may be a generator."""
    if weights is None or isinstance(weights, Parameter):
        return weights
    weights = tuple(weights) if isinstance(weights, Iterable) and not isinstance(weights, Tensor) else (weights,)
    for weight in weights:
        if not isinstance(weight, Parameter):
            raise with_location(ArgTypeError(f"grad: weights must be Parameters, got {type(weight).__name__}"))
    return weights


def _differentiate(
    fn: Function, request: Request, args: tuple[PyTree, ...], kwargs: dict[str, object]
) -> tuple[PyTree, PyTree]:
    args, kwargs, sens = _split_sens(request, args, kwargs)
    if any(p >= len(args) for p in request.positions):
        raise with_location(ArgRuntimeError(f"Position index {max(request.positions)} is exceed input size."))
    tape, inputs = current_implementation("tape", DiagnosticTape)(), list(args)
    for p in request.positions:
        if isinstance(args[p], np.ndarray):
            text = f"grad: argument {p} is a numpy.ndarray, not a tensor; wrap it in Tensor(...)"
            raise with_location(ArgTypeError(text))
        if isinstance(args[p], Tensor):
            # An alias per position, which only outer tapes connect to the argument: f(x, x) has two gradients, and
            # an inner gradient must not confuse its inputs with those of an outer one (perturbation confusion).
            inputs[p] = detach_view(apply("identity", args[p]))
            watch = tape.diagnostics.add_argument if inputs[p].dtype is bool_ else tape.watch  # no derivative by bools
            watch(inputs[p])
    identity = op_named("identity")
    weights = [current_interpreter().lift(identity, (weight,))[0] for weight in request.parameters]
    for weight in weights:
        tape.watch(weight)
    try:
        out = record_on(tape).call(converted_function(fn), *inputs, **kwargs)
    except Exception as error:
        shorten_traceback(error)
        raise
    targets = [inputs[p] for p in request.positions] + weights
    owners = [*(args[p] for p in request.positions), *request.parameters]
    for argument, alias in zip(args, inputs, strict=True):
        if alias is not argument and tape.current_value(alias) is not alias:
            assign_whole(argument, tape.current_value(alias))  # the function wrote to its argument
    grads = tape.gradient(_seeds(request, out, sens), [t for t in targets if isinstance(t, Tensor)])
    return out, _result(request, targets, owners, grads, tape)


def _split_sens(
    request: Request, args: tuple[object, ...], kwargs: dict[str, object]
) -> tuple[tuple[PyTree, ...], dict[str, PyTree], PyTree]:
    if not request.sens_param:
        return args, kwargs, None
    if "sens" in kwargs:
        return args, {k: v for k, v in kwargs.items() if k != "sens"}, kwargs["sens"]
    if not args:
        raise with_location(UsageError("grad: sens_param=True needs the sensitivity as last argument or as sens="))
    return args[:-1], kwargs, args[-1]


def _is_tensor(item: object) -> bool:
    return isinstance(item, Tensor)


def _seeds(request: Request, out: PyTree, sens: PyTree) -> list[tuple[Tensor, Tensor]]:
    if request.has_aux and (not isinstance(out, tuple | list) or len(out) < 2):
        raise with_location(ArgValueError("When has_aux is True, origin fn requires more than one outputs."))
    leaves = list(leaves_of(out[0] if request.has_aux else out, _is_tensor))
    if not leaves:
        kind = "None" if out is None else f"{type(out).__name__} without a tensor"
        raise with_location(UsageError(f"grad: the function returns {kind}, which has no gradient; return the loss"))
    if sens is None:
        return [(leaf, full_like(leaf, 1.0)) for leaf in leaves]
    cotangents = list(leaves_of(sens, _is_tensor))
    shapes = [t.shape for t in leaves], [t.shape for t in cotangents]
    if shapes[0] != shapes[1]:
        text = f"grad: outputs have shapes {shapes[0]}, sensitivities {shapes[1]}; give one for each"
        raise with_location(ArgValueError(text))
    return list(zip(leaves, cotangents, strict=True))


def _result(request: Request, targets: PyTree, owners: PyTree, grads: list[Tensor | None], tape: DiagnosticTape) -> Any:
    aligned = [grads.pop(0) if isinstance(t, Tensor) else None for t in targets]
    count = len(request.positions)
    names = [*(f"argument {p}" for p in request.positions), *(f"'{p.name}'" for p in request.parameters)]
    zeros = [k for k, (t, g) in enumerate(zip(targets, aligned, strict=True)) if isinstance(t, Tensor) and g is None]
    if tape.diagnostics.blockers:
        resolve(REPORT)(tape.diagnostics, list(zip(names, targets, aligned, strict=True)))
    for k in zeros:
        if k >= count and targets[k] not in tape.diagnostics.blockers:
            warn(f"gradient w.r.t. {names[k]} is zero because the loss never uses it", UnusedParameterWarning)
    results: list[PyTree] = hooked_gradients(owners, map(_complete_gradient, targets, aligned))
    if request.return_ids:
        results = list(zip([*request.positions, *(p.name for p in request.parameters)], results, strict=True))
    inputs = [result for result, t in zip(results[:count], targets, strict=False) if isinstance(t, Tensor)]
    by_input = inputs[0] if len(inputs) == 1 else tuple(inputs)
    by_weight = results[count] if isinstance(request.weights, Parameter) else tuple(results[count:])
    return by_weight if not count else by_input if request.weights is None else (by_input, by_weight)


def _complete_gradient(target: PyTree, gradient: Tensor | None) -> PyTree:
    """The gradient in the argument's dtype; zeros if there is none; an argument that is not a tensor has none."""
    if not isinstance(target, Tensor):
        return ()
    result = full_like(target, 0.0) if gradient is None else gradient
    return _as_writeable(result if result.dtype is target.dtype else apply("cast", result, dtype=target.dtype))


def _as_writeable(gradient: Tensor) -> Tensor:
    """The gradient in writeable memory: a copy of a constant or of a view that repeats elements."""
    if gradient.is_traced or not is_eager() or gradient.array.flags.writeable:
        return gradient
    copy: Tensor = apply("identity", gradient)  # an operator call, so that outer tapes record it
    set_array(copy, copy.array.copy())
    return copy
