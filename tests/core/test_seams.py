"""The seams: the accelerator is used if it is available and enabled."""

import pytest

from minigraph.core import seams
from tests.inspection import run_program


def default_implementation() -> str:
    return "plain"


def test_an_environment_variable_disables_the_accelerator() -> None:
    text = "print(seams.is_available(), seams.process_implementation('tape', 1), seams.is_enabled())"
    code = f"import os; os.environ['{seams.VARIABLE}'] = '0'; from minigraph.core import seams; {text}"
    assert run_program(code).split() == ["False", "1", "False"]


def test_a_missing_package_raises_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(seams, "PACKAGE", "minigraph.no_such_package")
    seams.is_available.cache_clear()
    try:
        assert (
            not seams.is_enabled()
            and seams.process_implementation("tape", default_implementation) is default_implementation
        )
    finally:
        seams.is_available.cache_clear()
