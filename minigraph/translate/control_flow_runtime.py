"""The runtime of translated code: the functions it calls instead of Python's ``if``, ``while``, ``and``, ...

Each function tests whether a condition is a tracer. If not, it behaves like Python; if so, it adds a node with
bodies. ``get`` and ``put``, which translated code passes, read and bind the variables of its function.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from operator import itemgetter
from typing import Any

from minigraph.capture.body import Body, BodyTracing
from minigraph.capture.body_limits import count_iteration
from minigraph.capture.joined_values import mark_numbers
from minigraph.capture.joins import UNDEFINED, placeholder
from minigraph.capture.tracer import is_number_tracer
from minigraph.core.aliases import PyTree
from minigraph.core.errors import CaptureError, UnboundVarError
from minigraph.core.location import with_location
from minigraph.core.op import apply, current_interpreter
from minigraph.core.tensor import Tensor
from minigraph.core.types import bool_
from minigraph.operators.control import GENERATED_PREFIX, as_condition, branch, branch_variables, trace_while
from minigraph.translate.call_conversion import call as call  # also called by translated code
from minigraph.translate.host_text import format_value as format_value
from minigraph.translate.host_text import join_texts as join_texts
from minigraph.translate.host_text import percent_format as percent_format
from minigraph.translate.range_loops import in_range as in_range
from minigraph.translate.range_loops import range_bounds as range_bounds

Thunk = Callable[[], Any]


# ---- variables -------------------------------------------------------------------------------------


def values(*thunks: Thunk) -> tuple[Any, ...]:
    """The values of variables, ``UNDEFINED`` for unbound ones."""
    return tuple(map(_value, thunks))


def _value(thunk: Thunk) -> Any:
    try:
        return thunk()
    except NameError:
        return UNDEFINED


def is_unbound(value: object) -> bool:
    """Whether a variable is unbound."""
    return value is UNDEFINED


# ---- branches --------------------------------------------------------------------------------------


def if_(
    test: Any, then: Thunk, otherwise: Thunk, get: Thunk, put: Callable[[Any], None],
    names: Sequence[str], live: Sequence[str],
) -> None:  # fmt: skip
    """An ``if`` statement: the branches bind ``names``, of which those in ``live`` are live after it."""
    flag = as_condition(test)
    if not isinstance(flag, Tensor):
        (then if flag else otherwise)()
        return
    before, positions = get(), [k for k, name in enumerate(names) if name in live]

    def run_branch(run: Thunk) -> tuple[Any, ...]:
        put(before)
        run()
        return _take_values(get, put, before, positions)

    try:
        live_names = [names[k] for k in positions]
        joined = branch_variables(flag, partial(run_branch, then), partial(run_branch, otherwise), live_names)
    finally:
        put(before)
    put(_replace([UNDEFINED] * len(before), positions, joined))


def _take_values(get: Thunk, put: Callable[[Any], None], before: object, positions: Sequence[int]) -> tuple[Any, ...]:
    """The values of variables that a body has set; the variables are reset to their old values."""
    after = get()
    put(before)
    return tuple(after[k] for k in positions)


def _replace(values: Sequence[object], positions: Sequence[int], new: Sequence[object]) -> tuple[Any, ...]:
    out = list(values)
    for k, value in zip(positions, new, strict=True):
        out[k] = value
    return tuple(out)


def if_return(test: Any, then: Thunk, otherwise: Thunk, get: Thunk, put: Callable[[Any], None]) -> PyTree:
    """An ``if`` in tail position: the value that the taken branch returns."""
    flag = as_condition(test)
    if not isinstance(flag, Tensor):
        return (then if flag else otherwise)()
    before = get()

    def result(run: Thunk) -> Any:
        put(before)
        try:
            return run()
        finally:
            put(before)

    return branch(flag, partial(result, then), partial(result, otherwise))


def if_expression(test: Any, then: Thunk, otherwise: Thunk) -> PyTree:
    """A conditional expression."""
    return branch(as_condition(test), then, otherwise)


# ---- and, or, not ----------------------------------------------------------------------------------


def and_(*thunks: Thunk) -> Any:
    """``a and b``: b is evaluated only if a is true."""
    return _first_true(thunks, lambda flag, value, rest: branch(flag, rest, lambda: value), stops_at=False)


def or_(*thunks: Thunk) -> Any:
    """``a or b``: b is evaluated only if a is false."""
    return _first_true(thunks, lambda flag, value, rest: branch(flag, lambda: value, rest), stops_at=True)


def _first_true(thunks: Sequence[Thunk], choose: Callable[[Any, Any, Thunk], Any], stops_at: bool) -> Any:
    value = thunks[0]()
    if len(thunks) == 1:
        return value
    flag = as_condition(value)
    if isinstance(flag, Tensor):
        return choose(
            flag, flag if value.dtype is flag.dtype else value, lambda: _first_true(thunks[1:], choose, stops_at)
        )
    return value if flag is stops_at else _first_true(thunks[1:], choose, stops_at)


def flag(value: object) -> Any:
    """A value used as a condition: of a tracer, its truth value."""
    return as_condition(value) if isinstance(value, Tensor) and value.is_traced else value


def not_(value: Any) -> Any:
    """``not a``, which is a ``bool`` in eager mode, also of a tensor."""
    flag = as_condition(value)
    if not isinstance(flag, Tensor):
        return not flag
    result = apply("logical_not", flag)
    mark_numbers([result], [[False]])
    return result


def is_(a: Any, b: Any) -> Any:
    """``a is b``; of a tracer that stands for a bool, and a bool, whether they are equal."""
    if not (is_number_tracer(a) or is_number_tracer(b)) or a is None or b is None:
        return a is b
    if not all(isinstance(value, bool) or (is_number_tracer(value) and value.dtype is bool_) for value in (a, b)):
        tracing: Any = current_interpreter()
        tracing.mark_not_executable("'is' compares a number whose value is unavailable during tracing")
        return False
    return a == b


def compare(left: object, *steps: tuple[Callable[[Any, Any], Any], Thunk]) -> Any:
    """``a < b < c``: each step is a comparison and its right operand."""
    (holds, thunk), rest = steps[0], steps[1:]
    right = thunk()
    result = holds(left, right)
    return and_(lambda: result, lambda: compare(right, *rest)) if rest else result


# ---- jumps -----------------------------------------------------------------------------------------


def none_set(*flags: object) -> Any:
    """Whether none of the flags is set."""
    if any(flag is True for flag in flags):
        return False
    traced = [flag for flag in flags if isinstance(flag, Tensor)]
    if not traced:
        return True
    any_flag = traced[0]
    for flag in traced[1:]:
        any_flag = apply("logical_or", any_flag, flag)
    return as_condition(apply("logical_not", any_flag))


def any_set(*flags: object) -> bool:
    """Whether a flag is known to be set, in every run, so that a Python loop may end."""
    return any(flag is True for flag in flags)


def loop_condition(test: Thunk, *flags: object) -> Any:
    """The condition of a loop with jumps: no flag is set, and its own test holds."""
    continues = none_set(*flags)
    return apply("logical_and", continues, _as_flag(test())) if isinstance(continues, Tensor) else continues and test()


def _as_flag(value: Any) -> Any:
    flag = as_condition(value)
    return flag if isinstance(flag, Tensor) else Tensor(flag)


def check_raise(error: object) -> Any:
    """The error to raise; raises ``CaptureError`` in a traced body, where every run would raise it."""
    if isinstance(current_interpreter(), BodyTracing):
        text = "raise: it depends on the value of a tensor, which is unavailable during tracing"
        raise with_location(CaptureError(f"{text}; check it outside of @jit"))
    return error


# ---- loops -----------------------------------------------------------------------------------------


def while_(
    test: Thunk, body: Thunk, get: Thunk, put: Callable[[Any], None],
    names: Sequence[str], carried: Sequence[str], live: Sequence[str],
) -> None:  # fmt: skip
    """A ``while`` statement: the body binds ``names``; ``carried`` are loop-carried, ``live`` are live after it."""
    while True:
        flag = as_condition(test())
        if isinstance(flag, Tensor):
            _trace_while(test, body, get, put, names, carried, live)
            return
        if not flag:
            return
        count_iteration(current_interpreter())
        body()


def items_of_loop(items: Any) -> Any:
    """The iterable of a ``for`` statement or a comprehension; the iterations in a traced body are counted."""
    interpreter = current_interpreter()
    if not isinstance(interpreter, BodyTracing):
        return items
    return map(itemgetter(1), zip(iter(partial(count_iteration, interpreter), True), items, strict=False))


def _trace_while(
    test: Thunk, body: Thunk, get: Thunk, put: Callable[[Any], None],
    names: Sequence[str], carried: Sequence[str], live: Sequence[str],
) -> None:  # fmt: skip
    before = _add_placeholders(body, get, put, names, live)
    positions = [k for k, name in enumerate(names) if name in carried and before[k] is not UNDEFINED]
    unbound = [name for k, name in enumerate(names) if name in live and before[k] is UNDEFINED]
    if unbound:
        text = f"The local variable '{unbound[0]}' is not defined before the loop, but used after it."
        remedy = f"'{unbound[0]}': the loop may have no iterations; give it a value before the loop"
        raise with_location(UnboundVarError(f"{text}\n{remedy}"))

    def put_state(state: Sequence[object]) -> None:
        put(_replace(before, positions, state))

    def test_state(state: Sequence[object]) -> Any:
        put_state(state)
        try:
            return test()
        finally:
            put(before)

    def next_state(state: Sequence[object]) -> tuple[Any, ...]:
        put_state(state)
        body()
        return _take_values(get, put, before, positions)

    put(before)
    try:
        final = trace_while(test_state, next_state, tuple(before[k] for k in positions))
    finally:
        put(before)
    put(_replace([UNDEFINED] * len(before), positions, final))


def _add_placeholders(
    body: Thunk, get: Thunk, put: Callable[[Any], None], names: Sequence[str], live: Sequence[str]
) -> tuple[Any, ...]:
    """The variables before a loop; generated ones are placeholders, with the types from one trace of the body."""
    before = get()
    generated = [
        k
        for k, name in enumerate(names)
        if name.startswith(GENERATED_PREFIX) and name in live and before[k] is UNDEFINED
    ]
    if not generated:
        return tuple(before)

    def generated_values() -> Any:
        put(before)
        body()
        return _take_values(get, put, before, generated)

    traced = Body(generated_values, (), "probe").out
    put(before)
    return _replace(before, generated, [value if value is UNDEFINED else placeholder(value) for value in traced])
