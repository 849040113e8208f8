"""Live variables, and the names that code reads and binds."""

import ast

from minigraph.translate.liveness import Exits, evaluated_at_definition, live_before, live_into, names_read, stores
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


@cases(
    ("while a: y = b\nelse: c", {"a", "b", "c", "y", "returned"}),
    ("for a in b:\n    if c: break\n    y = 1", {"b", "c", "y", "returned"}),
    ("for a in b:\n    if c: continue\n    y = 1\nelse: y = d", {"b", "c", "d", "y", "returned"}),
    ("break", {"broken"}),
    ("if a: continue\ny = 1", {"a", "continued"}),
    ("return a", {"a", "returned"}),
    ("with a: break", {"a", "y", "broken", "continued", "returned"}),
)
def test_names_are_live_where_jumps_go(text, live):
    exits = Exits(*(frozenset({name}) for name in Exits._fields))
    assert live_into(body(text), frozenset({"y"}), exits) == live | {"raised"}
    assert "raised" in live_before(body(text)[0], frozenset({"y"}), exits)


def test_a_finally_runs_on_every_way_out():
    exits = Exits(broken=frozenset({"y"}), raised=frozenset({"z"}))
    inner = exits.try_exits(body("y = a"))
    assert inner == ({"a", "z"}, {"a", "z"}, {"a", "z"}, {"a", "z"})
    assert exits.try_exits([]) is exits
    loop = exits.loop_exits(body("for a in b: c")[0], frozenset({"y"}))
    assert loop == ({"y"}, {"a", "b", "c", "y", "z"} - {"a"}, set(), {"z"})


def test_definitions_bind_their_names_and_those_of_what_they_evaluate():
    definitions = (
        "async def f(): hidden = 1",
        "@(a := b)\nclass C((d := e)): hidden = 2",
        "def g(x=(h := 1)) -> (r := i): k = 3",
    )
    text = "\n".join(definitions)
    assert set(stores(body(text))) == {"f", "a", "C", "d", "g", "h", "r"}
    assert [ast.unparse(part) for part in evaluated_at_definition(body(text)[1])] == ["(a := b)", "(d := e)"]
