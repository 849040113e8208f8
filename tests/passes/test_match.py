"""Matching: every spelling is found, and only what the pattern says."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from minigraph.ir.graph import Graph
from minigraph.ir.text import parse
from minigraph.op import apply
from passes import attr
from passes.match import Match, Matcher
from passes.pattern import traced


def graph_of(*lines: str, outs: str = "") -> Graph:
    """A graph over x, y, z of f32[2,2] (nodes 0 to 2); every line is a node from 3 on; the last is the output."""
    head = [f'%{k} = input() {{name="{name}"}} : f32[2,2]' for k, name in enumerate("xyz")]
    nodes = [f"%{k} = {line}{'' if ' : ' in line else ' : f32[2,2]'}" for k, line in enumerate(lines, 3)]
    return parse("\n".join(["graph f(%0, %1, %2)", *head, *nodes, f"return {outs or f'%{2 + len(lines)}'}"]))


def find(pattern: Callable[..., Any], graph: Graph, node: int | None = None, strict: bool = True) -> Any:
    """What the pattern finds at a node (the last one)."""
    return Matcher(traced(pattern), strict).find(graph, max(graph) if node is None else node)


def matmul_bias(x: Any, w: Any, b: Any) -> Any:
    return x @ w + b


@pytest.mark.parametrize(
    ("lines", "values"),
    [
        (["matmul(%0, %1)", "add(%3, %2)"], {"x": 0, "w": 1, "b": 2}),
        (["matmul(%0, %1)", "add(%2, %3)"], {"x": 0, "w": 1, "b": 2}),
        (["matmul(%1, %0)", "add(%2, %3)"], {"x": 1, "w": 0, "b": 2}),
        (["matmul(%0, %0)", "add(%0, %3)"], {"x": 0, "w": 0, "b": 0}),
        (["matmul(%0, %1)", "add(%3, %3)"], {"x": 0, "w": 1, "b": 3}),
        (["matmul(%0, %1)", "matmul(%1, %0)", "add(%3, %4)"], {"x": 0, "w": 1, "b": 4}),
    ],
)
def test_operand_order_and_aliases(lines: list[str], values: dict[str, int]) -> None:
    found = find(matmul_bias, graph_of(*lines))
    assert isinstance(found, Match)
    assert found.values == values


@pytest.mark.parametrize("lines", [["add(%0, %1)"], ["matmul(%0, %1)"], ["matmul(%0, %1)", "sub(%3, %2)"]])
def test_other_operators_do_not_match(lines: list[str]) -> None:
    assert find(matmul_bias, graph_of(*lines)) is None


def test_the_same_name_is_the_same_value() -> None:
    def square(x: Any) -> Any:
        return x * x

    assert find(square, graph_of("mul(%0, %0)"))
    assert find(square, graph_of("mul(%0, %1)")) is None


def test_the_same_operator_term_is_the_same_node() -> None:
    def swish(x: Any, y: Any) -> Any:
        t = x + y
        return t * apply("sigmoid", t)

    assert find(swish, graph_of("add(%1, %0)", "sigmoid(%3)", "mul(%4, %3)"))
    assert find(swish, graph_of("add(%0, %1)", "add(%0, %1)", "sigmoid(%4)", "mul(%3, %5)")) is None


@pytest.mark.parametrize(
    ("constant", "matches"),
    [
        ("f32[]<0.0>", True), ("f32[2]<0.0, 0.0>", True), ("f32[]<-0.0>", False), ("f32[2]<0.0, -0.0>", False),
        ("f32[]<1.0>", False), ("f32[]<nan>", False), ("f32[0]<>", False), ("i32[]<0>", True), ("bool[]<false>", True),
    ],
)  # fmt: skip
def test_a_number_matches_a_constant_of_exactly_that_number(constant: str, matches: bool) -> None:
    graph = graph_of(f"const() {{value={constant}}} : {constant.partition('<')[0]}", "add(%0, %3)")
    assert bool(find(lambda x: x + 0, graph)) is matches


@pytest.mark.parametrize(("number", "matches"), [(0.5, False), (300, False), (-1, False), (1, True), (1.0, True)])
def test_a_number_the_dtype_cannot_hold_matches_nothing(number: float, matches: bool) -> None:
    graph = graph_of("const() {value=u8[]<1>} : u8[]", "add(%0, %3)")
    assert bool(find(lambda x: x + number, graph)) is matches


def test_a_variable_is_no_number_and_a_number_no_variable() -> None:
    assert find(lambda x: x + 1, graph_of("add(%0, %1)")) is None


def test_unmentioned_attributes_must_be_at_their_defaults_unless_the_node_is_kept() -> None:
    def total(x: Any) -> Any:
        return apply("sum", x)

    usual = graph_of("sum(%0) {axis=(0, 1), keepdims=false} : f32[]")
    other = graph_of("sum(%0) {axis=(0,), keepdims=false} : f32[2]")
    assert find(total, usual) and find(total, usual, strict=False)
    assert find(total, other) == "attributes"
    assert find(total, other, strict=False)


def test_mentioned_attributes_count_in_either_spelling() -> None:
    graph = graph_of("sum(%0) {axis=(1,), keepdims=false} : f32[2]")
    for strict in (True, False):
        assert find(lambda x: apply("sum", x, axis=-1), graph, strict=strict)
        assert find(lambda x: apply("sum", x, axis=(1,), keepdims=False), graph, strict=strict)
        assert find(lambda x: apply("sum", x, axis=0), graph, strict=strict) == "attributes"
        assert find(lambda x: apply("sum", x, axis=7), graph, strict=strict) == "attributes"


def test_captured_attributes_are_told_and_equal_where_the_name_is() -> None:
    def twice(x: Any) -> Any:
        return apply("transpose", apply("transpose", x, axes=attr("p")), axes=attr("p"))

    same = graph_of("transpose(%0) {axes=(1, 0)}", "transpose(%3) {axes=(1, 0)}")
    other = graph_of("transpose(%0) {axes=(1, 0)}", "transpose(%3) {axes=(0, 1)}")
    assert find(twice, same).attrs == {"p": (1, 0)}
    assert find(twice, other) == "attributes"


def test_effects_are_never_part_of_a_match() -> None:
    graph = parse(
        'graph f(%0) {params=("w",)}\n%0 = input() {name="x"} : f32[2]\n%1 = parameter() {name="w"} : f32[2]\n'
        '%2 = assign(%1, %0) {name="w"} : f32[2]\n%3 = neg(%2) : f32[2]\nreturn %3'
    )
    assert find(lambda x, y: -apply("assign", x, y, name="w"), graph) == "effect"


def test_result_one_of_a_node_is_not_result_zero() -> None:
    graph = graph_of("split(%0) {axis=0, sizes=(1, 1)} : f32[1,2], f32[1,2]", "neg(%3.1) : f32[1,2]")
    assert find(lambda x: apply("neg", apply("neg", x)), graph) is None
    assert find(lambda x: -x, graph).values == {"x": (3, 1)}


def test_a_predicate_sees_types_uses_and_constants() -> None:
    graph = graph_of("const() {value=f32[]<3.0>} : f32[]", "mul(%0, %3)", "neg(%0)", outs="%4, %5")
    match = find(lambda x, c: x * c, graph, 4)
    assert (match.x.shape, match.x.dtype.name, match.x.uses, match.x.const) == ((2, 2), "float32", 2, None)
    assert match.c.const == np.float32(3) and str(match.c.type) == "f32[]"
    assert match.c.op.role == "const" and match.out.shape == (2, 2) and match.root == 4
    with pytest.raises(AttributeError, match="no variable 'y'"):
        match.y.shape  # noqa: B018


def test_what_dies_with_the_root() -> None:
    def pattern(x: Any) -> Any:
        return -apply("exp", apply("tanh", x))

    lines = ["tanh(%0)", "exp(%3)", "neg(%4)"]
    assert find(pattern, graph_of(*lines), 5).dying == (5, 4, 3)
    assert find(pattern, graph_of(*lines, "abs(%3)"), 5).dying == (5, 4)
    assert find(pattern, graph_of(*lines, "abs(%4)"), 5).dying == (5,)
    assert find(pattern, graph_of(*lines, outs="%3, %5"), 5).dying == (5, 4)


def test_many_commutative_operators_are_still_matched() -> None:
    def wide(a: Any, b: Any, c: Any, d: Any, e: Any, f: Any, g: Any, h: Any) -> Any:
        return ((a + b) + (c + d)) * ((e + f) + (g + h))

    matcher = Matcher(traced(wide), strict=True)
    assert len(matcher.orders) == 64
    lines = ["add(%0, %1)"] * 4 + ["add(%3, %4)", "add(%5, %6)", "mul(%7, %8)"]
    assert isinstance(matcher.find(graph_of(*lines), 9), Match)
