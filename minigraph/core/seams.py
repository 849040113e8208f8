"""The seams: where the accelerator takes over from the reference, each a function with a plain default.

The reference is complete without the accelerator (``minigraph.accel``), which gives the same results sooner. It is
attached in five places and nowhere else; nothing but tests and benchmarks imports it. Each place names its plain
function and asks here, once, whether the accelerator has another:

====================  ==================================  ================================================
seam                  plain, in the reference             accelerated
====================  ==================================  ================================================
``function_of``       one call of ``apply``               skips ``apply`` for operands seen before
``forwards``          ``Op.forward``                      tuned kernels of some operators
``tape``              ``Tape``: a list of entries         gradients of simple operators on bare arrays
``program``           one line of Python for each node,   schedule, tiles, threads, kernels of numba,
                      Parameters get new arrays           Parameters keep results without a copy
``call``              look the key up, run the program    argument checks written out as code
====================  ==================================  ================================================

``MINIGRAPH_ACCEL=0`` in the environment leaves all of it out, and so does a missing package.
``set_context(accel=False)`` switches tape and program (and with it call) within a process; functions are
bound when they are defined and kernels must not change between two calls, so these two stay.
"""

from __future__ import annotations

import os
from functools import cache
from importlib.util import find_spec
from typing import Any, TypeVar

from minigraph.core.context import get_context, resolve

PACKAGE = "minigraph.accel"
VARIABLE = "MINIGRAPH_ACCEL"

# by seam, the late-bound name of what the accelerator puts there
SEAMS = {
    "function_of": "minigraph.accel.fast_dispatch:function_of",
    "forwards": "minigraph.accel.kernels.table:FORWARDS",
    "tape": "minigraph.accel.tape_arrays:ArrayTape",
    "program": "minigraph.accel.schedule.program:Program",
    "call": "minigraph.accel.fast_calls:answering",
}

T = TypeVar("T")


@cache
def is_available() -> bool:
    """Whether the accelerator is installed, and not switched off by ``MINIGRAPH_ACCEL=0``."""
    return os.environ.get(VARIABLE, "1") != "0" and find_spec(PACKAGE) is not None


def is_on() -> bool:
    """Whether tapes and programs are accelerated now: the accelerator is there, and the context does not refuse it."""
    return is_available() and bool(get_context("accel"))


@cache
def _accelerated(seam: str) -> Any:
    return resolve(SEAMS[seam])


def bound(seam: str, plain: T) -> T:
    """What stands at a seam for the whole process: the accelerator's, or ``plain`` where there is none."""
    return _accelerated(seam) if is_available() else plain


def switched(seam: str, plain: T) -> T:
    """What stands at a seam as the context says now: the accelerator's, or ``plain``."""
    return _accelerated(seam) if is_on() else plain
