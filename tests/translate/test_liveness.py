"""Live variables, and the names that code reads and binds."""

import ast

from minigraph.translate.liveness import live_before, live_into, names_read, stores
from tests.tables import cases


def body(text):
    return ast.parse(text).body


@cases(
    ("y = x", {"x"}),
    ("if a: y = 1", {"a", "y"}),
    ("if a: y = 1\nelse: y = b", {"a", "b"}),
    ("while a: y = y + 1", {"a", "y"}),
    ("return z", {"z"}),
)
def test_names_that_are_live_read_and_stored(text, live):
    assert live_into(body(text), frozenset({"y"})) == live
    assert live_before(body(text)[0], frozenset({"y"})) == live
    assert names_read(ast.parse("y += f(x)")) == {"y", "f", "x"}
    assert set(stores(body("a = 1\nfor b in c: d = 2\ndef g(): hidden = 1\n[e for e in f]"))) == {"a", "b", "d", "g"}
