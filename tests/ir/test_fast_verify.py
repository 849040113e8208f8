"""The fast path of the verifier accepts correct nodes only; all others are left to the full checks."""

import pytest

from minigraph import op_named
from minigraph.core.types import TensorType, float32
from minigraph.ir.fast_verify import InferenceCache, nodes_to_verify
from minigraph.ir.outline import outline
from minigraph.ir.text import parse

TEXT = """graph f(%0, %1)
  %0 = input() {name="x"} : f32[2]
  %1 = input() {name="y"} : f32[2]
  %2 = add(%0, %1) : f32[2]
  %3 = mul(%2, %1) : f32[2]
  return %3"""


def test_operators_leaves_attributes_and_constants_with_correct_types_are_accepted() -> None:
    text = """graph f(%0)
      %0 = input() {name="x"} : f32[2,3]
      %1 = const() {value=f32[]<2.0>} : f32[]
      %2 = sum(%0) {axis=(1,), keepdims=false} : f32[2]
      %3 = mul(%2, %1) : f32[2]
      return %3"""
    for graph in (parse(TEXT), parse(text)):
        assert nodes_to_verify(graph, graph, {}) == nodes_to_verify(graph, [2], {}) == []
    for node in (1, 2):
        clone = parse(text)
        clone._node[node].update(types=(TensorType((7,), float32),))
        assert node in nodes_to_verify(clone, [node], {})


def test_types_are_inferred_again_only_after_attributes_change() -> None:
    graph = parse(
        'graph f(%0)\n%0 = input() {name="x"} : f32[2,3]\n%1 = sum(%0) {axis=(1,), keepdims=false} : f32[2]\nreturn %1'
    )
    calls: InferenceCache = {}
    assert nodes_to_verify(graph, [1], calls) == [] and len(calls) == 1
    known = dict(calls)
    assert nodes_to_verify(graph, [1], calls) == [] and calls == known
    graph._node[1]["attrs"]["axis"] = (0,)
    assert nodes_to_verify(graph, [1], calls) == [1]


BROKEN = {
    "operand": lambda g: g._node[3].update(ins=(2, 7)),
    "other operand": lambda g: g._node[3].update(ins=(2, 0)),
    "operands swapped": lambda g: g._node[3].update(ins=(1, 2)),
    "operand missing": lambda g: g._node[3].update(ins=(2,)),
    "result": lambda g: g._node[3].update(ins=((2, 1), 1)),
    "source gone": lambda g: g._node.pop(2),
    "edge gone there": lambda g: g._succ[2].pop(3),
    "edge gone here": lambda g: g._pred[3].pop(2),
    "edge too many": lambda g: g._pred[3].update({0: {("o", 0): {"kind": "effect"}}}),
    "edge data": lambda g: g._pred[3].update({2: {0: {"kind": "data", "result": 1}}}),
    "type": lambda g: g._node[3].update(types=(TensorType((3,), float32),)),
    "operand's type": lambda g: g._node[2].update(types=(TensorType((3,), float32),)),
    "no results": lambda g: g._node[2].update(types=()),
    "operator": lambda g: g._node[3].update(op=op_named("matmul")),
}


@pytest.mark.parametrize("change", BROKEN.values(), ids=BROKEN)
def test_every_fault_is_left_to_the_full_checks(change) -> None:
    """Breaks node 3 or its operand, bypassing the primitives."""
    graph = parse(TEXT)
    change(graph)
    assert 3 in nodes_to_verify(graph, [3], {})


def test_fused_nodes_with_common_edges_are_accepted_and_others_are_not() -> None:
    graph = parse(TEXT)
    fused = outline(graph, [2, 3])
    assert nodes_to_verify(graph, [fused], {}) == []
    for change in (lambda g: g._pred[fused].pop(1), lambda g: g._node[0].update(types=()), lambda g: g._node.pop(1)):
        clone = graph.clone()
        change(clone)
        assert nodes_to_verify(clone, [fused], {}) == [fused]


def test_types_are_inferred_once_per_operand_types(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = parse('graph f(%0)\n%0 = input() {name="x"} : f32[2]\nreturn %0')
    add = op_named("add")
    node = 0
    for _ in range(500):
        node = graph.emit(add, (node, 0)) if node else graph.emit(op_named("neg"), (0,))
    calls: list[object] = []
    original = type(add).types
    monkeypatch.setattr(type(add), "types", lambda *args: calls.append(args) or original(*args))
    assert nodes_to_verify(graph, graph, {}) == []
    assert len(calls) <= 4
