"""Primitives of comparison, logic, and tests for NaN and infinity, against numpy or formulas."""

import numpy as np
import pytest

from minigraph import Tensor, ops
from tests.ops.functional.checks import in_both_modes

X = np.array([0.3, np.nan, -np.inf])
UNARY = [
    ("IsNan", np.isnan),
    ("IsInf", np.isinf),
    ("IsFinite", np.isfinite),
]  # fmt: skip


@pytest.mark.parametrize(("name", "function"), UNARY)
def test_unary_primitives(name, function):
    np.testing.assert_allclose(in_both_modes(getattr(ops, name)(), Tensor(X)), function(X), rtol=1e-9)


def test_checked_packed_and_counted():
    assert ops.CheckNumerics()(Tensor([1.0])).tolist() == [1]
    for value, name in ((np.nan, "NaN"), (np.inf, "Inf")):
        with pytest.raises(RuntimeError, match=f"Tensor had {name} values"):
            ops.CheckNumerics()(Tensor([1.0, value]))
    assert ops.CompareAndBitpack()(Tensor(np.arange(8.0)), Tensor(5.0)).tolist() == [3]
    assert ops.EqualCount()(Tensor([1, 2, 3]), Tensor([1, 2, 4])).tolist() == [2]


def test_assertions_print_the_first_elements(capsys):
    assert ops.Assert()(Tensor(True), [Tensor([1])]) is None
    with pytest.raises(RuntimeError, match="assert failed"):
        ops.Assert(2)(False, [Tensor([1, 2, 3])])
    assert capsys.readouterr().out.endswith("input data: [1 2]\n")
