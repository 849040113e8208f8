"""Texts with tensors in them, such as ``f"loss {loss}"``: written when the graph runs, not while it is captured."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from minigraph.core.errors import MinigraphError, TraceError
from minigraph.core.location import located
from minigraph.core.op import computing_now, current_interpreter
from minigraph.core.pytree import flatten, unflatten
from minigraph.core.tensor import Parameter, Tensor

CONVERSIONS: dict[int, Callable[[Any], Any]] = {-1: lambda it: it, ord("s"): str, ord("r"): repr, ord("a"): ascii}
TEXT_MAKERS = (str, repr, ascii, format)  # functions whose calls may have to wait, too


class HostText:
    """A text that is known when the graph runs: print it or return it."""

    def __init__(self, make: Callable[..., str], parts: Sequence[Any]) -> None:
        self.make, self.parts = make, tuple(parts)

    def tree_flatten(self) -> tuple[Callable[[Sequence[Any]], Any], tuple[Any, ...]]:
        """What writes it, and what it is written of."""
        return partial(written, self.make), self.parts

    def __add__(self, other: Any) -> HostText:
        return HostText(operator.add, (self, other))

    def __radd__(self, other: Any) -> HostText:
        return HostText(operator.add, (other, self))

    def __repr__(self) -> str:
        return "<text, known when the graph runs>"

    def __str__(self) -> str:
        raise _unknown()

    def __bool__(self) -> bool:
        raise _unknown()

    def __eq__(self, other: object) -> bool:
        raise _unknown()

    __hash__ = None  # type: ignore[assignment]


def _unknown() -> MinigraphError:
    text = "a text with a tensor in it is not known while capturing, only when the graph runs"
    return located(TraceError(f"{text}; print it or return it, or write it outside of @jit"))


def written(make: Callable[..., str], parts: Sequence[Any]) -> Any:
    """``make(*parts)``, at once if everything in it is known, else when the graph runs."""
    capturing: Any = current_interpreter()
    leaves, spec = flatten(tuple(parts), is_printed)
    if computing_now() or not any(map(capturing.waits, leaves)):
        return make(*parts)
    return HostText(make, unflatten(spec, [capturing.now(leaf) for leaf in leaves]))


def is_printed(item: Any) -> bool:
    """Whether a value is written by its elements: a tensor, but no Parameter, of which the metadata is written."""
    return isinstance(item, Tensor) and not isinstance(item, Parameter)


def formatted(*pieces: Any) -> Any:
    """An f-string: texts, and triples of a value, a conversion (a letter's code, or -1) and a format."""
    flat = [item for piece in pieces for item in (piece if isinstance(piece, tuple) else (piece, -1, ""))]
    return written(_formatted, flat)


def modulo(text: Any, values: Any) -> Any:
    """``text % values``."""
    return written(operator.mod, (text, values))


def _formatted(*flat: Any) -> str:
    pieces = zip(flat[::3], flat[1::3], flat[2::3], strict=True)
    return "".join(format(CONVERSIONS[kind](value), spec) for value, kind, spec in pieces)
