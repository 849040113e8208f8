"""Hooks of Cells: functions that see, and may replace, the inputs, the outputs and the gradients of a call."""

from __future__ import annotations

from typing import Any, NamedTuple

from minigraph.capture.trace import guard_reachable_state
from minigraph.core.aliases import Function, PyTree
from minigraph.core.autodiff.custom_gradient import custom_gradient
from minigraph.core.autodiff.gradient_hooks import HookHandle, check_hook, is_tracked
from minigraph.core.pytree import flatten, unflatten
from minigraph.core.tensor import Tensor
from minigraph.core.tensor.promotion import converted_function

FORWARD_PRE, FORWARD, BACKWARD_PRE, BACKWARD = "forward_pre", "forward", "backward_pre", "backward"
HOOKS = "hooks of calls"  # where a Cell keeps them
Gradients = tuple[Tensor | None, ...]


class Hook(NamedTuple):
    """A registered function, and when it is called."""

    kind: str
    fn: Function
    with_kwargs: bool = False
    always_call: bool = False


class HookedCell:
    """The methods of a Cell that register hooks; each returns a handle, whose ``remove()`` removes the hook."""

    def register_forward_pre_hook(
        self, hook_fn: Function, *, prepend: bool = False, with_kwargs: bool = False
    ) -> HookHandle:
        """Calls ``hook_fn(cell, inputs)`` before ``construct``; its result, unless ``None``, replaces the inputs.

        With ``with_kwargs`` it is ``hook_fn(cell, inputs, kwargs)`` and returns both. ``prepend``: before other hooks.

        >>> from minigraph import nn, Tensor
        >>> net = nn.ReLU()
        >>> handle = net.register_forward_pre_hook(lambda cell, inputs: inputs[0] + 3)
        >>> print(net(Tensor([-1.0])), handle.remove(), net(Tensor([-1.0])))
        [2.] None [0.]
        """
        return self._add_hook(Hook(FORWARD_PRE, check_hook(hook_fn), with_kwargs), prepend)

    def register_forward_hook(
        self, hook_fn: Function, *, prepend: bool = False, with_kwargs: bool = False, always_call: bool = False
    ) -> HookHandle:
        """Calls ``hook_fn(cell, inputs, output)`` after ``construct``; its result replaces the output.

        With ``with_kwargs`` it is ``hook_fn(cell, inputs, kwargs, output)``. ``always_call``: also if ``construct``
        raises, with the output ``None``.
        """
        return self._add_hook(Hook(FORWARD, check_hook(hook_fn), with_kwargs, always_call), prepend)

    def register_backward_pre_hook(self, hook_fn: Function) -> HookHandle:
        """Calls ``hook_fn(cell, grad_output)`` with the gradients of the outputs; its result replaces them."""
        return self._add_hook(Hook(BACKWARD_PRE, check_hook(hook_fn)))

    def register_backward_hook(self, hook_fn: Function) -> HookHandle:
        """Calls ``hook_fn(cell, grad_input, grad_output)``; its result replaces the gradients of the inputs.

        Both are tuples; an input that is not differentiated has the gradient ``None``.
        """
        return self._add_hook(Hook(BACKWARD, check_hook(hook_fn)))

    def _add_hook(self, hook: Hook, first: bool = False) -> HookHandle:
        hooks = self._hooks
        self._set_hooks((hook, *hooks) if first else (*hooks, hook))
        return HookHandle(lambda: self._set_hooks(tuple(other for other in self._hooks if other is not hook)))

    @property
    def _hooks(self) -> tuple[Hook, ...]:
        hooks: tuple[Hook, ...] = vars(self).get(HOOKS, ())
        return hooks

    def _set_hooks(self, hooks: tuple[Hook, ...]) -> None:
        vars(self)[HOOKS] = hooks
        vars(self)["_version"] += 1  # compiled code is guarded by it


def with_hooks(cell: object, run: Function) -> Function:
    """``run``, the computation of a Cell, with the Cell's hooks around it; ``run`` itself if there are none."""
    hooks: tuple[Hook, ...] = vars(cell).get(HOOKS, ())
    for hook in hooks:
        guard_reachable_state(hook.fn)
    return _Call(cell, run, hooks) if hooks else run


class _Call:
    """One Cell's computation with its hooks."""

    def __init__(self, cell: object, run: Function, hooks: tuple[Hook, ...]) -> None:
        self.cell, self.run, self.hooks = cell, run, hooks

    def hooks_of_kind(self, kind: str) -> list[Hook]:
        """The hooks of a kind, in their order."""
        return [hook for hook in self.hooks if hook.kind == kind]

    def __call__(self, *inputs: PyTree, **kwargs: PyTree) -> PyTree:
        for hook in self.hooks_of_kind(FORWARD_PRE):
            inputs, kwargs = self._call_pre_hook(hook, inputs, kwargs)
        if self.hooks_of_kind(BACKWARD_PRE) or self.hooks_of_kind(BACKWARD):
            return self._run_with_gradient_hooks(*inputs, **kwargs)
        return self._run_with_forward_hooks(*inputs, **kwargs)

    def _run_with_forward_hooks(self, *inputs: PyTree, **kwargs: PyTree) -> PyTree:
        try:
            output = self.run(*inputs, **kwargs)
        except Exception:
            self._call_forward_hooks(
                [hook for hook in self.hooks_of_kind(FORWARD) if hook.always_call], inputs, kwargs, None
            )
            raise
        return self._call_forward_hooks(self.hooks_of_kind(FORWARD), inputs, kwargs, output)

    def _call_pre_hook(
        self, hook: Hook, inputs: tuple[object, ...], kwargs: dict[str, object]
    ) -> tuple[Any, dict[str, Any]]:
        arguments = (inputs, kwargs) if hook.with_kwargs else (inputs,)
        result = converted_function(hook.fn)(self.cell, *arguments)
        if result is None:
            return inputs, kwargs
        if hook.with_kwargs:
            return result[0], result[1]
        return _as_tuple(result), kwargs

    def _call_forward_hooks(
        self, hooks: list[Hook], inputs: tuple[object, ...], kwargs: dict[str, object], output: object
    ) -> PyTree:
        for hook in hooks:
            arguments = (inputs, kwargs) if hook.with_kwargs else (inputs,)
            result = converted_function(hook.fn)(self.cell, *arguments, output)
            output = output if result is None else result
        return output

    # ---- gradients ---------------------------------------------------------------------------------------

    def _run_with_gradient_hooks(self, *inputs: PyTree, **kwargs: PyTree) -> PyTree:
        """The computation and its forward hooks between two identities, of inputs and outputs, that call the hooks."""
        grad_output: list[Gradients] = []
        leaves, spec = flatten(inputs, _is_float)
        hooked = custom_gradient(_identity, lambda *args: self._grad_input(args[-1], grad_output[0]))(*leaves)
        tracked = [is_tracked(leaf) or leaf.is_traced for leaf in hooked]
        result = self._run_with_forward_hooks(*unflatten(spec, list(hooked)), **kwargs)
        output, out_spec = flatten(result, _is_float)

        def hook_outputs(*args: object) -> Gradients:
            grad_output[:] = [self._grad_output(_as_tuple(args[-1]))]
            if not any(tracked):  # no gradient arrives at the inputs
                self._grad_input((None,) * len(tracked), grad_output[0])
            return grad_output[0]

        return unflatten(out_spec, list(custom_gradient(_identity, hook_outputs)(*output)))

    def _grad_output(self, gradients: Gradients) -> Gradients:
        for hook in self.hooks_of_kind(BACKWARD_PRE):
            result = converted_function(hook.fn)(self.cell, gradients)
            gradients = gradients if result is None else _as_tuple(result)
        return gradients

    def _grad_input(self, gradients: Gradients, grad_output: Gradients) -> Gradients:
        gradients = _as_tuple(gradients)
        for hook in self.hooks_of_kind(BACKWARD):
            result = converted_function(hook.fn)(self.cell, gradients, grad_output)
            gradients = gradients if result is None else _as_tuple(result)
        return gradients


def _identity(*tensors: Tensor) -> tuple[Tensor, ...]:
    return tensors


def _as_tuple(value: object) -> tuple[Any, ...]:
    return value if isinstance(value, tuple) else (value,)


def _is_float(item: object) -> bool:
    return isinstance(item, Tensor) and item.dtype.is_float
