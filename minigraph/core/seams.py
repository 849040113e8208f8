"""The seams: where the accelerator replaces parts of the reference implementation, each with a default.

The reference is complete without the accelerator (``minigraph.accel``), which computes the same results faster. It is
attached at six places and nowhere else; only tests and benchmarks import it. Each place passes its default
implementation and gets the accelerated one if there is one:

====================  ==================================  ================================================
seam                  default, in the reference           accelerated
====================  ==================================  ================================================
``function_of``       one call of ``apply``               kernel cache: skips ``apply`` for known operand types
``forwards``          ``Op.forward``                      tuned kernels of some operators
``tape``              ``Tape``: a list of entries         VJPs of simple operators on bare arrays
``program``           one line of Python for each node,   scheduling, loop tiling, threads, numba kernels;
                      Parameters get new arrays           Parameters take results without a copy
``call``              look up the key, run the program    generated code checks arguments and guards
``one_thread``        the call, with BLAS as it is set    the call with BLAS on one thread, for ``minigraph.cli``
====================  ==================================  ================================================

``MINIGRAPH_ACCEL=0`` in the environment disables all of it, and so does a missing package.
``set_context(accel=False)`` switches ``tape`` and ``program`` (and with it ``call``) within a process. The others
stay: functions are bound when they are defined, and kernels must not change between two calls.
"""

from __future__ import annotations

import os
from functools import cache
from importlib.util import find_spec
from typing import Any, TypeVar

from minigraph.core.context import get_context, resolve

PACKAGE = "minigraph.accel"
VARIABLE = "MINIGRAPH_ACCEL"

# seam -> the late-bound name of the accelerated implementation
SEAMS = {
    "function_of": "minigraph.accel.fast_dispatch:function_of",
    "forwards": "minigraph.accel.kernels.table:FORWARDS",
    "tape": "minigraph.accel.tape_arrays:ArrayTape",
    "program": "minigraph.accel.schedule.program:make_program",
    "call": "minigraph.accel.fast_calls:make_fast_path",
    "one_thread": "minigraph.accel.host.blas:single_threaded_blas",
}

T = TypeVar("T")


@cache
def is_available() -> bool:
    """Whether the accelerator is installed and not disabled by ``MINIGRAPH_ACCEL=0``."""
    return os.environ.get(VARIABLE, "1") != "0" and find_spec(PACKAGE) is not None


def is_enabled() -> bool:
    """Whether tapes and programs are accelerated now: the accelerator is available and enabled in the context."""
    return is_available() and bool(get_context("accel"))


@cache
def _accelerated_implementation(seam: str) -> Any:
    return resolve(SEAMS[seam])


def process_implementation(seam: str, default: T) -> T:
    """The implementation at a seam for the whole process: the accelerator's if it is available, else ``default``."""
    return _accelerated_implementation(seam) if is_available() else default


def current_implementation(seam: str, default: T) -> T:
    """The implementation at a seam in the current context: the accelerator's if it is on, else ``default``."""
    return _accelerated_implementation(seam) if is_enabled() else default
