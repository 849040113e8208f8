"""Hooks of tensors: functions that receive, and may replace, the gradient of one tensor."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

from minigraph.core.aliases import Function
from minigraph.core.autodiff.custom_gradient import custom_gradient
from minigraph.core.autodiff.differentiability import GRADIENT_HOOKS
from minigraph.core.errors import ArgTypeError
from minigraph.core.op import active_observers
from minigraph.core.scope_guard import AttachedList
from minigraph.core.tensor import Parameter, Tensor
from minigraph.core.tensor.inplace import assign_whole
from minigraph.core.tensor.promotion import converted_function


class HookHandle:
    """The handle of a registered hook; ``remove()`` removes the hook.

    ``is_outer``: the hook stays when the call that registered it ends.
    """

    def __init__(self, remove: Callable[[], object], is_outer: bool = False) -> None:
        self._remove, self.is_outer = remove, is_outer

    def remove(self) -> None:
        """Removes the hook; it is no longer called."""
        self._remove()


def register_hook(x: Tensor, hook: Function) -> HookHandle:
    """Calls ``hook(gradient)`` when the gradient of the tensor is known; its result replaces the gradient.

    >>> from minigraph import grad
    >>> def cubed(x):
    ...     square = x * x
    ...     handle = square.register_hook(lambda gradient: gradient * 10)
    ...     return square * x
    >>> print(grad(cubed)(Tensor([1.0, 2.0])))
    [21. 84.]
    """
    check_hook(hook)
    if is_outer(x):
        if id(x) not in GRADIENT_HOOKS:
            GRADIENT_HOOKS[id(x)] = AttachedList([], x, GRADIENT_HOOKS, id(x))
        attached = GRADIENT_HOOKS[id(x)]
        attached.append(hook)
        return HookHandle(lambda: attached.remove(hook), is_outer=True)
    hooks = [hook]
    assign_whole(x, custom_gradient(lambda value: value, lambda value, out, dout: call_hooks(hooks, dout))(x))
    return HookHandle(hooks.clear)


def is_outer(x: Tensor) -> bool:
    """Whether a tensor is a Parameter or an argument of a gradient: its hooks are called by all gradients."""
    return isinstance(x, Parameter) or not (x.is_traced or is_tracked(x))


def has_hooks(owners: Collection[int], classes: Collection[type]) -> bool:
    """Whether one of the tensors with these identities has hooks, or any tensor of these classes."""
    if not GRADIENT_HOOKS:  # as in most programs, at every call
        return False
    if any(map(GRADIENT_HOOKS.get, owners)):
        return True
    return bool(classes) and any(type(hooks.owner()) in classes for hooks in [*GRADIENT_HOOKS.values()] if hooks)


def call_hooks(hooks: list[Function], gradient: Tensor) -> Tensor:
    """The gradient after all hooks, each of which may replace it."""
    for hook in hooks:
        result = converted_function(hook)(gradient)
        gradient = gradient if result is None else result
    return gradient


def is_tracked(tensor: Tensor) -> bool:
    """Whether an active tape records the calls that depend on a tensor."""
    tapes: tuple[Any, ...] = active_observers()
    return any(tape.is_tracked(tensor) for tape in tapes if hasattr(tape, "is_tracked"))


def check_hook(hook: object) -> Function:
    """The hook itself; raises ``TypeError`` unless it is callable."""
    if not callable(hook):
        raise ArgTypeError(f"Expected a callable hook function, but got {type(hook).__name__}.")
    return hook
