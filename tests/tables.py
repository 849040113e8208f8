"""Tests that are a table: what is refused, what a function returns, what holds for every entry of a registry."""

import inspect
from collections.abc import Callable, Iterable
from typing import Any

import pytest


def table(names, rows, check, ids=None):
    """A test that is run once a row: ``check`` gets the row's values in order; a lone name has bare values for rows."""
    rows = rows if len(names) > 1 else [(row,) for row in rows]

    def test(**row):
        check(*map(row.get, names))

    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    test.__signature__ = inspect.Signature([inspect.Parameter(name, kind) for name in names])
    return pytest.mark.parametrize(names, rows, ids=ids)(test)


def cases(*rows, ids=None):
    """``pytest.mark.parametrize`` without the names: rows are for the last arguments that no table below is for."""

    def parametrize(test):
        names = [mark.args[0] for mark in getattr(test, "pytestmark", ()) if mark.name == "parametrize"]
        below = {name for one in names for name in ([one] if isinstance(one, str) else one)}
        free = [name for name in inspect.signature(test).parameters if name not in below]
        width = len(rows[0].values if isinstance(rows[0], type(pytest.param())) else rows[0])
        return pytest.mark.parametrize(free[-width:], rows, ids=ids)(test)

    return parametrize


def every(*, ids=None, **choices):
    """``pytest.mark.parametrize`` for every combination of what arguments may be."""

    def parametrize(test):
        for name, values in choices.items():
            test = pytest.mark.parametrize(name, values, ids=ids)(test)
        return test

    return parametrize


def refusals(*rows, by=None, error=None, text=None, ids=None):
    """A test of what raises: each row is a call, its error and a part of its text.

    ``by`` is what is called where calls differ by arguments only: rows begin with those instead. ``error`` and ``text``
    stand here, and not in the rows, where all rows have the same.
    """
    told = ["error"] * (not error) + ["text"] * (not text)
    width = len(rows[0]) - len(told) if told else 1

    def check(*row):
        given, said = row[:width], dict(zip(told, row[width:], strict=True))
        with pytest.raises(said.get("error", error), match=said.get("text", text)):
            by(*given) if by else given[0]()

    names = [f"argument{n}" for n in range(1, width + 1)] if by else ["call"]
    return table([*names, *told], rows, check, ids)


def refusal(call, *arguments, error=Exception):
    """How a call is refused: the name of its error, and the text."""
    with pytest.raises(error) as caught:
        call(*arguments)
    return f"{type(caught.value).__name__}: {caught.value}"


def results(function, *rows, ids=None):
    """A test of what a function returns: each row holds its arguments and, last, the expected result."""

    def check(*row):
        *arguments, expected = row
        assert function(*arguments) == expected

    return table([*(f"argument{n}" for n in range(1, len(rows[0]))), "expected"], rows, check, ids)


def in_one_test(cases: Iterable[Any]) -> Callable[[Callable[..., None]], Callable[[], None]]:
    """``pytest.mark.parametrize`` for cheap checks of a whole registry: one test, which names every case that fails.

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
