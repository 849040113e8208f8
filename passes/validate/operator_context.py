"""Test contexts for rules without a pattern: their root operator, alone or on another operator's result."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from minigraph.core.aliases import Attrs, CallResult
from minigraph.core.op import TABLE, Op, apply
from minigraph.core.scope_guard import call_ignoring_float_errors
from minigraph.core.tensor import Parameter, Tensor
from minigraph.core.types import DType, TensorType, type_of
from passes.validate.operands import REJECTION_ERRORS, Operand, candidate_operands, example_tensor, samples_of
from passes.validate.rule_context import RuleContext

MAX_CANDIDATES = 10  # operand combinations tried for one call before the attempt fails


def operator_context(root: Op, dtype: DType, rng: np.random.Generator, max_size: int) -> RuleContext | None:
    """A program that ends in the root operator of a computed rule, alone or on another operator's result."""
    inner = _choose_call(_choose_inner_operator(root, rng), (), dtype, rng, max_size) if rng.random() < 0.7 else None
    outer = _choose_call(root, () if inner is None else (inner[2],), dtype, rng, max_size)
    if outer is None:
        return None
    count = 0 if inner is None else len(inner[0])
    # outside of the program: a Parameter that a call makes itself is a value of its graph
    replace_inner = _replacement_of_target(inner[3], inner[0]) if inner is not None else None
    replace_outer = _replacement_of_target(root, outer[0])

    def program(*tensors: Tensor) -> CallResult:
        first: list[Tensor] = []
        if inner is not None and replace_inner is not None:
            first = [apply(inner[3], *replace_inner(tensors[:count]), **inner[1])]
        return apply(root, *replace_outer([*first, *tensors[count:]]), **outer[1])

    operands = (*(inner[0] if inner else ()), *outer[0][0 if inner is None else 1 :])
    return RuleContext(program, tuple(f"x{k}" for k in range(len(operands))), operands)


def _choose_inner_operator(root: Op, rng: np.random.Generator) -> Op:
    """The operator itself in most cases, else a random view or elementwise operator."""
    if rng.random() < 0.6:
        return root
    simple = [op for op in TABLE.values() if op.family in ("view", "elementwise") and samples_of(op) and not op.effects]
    return simple[int(rng.integers(len(simple)))]


def _replacement_of_target(op: Op, operands: Sequence[Operand]) -> Callable[[Sequence[Tensor]], Sequence[Tensor]]:
    """A function that gives a call's operands, with a Parameter as the first one if the operator stores into it."""
    if not op.stores:
        return lambda args: args
    like = example_tensor(operands[0])
    target = Parameter(Tensor(np.zeros(like.shape, like.dtype.numpy)), name="p")
    return lambda args: [target, *args[1:]]


def _choose_call(
    op: Op, first: tuple[TensorType, ...], dtype: DType, rng: np.random.Generator, max_size: int
) -> tuple[tuple[Operand, ...], Attrs, TensorType, Op] | None:
    count = op.arity or max((len(sample.args) for sample in samples_of(op)), default=1)
    operand_types = (*first, *[None] * (count - len(first)))[:count]
    for candidate in candidate_operands(op, operand_types, dtype, rng, max_size, MAX_CANDIDATES):
        try:
            replace = _replacement_of_target(op, candidate.operands)
            args = replace([*map(example_tensor, candidate.operands)])
            out = call_ignoring_float_errors(apply, op, *args, **candidate.attrs)
        except REJECTION_ERRORS:
            continue
        return candidate.operands, candidate.attrs, out.type if isinstance(out, Tensor) else type_of(np.zeros(())), op
    return None
