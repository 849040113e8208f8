"""Real and imaginary parts, conjugate and angle of complex numbers; real numbers have an imaginary part of 0."""

from __future__ import annotations

import numpy as np

from minigraph.core.aliases import Array, Function
from minigraph.core.autodiff.tape import full_like
from minigraph.core.op import VJP, Op, Sample, apply
from minigraph.core.tensor import Tensor
from minigraph.core.types import DType, TensorType, complex64, complex128, float32, float64
from minigraph.operators.families import elementwise, ufunc


def _samples(rng: np.random.Generator) -> list[Sample]:
    return [
        Sample((rng.normal(size=(2, 3)) + 1j * rng.normal(size=(2, 3)),), smooth=False),
        Sample((np.array([1 + 2j, -1j], np.complex64),), smooth=False),
        Sample((rng.normal(size=3),), smooth=False),
    ]


def real_dtype(dtype: DType) -> DType:
    """The dtype of the parts of a complex number, or the real dtype itself.

    >>> real_dtype(complex64), real_dtype(float32)
    (mindspore.float32, mindspore.float32)
    """
    return {complex64: float32, complex128: float64}.get(dtype, dtype)


def _imag_cotangent(g: Tensor, x: Tensor) -> Tensor:
    """The cotangent of x for the cotangent g of its imaginary part: -i g, as Im(dx) = Re(-i dx); 0 if x is real.

    A cotangent c of a complex number pairs with a change dx by Re(c dx), so that holomorphic functions need no
    conjugates, and the cotangents of both parts are Re(c) and Re(ic) (JAX has the same convention).
    """
    return apply("cast", g, dtype=x.dtype) * -1j if x.dtype.kind == "c" else full_like(x, 0.0)


def _part(name: str, function: Function, vjp: VJP, doc: str) -> Op:
    def forward(x: Array) -> Array:
        return np.array(function(x), dtype=x.real.dtype, order="C")

    return elementwise(
        name, forward, infer=lambda x: TensorType(x.shape, real_dtype(x.dtype)), into=False, vjp=(vjp,), kinds="bifc",
        samples=_samples, doc=doc,
    )  # fmt: skip


REAL = _part(
    "real", np.real, lambda g, out, x: apply("cast", g, dtype=x.dtype), "The real part."
)  # fmt: skip
IMAG = _part("imag", np.imag, lambda g, out, x: _imag_cotangent(g, x), "The imaginary part.")
CONJ = elementwise(
    "conj", ufunc(np.conjugate), kinds="ifc", vjp=(lambda g, out, x: apply("conj", g),), samples=_samples,
    doc="The complex conjugate.",
)  # fmt: skip
ANGLE = elementwise(
    "angle", lambda x: np.array(np.angle(x), dtype=x.real.dtype), into=False, kinds="fc",
    vjp=(lambda g, out, x: _imag_cotangent(g, x) / x,),
    infer=lambda x: TensorType(x.shape, real_dtype(x.dtype)), samples=_samples,
    doc="The angle of a complex number, in radians; 0 or pi of a real one.",
)  # fmt: skip
