"""Strings that contain tensors, such as ``f"loss {loss}"``: formatted when the graph runs, not during tracing."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

from minigraph.capture.joined_values import refuse_text
from minigraph.core.errors import MinigraphError, TraceError
from minigraph.core.location import Loc, expression_text, user_loc, with_location
from minigraph.core.op import current_interpreter, is_eager
from minigraph.core.pytree import Spec, flatten, unflatten
from minigraph.core.tensor import Parameter, Tensor
from minigraph.operators.host import error_on_examples

CONVERSIONS: dict[int, Callable[[Any], Any]] = {-1: lambda value: value, ord("s"): str, ord("r"): repr, ord("a"): ascii}
FORMATTERS = (str, repr, ascii, format)  # functions whose calls may be deferred
NEVER_FAIL = (str, repr, ascii, operator.add)  # for tensors and strings


class HostText:
    """A string that is known when the graph runs; it can be printed or returned."""

    def __init__(self, formatter: Callable[..., str], arguments: Sequence[object]) -> None:
        self.formatter, self.arguments, self.loc = formatter, tuple(arguments), user_loc()

    def tree_flatten(self) -> tuple[Callable[[Sequence[Any]], Any], tuple[Any, ...]]:
        """The function that formats the string, and its arguments."""
        return partial(_text_when_run, self.formatter, self.loc), self.arguments

    def __add__(self, other: object) -> HostText:
        return HostText(operator.add, (self, other)) if isinstance(other, str | HostText) else NotImplemented

    def __radd__(self, other: object) -> HostText:
        return HostText(operator.add, (other, self)) if isinstance(other, str) else NotImplemented

    def __repr__(self) -> str:
        return "<text, known when the graph runs>"

    def __str__(self) -> str:
        raise _unknown_text_error()

    def __bool__(self) -> bool:
        raise _unknown_text_error()

    def __eq__(self, other: object) -> bool:
        raise _unknown_text_error()

    __hash__ = None  # type: ignore[assignment]

    def __len__(self) -> int:
        raise _unknown_text_error()

    def __iter__(self) -> Iterator[str]:
        raise _unknown_text_error()

    def __getitem__(self, key: object) -> str:
        raise _unknown_text_error()

    def __contains__(self, part: object) -> bool:
        raise _unknown_text_error()

    def __mul__(self, count: object) -> str:
        raise _unknown_text_error()

    __rmul__ = __mul__


def _unknown_text_error() -> MinigraphError:
    text = "a string with a tensor in it is formatted when the graph runs, not during tracing"
    return with_location(TraceError(f"{text}; print it or return it, or write it outside of @jit"))


def deferred_text(formatter: Callable[..., str], arguments: Sequence[object]) -> Any:
    """``formatter(*arguments)``: now if all values are known, else when the graph runs."""
    tracing: Any = current_interpreter()
    leaves, spec = flatten((tuple(arguments), {}), is_printed)
    if is_eager() or not any(map(tracing.is_deferred, leaves)):
        return formatter(*arguments)
    refuse_text(leaves)
    if not (formatter in NEVER_FAIL or (formatter is _format and not arguments[-1])):
        _check_format(formatter, spec, leaves)
    return HostText(formatter, unflatten(spec, [tracing.snapshot(leaf) for leaf in leaves])[0])


def _check_format(formatter: Callable[..., str], spec: Spec, leaves: Sequence[Tensor]) -> None:
    """Raise ``TraceError`` if tensors of these types cannot be formatted: eager mode has the error, with its line."""
    if (error := error_on_examples(formatter, spec, [leaf.type for leaf in leaves])) is not None:
        text = f"a string with a tensor in it cannot be formatted: {error}"
        raise with_location(TraceError(f"{text}; format its elements"))


def _text_when_run(formatter: Callable[..., str], loc: Loc | None, arguments: Sequence[object]) -> Any:
    """The string, made when the graph runs; a note of an error that values cause names the line that formats it."""
    if not is_eager():
        return deferred_text(formatter, arguments)
    try:
        return formatter(*arguments)
    except Exception as error:
        if location := expression_text(loc).strip():
            error.add_note(location)
        raise


def is_printed(item: object) -> bool:
    """Whether the elements of a value are printed: of a tensor, but not of a Parameter, which prints its metadata."""
    return isinstance(item, Tensor) and not isinstance(item, Parameter)


def format_value(value: object, conversion: int, spec: object) -> Any:
    """A value of an f-string, with its conversion (a letter's code, or -1) and its format."""
    return deferred_text(_format, (value, conversion, spec))


def join_texts(*parts: Any) -> Any:
    """An f-string of its texts and formatted values."""
    return "".join(parts) if all(isinstance(part, str) for part in parts) else HostText(_join, parts)


def percent_format(text: object, values: object) -> Any:
    """``text % values``."""
    return deferred_text(operator.mod, (text, values))


def _format(value: Any, conversion: int, spec: str) -> str:
    return format(CONVERSIONS[conversion](value), spec)


def _join(*texts: str) -> str:
    return "".join(texts)
