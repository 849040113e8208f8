"""Table-driven tests: of errors, of results, and of every entry of a registry."""

import inspect
from collections.abc import Callable, Iterable
from typing import Any

import pytest


def table(names, rows, check, ids=None):
    """A test that runs once per row: ``check`` gets the row's values in order; with one name, rows are bare values."""
    rows = rows if len(names) > 1 else [(row,) for row in rows]

    def test(**row):
        check(*map(row.get, names))

    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    test.__signature__ = inspect.Signature([inspect.Parameter(name, kind) for name in names])
    return pytest.mark.parametrize(names, rows, ids=ids)(test)


def cases(*rows, ids=None):
    """``pytest.mark.parametrize`` without names: rows hold the last arguments that no other table parametrizes."""

    def parametrize(test):
        names = [mark.args[0] for mark in getattr(test, "pytestmark", ()) if mark.name == "parametrize"]
        below = {name for entry in names for name in ([entry] if isinstance(entry, str) else entry)}
        free = [name for name in inspect.signature(test).parameters if name not in below]
        width = len(rows[0].values if isinstance(rows[0], type(pytest.param())) else rows[0])
        return pytest.mark.parametrize(free[-width:], rows, ids=ids)(test)

    return parametrize


def every(*, ids=None, **choices):
    """``pytest.mark.parametrize`` for every combination of the values of arguments."""

    def parametrize(test):
        for name, values in choices.items():
            test = pytest.mark.parametrize(name, values, ids=ids)(test)
        return test

    return parametrize


def error_cases(*rows, by=None, error=None, text=None, ids=None):
    """A test of errors: each row is a call, the class of its error and a part of its text.

    With ``by``, rows begin with the arguments of that function instead of a call. ``error`` and ``text`` are for all
    rows, which then have no such column.
    """
    columns = ["error"] * (not error) + ["text"] * (not text)
    width = len(rows[0]) - len(columns) if columns else 1

    def check(*row):
        arguments, expected = row[:width], dict(zip(columns, row[width:], strict=True))
        with pytest.raises(expected.get("error", error), match=expected.get("text", text)):
            by(*arguments) if by else arguments[0]()

    names = [f"argument{n}" for n in range(1, width + 1)] if by else ["call"]
    return table([*names, *columns], rows, check, ids)


def error_of(call, *arguments, error=Exception):
    """The error of a call: the name of its class, and the text."""
    with pytest.raises(error) as caught:
        call(*arguments)
    return f"{type(caught.value).__name__}: {caught.value}"


def results(function, *rows, ids=None):
    """A test of a function's results: each row holds the arguments and, last, the expected result."""

    def check(*row):
        *arguments, expected = row
        assert function(*arguments) == expected

    return table([*(f"argument{n}" for n in range(1, len(rows[0]))), "expected"], rows, check, ids)


def in_one_test(cases: Iterable[Any]) -> Callable[[Callable[..., None]], Callable[[], None]]:
    """``pytest.mark.parametrize`` for cheap checks of a whole registry: one test that names every failing case.

    A case is the tuple of the check's arguments, or its one argument.
    """
    every = [case if isinstance(case, tuple) else (case,) for case in cases]

    def make_test(check: Callable[..., None]) -> Callable[[], None]:
        def test() -> None:
            wrong = [*filter(None, (reason_against(check, case) for case in every))]
            assert every
            assert not wrong, f"{len(wrong)} of {len(every)} cases\n" + "\n".join(wrong)

        test.__doc__, test.cases = check.__doc__, every  # type: ignore[attr-defined]
        return test

    return make_test


def reason_against(check: Callable[..., None], case: tuple[Any, ...]) -> str:
    """Why a check fails for a case; empty where it passes."""
    try:
        check(*case)
    except Exception as error:
        return f"{', '.join(map(str, case))}: {type(error).__name__}: {error}"
    return ""
