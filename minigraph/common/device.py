"""The device of a process, by the functions that replace ``set_context``."""

from __future__ import annotations

from typing import NamedTuple

from minigraph._version import __version__
from minigraph.core.context import get_context, set_context
from minigraph.core.errors import ArgRuntimeError, ArgValueError
from minigraph.core.op import apply
from minigraph.core.settings import choice_check, minimum_check, type_check
from minigraph.core.tensor.fast_path import Tensor

TARGETS = ("CPU", "GPU", "Ascend")  # MindSpore's names; ``set_context`` raises for unsupported ones


class Device(NamedTuple):
    """A type of device and its number."""

    device_target: str
    device_id: int


def set_device(device_target: str, device_id: int | None = None) -> None:
    """Selects a device: "CPU", or "Ascend", which is simulated. Raises ``TypeError`` or ``ValueError`` for others.

    >>> set_device("Ascend", 1)
    >>> get_current_device()
    Device(device_target='Ascend', device_id=1)
    >>> set_device("CPU", 0)
    """
    type_check("device_target", str)(device_target)
    choice_check("device_target", TARGETS, "The argument '{0}' must be one of {1}")(device_target)
    number = 0 if device_id is None else type_check("device_id", int)(device_id)
    if number < 0:
        raise ArgValueError("The device id must bigger than or equal to 0.")
    set_context(device_target=device_target, device_id=number)


def get_current_device() -> Device:
    """The device in use."""
    return Device(get_context("device_target"), get_context("device_id"))


def run_check() -> None:
    """Multiplies two tensors, and prints the version and that the product is right; raises ``RuntimeError`` if not.

    >>> run_check()  # doctest: +ELLIPSIS
    minigraph version:  ...
    The result of multiplication calculation is correct, minigraph has been installed on platform [CPU] successfully!
    """
    product = apply("mul", Tensor([2.0, 3.0]), Tensor([4.0, 5.0])).tolist()
    print("minigraph version: ", __version__)
    if product != [8.0, 15.0]:
        raise ArgRuntimeError(f"run_check: 2 * 4 and 3 * 5 are {product}; install minigraph and numpy again")
    where = f"on platform [{get_context('device_target')}]"
    print(f"The result of multiplication calculation is correct, minigraph has been installed {where} successfully!")


def set_deterministic(deterministic: bool) -> None:
    """Requests equal bits in every run; minigraph is always deterministic. Raises ``TypeError`` unless it is a bool."""
    set_context(deterministic="ON" if type_check("deterministic", bool)(deterministic) else "OFF")


def set_recursion_limit(recursion_limit: int = 1000) -> None:
    """Sets the maximum depth of calls in a captured function, a hint; raises ``TypeError`` or ``ValueError``."""
    text = "The input value must be int and must > 0, but got '{}' with type 'int'."
    set_context(max_call_depth=minimum_check(1, "recursion_limit", text)(recursion_limit))
