"""Loops compiled by numba just in time: a loop is compiled once it has cost more time than compiling takes.

numba is optional: the extra ``jit``. Without it, and for a loop that it cannot compile, numpy computes instead.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from functools import cache, lru_cache
from importlib.util import find_spec
from time import perf_counter
from types import FunctionType
from typing import Any

import numpy as np

from minigraph.accel.loops import polynomials
from minigraph.accel.loops.codegen import Loop
from minigraph.capture.fork_locks import kernel_lock
from minigraph.core.context import resolve
from minigraph.core.deprecated_names import deprecated_getattr
from minigraph.core.location import exec_with_source
from minigraph.core.machine import COMPILE_AFTER_SECONDS
from minigraph.core.scope_guard import raise_external_error
from minigraph.operators.scalar_expressions import DTYPES

Fallback = Callable[..., None]  # a function of the arrays of a loop, which computes the results in numpy
Signature = tuple[tuple[str, int], ...]  # dtype and rank of each array of a loop


class KernelFallbackWarning(UserWarning):
    """numba cannot compile a loop, so numpy computes it instead."""


__getattr__ = deprecated_getattr(__name__, {"NoKernel": "KernelFallbackWarning"})


@cache
def is_numba_available() -> bool:
    """Whether numba is installed."""
    return find_spec("numba") is not None


@cache
def warn_numba_missing() -> None:
    """Warn, once in a process, that ``kernel_backend="numba"`` is set but numba is not installed."""
    message = "kernel_backend 'numba': numba is not installed, so numpy is used; pip install 'minigraph[jit]'"
    warnings.warn(message, KernelFallbackWarning, stacklevel=2)


class Kernel:
    """The kernel of a loop: computed by numpy until that has taken ``COMPILE_AFTER_SECONDS``, then compiled by numba.

    ``text`` is the loop's Python source. Its last ``written`` arrays are results and row buffers, the others operands.
    All programs share a kernel.
    """

    def __init__(self, text: str, signature: Signature, output_count: int) -> None:
        self.text, self.signature, self.written = text, signature, output_count
        self.compiled: Callable[..., None] | None = None
        self._seconds, self._failed = 0.0, False

    def __call__(self, fallback: Fallback, arrays: Sequence[np.ndarray], loop: Loop) -> None:
        """Compute the results, which are the last arrays; ``fallback`` does the same in numpy."""
        if self.compiled is None:
            started = perf_counter()
            fallback(*arrays)
            self._seconds += perf_counter() - started
            if self._seconds >= COMPILE_AFTER_SECONDS and not self._failed:
                self._compile()
            return
        views = [a if a.ndim == len(shape) else a.reshape(shape) for a, shape in zip(arrays, loop.shapes, strict=True)]
        row_buffers = [np.empty(shape, dtype) for shape, dtype in loop.rows]
        try:
            self.compiled(*views, *row_buffers)
        except TypeError:  # an operand is not contiguous, or not aligned
            operands = [np.require(array, None, ("C", "A")) for array in views[: -loop.results]]
            self.compiled(*operands, *views[-loop.results :], *row_buffers)

    def _compile(self) -> None:
        with kernel_lock:
            if self.compiled is not None or self._failed:
                return
            try:
                self.compiled = _compile_loop(self.text, self.signature, self.written)
            except Exception as error:
                raise_external_error(error)
                self._failed = True
                message = f"numba cannot compile a loop, so numpy computes it instead: {type(error).__name__}: {error}"
                warnings.warn(message.partition("\n")[0], KernelFallbackWarning, stacklevel=3)


@lru_cache(maxsize=512)
def _kernel(text: str, signature: Signature, output_count: int) -> Kernel:
    return Kernel(text, signature, output_count)


def kernel_of(loop: Loop) -> Kernel:
    """The kernel of a loop; loops of one text and signature share it."""
    return _kernel(loop.text, loop.signature, loop.results + len(loop.rows))


# ---- numba -----------------------------------------------------------------------------------------


def _compile_loop(text: str, signature: Signature, output_count: int) -> Callable[..., None]:
    """The loop compiled by numba; it rounds as its source does, and releases the GIL.

    The last ``written`` arrays are outputs. They alias no other array, so that the compiler can vectorise.
    """
    njit, types = resolve("numba:njit"), resolve("numba:types")
    namespace: dict[str, Any] = {name: getattr(types, name) for name in DTYPES - {"bool"}} | {"bool": types.boolean}
    namespace |= {"abs": abs, "sqrt": np.sqrt, "floor": np.floor, "ceil": np.ceil, "trunc": np.trunc, "inf": np.inf}
    namespace |= _helper_functions()
    loop = exec_with_source(text, namespace, "loop", "loop")
    arrays = [
        types.Array(namespace[dtype], rank, "C", readonly=k < len(signature) - output_count, aligned=True)
        for k, (dtype, rank) in enumerate(signature)
    ]
    options = {"nogil": True, "error_model": "numpy", "pipeline_class": _noalias_compiler()}
    if "strips" in namespace:
        namespace["loop"] = njit(forceinline=True, error_model="numpy")(loop)
    compiled: Callable[..., None] = njit(types.void(*arrays), **options)(namespace.get("strips", loop))
    return compiled


@cache
def _noalias_compiler() -> Any:
    """Numba's compiler with ``noalias`` set: LLVM needs no overlap checks, which it gives up on for many arrays."""
    default = resolve("numba.core.compiler:Compiler")

    def init(self: Any, *args: object, **options: Any) -> None:
        default.__init__(self, *args, **options)
        self.state.flags.noalias = True

    return type("NoaliasCompiler", (default,), {"__init__": init})


@cache
def _helper_functions() -> dict[str, Any]:
    """The functions that loops call, compiled: polynomials with fused multiply-add, and the combiners of reductions.

    The compiler may reassociate sums.
    """
    njit = resolve("numba:njit")
    namespace = dict(vars(polynomials))
    functions = {name: fn for name, fn in namespace.items() if isinstance(fn, FunctionType)}
    for name, fn in functions.items():
        namespace[name] = njit(fastmath={"contract"}, forceinline=True)(FunctionType(fn.__code__, namespace, name))
    combiners = {name: _intrinsic(name) for name in ("maximum", "minimum")}
    combiners["add"] = njit(fastmath={"reassoc"}, forceinline=True)(_add)
    return {name: namespace[name] for name in functions} | combiners


def _add(x: object, y: Any) -> Any:
    return x + y


def _intrinsic(name: str) -> Any:
    """LLVM's maximum or minimum of two numbers, NaN if one is; unlike a branch, it vectorises in a reduction."""
    predicate, function_type = {"maximum": ">", "minimum": "<"}[name], resolve("llvmlite:ir").FunctionType

    def resolve_types(context: object, x: Any, y: object) -> Any:
        """The signature of the intrinsic for these types, and its code generator, as numba requires."""

        def generate(context: object, builder: Any, signature: object, args: Any) -> Any:
            if "float" in x.name:
                type = args[0].type
                callee = builder.module.declare_intrinsic(f"llvm.{name}", [type], function_type(type, [type] * 2))
                return builder.call(callee, args)
            compare = builder.icmp_signed if getattr(x, "signed", True) else builder.icmp_unsigned
            return builder.select(compare(predicate, *args), *args)

        return x(x, x), generate

    return resolve("numba.extending:intrinsic")(resolve_types)
