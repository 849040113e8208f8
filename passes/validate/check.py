"""The rule checker: tests a rule in many small programs by type, value, gradient and effect; shrinks counterexamples.

>>> from minigraph import ops
>>> from passes.rewrite.rule import rule
>>> @rule
... def root_of_square(x):
...     '''The root of a square is the number without its sign.'''
...     return ops.sqrt(x * x), x
>>> print(examine(root_of_square).counterexample)
the pattern gives 1.0, the replacement -1.0, where x = -1.0

This is property-based testing (Claessen and Hughes, "QuickCheck", 2000), not a proof: it relies on the operators' numpy
functions, on small shapes and on float64.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain

import numpy as np

from minigraph.core.deprecated_names import DeprecatedAttribute, renamed_arguments
from minigraph.core.errors import RuleError
from minigraph.core.types import float64
from minigraph.ir.graph import Graph
from passes.rewrite.driver import AnyRule
from passes.rewrite.pattern import Term, variables
from passes.validate.context_generation import generate_contexts
from passes.validate.difference import Difference, GraphPair
from passes.validate.input_values import DISTRIBUTIONS, FINITE_DISTRIBUTIONS, draw_values
from passes.validate.rule_context import RuleContext, context_of
from passes.validate.shrink import ContextDifference, shrink_counterexample
from passes.validate.snippet import snippet_of
from passes.validate.trial import nontermination, run_trial

MAX_CONTEXTS = 96  # test contexts generated
MAX_APPLIED_CONTEXTS = 40  # test contexts in which the rule applied, after which the generation stops
INPUTS_PER_CONTEXT = 6  # inputs at which values are compared
GRADIENTS_PER_CONTEXT = 6  # inputs at which gradients are compared
MAX_GRADIENT_CONTEXTS = 16  # test contexts in which gradients are compared
MINOR_KINDS = ("rounding", "sign of zero")

ADVICE = {
    "rounding": "set exact=False, tol=... if rounding may differ",
    "sign of zero": "set exact=False if the sign of zero may differ",
    "type": "restrict the rule to suitable types with where=",
}


@dataclass(frozen=True)
class Counterexample:
    """A shrunk counterexample to a rule: the difference, its inputs by name, and a program that shows it."""

    kind: str
    text: str
    inputs: dict[str, np.ndarray | str]
    snippet: str

    def __str__(self) -> str:
        inputs = ", ".join(f"{name} = {_input_text(value)}" for name, value in self.inputs.items())
        return f"{self.text}{', where ' if inputs else ''}{inputs}"


@dataclass
class Report:
    """The result of checking a rule; true if no difference was found.

    ``contexts`` counts the test contexts in which the rule applied, ``trials`` the inputs compared in them. ``kinks``
    are isolated points at which only gradients differ, which is not an error. ``seconds`` is the processor time.
    """

    rule: AnyRule
    counterexample: Counterexample | None = None
    contexts: int = 0
    trials: int = 0
    kinks: list[str] = field(default_factory=list)
    seconds: float = 0.0

    tries = DeprecatedAttribute("trials")

    def __bool__(self) -> bool:
        return self.counterexample is None and self.contexts > 0

    def __str__(self) -> str:
        """One line; the counterexample's program is in ``counterexample.snippet``."""
        where = f"rule '{self.rule.name}' ({self.rule.loc}): "
        if self.counterexample is not None:
            advice = ADVICE.get(self.counterexample.kind, "fix the replacement, or restrict the rule with where=")
            return f"{where}{self.counterexample} in {self.rule.text}; {advice}"
        if not self.contexts:
            return f"{where}it applies in no generated test context, so it was not tested; give one with examples=graph"
        agreement = "bit-identical results" if self.rule.exact else f"results within {self.rule.tol:g}"
        kinks = f", {len(self.kinks)} kinks" if self.kinks else ""
        return f"{where}{agreement}, equal gradients in {self.trials} trials over {self.contexts} test contexts{kinks}"


@renamed_arguments(on="examples")
def check(rule: AnyRule, *, examples: Graph | Sequence[Graph] = (), seed: int = 0) -> Report:
    """Check a rule and return the report; raises ``RuleError`` with a small counterexample if the rule is wrong.

    ``examples`` are captured programs in which the rule applies, for rules whose test contexts cannot be generated from
    operator samples. The error's note is a program that shows the counterexample.
    """
    report = examine(rule, examples=examples, seed=seed)
    if not report:
        error = RuleError(str(report))
        if report.counterexample is not None:
            error.add_note(report.counterexample.snippet)
        raise error
    return report


@renamed_arguments(on="examples")
def examine(rule: AnyRule, *, examples: Graph | Sequence[Graph] = (), seed: int = 0) -> Report:
    """The report on a rule, right or wrong; deterministic for a seed.

    Static properties come first (types, effects), then values and gradients, then termination. A difference in
    rounding or in the sign of zero is reported only if there is no other difference.
    """
    start, report = time.process_time(), Report(rule)
    rng = np.random.default_rng(seed)
    programs = [*([examples] if isinstance(examples, Graph) else examples), *(rule.examples() if rule.examples else ())]
    contexts = chain(map(context_of, programs), generate_contexts(rule, rng, MAX_CONTEXTS))
    finding = _worst_difference(rule, contexts, rng, report)
    if finding is not None:
        report.counterexample = _make_counterexample(rule, *shrink_counterexample(rule, *finding))
    report.seconds = time.process_time() - start
    return report


Pairs = Sequence[tuple[RuleContext, GraphPair]]


def _worst_difference(
    rule: AnyRule, contexts: Iterable[RuleContext], rng: np.random.Generator, report: Report
) -> ContextDifference | None:
    """The most severe difference; counts test contexts and trials in ``report``."""
    pairs: list[tuple[RuleContext, GraphPair]] = []
    for context in contexts:
        trial = run_trial(rule, context)
        report.contexts += trial.applies
        if trial.difference is not None:
            return context, trial.difference
        if trial.pair is not None:
            pairs.append((context, trial.pair))
        if len(pairs) >= MAX_APPLIED_CONTEXTS:
            break
    pairs.sort(key=lambda pair: any(type.dtype is not float64 for type in pair[0].types))  # float64 first
    values = _compare_values(rule, pairs, rng, report)
    if values is not None and values[1].kind not in MINOR_KINDS:
        return values
    loops = ((context, loop) for context, pair in pairs if (loop := nontermination(rule, pair)))
    return _compare_gradients(pairs, rng, report) or next(loops, values)


def _compare_values(rule: AnyRule, pairs: Pairs, rng: np.random.Generator, report: Report) -> ContextDifference | None:
    minor: ContextDifference | None = None
    distributions = DISTRIBUTIONS if rule.exact else FINITE_DISTRIBUTIONS
    for context, arrays, pair in _draw_inputs(pairs, distributions, INPUTS_PER_CONTEXT, rng):
        report.trials += 1
        difference = pair.compare_values(arrays)
        if difference is not None and difference.kind not in MINOR_KINDS:
            return context, difference
        if difference is not None:
            minor = minor or (context, difference)
    return minor


def _compare_gradients(pairs: Pairs, rng: np.random.Generator, report: Report) -> ContextDifference | None:
    smooth = [item for item in pairs if any(type.dtype is float64 for type in item[0].types)][:MAX_GRADIENT_CONTEXTS]
    for context, arrays, pair in _draw_inputs(smooth, FINITE_DISTRIBUTIONS, GRADIENTS_PER_CONTEXT, rng):
        difference = pair.compare_gradients(arrays, rng)
        if difference is not None and difference.kind != "kink":
            return context, difference
        if difference is not None:
            report.kinks.append(difference.text)
    return None


def _draw_inputs(
    pairs: Pairs, distributions: Sequence[str], count: int, rng: np.random.Generator
) -> Iterator[tuple[RuleContext, list[np.ndarray], GraphPair]]:
    """``count`` inputs for every pair, from the distributions in turn."""
    for number, (context, pair) in enumerate(pairs):
        for k in range(count):
            distribution = distributions[(number * count + k) % len(distributions)]
            yield context, [draw_values(rng, type, distribution, span) for type, span in context.operands], pair


def _make_counterexample(rule: AnyRule, context: RuleContext, difference: Difference) -> Counterexample:
    pair = run_trial(rule, context).pair
    inputs: dict[str, np.ndarray | str] = dict(zip(context.names, map(str, context.types), strict=True))
    inputs.update(zip(context.names, difference.arrays, strict=False))
    title = f"rule '{rule.name}' ({rule.loc}): {difference.kind} differs"
    sides = (pair.before.graph, pair.after.graph) if pair else (context.graph(), _only_replacement(rule, context))
    return Counterexample(difference.kind, difference.text, inputs, snippet_of(title, context, difference, *sides))


def _only_replacement(rule: AnyRule, context: RuleContext) -> Term | None:
    """The replacement of a rule without alternatives, if it is one value of the context's inputs."""
    side = rule.sides[0].replacement if len(rule.sides) == 1 else None
    is_single = side is not None and len(side) == 1 and set(variables(*side)) <= set(context.names)
    return side[0] if is_single and side is not None else None


def _input_text(value: np.ndarray | str) -> str:
    """A short text of an input.

    >>> _input_text(np.array([[1.0, 2.0]]))
    '[[1.0, 2.0]]'
    """
    if isinstance(value, str):
        return value
    text = str(value.tolist())
    return text if len(text) <= 60 else f"{text[:57]}..."
