"""Every pass says in its file and in the README whether it keeps every bit."""

import re
import sys
from pathlib import Path

import pytest

from passes import DEFAULT, PASSES, every_rule
from passes.core.registry import EXTRAS
from tests.passes.programs import BUILT_IN

README = Path(__file__).parents[3] / "README.md"


def claims():
    """The last cell of each pass in the table of the README."""
    text = README.read_text("utf-8").partition("## Passes to choose from")[2].partition("\n## ")[0]
    rows = [line.strip("| ").split(" | ") for line in text.splitlines() if line.startswith("| `")]
    return {name: row[-1] for row in rows for name in re.findall(r"`(\w+)`", row[0])}


def test_the_table_of_the_readme_names_every_pass():
    assert set(claims()) == {*BUILT_IN, *EXTRAS}


@pytest.mark.parametrize("name", [name for name in BUILT_IN if name not in ("fuse", "rewrite")])
def test_the_readme_says_whether_a_pass_keeps_every_bit(name):
    tol = PASSES[name].tol
    assert claims()[name] == (f"{tol:.0e}".replace("e-0", "e-") if tol else "yes")


FOLDERS = ("passes.optimize.", "passes.numpy.")
IN_THE_DEFAULT = {step.name for step in DEFAULT}
OTHER_PASSES = {name for name in BUILT_IN if PASSES[name].__module__.startswith(FOLDERS)} - IN_THE_DEFAULT


@pytest.mark.parametrize("name", sorted(OTHER_PASSES))
def test_the_module_says_so_too_and_shows_before_and_after(name):
    doc = sys.modules[PASSES[name].__module__].__doc__ or ""
    assert "->" in doc and "::" in doc
    if PASSES[name].tol:
        assert "default pipeline" in doc and "1e-5" in (PASSES[name].__doc__ or "")
    else:
        assert "every bit" in doc or "nothing changed" in doc


def test_the_tolerance_of_a_pass_is_that_of_its_rules():
    near = {rule.name for _, rule in every_rule() if not rule.exact}
    for name in ("recognize", "recognize_inexact", "algebra", "algebra_inexact", "fuse_attention", "fuse_epilogue"):
        rules = sys.modules[PASSES[name].__module__].RULES
        assert all((rule.name in near) is bool(PASSES[name].tol) for rule in rules)
        assert all(rule.tol <= PASSES[name].tol for rule in rules)
