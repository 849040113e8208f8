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
from types import FunctionType
from typing import Any

import numpy as np

from minigraph.accel.loops import polynomials
from minigraph.accel.loops.loops import Loop
from minigraph.core.context import resolve
from minigraph.core.machine import COMPILE_AFTER_SECONDS
from minigraph.operators.scalar_expressions import DTYPES

Plain = Callable[..., None]
Signature = tuple[tuple[str, int], ...]


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
    """One loop of one signature: numpy's for ``COMPILE_AFTER_SECONDS``, then numba's, in every program."""

    def __init__(self, text: str, signature: Signature, written: int) -> None:
        self.text, self.signature, self.written = text, signature, written
        self.compiled: Callable[..., None] | None = None
        self._spent, self._refused, self._lock = 0.0, False, Lock()

    def __call__(self, plain: Plain, arrays: Sequence[np.ndarray], loop: Loop) -> None:
        """Compute, into the last of the arrays; ``plain`` does the same on the arrays as they are."""
        if self.compiled is None:
            started = perf_counter()
            plain(*arrays)
            self._spent += perf_counter() - started
            if self._spent >= COMPILE_AFTER_SECONDS and not self._refused:
                self._compile()
            return
        flat = [a if a.ndim == len(shape) else a.reshape(shape) for a, shape in zip(arrays, loop.shapes, strict=True)]
        rows = [np.empty(shape, dtype) for shape, dtype in loop.rows]
        try:
            self.compiled(*flat, *rows)
        except TypeError:  # an operand has gaps, or starts at an odd place
            operands = [np.require(array, None, ("C", "A")) for array in flat[: -loop.results]]
            self.compiled(*operands, *flat[-loop.results :], *rows)

    def _compile(self) -> None:
        with self._lock:
            if self.compiled is not None or self._refused:
                return
            try:
                self.compiled = _compiled(self.text, self.signature, self.written)
            except Exception as error:
                self._refused = True
                told = f"numba refuses a loop, numpy computes it instead: {type(error).__name__}: {error}"
                warnings.warn(told.partition("\n")[0], NoKernel, stacklevel=3)


@lru_cache(maxsize=512)
def _kernel(text: str, signature: Signature, written: int) -> Kernel:
    return Kernel(text, signature, written)


def kernel_of(loop: Loop) -> Kernel:
    """The kernel of a loop; loops of one text and signature share it."""
    return _kernel(loop.text, loop.signature, loop.results + len(loop.rows))


# ---- numba -----------------------------------------------------------------------------------------


def _compiled(text: str, signature: Signature, written: int) -> Callable[..., None]:
    """The loop as numba compiles it, with the roundings that the text says, and without the GIL.

    Of the arrays, the last so many are written; they overlap no others, which lets the compiler use vectors.
    """
    njit, types = resolve("numba:njit"), resolve("numba:types")
    space: dict[str, Any] = {name: getattr(types, name) for name in DTYPES - {"bool"}} | {"bool": types.boolean}
    space |= {"abs": abs, "sqrt": np.sqrt, "floor": np.floor, "ceil": np.ceil, "trunc": np.trunc, "inf": np.inf}
    space |= _functions()
    exec(compile(text, "<minigraph loop>", "exec"), space)
    arrays = [
        types.Array(space[dtype], rank, "C", readonly=k < len(signature) - written, aligned=True)
        for k, (dtype, rank) in enumerate(signature)
    ]
    options = {"nogil": True, "error_model": "numpy", "pipeline_class": _apart()}
    if "strips" in space:
        space["loop"] = njit(forceinline=True, error_model="numpy")(space["loop"])
    compiled: Callable[..., None] = njit(types.void(*arrays), **options)(space.get("strips", space["loop"]))
    return compiled


@cache
def _apart() -> Any:
    """Numba's compiler, told that arrays do not overlap: it would ask before each loop, and give up at many arrays."""
    usual = resolve("numba.core.compiler:Compiler")

    def begun(self: Any, *args: Any, **options: Any) -> None:
        usual.__init__(self, *args, **options)
        self.state.flags.noalias = True

    return type("Apart", (usual,), {"__init__": begun})


@cache
def _functions() -> dict[str, Any]:
    """What else loops may call: polynomials, in which a product may be added without rounding, sums in any order."""
    njit = resolve("numba:njit")
    space = dict(vars(polynomials))
    found = {name: fn for name, fn in space.items() if isinstance(fn, FunctionType)}
    for name, fn in found.items():
        space[name] = njit(fastmath={"contract"}, forceinline=True)(FunctionType(fn.__code__, space, name))
    folding = {"largest": _intrinsic("maximum"), "smallest": _intrinsic("minimum")}
    folding["plus"] = njit(fastmath={"reassoc"}, forceinline=True)(_plus)
    return {name: space[name] for name in found} | folding


def _plus(x: Any, y: Any) -> Any:
    return x + y


def _intrinsic(name: str) -> Any:
    """LLVM's maximum or minimum of two numbers, NaN if one is: unlike a choice, one that vectors can be folded by."""
    sign, function = {"maximum": ">", "minimum": "<"}[name], resolve("llvmlite:ir").FunctionType

    def typed(context: Any, x: Any, y: Any) -> Any:
        def lowered(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            if "float" in x.name:
                kind = args[0].type
                called = builder.module.declare_intrinsic(f"llvm.{name}", [kind], function(kind, [kind] * 2))
                return builder.call(called, args)
            compare = builder.icmp_signed if getattr(x, "signed", True) else builder.icmp_unsigned
            return builder.select(compare(sign, *args), *args)

        return x(x, x), lowered

    return resolve("numba.extending:intrinsic")(typed)
