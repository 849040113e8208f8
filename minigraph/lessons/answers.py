"""Runs answers for checkers: one that raises, never ends or has the wrong type is ``WrongAnswerError``, in one line."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import wraps
from types import FrameType, UnionType
from typing import Any, ParamSpec

from minigraph.capture.body_limits import call_at_jumps_back, call_with_tracer
from minigraph.core.aliases import Function
from minigraph.core.errors import MinigraphError
from minigraph.core.location import expression_text, is_user_file, raise_location
from minigraph.core.scope_guard import raise_external_error
from minigraph.core.tensor import Tensor
from minigraph.lessons.feedback import WrongAnswerError

P = ParamSpec("P")
MAX_STEPS = 10_000  # iterations and calls of one run of an answer; the exercises need fewer than 200


class _StepLimitError(BaseException):
    """An answer takes too many steps; no ``Exception``, because an answer may handle those."""


def checker(check: Callable[P, None]) -> Callable[P, None]:
    """A checker whose errors are all ``WrongAnswerError``: whatever else it raises comes from the answer."""

    @wraps(check)
    def checked(*args: P.args, **kwargs: P.kwargs) -> None:
        try:
            check(*args, **kwargs)
        except WrongAnswerError:
            raise
        except Exception as error:
            raise_external_error(error)
            raise _failure("the answer", error) from None

    return checked


def check_type(name: str, value: object, kind: type | UnionType | tuple[type, ...], remedy: str) -> None:
    """Raises ``WrongAnswerError`` for an answer of another type.

    >>> check_type("ORDER", 3, str, "write the names as one text")
    Traceback (most recent call last):
    minigraph.lessons.feedback.WrongAnswerError: ORDER is of type int: write the names as one text
    """
    if not isinstance(value, kind):
        raise WrongAnswerError(f"{name} is of type {type(value).__name__}: {remedy}")


def result_of(call: str, function: Function, *inputs: object, **options: object) -> Any:
    """What an answer returns; raises ``WrongAnswerError`` if it is not a function, fails or takes over 10,000 steps.

    >>> result_of("f(2)", lambda x: x // 0, 2)
    Traceback (most recent call last):
    minigraph.lessons.feedback.WrongAnswerError: f(2) fails: ZeroDivisionError: integer division or modulo by zero...
    """
    if not callable(function):
        name = call.partition("(")[0]
        raise WrongAnswerError(f"{name} is of type {type(function).__name__}: write a function")
    try:
        return call_with_tracer(_StepCounter().trace_call, function, *inputs, **options)
    except _StepLimitError as error:
        line = expression_text(raise_location(error))
        raise WrongAnswerError(f"{call} does not end: {MAX_STEPS:,} steps were not enough{line}") from None
    except WrongAnswerError:
        raise
    except Exception as error:
        raise_external_error(error)
        raise _failure(call, error) from None


def tensor_of(call: str, function: Function, *inputs: object, blank: str) -> Tensor:
    """``result_of``, which has to be a tensor; ``blank`` says what to do if it is ``None``."""
    answer = result_of(call, function, *inputs)
    if answer is None:
        raise WrongAnswerError(f"{call.partition('(')[0]} returns nothing yet: {blank}")
    if not isinstance(answer, Tensor):
        raise WrongAnswerError(f"{call} is of type {type(answer).__name__}: return a tensor")
    return answer


def _failure(what: str, error: Exception) -> WrongAnswerError:
    text = " ".join(str(error).split())
    if isinstance(error, MinigraphError) and expression_text(raise_location(error)) in text:
        return WrongAnswerError(f"{what} fails: {text}")
    return WrongAnswerError(f"{what} fails: {type(error).__name__}: {text}{expression_text(raise_location(error))}")


class _StepCounter:
    """Counts the iterations and calls of the user's code, by Python's trace hook."""

    def __init__(self) -> None:
        self.steps = 0

    def trace_call(self, frame: FrameType, event: str, arg: object) -> Callable[..., Any] | None:
        """The hook of a new frame."""
        if not is_user_file(frame.f_code.co_filename):
            return None
        self._count()
        return call_at_jumps_back(frame, self._count)

    def _count(self) -> None:
        self.steps += 1
        if self.steps > MAX_STEPS:
            sys.settrace(None)  # the handlers of the answer run at full speed
            raise _StepLimitError
