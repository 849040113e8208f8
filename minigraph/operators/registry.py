"""Gradients and kernels that users register for primitives, as MindSpore's ``bprop_getters`` does."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from minigraph.capture.guards import Guard
from minigraph.capture.trace import guard_reachable_state
from minigraph.core.aliases import CallResult, Function
from minigraph.core.autodiff.custom_gradient import CustomGradient
from minigraph.core.errors import DTypeError, UsageError
from minigraph.core.lazy import cached_property
from minigraph.core.location import with_location
from minigraph.core.op import VJP, VJP_OBSERVERS, EachOperand, Op

Getter = Callable[[Any], Function]  # of a primitive


class LateBprop:
    """The ``bprop`` that a getter returns; the getter is called when the gradient is first needed.

    So the getter's body may use names that are defined after its registration.
    """

    def __init__(self, getter: Getter, primitive: object) -> None:
        self.getter, self.primitive = getter, primitive
        self.__qualname__ = getattr(getter, "__qualname__", type(getter).__name__)

    @cached_property
    def bprop(self) -> Function:
        """The function that the getter returned."""
        guard_reachable_state(self.getter)
        return self.getter(self.primitive)

    def __call__(self, *args: object) -> CallResult:
        """The gradients of the inputs."""
        guard_reachable_state(self.bprop)
        return self.bprop(*args)


class RegistrationCount:
    """Counts registrations and removals: compiled programs contain the gradients and kernels of their compile time."""

    count = 0


def registration_guard() -> Guard:
    """A guard that holds until a gradient or kernel is registered or removed.

    >>> before = registration_guard()
    >>> holds = before.holds
    >>> enter = vm_impl_registry.register("Twice")(lambda prim: lambda x: 2 * x)
    >>> holds, before.holds
    (True, False)
    """
    return Guard(RegistrationCount, "count", RegistrationCount.count, "bprop_getters or vm_impl_registry")


class Registry:
    """Functions by primitive: a class of them, or a name."""

    def __init__(self) -> None:
        self._getters: dict[Any, Getter] = {}

    def register(self, prim: object) -> Callable[[Getter], Getter]:
        """A decorator that registers a function of the primitive for a class of primitives or a name."""

        def enter(getter: Getter) -> Getter:
            self._getters[prim] = getter
            RegistrationCount.count += 1
            return getter

        return enter

    def get(self, prim: object, default: object = None) -> Any:
        """The function registered for a primitive's class, else for its name, or for a name."""
        by_class = next((self._getters[kind] for kind in type(prim).__mro__ if kind in self._getters), None)
        return by_class or self._getters.get(getattr(prim, "name", prim), default)

    def __contains__(self, prim: object) -> bool:
        return prim in self._getters


class BpropRegistry(Registry):
    """Gradients: ``getter(primitive)`` returns ``bprop(*inputs, out, dout)``, which returns one gradient per input.

    A gradient registered for a primitive of minigraph replaces the gradient of its operator, in every mode and for all
    of its names, from the next gradient or capture on; ``unregister`` restores the old one.
    """

    def __init__(self) -> None:
        super().__init__()
        self._replaced: dict[Any, Any] = {}

    def register(self, prim: object) -> Callable[[Getter], Getter]:
        """A decorator for the getter of a class of primitives or a name.

        Raises ``TypeError`` for anything else, and ``UsageError`` for a primitive of minigraph that takes more than
        tensors, because its gradient is not the gradient of a single operator.
        """
        if not isinstance(prim, type | str):
            text = f"bprop_getters.register: expected a class of primitives or a name, got {prim!r}"
            raise with_location(DTypeError(f"{text}; leave its parentheses out"))
        record = getattr(prim, "record", None)
        if record is None and hasattr(prim, "function"):
            name = getattr(prim, "name", prim)
            text = f"bprop_getters.register: '{name}' takes more than tensors or is more than one operator"
            raise with_location(UsageError(f"{text}; give a Cell a bprop, or register for a primitive of your own"))
        enter = super().register(prim)
        return enter if record is None else lambda getter: self._replace(prim, record, enter(getter))

    def unregister(self, prim: Any) -> None:
        """Remove the gradient registered for a class of primitives or a name."""
        self._getters.pop(prim, None)
        RegistrationCount.count += 1
        if prim in self._replaced:
            set_gradient(prim.record, self._replaced.pop(prim))

    def _replace(self, prim: Any, record: Op, getter: Getter) -> Getter:
        rule = CustomGradient(LateBprop(getter, prim()), record.arity or 0, 0)
        self._replaced.setdefault(prim, record.vjp)
        set_gradient(record, EachOperand(lambda at, g, out, *ins: rule.cotangents(g, out, *ins)[at]))
        return getter


def set_gradient(record: Op, vjp: Sequence[VJP | None] | EachOperand) -> None:
    """Replace the gradient of an operator in its record, because graphs and functions reference that record."""
    object.__setattr__(record, "vjp", vjp)
    for observer in VJP_OBSERVERS:
        observer(record)


bprop_getters = BpropRegistry()
vm_impl_registry = Registry()


def get_vm_impl_fn(prim: object) -> Function | None:
    """The kernel registered for a primitive or a name, ``None`` without one."""
    getter = vm_impl_registry.get(prim)
    return getter(prim) if getter else None
