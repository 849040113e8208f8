"""Tokenizers; tests/differential compares their results with MindSpore's."""

import numpy as np

from minigraph.dataset import NumpySlicesDataset, text
from minigraph.dataset.text.tokenizers import check_array, pattern_of, script_of, split_by_pattern
from tests.tables import error_cases, results

test_scripts = results(script_of, ("Ａ", "LATIN"), ("ー", "COMMON"), ("\u0301", "INHERITED"), ("𝐀", "COMMON"))
test_errors = error_cases(
    (lambda: pattern_of("Op", r"\p{L}"), RuntimeError, "not a regular expression of Python"),
    (lambda: check_array("a"), TypeError, "NumPy array of strings"),
    (lambda: text.PythonTokenizer(3), TypeError, "not a callable"),
    (lambda: text.PythonTokenizer(str.split)(np.array([1])), TypeError, "expected strings"),
    (lambda: text.RegexTokenizer(3), TypeError, "delim_pattern, should be string"),
    (lambda: text.WhitespaceTokenizer()(np.array(["a"])), RuntimeError, "WhitespaceTokenizer: expected strings"),
)


def test_tokens_have_their_byte_offsets() -> None:
    assert split_by_pattern("ü,日", pattern_of("Op", ","), lambda match: True) == [
        ("ü", 0, 2), (",", 2, 3), ("日", 3, 6),
    ]  # fmt: skip


def test_tokens_with_offsets_are_three_columns() -> None:
    data = NumpySlicesDataset(["a  ü"], "text").map(
        text.WhitespaceTokenizer(with_offsets=True), "text", ["token", "start", "end"]
    )
    (row,) = data.create_dict_iterator(num_epochs=1, output_numpy=True)
    assert [row[name].tolist() for name in ("token", "start", "end")] == [["a", "ü"], [0, 3], [1, 5]]
