"""Equal answers, and the kinds of differences."""

import base64

import numpy as np

from tests.differential.case import Case, array_of
from tests.differential.comparison import TANH, close, difference, differences, tolerance_of
from tests.differential.reason import DEFECT, Reason
from tests.differential.reasons import reason_of
from tests.differential.report import Statistics, text
from tests.tables import results

CASE = Case("ops.add", "ops.add(x, x)", (("x", "f32[2] normal"),))


def tensor(values, dtype="Float32"):
    array = np.array(values, dtype.lower())
    return {"tensor": [dtype, list(array.shape), base64.b64encode(array.tobytes()).decode()]}


REFUSED = {"error": ["ValueError", "Exception"], "text": "wrong"}


test_kinds_of_differences = results(
    lambda expected, actual: difference(expected, actual, 1e-5),
    (tensor([1, 2]), tensor([1, 2]), ""),
    (tensor([1, 2]), tensor([1, 2.000001]), ""),
    (tensor([1, 2]), tensor([1, 2.01]), "values"),
    (tensor([1, 2]), tensor([1, 2], "Float64"), "dtype"),
    (tensor([1, 2]), tensor([[1, 2]]), "shape"),
    (tensor([1, np.nan]), tensor([1, np.nan]), ""),
    (tensor([1, np.inf]), tensor([1, -np.inf]), "values"),
    (tensor([1, 2], "Int64"), tensor([1, 3], "Int64"), "values"),
    ({"tuple": [tensor([1])]}, {"tuple": [tensor([2])]}, "values"),
    ({"tuple": [tensor([1])]}, {"tuple": []}, "length"),
    ({"tuple": [tensor([1])]}, {"list": [tensor([1])]}, "type"),
    ({"python": ["str", "a"]}, {"python": ["str", "b"]}, "text"),
    ({"python": ["int", 1]}, {"python": ["bool", True]}, "type"),
    (REFUSED, tensor([1]), "only MindSpore refuses"),
    (tensor([1]), REFUSED, "only minigraph refuses"),
    (REFUSED, {"error": ["ShapeError", "ValueError"], "text": ""}, ""),
    (REFUSED, {"error": ["TypeError"], "text": ""}, "error class"),
)


def test_tanh_may_be_further_off():
    assert tolerance_of(CASE._replace(source="ops.tanh(x)")) == TANH
    assert close(np.array([1.0, 1e-5]), np.array([1.0, 0.0]), TANH)


def test_a_mode_that_one_side_has_no_answer_in_is_not_compared():
    by_mode = list(differences(CASE, [tensor([1]), None, tensor([1]), None], [tensor([2]), REFUSED, None, None]))
    assert [(d.mode, d.kind) for d in by_mode] == [("pynative", "values")]


def test_a_reason_covers_texts_with_all_its_patterns():
    (only,) = differences(CASE, [tensor([1]), None, None, None], [tensor([2]), None, None, None])
    assert Reason(DEFECT, "why", case="ops.add . pynative", kind="values", theirs="Float32", ours=" 2").covers(only)
    assert not Reason(DEFECT, "why", case="ops.add", kind="dtype").covers(only)
    assert reason_of(only) is None


def test_the_page_counts_agreements_and_differences():
    both = [tensor([1]), tensor([1]), None, None]
    statistics = Statistics([CASE], {CASE.key: both}, {CASE.key: [tensor([1]), tensor([2]), None, None]})
    assert (len(statistics.unexplained), statistics.cases) == (1, 1)
    assert "| ops | 1 of 1 | 0 of 1 |  |  |" in text(statistics, "2.10")
    assert "**1 agree (50.0 %)**" in text(statistics, "2.10")
    assert text(statistics, "2.10", ["ops.new"]).endswith("not counted: ops.new.\n")


def test_inputs_are_the_same_numbers_everywhere():
    assert array_of("x", "f64[2,2] normal").round(4).tolist() == [[0.1569, -1.4432], [-0.9901, -1.3508]]
    assert array_of("i", "i64[4] below3").tolist() == [0, 2, 0, 1]
