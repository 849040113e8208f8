"""Is a rule right? Tried at many small places, by type, value, gradient and effect; what is wrong is made small.

>>> from minigraph import ops
>>> from passes.rewrite.rule import rule
>>> @rule
... def root_of_square(x):
...     '''The root of a square is the number without its sign.'''
...     return ops.sqrt(x * x), x
>>> print(examined(root_of_square).counterexample)
the pattern gives 1.0, the replacement -1.0, where x = -1.0

It is a test, not a proof: it trusts the operators' numpy functions, small shapes and float64.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain

import numpy as np

from minigraph.core.errors import RuleError
from minigraph.core.types import float64
from minigraph.ir.graph import Graph
from passes.rewrite.driver import AnyRule
from passes.rewrite.pattern import Term, variables
from passes.validate.context_generation import generate_contexts
from passes.validate.difference import Difference, GraphPair
from passes.validate.input_values import DISTRIBUTIONS, FINITE_DISTRIBUTIONS, draw_values
from passes.validate.rule_context import RuleContext, context_of
from passes.validate.shrink import shrink_counterexample
from passes.validate.snippet import snippet_of
from passes.validate.trial import nontermination, run_trial

MAX_CONTEXTS = 96  # places tried at most
ENOUGH_CONTEXTS = 40  # places where the rule applied, after which no more are looked for
INPUTS_PER_CONTEXT = 6  # inputs per place
GRADIENTS_PER_CONTEXT = 6  # inputs per place at which gradients are compared
MAX_GRADIENT_CONTEXTS = 16  # places at which they are
MINOR_KINDS = ("rounding", "sign of zero")

ADVICE = {
    "rounding": "say exact=False, tol=... if rounding may differ",
    "sign of zero": "say exact=False if the sign of zero may differ",
    "type": "say by where= at which types it is meant",
}


@dataclass(frozen=True)
class Counterexample:
    """Where a rule is wrong, made as small as it gets: the difference, its inputs by name, and a program."""

    kind: str
    text: str
    inputs: dict[str, np.ndarray | str]
    snippet: str

    def __str__(self) -> str:
        shown = ", ".join(f"{name} = {_input_text(value)}" for name, value in self.inputs.items())
        return f"{self.text}{', where ' if shown else ''}{shown}"


@dataclass
class Report:
    """What an examination found; true when nothing is wrong.

    ``places`` are the programs at which the rule applied, ``tries`` the inputs compared there, ``kinks`` the
    points at which only gradients differ and only there, which is no error, ``seconds`` what it took the processor.
    """

    rule: AnyRule
    counterexample: Counterexample | None = None
    contexts: int = 0
    tries: int = 0
    kinks: list[str] = field(default_factory=list)
    seconds: float = 0.0

    def __bool__(self) -> bool:
        return self.counterexample is None and self.contexts > 0

    def __str__(self) -> str:
        """One line; the counterexample's program is in ``counterexample.snippet``."""
        who = f"rule '{self.rule.name}' ({self.rule.loc}): "
        if self.counterexample is not None:
            advice = ADVICE.get(self.counterexample.kind, "change the replacement, or say by where= what it is for")
            return f"{who}{self.counterexample} in {self.rule.text}; {advice}"
        if not self.contexts:
            return f"{who}no place was found at which it applies, so nothing is known; give one by on=graph"
        claim = "the same bits" if self.rule.exact else f"equal within {self.rule.tol:g}"
        kinks = f", {len(self.kinks)} kinks" if self.kinks else ""
        return f"{who}{claim} and gradients in {self.tries} tries at {self.contexts} places{kinks}"


def check(rule: AnyRule, *, on: Graph | Sequence[Graph] = (), seed: int = 0) -> Report:
    """Examine a rule and return the report; raises ``RuleError`` with a small counterexample when it is wrong.

    ``on`` are captured programs at which the rule applies, for rules whose place is not found from operator
    samples. The error's note is a program that shows the counterexample.
    """
    report = examined(rule, on=on, seed=seed)
    if not report:
        error = RuleError(str(report))
        if report.counterexample is not None:
            error.add_note(report.counterexample.snippet)
        raise error
    return report


def examined(rule: AnyRule, *, on: Graph | Sequence[Graph] = (), seed: int = 0) -> Report:
    """The report on a rule, right or wrong; the same for the same seed.

    What shows without a run comes first (types, effects), then values and gradients, then endless rewriting;
    a difference in rounding or in the sign of zero is told only when there is nothing graver.
    """
    began, report = time.process_time(), Report(rule)
    rng = np.random.default_rng(seed)
    given = [*([on] if isinstance(on, Graph) else on), *(rule.on() if rule.on else ())]
    found = _worst_difference(rule, chain(map(context_of, given), generate_contexts(rule, rng, MAX_CONTEXTS)), rng, report)
    if found is not None:
        report.counterexample = _make_counterexample(rule, *shrink_counterexample(rule, *found))
    report.seconds = time.process_time() - began
    return report


Finding = tuple[RuleContext, Difference]
Pairs = Sequence[tuple[RuleContext, GraphPair]]


def _worst_difference(rule: AnyRule, places: Iterable[RuleContext], rng: np.random.Generator, report: Report) -> Finding | None:
    """The gravest thing that is wrong; counts places and tries."""
    pairs: list[tuple[RuleContext, GraphPair]] = []
    for place in places:
        trial = run_trial(rule, place)
        report.contexts += trial.applies
        if trial.difference is not None:
            return place, trial.difference
        if trial.pair is not None:
            pairs.append((place, trial.pair))
        if len(pairs) >= ENOUGH_CONTEXTS:
            break
    pairs.sort(key=lambda pair: any(type.dtype is not float64 for type in pair[0].types))  # plainest first
    values = _compare_values(rule, pairs, rng, report)
    if values is not None and values[1].kind not in MINOR_KINDS:
        return values
    return _compare_gradients(pairs, rng, report) or _check_termination(rule, pairs) or values


def _compare_values(rule: AnyRule, pairs: Pairs, rng: np.random.Generator, report: Report) -> Finding | None:
    mild: Finding | None = None
    moods = DISTRIBUTIONS if rule.exact else FINITE_DISTRIBUTIONS
    for place, arrays, pair in _draw_inputs(pairs, moods, INPUTS_PER_CONTEXT, rng):
        report.tries += 1
        difference = pair.compare_values(arrays)
        if difference is not None and difference.kind not in MINOR_KINDS:
            return place, difference
        if difference is not None:
            mild = mild or (place, difference)
    return mild


def _compare_gradients(pairs: Pairs, rng: np.random.Generator, report: Report) -> Finding | None:
    smooth = [(place, pair) for place, pair in pairs if any(type.dtype is float64 for type in place.types)][:MAX_GRADIENT_CONTEXTS]
    for place, arrays, pair in _draw_inputs(smooth, FINITE_DISTRIBUTIONS, GRADIENTS_PER_CONTEXT, rng):
        difference = pair.compare_gradients(arrays, rng)
        if difference is not None and difference.kind != "kink":
            return place, difference
        if difference is not None:
            report.kinks.append(difference.text)
    return None


def _check_termination(rule: AnyRule, pairs: Pairs) -> Finding | None:
    return next(((place, found) for place, pair in pairs if (found := nontermination(rule, pair))), None)


def _draw_inputs(
    pairs: Pairs, moods: Sequence[str], count: int, rng: np.random.Generator
) -> Iterator[tuple[RuleContext, list[np.ndarray], GraphPair]]:
    """Inputs for every pair, ``count`` times; the moods take turns."""
    for number, (place, pair) in enumerate(pairs):
        for k in range(count):
            mood = moods[(number * count + k) % len(moods)]
            yield place, [draw_values(rng, operand.type, mood, operand.span) for operand in place.operands], pair


def _make_counterexample(rule: AnyRule, place: RuleContext, difference: Difference) -> Counterexample:
    pair = run_trial(rule, place).pair
    inputs: dict[str, np.ndarray | str] = dict(zip(place.names, map(str, place.types), strict=True))
    inputs.update(zip(place.names, difference.arrays, strict=False))
    title = f"rule '{rule.name}' ({rule.loc}): {difference.kind} differs"
    sides = (pair.before.graph, pair.after.graph) if pair else (place.graph(), _only_replacement(rule, place))
    return Counterexample(difference.kind, difference.text, inputs, snippet_of(title, place, difference, *sides))


def _only_replacement(rule: AnyRule, place: RuleContext) -> Term | None:
    """The replacement, when there is just one value and one way to write it, in the inputs of the place."""
    side = rule.sides[0].replacement if len(rule.sides) == 1 else None
    plain = side is not None and len(side) == 1 and set(variables(*side)) <= set(place.names)
    return side[0] if plain and side is not None else None


def _input_text(value: np.ndarray | str) -> str:
    """A short text of an input.

    >>> _plain(np.array([[1.0, 2.0]]))
    '[[1.0, 2.0]]'
    """
    if isinstance(value, str):
        return value
    text = str(value.tolist())
    return text if len(text) <= 60 else f"{text[:57]}..."
