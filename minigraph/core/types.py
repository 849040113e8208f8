"""Dtypes and tensor types (shape and dtype), dtype promotion and broadcasting.

>>> TensorType((2, 3), float32)
f32[2,3]
>>> promote(int64, float16)
mindspore.float16
>>> broadcast((2, 1), (3,))
(2, 3)
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from operator import index
from typing import TYPE_CHECKING
from weakref import WeakValueDictionary

import numpy as np

from minigraph.core.errors import ShapeError, UnknownNameError, UsageError, did_you_mean
from minigraph.core.lazy import resolve
from minigraph.core.scope_guard import type_lock

Shape = tuple[int, ...]


@dataclass(frozen=True, eq=False, slots=True)
class DType:
    """A number format: ``name`` (``float32``), ``short`` (``f32``), its numpy dtype and its kind.

    Prints as MindSpore does: ``str`` gives ``Float32``, ``repr`` gives ``mindspore.float32``.
    There is exactly one object per format, so ``is`` and ``==`` agree. The numpy dtype of ``bfloat16`` is that of the
    package ml_dtypes, which is imported when it is first needed.
    """

    name: str
    short: str
    numpy: np.dtype
    kind: str  # "b" bool, "i" integer, "f" floating, "c" complex
    itemsize: int
    is_float: bool = field(init=False)  # whether gradients can flow through values of this dtype

    def __post_init__(self) -> None:
        _set(self, "is_float", self.kind in "fc")

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> np.dtype:
            if name != "numpy":
                raise AttributeError(f"a dtype has no attribute '{name}'")
            return load_numpy_dtype(self)

    def __str__(self) -> str:
        prefix = 2 if self.name[:2] in ("ui", "bf") else 1
        return self.name[:prefix].upper() + self.name[prefix:]

    def __repr__(self) -> str:
        return f"mindspore.{self.name}"

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return dtype_named, (self.name,)


def _dtype(name: str, short: str) -> DType:
    spec = np.dtype(name)
    kind = {"b": "b", "i": "i", "u": "i", "f": "f", "c": "c"}[spec.kind]
    return DType(name, short, spec, kind, spec.itemsize)


def load_numpy_dtype(dtype: DType) -> np.dtype:
    """The numpy dtype of bfloat16, which it keeps; raises ``UsageError`` if ml_dtypes is not installed."""
    try:
        spec = np.dtype(resolve(f"ml_dtypes:{dtype.name}"))
    except UnknownNameError:
        text = f"{dtype.name}: numpy has no such dtype, and the package ml_dtypes, which adds it, is not installed"
        raise UsageError(f"{text}; run pip install 'minigraph[bfloat16]'") from None
    _set(dtype, "numpy", spec)
    DTYPE_BY_NUMPY[spec] = dtype
    return spec


_set = object.__setattr__  # sets fields of a frozen dataclass

bool_ = _dtype("bool", "bool")
int8, int16, int32, int64 = (_dtype(f"int{n}", f"i{n}") for n in (8, 16, 32, 64))
uint8, uint16, uint32, uint64 = (_dtype(f"uint{n}", f"u{n}") for n in (8, 16, 32, 64))
float16, float32, float64 = (_dtype(f"float{n}", f"f{n}") for n in (16, 32, 64))
complex64, complex128 = (_dtype(f"complex{n}", f"c{n}") for n in (64, 128))
bfloat16 = object.__new__(DType)  # without its numpy dtype
for _field, _value in (("name", "bfloat16"), ("short", "bf16"), ("kind", "f"), ("itemsize", 2), ("is_float", True)):
    _set(bfloat16, _field, _value)

DTYPES: tuple[DType, ...] = (
    bool_, int8, int16, int32, int64, uint8, uint16, uint32, uint64,
    float16, float32, float64, complex64, complex128, bfloat16,
)  # fmt: skip
DTYPE_BY_NUMPY: dict[np.dtype, DType] = {d.numpy: d for d in DTYPES[:-1]}  # bfloat16 is added at first use
_BY_NAME = {d.name: d for d in DTYPES} | {d.short: d for d in DTYPES} | {str(d): d for d in DTYPES}


def dtype_named(name: str) -> DType:
    """The dtype called ``float32``, ``f32`` or ``Float32``; raises ``UnknownNameError`` with the nearest name.

    >>> dtype_named("f32")
    mindspore.float32
    """
    if name in _BY_NAME:
        return _BY_NAME[name]
    raise UnknownNameError(f"no dtype '{name}'{did_you_mean(name, [d.name for d in DTYPES])}")


def dtype_of(array: np.ndarray | np.generic) -> DType:
    """The dtype of a numpy array; raises ``UnknownNameError`` for one that minigraph lacks (object, str)."""
    dtype = find_dtype(array.dtype)
    if dtype is None:
        raise UnknownNameError(f"no dtype for numpy '{array.dtype}'; use one of " + ", ".join(d.name for d in DTYPES))
    return dtype


def find_dtype(dtype: np.dtype) -> DType | None:
    """The dtype of a numpy dtype, or ``None``.

    >>> find_dtype(np.dtype("float32")), find_dtype(np.dtype("object"))
    (mindspore.float32, None)
    """
    if dtype.name == bfloat16.name:
        _ = bfloat16.numpy  # adds it to the table
    return DTYPE_BY_NUMPY.get(dtype)


def is_emulated(dtype: np.dtype) -> bool:
    """Whether numpy's own functions do not compute with a dtype, so that kernels compute in float32.

    >>> is_emulated(np.dtype("float16")), is_emulated(bfloat16.numpy)
    (False, True)
    """
    return dtype.kind == "V"


def widen(array: np.ndarray) -> np.ndarray:
    """A bfloat16 array in float32, any other array as it is."""
    return array.astype(np.float32) if is_emulated(array.dtype) else array


@dataclass(frozen=True, eq=False, slots=True, weakref_slot=True, init=False)
class TensorType:
    """Shape and dtype of one value; prints like ``f32[2,3]``.

    Types are interned: there is never more than one object per shape and dtype, so ``is`` and ``==`` agree, and types
    are fast dict keys. ``size`` is the number of elements, ``nbytes`` their bytes, without padding.

    >>> TensorType((2, 3), float32) is TensorType((2, 3), float32)
    True
    """

    shape: Shape
    dtype: DType
    size: int = field(init=False, repr=False)
    nbytes: int = field(init=False, repr=False)

    def __new__(cls, shape: Shape, dtype: DType) -> TensorType:
        """The interned type, created at first use; a shape may be any sequence of integers."""
        if shape.__class__ is not tuple:
            shape = tuple(shape)
        return _INTERNED.get((shape, dtype)) or _intern(shape, dtype)

    @classmethod
    def _new(cls, shape: Shape, dtype: DType) -> TensorType:
        """A new object, with Python ints: numpy's are equal to them, but print differently."""
        type, sizes = object.__new__(cls), tuple(map(index, shape))
        size = math.prod(sizes)
        for name, value in zip(_FIELDS, (sizes, dtype, size, size * dtype.itemsize), strict=True):
            _set(type, name, value)
        return type

    def __reduce__(self) -> tuple[object, tuple[Shape, DType]]:
        return TensorType, (self.shape, self.dtype)

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return len(self.shape)

    def __str__(self) -> str:
        return f"{self.dtype.short}[{','.join(map(str, self.shape))}]"

    __repr__ = __str__


_FIELDS = ("shape", "dtype", "size", "nbytes")
MAX_KEPT_TYPES = 1 << 14  # kept for the life of the process; further ones as long as they are referenced
_INTERNED: dict[tuple[Shape, DType | None], TensorType] = {}  # a look-up with None finds nothing: an unknown dtype
_WEAKLY_INTERNED: WeakValueDictionary[tuple[Shape, DType], TensorType] = WeakValueDictionary()


def _intern(shape: Shape, dtype: DType) -> TensorType:
    """The type, created unless it exists."""
    with type_lock:
        type = _INTERNED.get((shape, dtype)) or _WEAKLY_INTERNED.get((shape, dtype))
        if type is None:
            type = TensorType._new(shape, dtype)
            table = _INTERNED if len(_INTERNED) < MAX_KEPT_TYPES else _WEAKLY_INTERNED
            table[shape, dtype] = type
        return type


Results = tuple[TensorType, ...]  # of one call


def type_of(array: np.ndarray | np.generic) -> TensorType:
    """The type of a numpy array.

    >>> type_of(np.zeros((2, 3), np.float32))
    f32[2,3]
    """
    return _INTERNED.get((array.shape, DTYPE_BY_NUMPY.get(array.dtype))) or TensorType(array.shape, dtype_of(array))


def as_results(types: TensorType | Results) -> Results:
    """The result of an operator's ``infer`` as a tuple, for one result or many."""
    return types if isinstance(types, tuple) else (types,)


@lru_cache(maxsize=1 << 14)
def infer_cached(infer: Callable[..., TensorType | Results], ins: Results) -> Results:
    """The result types of a call without attributes, inferred once: equal calls share one tuple."""
    return as_results(infer(*ins))


def broadcast(*shapes: Shape) -> Shape:
    """The common shape by numpy's rule; raises ``ShapeError`` with all shapes.

    >>> broadcast((4, 1), (3,))
    (4, 3)
    """
    if len(shapes) == 2 and shapes[0] == shapes[1]:
        return tuple(shapes[0])
    rank = max(map(len, shapes))
    padded = [(1,) * (rank - len(s)) + tuple(s) for s in shapes]
    out = []
    for sizes in zip(*padded, strict=True):
        sizes_but_one = {n for n in sizes if n != 1}
        if len(sizes_but_one) > 1:
            listed = " and ".join(str(list(s)) for s in shapes)
            sizes_text = " and ".join(map(str, sorted(sizes_but_one)))
            raise ShapeError(f"shapes {listed} do not broadcast: one axis has the sizes {sizes_text}")
        out.append(sizes_but_one.pop() if sizes_but_one else 1)
    return tuple(out)


_RANK = {"b": 0, "i": 1, "f": 2, "c": 3}  # of two kinds, the higher one is the result's


def promote(a: DType, b: DType) -> DType:
    """The dtype of an operation on two tensors, by MindSpore's rules: a float beats any integer.

    >>> promote(int64, float16), promote(int8, uint8), promote(bool_, bool_)
    (mindspore.float16, mindspore.int16, mindspore.bool)
    """
    if a is b:
        return a
    if a.kind != b.kind:
        winner, other = (a, b) if _RANK[a.kind] > _RANK[b.kind] else (b, a)
        return complex128 if winner.kind == "c" and other is float64 else winner
    if bfloat16 in (a, b):
        other = b if a is bfloat16 else a
        return float32 if other is float16 else other
    common = DTYPE_BY_NUMPY[np.promote_types(a.numpy, b.numpy)]
    return int64 if a.kind == "i" and common.kind == "f" else common


def scalar_dtype(value: bool | int | float | complex, tensor_dtype: DType | None) -> DType:
    """The dtype that a Python number takes in an operation with a tensor dtype (``None``: alone).

    >>> scalar_dtype(1.5, int64), scalar_dtype(2, float16), scalar_dtype(1, bool_), scalar_dtype(1.0, None)
    (mindspore.float32, mindspore.float16, mindspore.int64, mindspore.float32)
    """
    python_dtype = bool_ if isinstance(value, bool) else int64 if isinstance(value, int) else float32
    if isinstance(value, complex):
        python_dtype = complex128
    if tensor_dtype is None:
        return python_dtype
    return tensor_dtype if _RANK[tensor_dtype.kind] >= _RANK[python_dtype.kind] else python_dtype
