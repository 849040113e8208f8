"""Values to try a program with: simple ones first, then random, then wild (huge, infinite, NaN, -0)."""

from __future__ import annotations

import numpy as np

from minigraph.core.types import TensorType

SIMPLE_VALUES = (0.0, 1.0, -1.0, 2.0, -2.0, 0.5, -0.5, 3.0)
ADVERSARIAL_VALUES = (-0.0, np.inf, -np.inf, np.nan, 1e30, -1e8, 1e-30)
SIMPLE_INTEGERS = (0, 1, -1, 2, -2, 3)
SHRINK_VALUES = (0, 1, -1, 2, -2)  # what elements of a counterexample are made, the plainest first
MAX_SHRUNK_ELEMENTS = 16  # of a counterexample that are made plain one by one
DISTRIBUTIONS = ("simple", "normal", "positive", "simple", "wild", "normal")  # taken in turn; only "wild" is not finite
FINITE_DISTRIBUTIONS = tuple(mood for mood in DISTRIBUTIONS if mood != "wild")

Span = tuple[int, int]  # the least and the largest value of an integer operand, such as an index


def draw_values(rng: np.random.Generator, type: TensorType, mood: str, span: Span | None = None) -> np.ndarray:
    """An array of a type in a mood of ``MOODS``; integers stay inside of ``span`` when there is one.

    >>> from minigraph.core.types import float64
    >>> drawn(np.random.default_rng(0), TensorType((3,), float64), "simple")
    array([-0.5,  0.5, -2. ])
    """
    kind, shape = type.dtype.kind, type.shape
    if kind == "b":
        return np.asarray(rng.integers(0, 2, shape), bool)
    if kind == "i":
        return _draw_integers(rng, type, mood, span)
    if kind == "c":
        both = np.empty(shape, complex)
        both.real, both.imag = _draw_reals(rng, shape, mood), _draw_reals(rng, shape, mood)
        return _cast(both, type)
    return _cast(_draw_reals(rng, shape, mood), type)


def _draw_reals(rng: np.random.Generator, shape: tuple[int, ...], mood: str) -> np.ndarray:
    if mood == "simple":
        return np.asarray(rng.choice(SIMPLE_VALUES, shape))
    if mood == "positive":
        return np.asarray(rng.uniform(0.1, 3.0, shape))
    if mood == "wild":
        return np.where(rng.random(shape) < 0.5, rng.choice(ADVERSARIAL_VALUES, shape), rng.choice(SIMPLE_VALUES, shape))
    return np.asarray(rng.normal(size=shape))


def _cast(values: np.ndarray, type: TensorType) -> np.ndarray:
    with np.errstate(all="ignore"):
        return np.asarray(values, type.dtype.numpy)


def _draw_integers(rng: np.random.Generator, type: TensorType, mood: str, span: Span | None) -> np.ndarray:
    numpy_type = type.dtype.numpy
    if span is not None:
        return np.asarray(rng.integers(span[0], span[1] + 1, type.shape), numpy_type)
    limits = np.iinfo(numpy_type)
    choices = [limits.min, limits.max] * (mood == "wild") + [n for n in SIMPLE_INTEGERS if n >= limits.min]
    return np.asarray(rng.choice(np.array(choices, numpy_type), type.shape))


def simpler_arrays(array: np.ndarray) -> list[np.ndarray]:
    """Plainer arrays of the same type, plainest first: one number everywhere, then one element at a time.

    >>> simplest(np.array([1.0, 7.0]))[:3]
    [array([0., 0.]), array([1., 1.]), array([-1., -1.])]
    """
    kind = array.dtype.kind
    numbers = SHRINK_VALUES[:2] if kind == "b" else [number for number in SHRINK_VALUES if number >= 0 or kind != "u"]
    plain = [np.full_like(array, number) for number in numbers]
    same = [twin.tobytes() == array.tobytes() for twin in plain]
    if any(same):
        return plain[: same.index(True)]
    for place, element in enumerate(array.reshape(-1)[:MAX_SHRUNK_ELEMENTS]):
        for number in numbers[: numbers.index(element) if element in numbers else None]:
            twin = array.reshape(-1).copy()
            twin[place] = number
            plain.append(twin.reshape(array.shape))
    return plain
