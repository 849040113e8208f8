"""User-defined gradients: a function with its own VJP, MindSpore's *bprop*."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

from minigraph.core.aliases import Function, PyTree
from minigraph.core.errors import ArgRuntimeError, DTypeError
from minigraph.core.location import with_location
from minigraph.core.op import apply, record_on
from minigraph.core.pytree import flatten, leaves_of, unflatten
from minigraph.core.tensor import Tensor


class CustomGradient:
    """A user-defined gradient: the attribute of a ``custom_gradient`` node.

    ``bprop(*inputs, out, dout)`` returns the gradients of all inputs; ``inputs`` is their number, ``results`` the
    number of tensors that the function returned. ``merge_inputs`` merges operands with the inputs that are not tensors,
    ``restore`` rebuilds the structure that the function returned.
    """

    def __init__(
        self,
        bprop: Function,
        inputs: int,
        results: int,
        merge_inputs: Callable[[Any], Sequence[Any]] = list,
        restore: Callable[[Any], Any] = lambda out: out,
    ) -> None:
        self.bprop, self.inputs, self.results = bprop, inputs, results
        self.merge_inputs, self.restore = merge_inputs, restore
        self.cotangents = lru_cache(maxsize=1)(self._cotangents)  # called once per operand; bprop runs once

    def __repr__(self) -> str:
        return getattr(self.bprop, "__qualname__", type(self.bprop).__name__)

    def _cotangents(self, g: object, out: object, *operands: object) -> tuple[Any, ...]:
        """The cotangents of the operands, ``None`` for no gradient."""
        returned = self.bprop(*self.merge_inputs(operands), self.restore(out), self.restore(g))
        grads = tuple(returned) if isinstance(returned, tuple | list) else (returned,)
        if len(grads) < self.inputs:
            # the text is MindSpore's
            text = f"Grad size should lager than forward inputs, but got {len(grads)} vs {self.inputs}"
            raise with_location(ArgRuntimeError(text))
        pairs = zip(self.merge_inputs(operands), grads, strict=False)
        return tuple(self._check_gradient(leaf) for x, grad in pairs for leaf in _gradients_by_tensor(x, grad))

    def _check_gradient(self, gradient: object) -> PyTree:
        """The gradient; raises ``DTypeError`` unless it is a tensor or ``None``."""
        if gradient is None or isinstance(gradient, Tensor):
            return gradient
        text = (
            f"bprop '{self!r}': a gradient is a Tensor or None, got {type(gradient).__name__}; wrap it in Tensor(...)"
        )
        raise with_location(DTypeError(text))


def _gradients_by_tensor(x: object, gradient: object) -> list[PyTree]:
    """The gradients of the tensors in an input."""
    if isinstance(x, Tensor):
        return [gradient]
    return list(leaves_of(gradient, _is_tensor)) if list(leaves_of(x, _is_tensor)) else []


def custom_gradient(fn: Function, bprop: Function) -> Function:
    """``fn`` with a user-defined gradient: ``bprop(*inputs, out, dout)`` returns one gradient per input.

    For a single input it may be a bare Tensor. Raises ``RuntimeError`` for too few gradients. The gradient is an
    attribute of a node in captured graphs, so it also applies when a jitted function is differentiated.

    >>> from minigraph import Tensor, grad
    >>> double = custom_gradient(lambda x: x * 2, lambda x, out, dout: dout * 10)
    >>> print(grad(double)(Tensor(1.0)))
    10.0
    """

    def call(*args: PyTree, **kwargs: PyTree) -> PyTree:
        leaves, out_spec = flatten(record_on(alone=True).call(fn, *args, **kwargs), _is_tensor)
        operands, in_spec = flatten(args, _is_tensor)
        if not leaves:
            return unflatten(out_spec, leaves)
        rule = CustomGradient(
            bprop,
            len(args),
            len(leaves),
            lambda tensors: unflatten(in_spec, tensors),
            lambda out: unflatten(out_spec, out if isinstance(out, tuple) else (out,)),
        )
        out = apply("custom_gradient", *leaves, *operands, rule=rule)
        return unflatten(out_spec, out if isinstance(out, tuple) else (out,))

    return call


def _is_tensor(item: object) -> bool:
    return isinstance(item, Tensor)
