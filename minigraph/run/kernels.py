"""Loops compiled by numba, once they have cost more time than compiling takes.

numba is optional: the extra ``jit``. Without it, and for a loop that it refuses, numpy computes instead.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from functools import cache, lru_cache
from importlib.util import find_spec
from threading import Lock
from time import perf_counter
from typing import Any

import numpy as np

from minigraph.context import resolve
from minigraph.run.loops import Loop

PATIENCE = 0.3  # seconds that a loop computes in numpy before it is compiled, which takes about as long

Plain = Callable[..., None]


class NoKernel(UserWarning):
    """A loop that was to be compiled is computed by numpy."""


@cache
def available() -> bool:
    """Whether numba is installed."""
    return find_spec("numba") is not None


@cache
def tell_missing() -> None:
    """Warn, once in a process, that numba was asked for and is not there."""
    told = "kernel_backend 'numba': numba is not installed, numpy computes instead; pip install 'minigraph[jit]'"
    warnings.warn(told, NoKernel, stacklevel=2)


class Kernel:
    """One loop of one signature: numpy's until it has cost ``PATIENCE``, then numba's, in every program."""

    def __init__(self, text: str, signature: tuple[tuple[str, int], ...]) -> None:
        self.text, self.signature = text, signature
        self.compiled: Callable[..., None] | None = None
        self._spent, self._refused, self._lock = 0.0, False, Lock()

    def __call__(self, plain: Plain, arrays: Sequence[np.ndarray], shapes: Sequence[tuple[int, ...]]) -> None:
        """Compute, into the last of the arrays; ``plain`` does the same on the arrays as they are."""
        if self.compiled is None:
            started = perf_counter()
            plain(*arrays)
            self._spent += perf_counter() - started
            if self._spent >= PATIENCE and not self._refused:
                self._compile()
            return
        flat = [a if a.ndim == len(shape) else a.reshape(shape) for a, shape in zip(arrays, shapes, strict=True)]
        try:
            self.compiled(*flat)
        except TypeError:  # an operand has gaps, or starts at an odd place
            self.compiled(*[np.require(array, None, ("C", "A")) for array in flat[:-1]], flat[-1])

    def _compile(self) -> None:
        with self._lock:
            if self.compiled is not None or self._refused:
                return
            try:
                self.compiled = _compiled(self.text, self.signature)
            except Exception as error:
                self._refused = True
                told = f"numba refuses a loop, numpy computes it instead: {type(error).__name__}: {error}"
                warnings.warn(told.partition("\n")[0], NoKernel, stacklevel=3)


@lru_cache(maxsize=512)
def _kernel(text: str, signature: tuple[tuple[str, int], ...]) -> Kernel:
    return Kernel(text, signature)


def kernel_of(loop: Loop) -> Kernel:
    """The kernel of a loop; loops of one text and signature share it."""
    return _kernel(loop.text, loop.signature)


def _compiled(text: str, signature: tuple[tuple[str, int], ...]) -> Callable[..., None]:
    """The loop as numba compiles it: no fast mathematics, hence the roundings that the text says, and no GIL."""
    njit, types = resolve("numba:njit"), resolve("numba:types")
    space: dict[str, Any] = {name: getattr(types, name) for name in _NUMBERS} | {"bool": types.boolean}
    space |= {"abs": abs, "sqrt": np.sqrt, "floor": np.floor, "ceil": np.ceil, "trunc": np.trunc}
    exec(compile(text, "<minigraph loop>", "exec"), space)
    arrays = [
        types.Array(space[dtype], rank, "C", readonly=k < len(signature) - 1, aligned=True)
        for k, (dtype, rank) in enumerate(signature)
    ]
    compiled: Callable[..., None] = njit(types.void(*arrays), nogil=True, error_model="numpy")(space["loop"])
    return compiled


_NUMBERS = ("float32", "float64", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
DTYPES = frozenset((*_NUMBERS, "bool"))  # of numpy's, by name
