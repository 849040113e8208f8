"""The answers of another process are recorded, also if it crashes, and read back unchanged."""

import sys

from tests.differential import recording
from tests.differential.case import Case

X = (("x", "f32[2,3] normal"),)
FINE = Case("fine", "x + 1", X)
EXITING_CASE = Case("ends", "__import__('os')._exit(1)", X)
FAILS = Case("fails", "x.reshape(5)", X)


def collect_answers(cases):
    return recording.collect_answers(sys.executable, "minigraph", cases, jobs=1)


def test_a_process_that_exits_is_an_answer_and_the_next_case_runs():
    answers = collect_answers([FINE, EXITING_CASE, FAILS, FINE._replace(source="x + 2")])
    assert answers[FINE.key][0]["tensor"][:2] == ["Float32", [2, 3]]
    assert answers[EXITING_CASE.key][0]["error"] == ["crashes"]
    assert "ValueError" in answers[FAILS.key][0]["error"]
    assert answers["x + 2 | x: f32[2,3] normal"][0]["tensor"][0] == "Float32"


def test_a_process_that_hangs_is_ended(monkeypatch):
    monkeypatch.setattr(recording, "PATIENCE", 2)
    forever = Case("hangs", "while True:\n    pass\nreturn x", X)
    assert collect_answers([forever._replace(gradient=False)])[forever.key][0]["error"] == ["hangs"]


def test_answers_are_saved_and_loaded(tmp_path):
    answers = {"b": [{"python": ["int", 1]}, {"python": ["int", 1]}, None, None], "a": [None, None, None, None]}
    recording.save(answers, tmp_path / "answers.json.xz")
    assert recording.load(tmp_path / "answers.json.xz") == answers
    assert recording.load(tmp_path / "none.json.xz") == {}
