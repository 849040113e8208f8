"""Numbers at the beginning of a text."""

from minigraph.dataset.number_text import begins_with_infinity, leading_float, leading_integer
from tests.tables import results

test_integers = results(leading_integer, ("7", 7), (" +7.9", 7), ("-0x1", 0), ("", None), ("- 1", None))
test_floats = results(
    leading_float, (".5", 0.5), ("5.", 5.0), ("1e3 ", 1000.0), ("0x1.8p1", 3.0), ("-inf", float("-inf")), (".", None),
    ("e3", None),
)  # fmt: skip
test_infinity = results(begins_with_infinity, (" -Infinity", True), ("1e999", False))
