"""Every case of every ``<pass>.txt``: the pass gives the text, and both graphs compute the same.

The same bits, or, for inexact passes, within the tolerance of the pass.
"""

from pathlib import Path

import pytest

from minigraph.ir.text import parse, to_text
from minigraph.ir.verify import verify
from passes import as_pipeline
from tests.passes.fixtures import cases, is_close, outcome
from tests.passes.programs import BUILT_IN

CASES = cases()
IDS = [f"{case.pipeline}: {case.title}" for case in CASES]
LOSES_EFFECTS = "is lost"  # in the title of the one lesson where the outcome changes


@pytest.mark.parametrize("case", CASES, ids=IDS)
def test_the_pass_gives_the_text(case):
    graph = parse(case.before)
    assert to_text(graph) == case.before
    as_pipeline(case.pipeline).run(graph)
    assert to_text(graph) == case.after


@pytest.mark.parametrize("case", CASES, ids=IDS)
def test_a_second_run_changes_nothing(case):
    graph = parse(case.after)
    (record,) = as_pipeline(case.pipeline).run(graph)
    assert to_text(graph) == case.after
    assert not record.changed


@pytest.mark.parametrize("case", CASES, ids=IDS)
def test_both_compute_the_same(case):
    before, after = parse(case.before), parse(case.after)
    verify(after)
    tol = max(step.tol for step in as_pipeline(case.pipeline).passes)
    for seed in range(5):
        old, new = outcome(before, seed), outcome(after, seed)
        same = is_close(old, new, tol) if tol else old == new
        assert same is (LOSES_EFFECTS not in case.title)


def test_every_pass_of_a_file_has_a_fixture():
    files = {path.stem for path in Path(__file__).parent.rglob("*.txt")}
    assert set(BUILT_IN) - {"fuse", "rewrite"} == files  # these two apply the rules of their options
