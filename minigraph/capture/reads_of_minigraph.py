"""State that the program reads through code of minigraph that takes it from an argument: its guards.

The static analysis of ``reachable_state`` follows the user's code, not minigraph's. ``call_monitor`` reports each call
of the functions in ``GUARDS_OF_READS``, and the frame of the call tells what it reads.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from types import FrameType

from minigraph.capture.guards import FailingGuard, Guard
from minigraph.capture.parameter_types import ParameterTypesGuard, guards_of
from minigraph.capture.query_guards import QueryGuard
from minigraph.core.autodiff.differentiability import hooked_gradients
from minigraph.core.autodiff.gradient_hooks import (
    HookHandle,
    has_hooks,
    is_outer,
    register_hook,
)
from minigraph.core.context import get_context
from minigraph.core.location import is_internal_file
from minigraph.core.settings import KEYS
from minigraph.core.tensor import Parameter

ReadGuard = Guard | ParameterTypesGuard | QueryGuard | FailingGuard  # the last one refuses the read


def _guards_of_setting(frame: FrameType) -> Iterator[ReadGuard]:
    """The guard of a setting that the program reads by ``get_context``."""
    key, caller = frame.f_locals["attr_key"], frame.f_back
    if key in KEYS and caller is not None and not is_internal_file(caller.f_code.co_filename):
        yield QueryGuard(partial(get_context, key), get_context(key), f"the setting '{key}'")


def _guards_of_text(frame: FrameType) -> Iterator[ReadGuard]:
    """The guards of what the text of a Parameter contains."""
    parameter = frame.f_locals["self"]
    yield from (Guard(parameter, name, getattr(parameter, name)) for name in ("name", "requires_grad"))
    yield from guards_of([parameter])


def _guards_of_hooks(frame: FrameType) -> Iterator[ReadGuard]:
    """The guard that gradients call no hooks: of a Parameter, or of an argument, which may be any of its class."""
    owners = frame.f_locals["owners"]
    classes = {owner.class_in_eager_mode() for owner in owners if hasattr(owner, "eager_class")}  # of arguments
    identities = {id(owner) for owner in owners if not getattr(owner, "is_traced", True)}
    query = partial(has_hooks, identities, classes)
    if query():
        yield FailingGuard("a tensor has gradient hooks, which Python calls")
    yield QueryGuard(query, False, "the gradient hooks of its tensors")


def _refusal_of_registration(frame: FrameType) -> Iterator[ReadGuard]:
    """The failing guard of a hook that would stay when the call ends."""
    if is_outer(frame.f_locals["x"]):
        yield FailingGuard("a gradient hook is registered")


def _refusal_of_removal(frame: FrameType) -> Iterator[ReadGuard]:
    """The failing guard of a hook that another call may have registered."""
    if frame.f_locals["self"].is_outer:
        yield FailingGuard("a gradient hook is removed")


# by the id of the code of a function
GUARDS_OF_READS: dict[int, Callable[[FrameType], Iterator[ReadGuard]]] = {
    id(get_context.__code__): _guards_of_setting, id(Parameter.__repr__.__code__): _guards_of_text,
    id(hooked_gradients.__code__): _guards_of_hooks, id(register_hook.__code__): _refusal_of_registration,
    id(HookHandle.remove.__code__): _refusal_of_removal,
}  # fmt: skip
