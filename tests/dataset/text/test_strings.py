"""Checks of strings, and runs of characters with their bytes."""

import numpy as np

from minigraph.dataset.text.strings import (
    WHITESPACE,
    as_string,
    as_strings,
    check_type,
    map_strings,
    split_runs,
    token_arrays,
)
from tests.tables import error_cases, results

test_runs = results(
    split_runs,
    ("", [], []),
    ("日a", [0, 1], [("日", 0, 3), ("a", 3, 4)]),
    ("ab", [0, 0], [("ab", 0, 2)]),
)
test_errors = error_cases(
    (lambda: as_string("Op", np.array(["a"])), RuntimeError, "strings of rank 0, got <U1 of shape"),
    (lambda: as_strings("Op", np.array([1])), RuntimeError, "Op: expected strings, got int64"),
    (lambda: check_type("flag", 3, bool, "boolean"), TypeError, "for flag, should be boolean, got 3"),
)


def test_shapes_are_kept() -> None:
    assert map_strings("Op", np.array([["a"], ["b"]]), str.upper).tolist() == [["A"], ["B"]]
    assert map_strings("Op", np.array([], np.str_), str.upper).shape == (0,)
    assert token_arrays([("a", 0, 1)], False).tolist() == ["a"]
    assert {c for c in map(chr, range(0x110000)) if c.isspace()} - WHITESPACE == set("\x1c\x1d\x1e\x1f")
