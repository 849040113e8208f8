"""Two graphs compared by running them: types, values, gradients, Parameters and printed text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from minigraph.core.errors import MinigraphError
from minigraph.core.types import type_of
from minigraph.ir.graph import Graph
from passes.validate.outcome import Arrays, Outcome, Runner

PERTURBATION = 1e-4  # how far inputs are moved to tell a kink from an error
PERTURBATION_COUNT = 4
MAX_ROUNDING = 0.05  # more is never rounding
GRADIENT_TOL = 1e-6
ROUNDING_TOL = 1e-6  # values nearer than this, relatively, differ by rounding only
PATTERN_AND_REPLACEMENT = ("the pattern", "the replacement")
FAULTS = (MinigraphError, ArithmeticError, ValueError, TypeError, IndexError, KeyError, AttributeError)


class Tolerance(NamedTuple):
    """How near two results should be: the same bits, or at most ``tol`` apart relatively.

    Where bits do not count, ``operations`` is how many roundings in a row are no difference, and elements that are
    not finite in the first result count only if ``special``: what was NaN may be a number then.
    """

    exact: bool = True
    tol: float = 0.0
    roundings: int = 64
    nonfinite: bool = False

    def tol_of(self, dtype: np.dtype) -> float:
        """The tolerance for a dtype: never less than what its rounding makes of ``operations``."""
        rounding = min(self.roundings * float(np.finfo(dtype).eps), MAX_ROUNDING) if dtype.kind in "fc" else 0.0
        return max(self.tol, rounding) if rounding else 0.0


class Difference(NamedTuple):
    """Something that is not the same: of what kind, told in words, and the inputs at which it shows.

    Kinds: "type", "value", "rounding", "sign of zero", "gradient", "kink" (no error), "effect", "graph" and
    "driver" (refused by ``verify`` or by the rule driver). ``cotangents`` are those of a gradient.
    """

    kind: str
    text: str
    arrays: tuple[np.ndarray, ...] = ()
    cotangents: tuple[np.ndarray, ...] = ()


class GraphPair:
    """A graph, or its runner, before and after a change; ``names`` word the two sides."""

    def __init__(
        self, before: Graph | Runner, after: Graph, claim: Tolerance, names: tuple[str, str] = PATTERN_AND_REPLACEMENT
    ) -> None:
        self.before: Runner = before if isinstance(before, Runner) else Runner(before)
        self.after, self.tolerance, self.names = Runner(after), claim, names
        self._has_gradients = True  # whether the program before has gradients

    def compare_values(self, arrays: Arrays, params: Mapping[str, np.ndarray] = {}) -> Difference | None:
        """A difference in outputs, Parameters or printed text; ``None`` also where the program before fails."""
        try:
            left = self.before.outcome(arrays, params)
        except FAULTS:
            return None
        try:
            right = self.after.outcome(arrays, params)
        except FAULTS as error:
            return Difference("value", f"{self.names[1]} fails: {error}", tuple(arrays))
        found = self._compare_outcomes(left, right)
        return None if found is None else Difference(*found, tuple(arrays))

    def _compare_outcomes(self, left: Outcome, right: Outcome) -> tuple[str, str] | None:
        results = zip(left.outs, right.outs, strict=True)
        stored = ((left.params[key], right.params[key]) for key in left.params)
        for first, second in (*results, *stored):
            found = array_difference(first, second, self.tolerance)
            if found is not None:
                return found[0], self._values_text(*found[1:])
        if left.printed != right.printed:
            return "effect", f"{self.names[0]} prints {left.printed!r:.60}, {self.names[1]} {right.printed!r:.60}"
        return None

    def compare_gradients(self, arrays: Arrays, rng: np.random.Generator) -> Difference | None:
        """A difference in gradients, for cotangents drawn at random; kind "kink" where only this very point differs.

        ``None`` where the program before has no gradient, and for gradients of it that are not finite.
        """
        inputs, outs = self.before.float_positions
        if not (inputs or self.before.float_params) or not outs or not self._has_gradients:
            return None
        seeds = [rng.normal(size=self.before.outs[k].shape).astype(self.before.outs[k].dtype.numpy) for k in outs]
        found = self._gradient_difference(arrays, seeds)
        if found is None:
            return None
        for _ in range(PERTURBATION_COUNT):
            if self._gradient_difference(perturb(arrays, inputs, rng), seeds) is not None:
                return found
        return found._replace(kind="kink")

    def compare_at_cotangents(self, arrays: Arrays, cotangents: Arrays) -> Difference | None:
        """A difference in gradients for these cotangents, kink or not."""
        return self._gradient_difference(arrays, cotangents)

    def _gradient_difference(self, arrays: Arrays, seeds: Arrays) -> Difference | None:
        try:
            left = self.before.gradients(arrays, seeds)
        except FAULTS:
            self._has_gradients = False
            return None
        try:
            right = self.after.gradients(arrays, seeds)
        except FAULTS as error:
            return Difference("gradient", f"the gradient of {self.names[1]} fails: {error}", tuple(arrays), (*seeds,))
        claim = self.tolerance._replace(exact=False, tol=max(self.tolerance.tol, GRADIENT_TOL))
        for of, first in left.items():
            found = array_difference(first, right.get(of, np.zeros_like(first)), claim)
            if found is not None:
                words = f"the gradient of {of} differs: {self._values_text(*found[1:])}"
                return Difference("gradient", words, tuple(arrays), (*seeds,))
        return None

    def _values_text(self, first: str, second: str) -> str:
        return f"{self.names[0]} gives {first}, {self.names[1]} {second}"


def perturb(arrays: Arrays, positions: Sequence[int], rng: np.random.Generator) -> list[np.ndarray]:
    """The inputs, those at ``positions`` moved a little at random."""
    moved = list(arrays)
    for k in positions:
        step = PERTURBATION * (1 + np.abs(arrays[k])) * rng.normal(size=arrays[k].shape)
        moved[k] = np.asarray(arrays[k] + step, arrays[k].dtype)
    return moved


def array_difference(first: np.ndarray, second: np.ndarray, claim: Tolerance) -> tuple[str, str, str] | None:
    """How two results differ more than claimed: the kind, and both in words; ``None`` when they do not.

    A NaN is as good as any other. Without the claim of exactness only what is finite in the first counts.

    >>> unlike(np.array(0.0), np.array(-0.0), Claim())
    ('sign of zero', '0.0', '-0.0')
    """
    if first.shape != second.shape or first.dtype != second.dtype:
        return "type", str(type_of(first)), str(type_of(second))
    wrong = _wrong_bits(first, second) if claim.exact else _wrong_values(first, second, claim.tol_of(first.dtype))
    if claim.nonfinite and first.dtype.kind in "fc":
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
    with np.errstate(all="ignore"):
        finite = np.isfinite(first)
        scale = np.abs(first[finite]).max(initial=1.0)
        return np.asarray(finite & ~(np.abs(first - second) <= tol * scale))


def _difference_kind(first: np.ndarray, second: np.ndarray) -> str:
    if first.dtype.kind in "fc":
        if np.array_equal(first, second, equal_nan=True):
            return "sign of zero"
        if not _wrong_values(first, second, max(ROUNDING_TOL, 64 * float(np.finfo(first.dtype).eps))).any():
            same = np.isfinite(first) == np.isfinite(second)
            return "rounding" if same.all() and np.isfinite(first).any() else "value"
    return "value"


def _element_text(array: np.ndarray, at: tuple[int, ...]) -> str:
    value = array[at].item()
    place = f" at {list(at)}" if at else ""
    return f"{value!r}{place}"
