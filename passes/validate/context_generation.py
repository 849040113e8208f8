"""Places to try a rule at, one after the other: tiny ones first, then more various ones."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from minigraph.core.tensor import Tensor
from minigraph.core.types import Shape, bool_, complex128, float16, float32, float64, int8, int32, uint8
from passes.rewrite.driver import AnyRule
from passes.validate.input_values import draw_values
from passes.validate.operator_context import operator_context
from passes.validate.pattern_context import TypeAssignment, pattern_context
from passes.validate.rule_context import RuleContext

OTHER_DTYPES = (float32, int32, float16, bool_, uint8, complex128, int8)  # tried now and then, beside float64


def generate_contexts(rule: AnyRule, rng: np.random.Generator, attempts: int) -> Iterator[RuleContext]:
    """Places where the rule should apply: tiny ones first; most of float64, some of every other dtype.

    Later places vary more: larger sizes, operands swapped where they may be, one value under two names,
    variables that are constants.
    """
    hints: dict[str, Shape] = {}
    place: RuleContext | None = None
    for attempt in range(attempts):
        often = 3 if attempt < attempts // 2 else 2  # whoever has not had enough may want another dtype
        other = attempt > 0 and attempt % often == 0
        dtype = OTHER_DTYPES[attempt // often % len(OTHER_DTYPES)] if other else float64
        largest = min(1 + attempt // 4, 3) if attempt % 8 != 7 else int(rng.choice((4, 8, 16, 32)))
        if rule.sides:
            pattern = rule.sides[attempt % len(rule.sides)].pattern
            place = pattern_context(pattern, TypeAssignment(dtype, rng, largest, not rule.outlines, hints))
        elif rule.root is not None:
            place = operator_context(rule.root, dtype, rng, largest)
        if place is not None:
            yield _vary(place, rng) if attempt % 4 == 3 else place


def _vary(place: RuleContext, rng: np.random.Generator) -> RuleContext:
    """The place with one value under two names, or with an input that is a constant."""
    count = len(place.names)
    twins = [(a, b) for a in range(count) for b in range(a) if place.operands[a] == place.operands[b]]
    if twins and rng.random() < 0.5:
        return _bind_input(place, *twins[int(rng.integers(len(twins)))])
    if not count:
        return place
    position = int(rng.integers(count))
    operand = place.operands[position]
    return _bind_input(place, position, Tensor(draw_values(rng, operand.type, "normal", operand.span)))


def _bind_input(place: RuleContext, position: int, value: int | Tensor) -> RuleContext:
    """The place without one of its inputs, which is another input or a constant instead."""

    def make(*tensors: Any) -> Any:
        args: list[Any] = [*tensors[:position], None, *tensors[position:]]
        args[position] = args[value] if isinstance(value, int) else value
        return place.program(*args)

    names, operands = list(place.names), list(place.operands)
    del names[position], operands[position]
    return RuleContext(make, tuple(names), tuple(operands))
