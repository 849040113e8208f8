"""Translation, at run time: what translated source calls instead of Python's ``if``, ``while``, ``and``.

Each function looks whether a condition is a traced tensor. If it is not, everything goes as in plain Python;
if it is, a node with bodies is made. Variables are read and set through the two functions that translated
source hands in.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from minigraph.capture.body import Body, BodyTracing
from minigraph.capture.joins import UNDEFINED, blank
from minigraph.core.errors import CaptureError, UnboundArgument
from minigraph.core.location import located
from minigraph.core.op import apply, current_interpreter
from minigraph.core.tensor import Tensor
from minigraph.operators.control import OWN, branch, branch_variables, traced_while, truth
from minigraph.translate.call_conversion import call as call  # these are called in translated source, too
from minigraph.translate.host_text import formatted as formatted
from minigraph.translate.host_text import modulo as modulo
from minigraph.translate.range_loops import bounds as bounds
from minigraph.translate.range_loops import more as more

Thunk = Callable[[], Any]


# ---- variables -------------------------------------------------------------------------------------


def values(*thunks: Thunk) -> tuple[Any, ...]:
    """The values of variables, ``UNDEFINED`` for those that have none."""
    return tuple(map(_value, thunks))


def _value(thunk: Thunk) -> Any:
    try:
        return thunk()
    except NameError:
        return UNDEFINED


def undefined(value: Any) -> bool:
    """Whether a variable is to be unset."""
    return value is UNDEFINED


# ---- branches --------------------------------------------------------------------------------------


def if_(
    test: Any, then: Thunk, otherwise: Thunk, get: Thunk, put: Callable[[Any], None],
    names: Sequence[str], live: Sequence[str],
) -> None:  # fmt: skip
    """An ``if`` statement: both branches set ``names``; those in ``live`` are used afterwards."""
    flag = truth(test)
    if not isinstance(flag, Tensor):
        (then if flag else otherwise)()
        return
    before, wanted = get(), [k for k, name in enumerate(names) if name in live]

    def after(run: Thunk) -> tuple[Any, ...]:
        put(before)
        run()
        return tuple(get()[k] for k in wanted)

    try:
        found = branch_variables(flag, partial(after, then), partial(after, otherwise), [names[k] for k in wanted])
    finally:
        put(before)
    put(_replaced([UNDEFINED] * len(before), wanted, found))


def _replaced(values: Sequence[Any], positions: Sequence[int], found: Sequence[Any]) -> tuple[Any, ...]:
    out = list(values)
    for k, value in zip(positions, found, strict=True):
        out[k] = value
    return tuple(out)


def choose(test: Any, then: Thunk, otherwise: Thunk, get: Thunk, put: Callable[[Any], None]) -> Any:
    """An ``if`` whose branches return: the value of the one that is taken."""
    flag = truth(test)
    if not isinstance(flag, Tensor):
        return (then if flag else otherwise)()
    before = get()

    def result(run: Thunk) -> Any:
        put(before)
        return run()

    return branch(flag, partial(result, then), partial(result, otherwise))


def select(test: Any, then: Thunk, otherwise: Thunk) -> Any:
    """A conditional expression."""
    return branch(truth(test), then, otherwise)


# ---- and, or, not ----------------------------------------------------------------------------------


def and_(*thunks: Thunk) -> Any:
    """``a and b``: b is computed only if a is true."""
    return _first(thunks, lambda flag, value, rest: branch(flag, rest, lambda: value), stops_at=False)


def or_(*thunks: Thunk) -> Any:
    """``a or b``: b is computed only if a is false."""
    return _first(thunks, lambda flag, value, rest: branch(flag, lambda: value, rest), stops_at=True)


def _first(thunks: Sequence[Thunk], chosen: Callable[[Any, Any, Thunk], Any], stops_at: bool) -> Any:
    value = thunks[0]()
    if len(thunks) == 1:
        return value
    flag = truth(value)
    if isinstance(flag, Tensor):
        return chosen(flag, flag if value.dtype is flag.dtype else value, lambda: _first(thunks[1:], chosen, stops_at))
    return value if flag is stops_at else _first(thunks[1:], chosen, stops_at)


def flag(value: Any) -> Any:
    """A value of which only the truth is wanted: of a traced tensor, its truth."""
    return truth(value) if isinstance(value, Tensor) and value.traced else value


def not_(value: Any) -> Any:
    """``not a``."""
    flag = truth(value)
    return apply("logical_not", flag) if isinstance(flag, Tensor) else not flag


def compare(left: Any, *steps: tuple[Callable[[Any, Any], Any], Thunk]) -> Any:
    """``a < b < c``: each step is a comparison and what is compared with next."""
    (holds, thunk), rest = steps[0], steps[1:]
    right = thunk()
    result = holds(left, right)
    return and_(lambda: result, lambda: compare(right, *rest)) if rest else result


# ---- jumps -----------------------------------------------------------------------------------------


def clear(*flags: Any) -> Any:
    """Whether none of the flags is raised."""
    if any(flag is True for flag in flags):
        return False
    traced = [flag for flag in flags if isinstance(flag, Tensor)]
    if not traced:
        return True
    raised = traced[0]
    for flag in traced[1:]:
        raised = apply("logical_or", raised, flag)
    return truth(apply("logical_not", raised))


def surely(*flags: Any) -> bool:
    """Whether a flag is raised in every run, so that a Python loop may end."""
    return any(flag is True for flag in flags)


def proceed(test: Thunk, *flags: Any) -> Any:
    """The condition of a loop with jumps: its own, and no flag raised."""
    going = clear(*flags)
    return apply("logical_and", going, _as_flag(test())) if isinstance(going, Tensor) else going and test()


def _as_flag(value: Any) -> Any:
    flag = truth(value)
    return flag if isinstance(flag, Tensor) else Tensor(flag)


def raised(error: Any) -> Any:
    """The error to raise; one under a condition on a traced tensor would be raised in every run.

    Raises ``CaptureError`` then.
    """
    if isinstance(current_interpreter(), BodyTracing):
        text = "raise: whether it happens depends on a tensor, which is not known while capturing"
        raise located(CaptureError(f"{text}; check it outside of @jit"))
    return error


# ---- loops -----------------------------------------------------------------------------------------


def while_(
    test: Thunk, body: Thunk, get: Thunk, put: Callable[[Any], None],
    names: Sequence[str], carried: Sequence[str], live: Sequence[str],
) -> None:  # fmt: skip
    """A ``while`` statement whose body sets ``names``; ``carried`` go from round to round, ``live`` come out."""
    while True:
        flag = truth(test())
        if isinstance(flag, Tensor):
            _traced(test, body, get, put, names, carried, live)
            return
        if not flag:
            return
        body()


def _traced(
    test: Thunk, body: Thunk, get: Thunk, put: Callable[[Any], None],
    names: Sequence[str], carried: Sequence[str], live: Sequence[str],
) -> None:  # fmt: skip
    before = _with_blanks(body, get, put, names, live)
    kept = [k for k, name in enumerate(names) if name in carried and before[k] is not UNDEFINED]
    late = [name for k, name in enumerate(names) if name in live and before[k] is UNDEFINED]
    if late:
        text = f"The local variable '{late[0]}' is not defined before the loop, but used after it."
        why = f"'{late[0]}': the loop may run no round; give it a value before the loop"
        raise located(UnboundArgument(f"{text}\n{why}"))

    def put_state(state: Sequence[Any]) -> None:
        put(_replaced(before, kept, state))

    def tested(state: Sequence[Any]) -> Any:
        put_state(state)
        return test()

    def stepped(state: Sequence[Any]) -> tuple[Any, ...]:
        put_state(state)
        body()
        return tuple(get()[k] for k in kept)

    try:
        found = traced_while(tested, stepped, tuple(before[k] for k in kept))
    finally:
        put(before)
    put(_replaced([UNDEFINED] * len(before), kept, found))


def _with_blanks(
    body: Thunk, get: Thunk, put: Callable[[Any], None], names: Sequence[str], live: Sequence[str]
) -> tuple[Any, ...]:
    """The variables before a loop; what it may return has zeros of its type, found by tracing the body once."""
    before = get()
    own = [k for k, name in enumerate(names) if name.startswith(OWN) and name in live and before[k] is UNDEFINED]
    if not own:
        return tuple(before)

    def after() -> Any:
        put(before)
        body()
        return tuple(get()[k] for k in own)

    found = Body(after, (), "probe").out
    put(before)
    return _replaced(before, own, [value if value is UNDEFINED else blank(value) for value in found])
