"""Values to try a program with: simple ones first, then random, then wild (huge, infinite, NaN, -0)."""

from __future__ import annotations

import numpy as np

from minigraph.core.types import TensorType

SIMPLE = (0.0, 1.0, -1.0, 2.0, -2.0, 0.5, -0.5, 3.0)
WILD = (-0.0, np.inf, -np.inf, np.nan, 1e30, -1e8, 1e-30)
WHOLE = (0, 1, -1, 2, -2, 3)
PLAIN = (0, 1, -1, 2, -2)  # what elements of a counterexample are made, the plainest first
ELEMENTS = 16  # of a counterexample that are made plain one by one
MOODS = ("simple", "normal", "positive", "simple", "wild", "normal")  # taken in turn; only "wild" is not finite
TAME = tuple(mood for mood in MOODS if mood != "wild")

Span = tuple[int, int]  # the least and the largest value of an integer operand, such as an index


def drawn(rng: np.random.Generator, type: TensorType, mood: str, span: Span | None = None) -> np.ndarray:
    """An array of a type in a mood of ``MOODS``; integers stay inside of ``span`` when there is one.

    >>> from minigraph.core.types import float64
    >>> drawn(np.random.default_rng(0), TensorType((3,), float64), "simple")
    array([-0.5,  0.5, -2. ])
    """
    kind, shape = type.dtype.kind, type.shape
    if kind == "b":
        return np.asarray(rng.integers(0, 2, shape), bool)
    if kind == "i":
        return _whole(rng, type, mood, span)
    if kind == "c":
        both = np.empty(shape, complex)
        both.real, both.imag = _real(rng, shape, mood), _real(rng, shape, mood)
        return _narrowed(both, type)
    return _narrowed(_real(rng, shape, mood), type)


def _real(rng: np.random.Generator, shape: tuple[int, ...], mood: str) -> np.ndarray:
    if mood == "simple":
        return np.asarray(rng.choice(SIMPLE, shape))
    if mood == "positive":
        return np.asarray(rng.uniform(0.1, 3.0, shape))
    if mood == "wild":
        return np.where(rng.random(shape) < 0.5, rng.choice(WILD, shape), rng.choice(SIMPLE, shape))
    return np.asarray(rng.normal(size=shape))


def _narrowed(values: np.ndarray, type: TensorType) -> np.ndarray:
    with np.errstate(all="ignore"):
        return np.asarray(values, type.dtype.numpy)


def _whole(rng: np.random.Generator, type: TensorType, mood: str, span: Span | None) -> np.ndarray:
    numpy_type = type.dtype.numpy
    if span is not None:
        return np.asarray(rng.integers(span[0], span[1] + 1, type.shape), numpy_type)
    limits = np.iinfo(numpy_type)
    choices = [limits.min, limits.max] * (mood == "wild") + [n for n in WHOLE if n >= limits.min]
    return np.asarray(rng.choice(np.array(choices, numpy_type), type.shape))


def simplest(array: np.ndarray) -> list[np.ndarray]:
    """Plainer arrays of the same type, plainest first: one number everywhere, then one element at a time.

    >>> simplest(np.array([1.0, 7.0]))[:3]
    [array([0., 0.]), array([1., 1.]), array([-1., -1.])]
    """
    kind = array.dtype.kind
    numbers = PLAIN[:2] if kind == "b" else [number for number in PLAIN if number >= 0 or kind != "u"]
    plain = [np.full_like(array, number) for number in numbers]
    same = [twin.tobytes() == array.tobytes() for twin in plain]
    if any(same):
        return plain[: same.index(True)]
    for place, element in enumerate(array.reshape(-1)[:ELEMENTS]):
        for number in numbers[: numbers.index(element) if element in numbers else None]:
            twin = array.reshape(-1).copy()
            twin[place] = number
            plain.append(twin.reshape(array.shape))
    return plain
