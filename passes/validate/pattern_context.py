"""Test contexts for patterns: types are assigned from operands to users, by trying operands on every operator."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from minigraph.core.aliases import CallResult
from minigraph.core.op import apply
from minigraph.core.scope_guard import call_ignoring_float_errors
from minigraph.core.tensor import Tensor
from minigraph.core.types import DType, Shape, TensorType
from passes.rewrite.pattern import AttrVar, Call, Number, Term, Terms, Var, terms, variables
from passes.validate.operands import (
    REJECTION_ERRORS,
    Candidate,
    Operand,
    candidate_operands,
    example_tensor,
    sample_shape,
)
from passes.validate.rule_context import RuleContext, evaluate_terms

MAX_CANDIDATES = 10  # operand combinations tried for one call before the attempt fails
MAX_HINTED_CANDIDATES = 3  # those tried before with the hints
HINT_PROBABILITY = 0.8  # of trying the hints
SWAP_PROBABILITY = 0.3  # of swapping the operands of a commutative call


@dataclass
class TypeAssignment:
    """The operands, attributes and values chosen for a pattern so far.

    ``hints`` are shapes of variables that a user needed in an earlier attempt, because some operators accept no small
    shapes (a ``relu`` whose user is a pool must not choose a vector). ``max_size`` is the largest size of an axis.
    """

    dtype: DType
    rng: np.random.Generator
    max_size: int
    strict: bool
    hints: dict[str, Shape]
    operands: dict[str, Operand] = field(default_factory=dict)
    captured: dict[str, Any] = field(default_factory=dict)
    attrs: dict[int, dict[str, Any]] = field(default_factory=dict)
    values: dict[int | str, object] = field(default_factory=dict)

    def value(self, term: Term) -> Any:
        """A value of a term's type, the number of a ``Number``, or ``None`` for an unassigned variable."""
        if isinstance(term, Number):
            return term.value
        return self.values.get(term.name if isinstance(term, Var) else id(term))

    def type(self, term: Term) -> TensorType | None:
        """The type of a term, or ``None`` if it is unassigned."""
        value = self.value(term)
        if value is None:
            return None
        return value.type if isinstance(value, Tensor) else TensorType((), self.dtype)


def pattern_context(roots: Terms, assignment: TypeAssignment) -> RuleContext | None:
    """The program of an expanded pattern; ``None`` if this attempt finds no types for it."""
    attrs = assignment.attrs
    for call in terms(*roots)[::-1]:
        if isinstance(call, Call) and not any(
            _try_candidate(assignment, call, candidate) for candidate in _candidates(assignment, call)
        ):
            _record_hints(assignment, call)
            return None
    calls = [term for term in terms(*roots) if isinstance(term, Call) and term.op.commutative and len(term.args) == 2]
    swapped = {id(call) for call in calls if assignment.rng.random() < SWAP_PROBABILITY}
    names = [name for name in variables(*roots) if name in assignment.operands]

    def program(*tensors: Tensor) -> CallResult:
        return evaluate_terms(roots, dict(zip(names, tensors, strict=True)), attrs, swapped)

    return RuleContext(program, tuple(names), tuple(assignment.operands[name] for name in names))


def _record_hints(assignment: TypeAssignment, call: Call) -> None:
    """Record shapes that an operator accepts, for the next attempt, after it rejected all operands."""
    for position, arg in enumerate(call.args):
        shape = sample_shape(call.op, position, len(call.args), assignment.rng, assignment.max_size)
        if shape is not None and isinstance(arg, Call):
            assignment.hints.update((name, shape) for name in variables(arg))


def _candidates(assignment: TypeAssignment, call: Call) -> Iterator[Candidate]:
    operand_types = [assignment.type(arg) for arg in call.args]
    hints = [assignment.hints.get(arg.name) if isinstance(arg, Var) else None for arg in call.args]
    if any(hint is not None for hint in hints) and assignment.rng.random() < HINT_PROBABILITY:
        hinted_types = [
            type or (None if shape is None else TensorType(shape, assignment.dtype))
            for type, shape in zip(operand_types, hints, strict=True)
        ]
        yield from candidate_operands(
            call.op, hinted_types, assignment.dtype, assignment.rng, assignment.max_size, MAX_HINTED_CANDIDATES
        )
    shapes = [operand.type.shape for operand in assignment.operands.values()]
    yield from candidate_operands(
        call.op, operand_types, assignment.dtype, assignment.rng, assignment.max_size, MAX_CANDIDATES, shapes
    )


def _try_candidate(assignment: TypeAssignment, call: Call, candidate: Candidate) -> bool:
    """Whether the operator accepts the operands; if so, records its variables, attributes and value."""
    operands = {
        arg.name: operand for arg, operand in zip(call.args, candidate.operands, strict=True)
        if isinstance(arg, Var) and arg.name not in assignment.operands
    }  # fmt: skip
    values = {name: example_tensor(operand) for name, operand in operands.items()}
    captured = dict(assignment.captured)
    attrs = _attrs(call, candidate.attrs, captured, assignment.strict)
    args = [values[a.name] if isinstance(a, Var) and a.name in values else assignment.value(a) for a in call.args]
    try:
        out = call_ignoring_float_errors(apply, call.op, *args, **attrs)
    except REJECTION_ERRORS:
        return False
    assignment.operands.update(operands)
    assignment.values.update(values)
    assignment.values[id(call)], assignment.attrs[id(call)], assignment.captured = out, attrs, captured
    return isinstance(out, Tensor)


def _attrs(call: Call, sample_attrs: Mapping[str, object], captured: dict[str, object], strict: bool) -> dict[str, Any]:
    """The attributes of a call: captured ones get a value, those that the pattern leaves open a sample's."""
    attrs = {} if strict else dict(sample_attrs)
    for name, value in call.attrs.items():
        if isinstance(value, AttrVar):
            default = sample_attrs.get(name, call.op.defaults.get(name))
            attrs[name] = captured.setdefault(value.name, default)
        else:
            attrs[name] = value
    return attrs
