"""Every pass says in its file whether it keeps every bit; tests/docs checks the page of all passes."""

import sys

import pytest

from passes import DEFAULT, PASSES, PIPELINES, every_rule
from tests.passes.programs import BUILT_IN

FOLDERS = ("passes.optimize.", "passes.numpy.")
IN_THE_DEFAULT = {step.name for step in DEFAULT}
OTHER_PASSES = {name for name in BUILT_IN if PASSES[name].__module__.startswith(FOLDERS)} - IN_THE_DEFAULT


@pytest.mark.parametrize("name", sorted(OTHER_PASSES))
def test_the_module_has_the_same_sentence_and_shows_before_and_after(name):
    doc = sys.modules[PASSES[name].__module__].__doc__ or ""
    assert "->" in doc and "::" in doc
    if PASSES[name].tol:
        assert "default pipeline" in doc and "1e-5" in (PASSES[name].__doc__ or "")
    else:
        assert "every bit" in doc or "unchanged" in doc


def test_the_tolerance_of_a_pass_comes_from_its_rules():
    near = {rule.name for _, rule in every_rule() if not rule.exact}
    for name in ("recognize", "recognize_inexact", "algebra", "algebra_inexact", "fuse_attention", "fuse_epilogue"):
        rules = sys.modules[PASSES[name].__module__].RULES
        assert all((rule.name in near) is bool(PASSES[name].tol) for rule in rules)
        assert all(rule.tol <= PASSES[name].tol for rule in rules)


EXACTNESS = ("every bit", "bit-exact", "within")


@pytest.mark.parametrize("pipeline", ["numpy", "numba", "numba_fast"])
def test_the_summary_of_a_pass_of_these_pipelines_says_whether_it_is_exact(pipeline):
    for step in PIPELINES[pipeline]:
        (word,) = (word for word in EXACTNESS if word in step.summary)
        registered = PASSES[step.name]  # without the pipeline's options
        assert (word == "within") is bool(registered.tol), step.name
