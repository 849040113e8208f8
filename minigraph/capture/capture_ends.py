"""The end of a capture: its results and its errors must not contain tracers, which have no values.

A graph gives new tensors in the places of the tracers among its results. It cannot do so in a set, in an object of the
program or in the key of a dict, nor in an exception. Invariant: no tracer leaves a captured function.
"""

from __future__ import annotations

from collections.abc import Iterator
from types import AsyncGeneratorType, CoroutineType, GeneratorType, ModuleType
from typing import Any

from minigraph.capture.container_contents import attributes_of, is_a, nested_values
from minigraph.capture.structure import unknown_state
from minigraph.capture.tracer import Tracer
from minigraph.core.errors import CaptureError, InfiniteCaptureError, TraceError
from minigraph.core.location import expression_text, raise_location, with_location
from minigraph.core.pytree import Branch, Spec, statics_of

NOT_RUN = (AsyncGeneratorType, CoroutineType, GeneratorType)  # results whose code runs after the call
NO_UFUNCS = "__array_ufunc__=None"  # part of numpy's error for an operand that is a tensor
REMEDY = "return tensors, numbers, strings, or tuples, lists and dicts of them"
RAISE_REMEDY = "raise it outside of @jit, or without the tensor"
RETRIED = ("is_transient", "is_retried")  # attributes of errors after which the function may be captured


# ---- results -------------------------------------------------------------------------------------------


def check_results(tracing: Any, spec: Spec) -> None:
    """Raise ``CaptureError`` for code that has not run, and for tensors in sets, keys and objects.

    If there is an earlier refusal, it is raised instead, because it has the user's line.
    """
    problems = [f"tensors inside of a {type(value).__name__}" for value in statics_of(spec) if _contains_tracer(value)]
    problems += [f"a {type(value).__name__}" for value in statics_of(spec) if isinstance(value, NOT_RUN)]
    problems += ["a dict with a tensor in a key"] * any(map(_contains_tracer, _keys_in(spec)))
    if problems and tracing.refused is not None and not tracing.refused.is_retried:
        raise tracing.refused
    if problems:
        raise CaptureError(f"'{tracing.graph.title}' returns {problems[0]}; {REMEDY}")


def _keys_in(spec: Spec) -> Iterator[object]:
    """The keys of the dicts in a structure."""
    if isinstance(spec, Branch):
        yield from spec.keys
        for child in spec.children:
            yield from _keys_in(child)


def _contains_tracer(value: object) -> bool:
    """Whether a value contains tracers: in containers, or as fields or attributes of an object in them."""
    return any(is_a(part, Tracer) for item in nested_values(value) for part in nested_values((item, *_fields(item))))


def _fields(item: Any) -> tuple[object, ...]:
    if is_a(item, (type, ModuleType)):
        return ()
    slots = getattr(type(item), "__dataclass_fields__", ())
    return (*attributes_of(item).values(), *(getattr(item, name, None) for name in slots))


# ---- errors --------------------------------------------------------------------------------------------


def raise_refusal(tracing: Any, error: Exception) -> None:
    """Raise the reason why a function cannot be captured if that is not the error itself, but has caused it.

    After a refusal, tracing goes on with other values than those of eager mode, which may lead to any error.
    """
    title, loc = tracing.graph.title, raise_location(error)
    if tracing.refused is not None and not any(getattr(error, name, False) for name in RETRIED):
        raise tracing.refused from None
    if isinstance(error, TypeError) and NO_UFUNCS in str(error):
        text = f"numpy: the value of a tensor operand is unavailable while tracing '{title}'"
        raise TraceError(f"{text}{expression_text(loc)}; {tracing.mode.remedy}") from None
    if isinstance(error, RecursionError):
        text = f"'{title}': recursion deeper than Python's limit"
        raise with_location(InfiniteCaptureError(f"{text}; write it as a while"), loc) from None
    if any(map(_contains_tracer, _chain(error))):
        text = f"{type(error).__name__}: it contains a tensor, whose value is unavailable while tracing '{title}'"
        raise unknown_state(text, RAISE_REMEDY, loc).with_traceback(error.__traceback__) from None


def _chain(error: BaseException | None) -> Iterator[object]:
    """The arguments and attributes of an exception, of those in it, and of those that caused it."""
    worklist, seen = [error], set[int]()
    while worklist:
        item = worklist.pop()
        if item is not None and id(item) not in seen:
            seen.add(id(item))
            parts = [*nested_values((item.args, vars(item)))]
            yield parts
            worklist += [item.__cause__, item.__context__, *(part for part in parts if is_a(part, BaseException))]
