"""``grad``, ``value_and_grad`` and ``GradOperation``: functions that return gradients of functions.

The return structures are MindSpore's. Gradients are made of operators, so they nest to any order, work
inside ``@jit``, and inside each other.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from minigraph.errors import RuntimeArgument, TypeArgument, UsageError, ValueArgument
from minigraph.op import apply, as_captured, current_interpreter, listening, op_named
from minigraph.tape import Tape, full_like
from minigraph.tensor import Parameter, Tensor
from minigraph.tree import flatten, leaves_of, unflatten
from minigraph.types import bool_

Weights = Parameter | Sequence[Parameter] | None
Position = int | tuple[int, ...] | None


class UnusedParameter(UserWarning):
    """A gradient is zero because the loss never uses the parameter."""


class Request(NamedTuple):
    """Which gradients are wanted, and how they are returned."""

    position: Position
    weights: Weights
    has_aux: bool
    return_ids: bool
    sens_param: bool

    @property
    def positions(self) -> tuple[int, ...]:
        """The wanted argument positions as a tuple."""
        return () if self.position is None else (self.position,) if isinstance(self.position, int) else self.position

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """The wanted weights as a tuple."""
        if self.weights is None:
            return ()
        return (self.weights,) if isinstance(self.weights, Parameter) else tuple(self.weights)


def grad(
    fn: Callable[..., Any],
    grad_position: Position = 0,
    weights: Weights = None,
    has_aux: bool = False,
    return_ids: bool = False,
    sens_param: bool = False,
) -> Callable[..., Any]:
    """A function that returns gradients of ``fn`` (a function or a Cell).

    ``grad_position``: the argument(s) to differentiate; 0 and (0,) give the bare gradient, (0, 1) a tuple.
    ``weights``: a Parameter (bare gradient) or several (tuple). With both: (inputs, weights). Outputs that
    are not scalars are seeded with ones, all outputs unless ``has_aux``: then only the first is
    differentiated and the result is (gradients, tuple of the others). ``return_ids`` pairs each gradient
    with its position or name. ``sens_param``: the seed is the last argument, or ``sens=``.

    Raises ``ValueError`` when neither positions nor weights are wanted, ``RuntimeError`` for a position that
    the call does not have.

    >>> from minigraph import Tensor
    >>> print(grad(lambda x: x ** 3)(Tensor(2.0)))
    12.0
    """
    request = _request(grad_position, weights, has_aux, return_ids, sens_param)

    def gradient(*args: Any, **kwargs: Any) -> Any:
        out, grads = _differentiated(fn, request, args, kwargs)
        return (grads, tuple(out[1:])) if has_aux else grads

    return gradient


def value_and_grad(
    fn: Callable[..., Any],
    grad_position: Position = 0,
    weights: Weights = None,
    has_aux: bool = False,
    return_ids: bool = False,
    sens_param: bool = False,
) -> Callable[..., Any]:
    """Like ``grad``, returning (everything ``fn`` returned, gradients).

    >>> from minigraph import Tensor
    >>> value, gradient = value_and_grad(lambda x: x ** 3)(Tensor(2.0))
    >>> print(value, gradient)
    8.0 12.0
    """
    request = _request(grad_position, weights, has_aux, return_ids, sens_param)

    def value_and_gradient(*args: Any, **kwargs: Any) -> Any:
        return _differentiated(fn, request, args, kwargs)

    return value_and_gradient


class GradOperation:
    """MindSpore's older spelling: configure once, then ``op(fn_or_cell[, weights])(*inputs)``.

    ``get_all``: a tuple over all inputs. ``get_by_list``: a tuple over the weights (default: all trainable
    ones of the Cell). Both: (inputs, weights). ``sens_param``: the last argument is the seed.
    """

    def __init__(self, get_all: bool = False, get_by_list: bool = False, sens_param: bool = False) -> None:
        self.get_all, self.get_by_list, self.sens_param = get_all, get_by_list, sens_param

    def __call__(self, fn: Any, weights: Weights = None) -> Callable[..., Any]:
        """The gradient function of ``fn``."""
        if self.get_by_list and weights is None:
            weights = fn.trainable_params()
        wanted = weights if self.get_by_list else None

        def gradient(*args: Any, **kwargs: Any) -> Any:
            inputs = len(args) - (1 if self.sens_param and "sens" not in kwargs else 0)
            position: Position = tuple(range(inputs)) if self.get_all else None if self.get_by_list else 0
            grads = grad(fn, position, wanted, sens_param=self.sens_param)(*args, **kwargs)
            if not (self.get_all and inputs == 1):
                return grads
            return ((grads[0],), grads[1]) if self.get_by_list else (grads,)

        return gradient


class Rule:
    """A user's gradient, as the attribute that a ``custom_gradient`` node carries.

    ``bprop(*inputs, out, dout)`` is asked for all inputs at once; ``inputs`` is how many it must answer for,
    ``results`` how many tensors the function returned. ``arrange`` puts operands among the inputs that are
    not tensors, ``restore`` results into the structure the function returned.
    """

    def __init__(
        self,
        bprop: Callable[..., Any],
        inputs: int,
        results: int,
        arrange: Callable[[Any], Sequence[Any]] = list,
        restore: Callable[[Any], Any] = lambda out: out,
    ) -> None:
        self.bprop, self.inputs, self.results = bprop, inputs, results
        self.arrange, self.restore = arrange, restore
        self.pulled = lru_cache(maxsize=1)(self._pulled)  # every operand asks; bprop runs once

    def __repr__(self) -> str:
        return getattr(self.bprop, "__qualname__", type(self.bprop).__name__)

    def _pulled(self, g: Any, out: Any, *operands: Any) -> tuple[Any, ...]:
        """One gradient per operand."""
        given = self.bprop(*self.arrange(operands), self.restore(out), self.restore(g))
        grads = tuple(given) if isinstance(given, tuple | list) else (given,)
        if len(grads) < self.inputs:
            text = f"Grad size should lager than forward inputs, but got {len(grads)} vs {self.inputs}"
            raise RuntimeArgument(text)
        pairs = zip(self.arrange(operands), grads, strict=False)
        return tuple(leaf for x, grad in pairs for leaf in _aligned(x, grad))


def _aligned(x: Any, gradient: Any) -> list[Any]:
    """One gradient for each tensor in an input."""
    if isinstance(x, Tensor):
        return [gradient]
    return list(leaves_of(gradient, _is_tensor)) if list(leaves_of(x, _is_tensor)) else []


def custom_gradient(fn: Callable[..., Any], bprop: Callable[..., Any]) -> Callable[..., Any]:
    """``fn`` with a gradient of the user's: ``bprop(*inputs, out, dout)`` returns one gradient per input.

    A single input may return a bare Tensor. Raises ``RuntimeError`` for too few gradients. The gradient is a
    node of captured graphs, so it counts when a jitted function is differentiated, too.

    >>> from minigraph import Tensor
    >>> double = custom_gradient(lambda x: x * 2, lambda x, out, dout: dout * 10)
    >>> print(grad(double)(Tensor(1.0)))
    10.0
    """

    def call(*args: Any, **kwargs: Any) -> Any:
        with listening(alone=True):
            leaves, out_spec = flatten(fn(*args, **kwargs), _is_tensor)
        operands, in_spec = flatten(args, _is_tensor)
        if not leaves:
            return unflatten(out_spec, leaves)
        rule = Rule(
            bprop,
            len(args),
            len(leaves),
            lambda tensors: unflatten(in_spec, tensors),
            lambda out: unflatten(out_spec, out if isinstance(out, tuple) else (out,)),
        )
        out = apply("custom_gradient", *leaves, *operands, rule=rule)
        return unflatten(out_spec, out if isinstance(out, tuple) else (out,))

    return call


# ---- how ---------------------------------------------------------------------------------------------


def _request(position: Any, weights: Any, has_aux: bool, return_ids: bool, sens_param: bool) -> Request:
    if position is None and weights is None:
        raise ValueArgument("`grad_position` and `weight` can not be None at the same time.")
    if position is not None and not isinstance(position, int | tuple):
        raise TypeArgument("For 'F.grad', the 'grad_position' must be int or tuple.")
    request = Request(position, weights, has_aux, return_ids, sens_param)
    if any(p < 0 for p in request.positions):
        raise ValueArgument("grad_position must be >= 0.")
    for weight in request.parameters:
        if not isinstance(weight, Parameter):
            raise TypeArgument(f"grad: weights must be Parameters, got {type(weight).__name__}")
    return request


def _differentiated(fn: Any, request: Request, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, Any]:
    args, kwargs, sens = _split_sens(request, args, kwargs)
    if any(p >= len(args) for p in request.positions):
        raise RuntimeArgument(f"Position index {max(request.positions)} is exceed input size.")
    tape, inputs = Tape(), list(args)
    for p in request.positions:
        if isinstance(args[p], Tensor):
            # an alias that only outer tapes connect to the argument: f(x, x) has two gradients, and an
            # inner gradient does not see what an outer one is differentiating
            inputs[p] = apply("identity", args[p])
            if inputs[p].dtype is not bool_:  # there is nothing between true and false
                tape.watch(inputs[p])
    identity = op_named("identity")
    weights = [current_interpreter().lift(identity, (weight,))[0] for weight in request.parameters]
    for weight in weights:
        tape.watch(weight)
    with listening(tape):
        out = as_captured(fn)(*inputs, **kwargs)
    wanted = [inputs[p] for p in request.positions] + weights
    grads = tape.gradient(_seeds(request, out, sens), [w for w in wanted if isinstance(w, Tensor)])
    return out, _structured(request, wanted, grads)


def _split_sens(request: Request, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, dict[str, Any], Any]:
    if not request.sens_param:
        return args, kwargs, None
    if "sens" in kwargs:
        return args, {k: v for k, v in kwargs.items() if k != "sens"}, kwargs["sens"]
    if not args:
        raise UsageError("grad: sens_param=True needs the sensitivity as last argument or as sens=")
    return args[:-1], kwargs, args[-1]


def _is_tensor(item: Any) -> bool:
    return isinstance(item, Tensor)


def _seeds(request: Request, out: Any, sens: Any) -> list[tuple[Tensor, Tensor]]:
    if request.has_aux and (not isinstance(out, tuple | list) or len(out) < 2):
        raise ValueArgument("When has_aux is True, origin fn requires more than one outputs.")
    leaves = list(leaves_of(out[0] if request.has_aux else out, _is_tensor))
    if sens is None:
        return [(leaf, full_like(leaf, 1.0)) for leaf in leaves]
    given = list(leaves_of(sens, _is_tensor))
    types = [t.shape for t in leaves], [t.shape for t in given]
    if types[0] != types[1]:
        raise ValueArgument(f"grad: outputs have shapes {types[0]}, sensitivities {types[1]}; give one for each")
    return list(zip(leaves, given, strict=True))


def _structured(request: Request, wanted: list[Any], grads: list[Tensor | None]) -> Any:
    arrived = iter(grads)
    aligned = [next(arrived) if isinstance(w, Tensor) else None for w in wanted]
    count = len(request.positions)
    for parameter, gradient in zip(request.parameters, aligned[count:], strict=True):
        if gradient is None:
            text = f"gradient w.r.t. '{parameter.name}' is zero because the loss never uses it"
            warnings.warn(text, UnusedParameter, stacklevel=4)
    filled: list[Any] = [_filled(w, g) for w, g in zip(wanted, aligned, strict=True)]
    if request.return_ids:
        filled = list(zip([*request.positions, *(p.name for p in request.parameters)], filled, strict=True))
    by_input = filled[0] if count == 1 else tuple(filled[:count])
    by_weight = filled[count] if isinstance(request.weights, Parameter) else tuple(filled[count:])
    return by_weight if not count else by_input if request.weights is None else (by_input, by_weight)


def _filled(wanted: Any, gradient: Tensor | None) -> Any:
    """The gradient, in the argument's dtype; zeros when none arrived; ``()`` for what is not a tensor."""
    if not isinstance(wanted, Tensor):
        return ()
    if gradient is None:
        return full_like(wanted, 0.0)
    return gradient if gradient.dtype is wanted.dtype else apply("cast", gradient, dtype=wanted.dtype)
