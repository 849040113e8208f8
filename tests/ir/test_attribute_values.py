"""Distinct attribute values have distinct texts."""

import math

import numpy as np

from minigraph.core.types import float32
from minigraph.ir.attribute_values import RECORDS, ValueWriter, name_text
from minigraph.ir.structural_ops import Literal

DISTINCT = [
    1, 1.0, True, 0, 0.0, -0.0, False, None, "1", (1,), (1.0,), (True,), ((1,),), math.nan, math.inf, 1 + 0j,
    complex(1, -0.0), float32, ..., slice(1), slice(1.0), slice(2, 1), np.float32(1), np.float64(1), np.int64(1),
    Literal(np.float32(1)), Literal(np.float64(1)), Literal(np.float32([1])), RECORDS["Slice"](1, None, None),
    (1, None, None),
]  # fmt: skip


def test_distinct_values_have_distinct_texts_and_names_are_quoted_only_when_needed() -> None:
    assert len({ValueWriter().value(value) for value in DISTINCT}) == len(DISTINCT)
    assert (name_text("fc.w"), name_text("a b"), name_text("")) == ("fc.w", '"a b"', '""')
