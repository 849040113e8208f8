"""Fingerprints of pipelines."""

import shutil
import sys

import pytest

from passes import PASSES, as_pipeline
from passes.core.registry import as_pass
from passes.fingerprint import fingerprint
from passes.rewrite.costs import COST_FUNCTIONS
from passes.rulebook import RULES
from tests.structure import ROOT


@pytest.mark.parametrize("name", PASSES)
def test_every_built_in_pass_has_a_fingerprint(name):
    assert fingerprint([as_pass(name)]).startswith(f"{name}(")


def test_options_order_and_groups_change_the_fingerprint():
    assert as_pipeline("constant_fold{max_bytes=8}").fingerprint != as_pipeline("constant_fold").fingerprint
    fingerprints = {as_pipeline(text).fingerprint for text in ("cse,dce", "dce,cse", "fix(cse,dce)")}
    assert len(fingerprints) == 3 and None not in fingerprints


def test_user_code_and_user_files_have_no_fingerprint(monkeypatch, tmp_path):
    assert fingerprint([as_pass(lambda graph: None)]) is None
    shutil.copy(ROOT / "minigraph/npu/chips/ascend910b1.toml", tmp_path / "chip.toml")
    monkeypatch.chdir(tmp_path)
    assert fingerprint([as_pass("fuse").with_options(cost="chip.toml")]) is None
    assert fingerprint([as_pass("cse")])
    monkeypatch.setitem(COST_FUNCTIONS, "mine", len)
    assert fingerprint([as_pass("cse")]) is None
    monkeypatch.delitem(COST_FUNCTIONS, "mine")
    monkeypatch.setitem(RULES, "mine", ())
    assert fingerprint([as_pass("cse")]) is None
    monkeypatch.delitem(sys.modules, "passes.fingerprint")
    assert as_pipeline("cse").fingerprint is None, "also if it is first read after the rules have changed"
