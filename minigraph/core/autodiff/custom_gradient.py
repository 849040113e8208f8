"""Gradients given by the user: a function and what to do when it is differentiated."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

from minigraph.core.errors import DTypeError, RuntimeArgument
from minigraph.core.location import located
from minigraph.core.op import apply, listening
from minigraph.core.pytree import flatten, leaves_of, unflatten
from minigraph.core.tensor import Tensor


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
            raise located(RuntimeArgument(text))
        pairs = zip(self.arrange(operands), grads, strict=False)
        return tuple(self._checked(leaf) for x, grad in pairs for leaf in _aligned(x, grad))

    def _checked(self, gradient: Any) -> Any:
        """The gradient itself; raises ``DTypeError`` unless it is a tensor, or ``None`` for no gradient."""
        if gradient is None or isinstance(gradient, Tensor):
            return gradient
        text = (
            f"bprop '{self!r}': a gradient is a Tensor or None, got {type(gradient).__name__}; wrap it in Tensor(...)"
        )
        raise located(DTypeError(text))


def _aligned(x: Any, gradient: Any) -> list[Any]:
    """One gradient for each tensor in an input."""
    if isinstance(x, Tensor):
        return [gradient]
    return list(leaves_of(gradient, _is_tensor)) if list(leaves_of(x, _is_tensor)) else []


def custom_gradient(fn: Callable[..., Any], bprop: Callable[..., Any]) -> Callable[..., Any]:
    """``fn`` with a gradient of the user's: ``bprop(*inputs, out, dout)`` returns one gradient per input.

    A single input may return a bare Tensor. Raises ``RuntimeError`` for too few gradients. The gradient is a
    node of captured graphs, so it counts when a jitted function is differentiated, too.

    >>> from minigraph import Tensor, grad
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


def _is_tensor(item: Any) -> bool:
    return isinstance(item, Tensor)
