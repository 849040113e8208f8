"""One case of the differential grid as plain data, and the arrays of its inputs.

An input is written ``f32[2,3] normal``: dtype, shape, and the kind of values. The same name and spec give the
same numbers in every process and with every version of numpy.
"""

import re
import zlib
from typing import NamedTuple

import numpy as np

DTYPES = {
    "bool": "bool", "i8": "int8", "i16": "int16", "i32": "int32", "i64": "int64", "u8": "uint8",
    "f16": "float16", "f32": "float32", "f64": "float64",
}  # fmt: skip
FLOAT_DTYPES = ("f16", "f32", "f64")
SPEC_PATTERN = re.compile(r"(\w+)\[([\d,]*)\] (\w+)")

# Values that kernels tend to get wrong: zeros of both signs, halves to round, sizes that overflow, inf and nan.
EDGE_VALUES = (
    0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, -2.5, 20.0, -20.0, 100.0, -100.0, 1e4, np.inf, -np.inf, np.nan,
)  # fmt: skip
INTEGER_EDGE_VALUES = (0, 1, -1, 2, -2, 3, 7, -7, 100, -100, 127, -128)


class Case(NamedTuple):
    """One small program: an expression, or statements that end in ``return``, of named inputs.

    ``group`` is the entry of the report, such as ``ops.add``, or several that the program shows. ``setup`` creates
    ``net``, a Cell, once; its parameters are then filled with numbers that depend on their names. ``gradient``: whether
    gradients are compared. ``pynative_only``: whether the case runs in PyNative mode only.
    """

    group: str
    source: str
    inputs: tuple[tuple[str, str], ...] = ()
    setup: str = ""
    gradient: bool = True
    pynative_only: bool = False

    @property
    def key(self) -> str:
        """The key of MindSpore's recorded answer."""
        inputs = ", ".join(f"{name}: {spec}" for name, spec in self.inputs)
        return " | ".join(part for part in (self.setup, self.source.replace("\n", "; "), inputs) if part)

    @property
    def setup_names(self) -> list[str]:
        """The names that the setup defines for the source."""
        return re.findall(r"(?:^|; )(\w+) =", self.setup)

    @property
    def float_positions(self) -> tuple[int, ...]:
        """The positions of float inputs, which can have gradients."""
        return tuple(i for i, (_, spec) in enumerate(self.inputs) if spec.startswith(FLOAT_DTYPES))


def array_of(name: str, spec: str) -> np.ndarray:
    """The values of one input.

    >>> array_of("x", "i32[3] edges").tolist()
    [0, 1, -1]
    """
    match = SPEC_PATTERN.fullmatch(spec)
    assert match, spec
    dtype, sizes, kind = match.groups()
    shape = tuple(int(n) for n in sizes.split(",") if n)
    rng = np.random.RandomState(zlib.crc32(f"{name}: {spec}".encode()))
    return np.asarray(ARRAY_BY_KIND[kind](rng, shape, np.dtype(DTYPES[dtype]))).reshape(shape)


def _normal(rng, shape, dtype):
    """Floats around zero; whole numbers from -5 to 5, or 0 to 5 for unsigned dtypes."""
    if dtype.kind == "f":
        return (rng.normal(size=shape) * 1.5).astype(dtype)
    low = {"b": 0, "u": 0, "i": -5}[dtype.kind]
    return rng.randint(low, 2 if dtype.kind == "b" else 6, shape).astype(dtype)


def _uniform(low, high):
    return lambda rng, shape, dtype: (low + (high - low) * rng.uniform(size=shape)).astype(dtype)


def _edges(rng, shape, dtype):
    values = EDGE_VALUES if dtype.kind == "f" else [n for n in INTEGER_EDGE_VALUES if dtype.kind == "i" or n >= 0]
    return np.resize(np.array(values), shape).astype(dtype)


def _ties(rng, shape, dtype):
    return rng.randint(0, 2 if dtype.kind == "b" else 3, shape).astype(dtype)


def _nonzero(rng, shape, dtype):
    values = _normal(rng, shape, dtype)
    return np.where(values == 0, np.array(2).astype(dtype), values)


ARRAY_BY_KIND = {
    "normal": _normal,
    "unit": _uniform(0.05, 0.95),
    "positive": _uniform(0.5, 3.0),
    "large": _uniform(-3e4, 3e4),
    "edges": _edges,
    "ties": _ties,
    "nonzero": _nonzero,
    "below2": lambda rng, shape, dtype: rng.randint(0, 2, shape).astype(dtype),
    "below3": lambda rng, shape, dtype: rng.randint(0, 3, shape).astype(dtype),
    "sorted": lambda rng, shape, dtype: np.sort(_normal(rng, shape, np.dtype("float64")), axis=-1).astype(dtype),
    "definite": lambda rng, shape, dtype: (np.eye(shape[-1]) * 4 + 0.3 * rng.normal(size=shape)).astype(dtype),
}  # fmt: skip
