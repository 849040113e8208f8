"""Compares two graphs by running them: types, values, gradients, Parameters and printed text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from minigraph.core.errors import MinigraphError
from minigraph.core.float_limits import float_limits
from minigraph.core.scope_guard import call_ignoring_float_errors
from minigraph.core.types import type_of
from minigraph.ir.graph import Graph
from passes.validate.outcome import Arrays, Outcome, Runner

PERTURBATION = 1e-4  # relative step of inputs, to distinguish a kink from an error
PERTURBATION_COUNT = 4  # random steps tried per kink
MAX_ROUNDING = 0.05  # a larger relative difference is never rounding
GRADIENT_TOL = 1e-6  # relative, in float64
ROUNDING_TOL = 1e-6  # a smaller relative difference is only rounding
SIDE_NAMES = ("the pattern", "the replacement")
RUN_ERRORS = (MinigraphError, ArithmeticError, ValueError, TypeError, IndexError, KeyError, AttributeError)


class Tolerance(NamedTuple):
    """The permitted difference of two results: none in any bit (``exact``), or the relative error ``tol``.

    If not exact, ``roundings`` consecutive rounding errors are permitted too, and elements that are not finite in the
    first result are compared only if ``nonfinite``.
    """

    exact: bool = True
    tol: float = 0.0
    roundings: int = 64
    nonfinite: bool = False

    def tol_of(self, dtype: np.dtype) -> float:
        """The tolerance for a dtype: at least ``roundings`` rounding errors."""
        rounding = min(self.roundings * float_limits(dtype).eps, MAX_ROUNDING) if dtype.kind in "fc" else 0.0
        return max(self.tol, rounding) if rounding else 0.0


class Difference(NamedTuple):
    """A difference between two graphs: its kind, a text, and the inputs that show it.

    Kinds: "type", "value", "rounding", "sign of zero", "gradient", "kink" (no error), "effect", "graph" (no match),
    "loop" (the rule applies without end) and "driver" (rejected by ``verify`` or by the rule driver).
    ``cotangents`` are those of a gradient.
    """

    kind: str
    text: str
    arrays: tuple[np.ndarray, ...] = ()
    cotangents: tuple[np.ndarray, ...] = ()


class GraphPair:
    """A graph, or its runner, before and after a change; ``names`` are the two sides in messages."""

    def __init__(
        self, before: Graph | Runner, after: Graph, tolerance: Tolerance, names: tuple[str, str] = SIDE_NAMES
    ) -> None:
        self.before: Runner = before if isinstance(before, Runner) else Runner(before)
        self.after, self.tolerance, self.names = Runner(after), tolerance, names
        self._has_gradients = True  # whether the first graph is differentiable

    def compare_values(self, arrays: Arrays, params: Mapping[str, np.ndarray] = {}) -> Difference | None:
        """A difference in outputs, Parameters or printed text; ``None`` also if the first graph fails."""
        try:
            left = self.before.outcome(arrays, params)
        except RUN_ERRORS:
            return None
        try:
            right = self.after.outcome(arrays, params)
        except RUN_ERRORS as error:
            return Difference("value", f"{self.names[1]} fails: {error}", tuple(arrays))
        difference = self._compare_outcomes(left, right)
        return None if difference is None else Difference(*difference, tuple(arrays))

    def _compare_outcomes(self, left: Outcome, right: Outcome) -> tuple[str, str] | None:
        results = zip(left.outs, right.outs, strict=True)
        stored = ((left.params[key], right.params[key]) for key in left.params)
        for first, second in (*results, *stored):
            difference = array_difference(first, second, self.tolerance)
            if difference is not None:
                return difference[0], self._values_text(*difference[1:])
        if left.printed != right.printed:
            return "effect", f"{self.names[0]} prints {left.printed!r:.60}, {self.names[1]} {right.printed!r:.60}"
        return None

    def compare_gradients(self, arrays: Arrays, rng: np.random.Generator) -> Difference | None:
        """A difference in gradients, for random cotangents; of kind "kink" if no nearby point shows a difference.

        ``None`` if the first graph has no gradient, or one that is not finite.
        """
        inputs, outs = self.before.float_positions
        if not (inputs or self.before.float_params) or not outs or not self._has_gradients:
            return None
        seeds = [rng.normal(size=self.before.outs[k].shape).astype(self.before.outs[k].dtype.numpy) for k in outs]
        difference = self._gradient_difference(arrays, seeds)
        if difference is None:
            return None
        for _ in range(PERTURBATION_COUNT):
            if self._gradient_difference(perturb(arrays, inputs, rng), seeds) is not None:
                return difference
        return difference._replace(kind="kink")

    def compare_at_cotangents(self, arrays: Arrays, cotangents: Arrays) -> Difference | None:
        """A difference in gradients for these cotangents, also at a kink."""
        return self._gradient_difference(arrays, cotangents)

    def _gradient_difference(self, arrays: Arrays, seeds: Arrays) -> Difference | None:
        try:
            left = self.before.gradients(arrays, seeds)
        except RUN_ERRORS:
            self._has_gradients = False
            return None
        try:
            right = self.after.gradients(arrays, seeds)
        except RUN_ERRORS as error:
            return Difference("gradient", f"the gradient of {self.names[1]} fails: {error}", tuple(arrays), (*seeds,))
        tolerance = self.tolerance._replace(exact=False, tol=max(self.tolerance.tol, GRADIENT_TOL))
        for name, first in left.items():
            difference = array_difference(first, right.get(name, np.zeros_like(first)), tolerance)
            if difference is not None:
                text = f"the gradient of {name} differs: {self._values_text(*difference[1:])}"
                return Difference("gradient", text, tuple(arrays), (*seeds,))
        return None

    def _values_text(self, first: str, second: str) -> str:
        return f"{self.names[0]} gives {first}, {self.names[1]} {second}"


def perturb(arrays: Arrays, positions: Sequence[int], rng: np.random.Generator) -> list[np.ndarray]:
    """The inputs with a small random step added to those at ``positions``."""
    perturbed = list(arrays)
    for k in positions:
        step = PERTURBATION * (1 + np.abs(arrays[k])) * rng.normal(size=arrays[k].shape)
        perturbed[k] = np.asarray(arrays[k] + step, arrays[k].dtype)
    return perturbed


def array_difference(first: np.ndarray, second: np.ndarray, tolerance: Tolerance) -> tuple[str, str, str] | None:
    """The kind of difference of two results and the texts of both elements; ``None`` within the tolerance.

    All NaNs are equal. Without ``exact`` and ``nonfinite``, only elements that are finite in the first result are.

    >>> array_difference(np.array(0.0), np.array(-0.0), Tolerance())
    ('sign of zero', '0.0', '-0.0')
    """
    if first.shape != second.shape or first.dtype != second.dtype:
        return "type", str(type_of(first)), str(type_of(second))
    tol = tolerance.tol_of(first.dtype)
    wrong = _wrong_bits(first, second) if tolerance.exact else _wrong_values(first, second, tol)
    if tolerance.nonfinite and first.dtype.kind in "fc":
        wrong |= ~np.isfinite(first) & _wrong_bits(first, second)
    if not wrong.any():
        return None
    at = tuple(map(int, np.argwhere(wrong)[0]))
    return _difference_kind(first, second), _element_text(first, at), _element_text(second, at)


def _wrong_bits(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    same = (first == second) | ((first != first) & (second != second))
    if first.dtype.kind == "f":
        same &= (np.signbit(first) == np.signbit(second)) | (first != first)
    return np.asarray(~same)


def _wrong_values(first: np.ndarray, second: np.ndarray, tol: float) -> np.ndarray:
    if first.dtype.kind not in "fc":
        return np.asarray(first != second)
    return call_ignoring_float_errors(_wrong_floats, first, second, tol)


def _wrong_floats(first: np.ndarray, second: np.ndarray, tol: float) -> np.ndarray:
    finite = np.isfinite(first)
    scale = np.abs(first[finite]).max(initial=1.0)
    return np.asarray(finite & ~(np.abs(first - second) <= tol * scale))


def _difference_kind(first: np.ndarray, second: np.ndarray) -> str:
    if first.dtype.kind in "fc":
        if np.array_equal(first, second, equal_nan=True):
            return "sign of zero"
        if not _wrong_values(first, second, max(ROUNDING_TOL, 64 * float_limits(first.dtype).eps)).any():
            same = np.isfinite(first) == np.isfinite(second)
            return "rounding" if same.all() and np.isfinite(first).any() else "value"
    return "value"


def _element_text(array: np.ndarray, at: tuple[int, ...]) -> str:
    return f"{array[at].item()!r}{f' at {list(at)}' if at else ''}"
