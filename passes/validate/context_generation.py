"""Generates test contexts for a rule, the smallest first, then with more variation."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from minigraph.core.aliases import CallResult
from minigraph.core.tensor import Tensor
from minigraph.core.types import Shape, bool_, complex128, float16, float32, float64, int8, int32, uint8
from passes.rewrite.driver import AnyRule
from passes.validate.input_values import draw_values
from passes.validate.operator_context import operator_context
from passes.validate.pattern_context import TypeAssignment, pattern_context
from passes.validate.rule_context import RuleContext

OTHER_DTYPES = (float32, int32, float16, bool_, uint8, complex128, int8)  # used less often than float64


def generate_contexts(rule: AnyRule, rng: np.random.Generator, attempts: int) -> Iterator[RuleContext]:
    """Test contexts in which the rule should apply, smallest first; most in float64, some in every other dtype.

    Later contexts vary more: larger sizes, swapped operands of commutative operators, one value for two variables,
    constants for variables.
    """
    hints: dict[str, Shape] = {}
    context: RuleContext | None = None
    for attempt in range(attempts):
        period = 3 if attempt < attempts // 2 else 2  # a rule that rarely applied so far may need another dtype
        is_other = attempt > 0 and attempt % period == 0
        dtype = OTHER_DTYPES[attempt // period % len(OTHER_DTYPES)] if is_other else float64
        max_size = min(1 + attempt // 4, 3) if attempt % 8 != 7 else int(rng.choice((4, 8, 16, 32)))
        if rule.sides:
            pattern = rule.sides[attempt % len(rule.sides)].pattern
            context = pattern_context(pattern, TypeAssignment(dtype, rng, max_size, not rule.is_fusion, hints))
        elif rule.root is not None:
            context = operator_context(rule.root, dtype, rng, max_size)
        if context is not None:
            yield _vary(context, rng) if attempt % 4 == 3 else context


def _vary(context: RuleContext, rng: np.random.Generator) -> RuleContext:
    """The context with two equal inputs, or with a constant for one input."""
    count = len(context.names)
    equal = [(a, b) for a in range(count) for b in range(a) if context.operands[a] == context.operands[b]]
    if equal and rng.random() < 0.5:
        return _bind_input(context, *equal[int(rng.integers(len(equal)))])
    if not count:
        return context
    position = int(rng.integers(count))
    operand = context.operands[position]
    return _bind_input(context, position, Tensor(draw_values(rng, operand.type, "normal", operand.span)))


def _bind_input(context: RuleContext, position: int, value: int | Tensor) -> RuleContext:
    """The context without one of its inputs, which is replaced by another input or by a constant."""

    def program(*tensors: Tensor) -> CallResult:
        args: list[object] = [*tensors[:position], None, *tensors[position:]]
        args[position] = args[value] if isinstance(value, int) else value
        return context.program(*args)

    names, operands = list(context.names), list(context.operands)
    del names[position], operands[position]
    return RuleContext(program, tuple(names), tuple(operands))
