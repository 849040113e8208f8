"""Exact keys: equal for the same bits only."""

import math

import numpy as np
import pytest

from minigraph.ir.exact_keys import exact_attrs_key, exact_key
from tests.ir.test_attribute_values import DISTINCT


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
