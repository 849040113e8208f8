"""The device a process runs on, under the names that follow ``set_context``."""

from __future__ import annotations

from typing import NamedTuple

from minigraph.core.context import get_context, set_context
from minigraph.core.errors import ValueArgument
from minigraph.core.settings import at_least, one_of, typed

TARGETS = ("CPU", "GPU", "Ascend")  # what MindSpore knows; ``set_context`` says which there are


class Device(NamedTuple):
    """A kind of device and its number."""

    device_target: str
    device_id: int


def set_device(device_target: str, device_id: int | None = None) -> None:
    """Run on a device: "CPU", or "Ascend", which is simulated. Raises ``TypeError`` or ``ValueError`` for another.

    >>> set_device("Ascend", 1)
    >>> get_current_device()
    Device(device_target='Ascend', device_id=1)
    >>> set_device("CPU", 0)
    """
    typed("device_target", str)(device_target)
    one_of("device_target", TARGETS, "The argument '{0}' must be one of {1}")(device_target)
    number = 0 if device_id is None else typed("device_id", int)(device_id)
    if number < 0:
        raise ValueArgument("The device id must bigger than or equal to 0.")
    set_context(device_target=device_target, device_id=number)


def get_current_device() -> Device:
    """The device in use."""
    return Device(get_context("device_target"), get_context("device_id"))


def set_deterministic(deterministic: bool) -> None:
    """Ask for the same bits at every run; minigraph always gives them. Raises ``TypeError`` for no bool."""
    set_context(deterministic="ON" if typed("deterministic", bool)(deterministic) else "OFF")


def set_recursion_limit(recursion_limit: int = 1000) -> None:
    """How deep calls may nest while a function is captured, a hint; raises ``TypeError`` or ``ValueError``."""
    told = "The input value must be int and must > 0, but got '{}' with type 'int'."
    set_context(max_call_depth=at_least(1, "recursion_limit", told)(recursion_limit))
