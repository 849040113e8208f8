"""Changes of strings; tests/differential compares their results with MindSpore's."""

import re

import numpy as np

from minigraph.dataset import text
from minigraph.dataset.text.normalization import IGNORABLE, NormalizeForm, expand, fold_case, normalize
from tests.tables import error_cases, results

test_cases = results(fold_case, ("İß", "i̇ss"), ("\u00ada\u200b", "a"), ("ﾊﾟ", "パ"))
test_forms = results(normalize, ("ﬁ", NormalizeForm.NONE, "ﬁ"), ("ﬁ", NormalizeForm.NFKC, "fi"))
test_errors = error_cases(
    (lambda: text.RegexReplace("a", "$2")(np.array("a")), RuntimeError, "names a group"),
    (lambda: text.RegexReplace("a", 3), TypeError, "replace"),
    (lambda: text.NormalizeUTF8("NFC"), TypeError, "NormalizeForm"),
)


def test_templates() -> None:
    match = re.match("(a)(b)?", "a")
    assert match is not None and expand(r"\$1=$1$2", match) == "$1=a"
    assert "\u200d" in IGNORABLE and "a" not in IGNORABLE


def test_each_string_of_an_array_is_changed_by_itself() -> None:
    """MindSpore 2.10 joins them: ``['abaxa', '', '']``."""
    assert text.RegexReplace("a", "")(np.array(["aba", "xa", ""])).tolist() == ["b", "x", ""]
