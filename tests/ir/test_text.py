"""Graph text: printed graphs parse to equal graphs, and syntax errors name their line."""

import contextlib
import math
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from minigraph.core.errors import ParseError, VerifyError
from minigraph.core.location import Loc
from minigraph.core.op import Op
from minigraph.core.types import DTYPES, TensorType, float32
from minigraph.ir.attribute_values import RECORDS
from minigraph.ir.compare import equal
from minigraph.ir.graph import Graph
from minigraph.ir.structural_ops import CONST, FUSED, INPUT, Literal
from minigraph.ir.text import node_text, parse, to_text
from tests.tables import error_cases

F32 = TensorType((2, 3), float32)
ANY = Op("any op", lambda *a, **k: a, lambda *types, **attrs: types[0])
PAIR = Op("pair", lambda x, **k: (x, x), lambda x, **attrs: (x, x))
OPS = {ANY.name: ANY, PAIR.name: PAIR}


def leaf_graph(title: str = "f") -> Graph:
    graph = Graph(title=title)
    graph.inputs = [graph.emit(INPUT, (), {"name": "x"}, [F32])]
    graph.set_outs([0])
    return graph


def round_trip(graph: Graph) -> Graph:
    text = to_text(graph)
    again = parse(text, OPS, check=False)
    assert equal(graph, again)
    assert to_text(again) == text
    return again


def test_a_graph_survives_printing_and_parsing() -> None:
    graph = leaf_graph('odd "name"')
    x = graph.inputs[0]
    pair = graph.emit(PAIR, (x,), loc=(Loc("some/where/net.py", 3, 4, 9, "f"), Loc("<stdin> a,b", 4)))
    body = leaf_graph("f.body")
    body.emit(FUSED, (0,), {"name": "inner"}, [F32], regions=(leaf_graph("deep"),))
    fused = graph.emit(FUSED, ((pair, 1),), {"name": "t"}, [F32], regions=(body, leaf_graph("second")))
    late = graph.emit(ANY, (fused, x))
    graph.order(pair, late, "effect")
    graph.order(fused, late, "depend")
    graph.set_outs([late, (pair, 1), late])
    graph.params = {"fc.w": object(), "a b": object()}
    graph.keep_effects = False
    again = round_trip(graph)
    assert list(again.params.items()) == [("fc.w", None), ("a b", None)]
    assert again.order_kind(pair, late) == "effect" and again.order_kind(fused, late) == "depend"
    assert str(again.loc(pair)[0]) == "net.py:3"
    assert again.next_id == graph.next_id


def random_array(dtype, size: int) -> np.ndarray:
    bits = np.random.default_rng(size).integers(0, 256, size * dtype.itemsize).astype(np.uint8)
    return bits.view(dtype.numpy) if dtype.kind != "b" else (bits % 2).astype(bool)


LITERALS = {f"{dtype.short} {size}": random_array(dtype, size) for dtype in DTYPES for size in (1, 8, 9, 300)} | {
    str(shape): np.full(shape, -0.0, np.float32) for shape in [(), (0,), (2, 0, 3), (1, 8), (3, 3)]
}


@pytest.mark.parametrize("array", LITERALS.values(), ids=LITERALS)
def test_literals_keep_their_bits(array: np.ndarray) -> None:
    graph = Graph()
    node = graph.emit(CONST, (), {"value": Literal(array)})
    assert round_trip(graph).attrs(node)["value"].array.tobytes() == array.tobytes()


def test_equal_long_literals_are_written_once_and_not_at_all_for_display() -> None:
    graph = Graph()
    for _ in range(3):
        graph.emit(CONST, (), {"value": Literal(np.arange(20))})
    assert len(re.findall(r"^  @\d+ =", to_text(graph), re.M)) == 1
    printed = to_text(graph, literals=False)
    assert "i64[20]<...>" in printed and "literals:" not in printed
    with pytest.raises(ParseError, match="line 2: .*literals=True"):
        parse(printed)


leaves = st.one_of(
    st.none(), st.booleans(), st.integers(), st.text(), st.floats(), st.complex_numbers(), st.just(...),
    st.sampled_from(DTYPES), st.builds(TensorType, st.tuples(st.integers(0, 9)), st.sampled_from(DTYPES)),
    st.builds(np.float32, st.floats(width=32)), st.builds(np.int64, st.integers(-9, 9)),
    st.builds(slice, st.none() | st.integers(), st.none() | st.integers(), st.none() | st.integers()),
    st.builds(RECORDS["Slice"], st.none() | st.integers(), st.none(), st.integers()),
    st.builds(lambda values: Literal(np.array(values, np.float16)), st.lists(st.floats(width=16), max_size=12)),
)  # fmt: skip


@settings(max_examples=200, deadline=None)
@given(st.recursive(leaves, lambda inner: st.lists(inner, max_size=4).map(tuple), max_leaves=8), st.text(min_size=1))
def test_any_attribute_value_survives(value: object, name: str) -> None:
    graph = leaf_graph()
    graph.emit(ANY, (0,), {name: value, "last": 1})
    round_trip(graph)


def test_a_nan_with_other_bits_survives_and_values_without_a_text_form_are_shown_but_not_read() -> None:
    odd = np.array([0x7FF8000000000123], np.uint64).view(np.float64)[0].item()
    graph, shown = leaf_graph(), leaf_graph()
    graph.emit(ANY, (0,), {"value": odd, "plain": math.nan, "minus": -0.0})
    assert np.float64(round_trip(graph).attrs(1)["value"]).tobytes() == np.float64(odd).tobytes()
    shown.emit(ANY, (0,), {"fn": len})
    with pytest.raises(ParseError, match="no text form"):
        parse(to_text(shown), OPS)


test_syntax_errors_are_refused = error_cases(
    ("", "ends before a 'return'"),
    ("graph f()", "ends before a 'return'"),
    ("hello", r"line 1: expected 'graph'"),
    ("graph f(%0)\n return", r"line 2: %0 is not defined"),
    ("graph f()\n %0 = const( : f32[]\n return", r"line 2: expected a value such as %7 at column 13"),
    ("graph f()\n %0 = cnst() : f32[]\n return", r"line 2: no operator 'cnst'; did you mean 'const'"),
    ("graph f()\n %0 = const() {value=f32[2]<1.0>} : f32[2]\n return", r"do not form a f32\[2\]"),
    ("graph f()\n %0 = const() {value=f32[9]@0} : f32[9]\n return", r"has no f32\[9\] @0"),
    ("graph f()\n %0 = const() {value=f33[1]<1.0>} : f32[1]\n return", r"line 2: no dtype 'f33'"),
    ("graph f()\n %0 = const() {value=eval(1)} : f32[]\n return", r"unknown attribute value 'eval"),
    ("graph f()\n %0 = const() {value=" + "(" * 99 + "} : f32[]\n return", r"nest deeper"),
    ("graph f()\n %0 = const() {value=" + "1" * 5000 + "} : f32[]\n return", r"line 2: "),
    ("graph f()\n %0 = const() : f32[]\n %0 = const() : f32[]\n return", r"line 3: %0 is defined twice"),
    ("graph f()\n %0 = const() : f32[] after %0(soon)\n return", r"not 'soon'"),
    ("graph f()\n %0 = const() : f32[] more\n return", r"unexpected text at column 22"),
    ("graph f()\n return\nreturn", r"line 3: expected the end"),
    ("graph f()\n graph g()\n return\n return", r"line 2: a body must follow a node"),
    ("graph f() {colour=1}\n return", r"a graph has no 'colour'"),
    ("graph f()\n return\nliterals:\n @0 = f32[2] !!!", r"line 4: the data of a literal is damaged"),
    ("graph f()\n return\nliterals:\n @0 = f32[999999999999] eJwDAAAAAAE=", r"is not the 3999999999996 bytes"),
    by=parse,
    error=ParseError,
)


test_a_malformed_graph_is_refused_before_it_can_be_executed_or_simulated = error_cases(
    ("%1 = tanh(%0) : f32[3]\n return %1", r"graph 'f': %1 = tanh has types f32\[3\], but its operands give f32\[2\]"),
    ("%1 = add(%0) : f32[2]\n return %1", r"graph 'f': %1 = add takes 2 operands, got 1"),
    ("%1 = tanh(%2) : f32[2]\n %2 = tanh(%1) : f32[2]\n return %2", r"cycle %1 <- %2 <- %1"),
    ('%1 = input() {name="y"} : ()\n return %0', r"its input nodes are %0, %1, which need one type each"),
    ('%1 = input() {name="y"} : f32[2]\n return %1', r"its inputs are %0, but its input nodes are %0, %1"),
    ('%1 = parameter() {name="w"} : f32[2]\n return %1', r"reads 'w', which is not in graph.params"),
    by=lambda lines: parse('graph f(%0)\n %0 = input() {name="x"} : f32[2]\n ' + lines),
    error=VerifyError,
)


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_damaged_text_raises_errors_of_ours_only(data: st.DataObject) -> None:
    text = list(TEXT)
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(text) - 1))
        text[at : at + data.draw(st.integers(0, 2))] = data.draw(st.text("%(){}<>=,.:@#\n graphretun0123", max_size=2))
    with contextlib.suppress(ParseError, VerifyError):
        parse("".join(text))


TEXT = """graph f(%0) {params=("w",)}
  %0 = input() {name="x"} : f32[2]  # net.py:1
  %1 = const() {value=f32[2]<1.0, -0.0>} : f32[2] after %0(depend)
  %2 = fused(%0, %1) {name="t"} : f32[2]
    graph b(%2/0, %2/1)
      %2/0 = input() {name="x"} : f32[2]
      %2/1 = input() {name="y"} : f32[2]
      return %2/1
  return %2
"""


def test_the_written_example_reads_and_comments_are_skipped() -> None:
    graph = parse("# a comment\n\n" + TEXT)
    assert (to_text(graph), len(graph.regions(2)[0])) == (TEXT, 2)
    assert node_text(graph, 1) in TEXT


def test_no_name_of_a_value_means_two_values() -> None:
    """Two bodies of a node, and bodies in them: every name is defined once, and reads back as the same value."""
    graph, body = leaf_graph(), leaf_graph("inner")
    body.set_outs([body.emit(FUSED, (0,), {"name": "t"}, [F32], regions=(leaf_graph("a"), leaf_graph("b")))])
    node = graph.emit(FUSED, (0,), {"name": "t"}, [F32], regions=(body, body.clone()))
    graph.set_outs([graph.emit(PAIR, (node,)), (2, 1)])
    text = to_text(round_trip(graph))
    names = re.findall(r"^ *(%\S+) =", text, re.MULTILINE)
    assert names == [
        "%0", "%1", "%1/0", "%1/1", "%1/1/0", "%1/1.1/0", "%1.1/0", "%1.1/1", "%1.1/1/0", "%1.1/1.1/0", "%2",
    ]  # fmt: skip
    assert text.endswith("return %2, %2.1\n")


def test_names_in_bodies_may_be_short_and_must_be_of_that_body() -> None:
    short = TEXT.replace("%2/", "%")
    assert to_text(parse(short)) == TEXT
    for wrong in ("%3/1", "%2.1/1", "%2/0/1", "%0/1"):
        message = rf"line 8: {wrong} is not of this graph, whose values are %2/0, \.\.\.: 'return {wrong}'"
        with pytest.raises(ParseError, match=message):
            parse(TEXT.replace("return %2/1", f"return {wrong}"))
    with pytest.raises(ParseError, match=r"line 9: %2/1 is not of this graph, whose values are %0, \.\.\."):
        parse(TEXT.replace("return %2\n", "return %2/1\n"))


def test_a_graph_with_a_cycle_fifty_thousand_nodes_deep_or_with_nested_bodies_is_shown_and_read() -> None:
    cycle, deep, inner = leaf_graph(), leaf_graph(), leaf_graph()
    first = cycle.emit(ANY, (0,))
    cycle.set_operands(first, (cycle.emit(ANY, (first,)),))
    for node in range(50_000):
        deep.emit(ANY, (node,))
    for _ in range(2_000):
        outer = leaf_graph()
        outer.emit(FUSED, (0,), {"name": "t"}, [F32], regions=(inner,))
        inner = outer
    for graph in (cycle, deep, inner):
        round_trip(graph)
