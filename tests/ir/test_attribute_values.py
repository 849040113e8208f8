"""Exact keys: equal for the same bits only."""

import math

import numpy as np
import pytest

from minigraph.core.types import float32
from minigraph.ir.attribute_values import RECORDS, ValueWriter, exact_attrs_key, exact_key, name_text
from minigraph.ir.structural_ops import Literal

DISTINCT = [
    1, 1.0, True, 0, 0.0, -0.0, False, None, "1", (1,), (1.0,), (True,), ((1,),), math.nan, math.inf, 1 + 0j,
    complex(1, -0.0), float32, ..., slice(1), slice(1.0), slice(2, 1), np.float32(1), np.float64(1), np.int64(1),
    Literal(np.float32(1)), Literal(np.float64(1)), Literal(np.float32([1])), RECORDS["Slice"](1, None, None),
    (1, None, None),
]  # fmt: skip


@pytest.mark.parametrize("position", range(len(DISTINCT)))
def test_a_key_equals_only_its_own_value(position: int) -> None:
    keys = [exact_key(value) for value in DISTINCT]
    assert [k for k, key in enumerate(keys) if key == keys[position]] == [position]
    assert hash(keys[position]) == hash(exact_key(DISTINCT[position]))


def test_nan_equals_itself_by_its_bits_and_attributes_compare_in_any_order() -> None:
    assert exact_key(float("nan")) == exact_key(math.nan)
    assert exact_key(np.array([math.nan], np.float32)[0]) == exact_key(np.float32(math.nan))
    assert exact_attrs_key({"a": 1, "b": 0.0}) == exact_attrs_key({"b": 0.0, "a": 1})
    assert exact_attrs_key({"a": 1}) != exact_attrs_key({"a": True}) and exact_attrs_key({}) == ()


def test_distinct_values_have_distinct_texts_and_names_are_quoted_only_when_needed() -> None:
    assert len({ValueWriter().value(value) for value in DISTINCT}) == len(DISTINCT)
    assert (name_text("fc.w"), name_text("a b"), name_text("")) == ("fc.w", '"a b"', '""')
