"""The order of effects, and whether a pass keeps it."""

import pytest

from minigraph.core.errors import VerifyError
from minigraph.ir.text import parse
from passes import Pipeline, as_pipeline
from passes.validate.effect_order import lost_order, ordered_pairs
from tests.passes.programs import BUILT_IN, program
from tests.passes.validate import faults

TEXT = """graph f(%0)
  %0 = input() {name="x"} : f32[2]
  %1 = print(%0) {texts=(none,)} : ()
  %2 = exp(%0) : f32[2]
  %3 = print(%2) {texts=(none,)} : () after %1(effect)
  %4 = neg(%2) : f32[2]
  return %4
"""
DEPENDS = """graph f(%0) {params=("w",)}
  %0 = input() {name="x"} : f32[2]
  %1 = print(%0) {texts=(none,)} : ()
  %2 = depend(%0, %0) : f32[2]
  %3 = parameter() {name="w"} : f32[2]
  %4 = assign(%3, %2) {name="w"} : f32[2] after %1(depend)
  %5 = tanh(%4) : f32[2]
  return %5
"""


def parse_without(text, piece):
    """The graph of the text without a piece."""
    return parse(text.replace(piece, ""), check=False)


def test_two_prints_are_ordered_and_an_order_that_no_path_keeps_is_lost_unless_one_of_them_is_gone():
    assert ordered_pairs(parse(TEXT)) == {(1, 3)}
    assert lost_order(parse(TEXT), parse(TEXT)) is None
    unordered = TEXT.replace(" after %1(effect)", "")
    assert lost_order(parse(TEXT), parse(unordered, check=False)) == (1, 3)
    assert lost_order(parse(TEXT), parse_without(unordered, "  %1 = print(%0) {texts=(none,)} : ()\n")) is None


def test_a_path_of_operands_keeps_the_order():
    assert lost_order(parse(DEPENDS), parse_without(DEPENDS, " after %1(depend)")) == (1, 4)
    chain = parse(TEXT)
    chain.order(1, 2)
    with chain.unsafe():
        chain.remove_edge(1, 3)
    assert lost_order(parse(TEXT), chain) is None


def test_a_depend_orders_the_effects_after_it():
    graph = program(3)
    pairs = ordered_pairs(graph)
    assert pairs and all(first != last for first, last in pairs)
    position = {node: k for k, node in enumerate(graph.topological())}
    assert all(position[first] < position[last] for first, last in pairs)


def test_operands_alone_guarantee_no_order():
    """A pass may find that the printed value does not need the assignment."""
    graph = parse(DEPENDS.replace("  return", "  %6 = print(%5) {texts=(none,)} : ()\n  return"))
    assert (4, 6) not in ordered_pairs(graph) and (1, 6) in ordered_pairs(graph)


@pytest.mark.parametrize("seed", range(40))
def test_no_pass_of_ours_loses_an_order(seed):
    graph = program(seed)
    for name in BUILT_IN:
        before = graph.clone()
        as_pipeline(name).run(graph)
        assert lost_order(before, graph) is None, name


def test_every_pipeline_of_the_tests_is_checked():
    """``tests/conftest.py`` checks the order of effects after every pass, validated or not."""
    with pytest.raises(VerifyError, match="pass 'lose_order' lost the order of %"):
        Pipeline([faults.lose_order], verify=False).run(faults.program())
