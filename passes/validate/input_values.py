"""Random input values: simple numbers, random numbers, and adversarial ones (huge, infinite, NaN, -0)."""

from __future__ import annotations

import numpy as np

from minigraph.core.scope_guard import call_ignoring_float_errors
from minigraph.core.types import TensorType

SIMPLE_VALUES = (0.0, 1.0, -1.0, 2.0, -2.0, 0.5, -0.5, 3.0)
ADVERSARIAL_VALUES = (-0.0, np.inf, -np.inf, np.nan, 1e30, -1e8, 1e-30)
SIMPLE_INTEGERS = (0, 1, -1, 2, -2, 3)
SHRINK_VALUES = (0, 1, -1, 2, -2)  # replacements for elements of a counterexample, the simplest first
MAX_SHRUNK_ELEMENTS = 16  # elements of a counterexample that are simplified one by one
DISTRIBUTIONS = ("simple", "normal", "positive", "simple", "adversarial", "normal")  # used in turn
FINITE_DISTRIBUTIONS = tuple(name for name in DISTRIBUTIONS if name != "adversarial")

Span = tuple[int, int]  # the least and the largest value of an integer operand, such as an index


def draw_values(rng: np.random.Generator, type: TensorType, distribution: str, span: Span | None = None) -> np.ndarray:
    """A random array of a type, from one of ``DISTRIBUTIONS``; integers lie in ``span`` if there is one.

    >>> from minigraph.core.types import float64
    >>> draw_values(np.random.default_rng(0), TensorType((3,), float64), "simple")
    array([-0.5,  0.5, -2. ])
    """
    kind, shape = type.dtype.kind, type.shape
    if kind == "b":
        return np.asarray(rng.integers(0, 2, shape), bool)
    if kind == "i":
        return _draw_integers(rng, type, distribution, span)
    if kind == "c":
        values = np.empty(shape, complex)
        values.real, values.imag = _draw_reals(rng, shape, distribution), _draw_reals(rng, shape, distribution)
        return _cast(values, type)
    return _cast(_draw_reals(rng, shape, distribution), type)


def _draw_reals(rng: np.random.Generator, shape: tuple[int, ...], distribution: str) -> np.ndarray:
    if distribution == "simple":
        return np.asarray(rng.choice(SIMPLE_VALUES, shape))
    if distribution == "positive":
        return np.asarray(rng.uniform(0.1, 3.0, shape))
    if distribution == "adversarial":
        is_adversarial = rng.random(shape) < 0.5
        return np.where(is_adversarial, rng.choice(ADVERSARIAL_VALUES, shape), rng.choice(SIMPLE_VALUES, shape))
    return np.asarray(rng.normal(size=shape))


def _cast(values: np.ndarray, type: TensorType) -> np.ndarray:
    return call_ignoring_float_errors(np.asarray, values, type.dtype.numpy)


def _draw_integers(rng: np.random.Generator, type: TensorType, distribution: str, span: Span | None) -> np.ndarray:
    numpy_type = type.dtype.numpy
    if span is not None:
        return np.asarray(rng.integers(span[0], span[1] + 1, type.shape), numpy_type)
    limits = np.iinfo(numpy_type)
    extremes = [limits.min, limits.max] if distribution == "adversarial" else []
    choices = [*extremes, *(n for n in SIMPLE_INTEGERS if n >= limits.min)]
    return np.asarray(rng.choice(np.array(choices, numpy_type), type.shape))


def simpler_arrays(array: np.ndarray) -> list[np.ndarray]:
    """Simpler arrays of the same type, simplest first: all elements equal, then one element changed at a time.

    >>> simpler_arrays(np.array([1.0, 7.0]))[:3]
    [array([0., 0.]), array([1., 1.]), array([-1., -1.])]
    """
    kind = array.dtype.kind
    numbers = SHRINK_VALUES[:2] if kind == "b" else [number for number in SHRINK_VALUES if number >= 0 or kind != "u"]
    simpler = [np.full_like(array, number) for number in numbers]
    equals_array = [candidate.tobytes() == array.tobytes() for candidate in simpler]
    if any(equals_array):
        return simpler[: equals_array.index(True)]
    for position, element in enumerate(array.reshape(-1)[:MAX_SHRUNK_ELEMENTS]):
        for number in numbers[: numbers.index(element) if element in numbers else None]:
            candidate = array.reshape(-1).copy()
            candidate[position] = number
            simpler.append(candidate.reshape(array.shape))
    return simpler
