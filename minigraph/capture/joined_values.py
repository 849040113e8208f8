"""Values joined by branches and loops, for which a graph's tensor may behave unlike eager mode's value.

Two branches may set a variable to 1 and 2, and the graph has a tensor for it. Eager mode has a number, which is
promoted differently, computes in double precision, and is returned as a number. Such tracers are marked; where the
difference would show, the graph is refused. Likewise, after an ``if`` on a tensor a variable may be an alias of another
tensor, which a write to either of the two would show.

Method: may-alias and type facts of a data-flow analysis (Aho et al., *Compilers*, chapter 12), recorded during tracing
at each join. Invariant: a graph that is not refused has eager mode's dtypes, precision, results and aliases. Not
handled more precisely: aliases by element; a write to any part of a tensor that may be another one is refused.
"""

from __future__ import annotations

import operator
import os
import sys
from collections.abc import Iterable, Sequence
from itertools import product
from typing import TYPE_CHECKING, Any

from minigraph.capture.tracer import NUMBER_FROM_TENSOR, Tracer, is_number_tracer, outermost_trace
from minigraph.core import bytecode
from minigraph.core.aliases import Function
from minigraph.core.location import is_internal_file
from minigraph.core.op import Op, current_interpreter
from minigraph.core.tensor import Tensor
from minigraph.core.tensor.inplace import is_view
from minigraph.core.tensor.promotion import NUMBER_TYPES
from minigraph.core.types import DType, float64, promote, scalar_dtype
from minigraph.ir.graph import producer

if TYPE_CHECKING:
    from minigraph.capture.trace import Tracing

WRITTEN_JOIN = "a tensor is written to that may be the same as another one, after a branch or loop"

UNKNOWN_CODE = "this version of Python is not known, so that "

HASHED_JOIN = "a set or dict uses the hash of a tensor that may be the same as another one, after a branch or loop"

HASHED_ARGUMENT = "a set or dict uses the hash of an argument"

COMPARED_JOIN = "'is' or 'in' may compare a tensor that may be the same as another one, after a branch or loop"

KINDS = {"b": bool, "i": int, "f": float, "c": complex}  # of dtypes -> the types of Python's numbers
PYTHON_OPERATORS: dict[str, Function] = {
    "add": operator.add, "sub": operator.sub, "mul": operator.mul, "div": operator.truediv,
    "floor_div": operator.floordiv, "floor_mod": operator.mod, "pow": operator.pow, "neg": operator.neg, "abs": abs,
    "bitwise_and": operator.and_, "bitwise_or": operator.or_, "bitwise_xor": operator.xor,
    "logical_not": operator.not_, "equal": operator.eq, "not_equal": operator.ne, "less": operator.lt,
    "less_equal": operator.le, "greater": operator.gt, "greater_equal": operator.ge,
}  # fmt: skip
VALUE_DEPENDENT = {"floor_div": 1, "floor_mod": 1, "pow": 0}  # -> the least second operand with an int as the result
TAPES = (os.path.join("core", "autodiff", ""), os.path.join("minigraph", "accel", ""))
JOINING = ("cond", "while_loop", "scan")  # nodes with results that may be other tensors


def refuse_text(leaves: Iterable[Any]) -> None:
    """Refuse a graph that prints a tracer differently than eager mode does: a Parameter, or a number."""
    for leaf in leaves:
        if isinstance(leaf, Tracer) and leaf.class_in_eager_mode() is not Tensor:
            leaf.tracing.mark_not_executable("the text of a Parameter argument is unavailable during tracing")


def mark_numbers(values: Iterable[object], alternatives: Iterable[Sequence[object]]) -> None:
    """Mark tracers that take the place of Python numbers: all of their ``alternatives`` in eager mode are numbers."""
    for value, items in zip(values, alternatives, strict=True):
        kinds = [_types_of(item) for item in items]
        if isinstance(value, Tracer) and all(kinds):
            value.number_types = tuple(dict.fromkeys(kind for types in kinds for kind in types))


def refuse_changes_of_type(leaves: Iterable[object], outs: Iterable[object]) -> None:
    """Refuse a loop that starts with a number of one Python type and may go on with one of another type."""
    tracing: Any = current_interpreter()
    for leaf, out in zip(leaves, outs, strict=True):
        before, after = _types_of(leaf), _types_of(out)
        if before and after and set(before) != set(after):
            tracing.mark_not_executable(NUMBER_FROM_TENSOR)


def _types_of(item: object) -> tuple[type, ...]:
    """The Python types that a number may have in eager mode; empty for a tensor."""
    if isinstance(item, Tensor):
        return item.number_types
    return (next(kind for kind in NUMBER_TYPES if isinstance(item, kind)),)


def mark_alternatives(value: object, alternatives: Iterable[object]) -> None:
    """Record the tensors that a variable may be identical to after a branch or a loop."""
    if not isinstance(value, Tracer):
        return
    tensors = [item for item in alternatives if isinstance(item, Tensor)]
    classes = {_class_of(item) for item in tensors}
    if any(type(item) is not Tensor and hasattr(item, "eager_class") for item in tensors) or classes - {Tensor}:
        value.eager_class = classes.pop() if len(classes) == 1 else None
    roots = [item.view_of[0] if is_view(item) else item for item in tensors]
    existing = [root for root in roots if _existed_before(value.tracing, root)]
    scope = value.tracing if existing else None
    if scope is not None and outermost_trace(scope).compares_objects:
        scope.mark_not_executable(COMPARED_JOIN if bytecode.IS_SUPPORTED else UNKNOWN_CODE + COMPARED_JOIN)
    while scope is not None:
        scope.joined.update({id(item): (item, existing) for item in (value, *existing)})
        scope = getattr(scope, "parent", None)


def _class_of(tensor: Tensor) -> type | None:
    """The class in eager mode; ``None`` if it depends on which branch runs."""
    return getattr(tensor, "eager_class", Tensor) if isinstance(tensor, Tracer) else type(tensor)


def _existed_before(tracing: Tracing, tensor: Tensor) -> bool:
    """Whether a result of a branch or loop may have been created outside of it."""
    if id(tensor) in tracing.joined:
        return True
    return not any(tensor.tracing is body if tensor.is_traced else id(tensor) in body.created for body in tracing.inner)


def refuse_write_to_joined(tracing: Tracing, target: Tensor) -> None:
    """Refuse a graph that writes to a tensor which may be the same as another one."""
    scope: Tracing | None = tracing
    while scope is not None:
        if id(target) in scope.joined:
            tracing.mark_not_executable(WRITTEN_JOIN)
        scope = getattr(scope, "parent", None)


def check_numbers(tracing: Tracing, op: Op, args: tuple[Any, ...]) -> tuple[type, ...]:
    """The Python types that the result may have if all operands represent Python numbers, else none.

    Refuses a graph in which one would be promoted differently, or in which Python computes something else.
    """
    if all(is_number_tracer(arg) or isinstance(arg, NUMBER_TYPES) for arg in args):
        types = _types_in_python(op, args)
        if not types:
            tracing.mark_not_executable(NUMBER_FROM_TENSOR)
        return types or NUMBER_TYPES
    tensors = [arg for arg in args if isinstance(arg, Tensor) and not is_number_tracer(arg)]
    dtypes: set[DType | None] = {tensor.dtype for tensor in tensors} or {None}
    for position, number in enumerate(args):
        if is_number_tracer(number) and not (
            all(_is_promoted_equally(number, dtype) for dtype in dtypes) and _is_used_equally(op, position, number)
        ):
            tracing.mark_not_executable(NUMBER_FROM_TENSOR)
    return ()


def _is_promoted_equally(number: Tracer, dtype: DType | None) -> bool:
    """Whether a number takes the dtype in an operation with a tensor that its tracer takes, without loss of bits."""
    weak = {scalar_dtype(kind(1), dtype) for kind in number.number_types}
    promoted = number.dtype if dtype is None else promote(dtype, number.dtype)
    return weak == {promoted} and not (promoted is float64 and number.dtype.is_float)


def _is_used_equally(op: Op, position: int, number: Tracer) -> bool:
    """Whether an operator does the same with a number of any of its types: an index of a bool is a mask."""
    if op.promotes is not None and position in op.promotes.positions:
        return True
    return len(number.number_types) == 1 and not (op.unit == "move" and bool in number.number_types)


def _types_in_python(op: Op, args: tuple[Any, ...]) -> tuple[type, ...]:
    """The types of the result of an operator on numbers; none if Python may compute another value, or raise an error.

    Python computes with floats in double precision; the type or the error of a division or power depends on values.
    """
    kinds = [_types_of(arg) for arg in args]
    function = PYTHON_OPERATORS.get(op.name)
    if function is None:  # a function of minigraph, whose result is a tensor
        return () if any(len(types) > 1 for types in kinds) else NUMBER_TYPES
    is_unsafe = op.name in VALUE_DEPENDENT and (isinstance(args[1], Tensor) or args[1] < VALUE_DEPENDENT[op.name])
    if is_unsafe or any(issubclass(kind, float | complex) for types in kinds for kind in types):
        return ()
    types = {type(function(*[kind(1) for kind in combination])) for combination in product(*kinds)}
    return tuple(types) if len(types) == 1 else ()


def mark_result(tracing: Tracing, out: object, types: tuple[type, ...]) -> None:
    """Mark the result of an operation on numbers; refuses floats, and a dtype that is not one of Python's result."""
    for value in out if isinstance(out, tuple) else (out,):
        if isinstance(value, Tracer):
            value.number_types = (KINDS[value.dtype.kind],)
            if value.dtype.is_float or value.number_types[0] not in types:
                tracing.mark_not_executable(NUMBER_FROM_TENSOR)


def invert(number: Tracer) -> Any:
    """``~number`` of a number: ``-number - 1`` of an int; refused for others, and where a tensor may be meant."""
    if number.number_types != (int,) or not _is_joined(number):
        number.tracing.mark_not_executable(NUMBER_FROM_TENSOR)
    return -1 - number


# ---- identity ------------------------------------------------------------------------------------------


def check_hash(value: Tracer) -> None:
    """Refuse a graph of a program that uses the hash of a number, or of a tensor that may be the same as another one.

    In eager mode a number has the hash of its value, and such a tensor that of the other one. Two arguments may be one
    tensor: the function is captured again, for arguments that are as identical as these.
    """
    tracing: Any = value.tracing
    depends, is_refused = is_number_tracer(value) or _is_joined(value), tracing.refused is not None
    if not (depends or hasattr(value, "eager_class")) or _is_of_tape(sys._getframe(2).f_code.co_filename):
        return
    if depends:
        tracing.mark_not_executable(NUMBER_FROM_TENSOR if is_number_tracer(value) else HASHED_JOIN)
    elif not is_refused and not outermost_trace(tracing).compares_objects:
        tracing.mark_not_executable(HASHED_ARGUMENT)
        tracing.refused.is_retried = True


def _is_of_tape(file: str) -> bool:
    """Whether a file belongs to the tape, whose table of cotangents has tracers as keys, each for itself."""
    return is_internal_file(file) and any(folder in file for folder in TAPES)


def _is_joined(value: Tracer) -> bool:
    """Whether a value is the result of a branch or loop, or a variable in the body of a loop."""
    graph, node = value.tracing.graph, producer(value.ref)
    return graph.op(node).name in JOINING or (value.tracing.is_body and node in graph.inputs)


# ---- loops ---------------------------------------------------------------------------------------------


def examples_in_eager_mode(leaves: Sequence[object], outs: Sequence[object]) -> list[object]:
    """For each carried value, its value after the last iteration or before the loop: a tensor if either is one."""
    return [
        leaf if isinstance(leaf, Tensor) and not is_number_tracer(leaf) else out
        for leaf, out in zip(leaves, outs, strict=True)
    ]
