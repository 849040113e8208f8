"""Injected faults are reported with rule and line, and the graph is restored."""

import re

import pytest

from minigraph.core.errors import MinigraphError, RuleError, VerifyError
from minigraph.ir.text import to_text
from minigraph.ir.verify import verify
from passes import Pipeline, as_pipeline
from passes.core.pass_verifier import Validation
from tests.passes.fixtures import outcome
from tests.passes.validate import faults


def failing_pipeline(*steps, validate=True):
    """The text of the error of a pipeline on the program, and the graph after and before it."""
    graph = faults.program()
    before = to_text(graph)
    with pytest.raises(MinigraphError) as caught:
        Pipeline(steps).run(graph, validate=Validation() if validate is True else validate)
    return str(caught.value), graph, before


@pytest.mark.parametrize("any_rule", [faults.wrong_value, faults.wrong_gradient], ids=lambda r: r.name)
def test_a_wrong_rule_is_named_with_its_line_and_the_node_and_fails_its_own_check_too(any_rule):
    text, graph, before = failing_pipeline("cse", any_rule, "dce")
    first, second = text.split("\n")
    assert first.startswith(f"pass '{any_rule.name}' ({any_rule.loc}) changed the results of 'step': ")
    location = rf"rule '{any_rule.name}' \({any_rule.loc}\) at %\d+ \(faults.py:\d+\) in pass '{any_rule.name}'"
    assert re.match(location + r", step \d+ of \d+, found after \d+ runs?; earlier passes: cse$", second)
    assert to_text(graph) == before, "the graph is as it was before the pass"
    with pytest.raises(RuleError, match=any_rule.name):
        any_rule.check()


@pytest.mark.parametrize("step", faults.WRONG_PASSES, ids=lambda f: f.__name__)
def test_a_wrong_pass_is_named(step):
    text, graph, before = failing_pipeline("cse", step, "dce")
    assert text.startswith(f"pass '{step.__name__}' (faults.py:") and text.endswith("earlier passes: cse")
    assert to_text(graph) == before


@pytest.mark.parametrize("step", faults.BROKEN_PASSES, ids=lambda f: f.__name__)
@pytest.mark.parametrize("validate", [True, False])
def test_a_pass_that_breaks_the_graph_is_named_in_any_case(step, validate):
    text, graph, before = failing_pipeline("cse", step, validate=validate)
    assert text.startswith(f"pass '{step.__name__}' broke the graph: ") and text.endswith("earlier passes: cse")
    assert (to_text(graph) == before) is validate, "without validation the graph stays to be looked at"


@pytest.mark.parametrize("validate", [True, False])
def test_a_rule_that_loops_is_stopped_and_named(validate):
    text, graph, before = failing_pipeline(faults.swap_forever, validate=validate)
    assert "keeps rewriting its own results" in text and f"'swap_forever' ({faults.swap_forever.loc})" in text
    verify(graph)
    assert outcome(graph, 1) == outcome(faults.program(), 1)
    assert to_text(graph) == before or not validate


@pytest.mark.parametrize("any_rule", faults.DAMAGING_RULES, ids=lambda r: r.name)
@pytest.mark.parametrize("validate", [True, False])
def test_a_rewrite_that_would_damage_the_graph_is_named(any_rule, validate):
    text, graph, before = failing_pipeline("cse", any_rule, validate=validate)
    assert any_rule.name in text and any_rule.loc in text
    assert to_text(graph) == before
    verify(graph)


def test_correct_passes_are_accepted(recwarn):
    for pipeline in ("default", "graph_kernel", "fix(cse,dce),lower_depend"):
        as_pipeline(pipeline).run(faults.program(), validate=True)
    assert not recwarn.list


def test_the_failure_is_saved_in_a_file(tmp_path):
    text, _, before = failing_pipeline("cse", faults.wrong_value, validate=Validation(seed=3, folder=tmp_path))
    path = tmp_path / "step.repro.ir"
    assert text.endswith(f"saved; to reproduce: minigraph opt {path} --load faults.py --bisect")
    assert text.count("\n") == 2
    saved = path.read_text()
    assert saved.startswith("# minigraph reproducer: minigraph opt step.repro.ir --load faults.py --bisect\n")
    assert "\n# pipeline: wrong_value\n" in saved
    assert "\n# seed: 3\n" in saved
    assert saved.endswith(before)


def test_an_unwritable_folder_is_reported_with_the_failure(tmp_path):
    text, _, _ = failing_pipeline(faults.wrong_value, validate=Validation(folder=tmp_path / "missing"))
    assert "changed the results of 'step'" in text
    assert re.search(r"\nnot saved: reproducer: cannot write '.*step.repro.ir': there is no such folder", text)


def test_a_broken_graph_is_reported_first():
    graph = faults.program()
    faults.declare_wrong_type(graph)
    with pytest.raises(VerifyError, match="^graph 'step'"):
        Pipeline(["dce"]).run(graph, validate=True)
