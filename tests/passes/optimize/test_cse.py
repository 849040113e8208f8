"""Equal computations are merged, and only equal ones."""

import pytest

from minigraph.core.op import TABLE
from minigraph.core.types import TensorType, float32, int64
from minigraph.ir.text import parse
from passes import PASSES, as_pipeline
from tests.passes.fixtures import assert_preserves_results
from tests.passes.programs import program
from tests.passes.small_graphs import graph_of, names
from tests.tables import results

cse = PASSES["cse"]
TYPED = 'graph f(%0, %1)\n%0 = input() {{name="x"}} : {0}\n%1 = input() {{name="y"}} : {0}\n'
HEAD = TYPED.format("f32[2,2]")


def are_merged(first, second, of="f32[2,2]"):
    """Whether two nodes of these texts are merged."""
    graph = parse(f"{TYPED.format(of)}%2 = {first}\n%3 = {second}\nreturn %2, %3")
    cse(graph)
    return len(graph) == 3


def operand_type_of(op):
    """A type that two operands of a commutative operator may have."""
    for dtype in (float32, int64):
        try:
            op.types([TensorType((2, 2), dtype)] * 2, {})
        except TypeError:
            continue
        return TensorType((2, 2), dtype)
    raise AssertionError(op)


@pytest.mark.parametrize("op", [op for op in TABLE.values() if op.commutative], ids=str)
def test_every_commutative_operator_merges_in_either_order(op):
    of = operand_type_of(op)
    (type,) = op.types([of, of], {})
    assert are_merged(f"{op}(%0, %1) : {type}", f"{op}(%1, %0) : {type}", str(of))


@pytest.mark.parametrize("name", ["sub", "div", "pow", "matmul", "floor_div"])
def test_others_merge_only_in_the_same_order(name):
    assert are_merged(f"{name}(%0, %1) : f32[2,2]", f"{name}(%0, %1) : f32[2,2]")
    assert not are_merged(f"{name}(%0, %1) : f32[2,2]", f"{name}(%1, %0) : f32[2,2]")


FULL = "full() {{shape=(2,), value={}, dtype=f32}} : f32[2]"
CONST = "const() {{value={0}<{1}>}} : {0}"


test_attributes_are_compared_bit_by_bit = results(
    are_merged,
    (FULL.format(0.0), FULL.format(-0.0), False),
    (FULL.format(1), FULL.format(1.0), False),
    (FULL.format("nan"), "full() {value=nan, dtype=f32, shape=(2,)} : f32[2]", True),
    (CONST.format("f32[]", "nan"), CONST.format("f32[]", "nan"), True),
    (CONST.format("f32[]", 0.0), CONST.format("f32[]", -0.0), False),
    (CONST.format("f32[]", 0.0), CONST.format("f64[]", 0.0), False),
)


@pytest.mark.parametrize("seed", range(60))
def test_the_result_has_no_equal_pure_nodes_and_a_second_run_finds_nothing(seed):
    graph = program(seed)
    assert_preserves_results(cse, graph, seed)
    graph.journal = []
    cse(graph)
    assert graph.journal == []


@pytest.mark.parametrize("keep_effects", ["true", "false"])
def test_reads_are_not_merged_where_nothing_orders_effects(keep_effects):
    graph = parse(
        f'graph f(%0) {{keep_effects={keep_effects}, params=("w",)}}\n%0 = input() : f32[2]\n'
        '%1 = parameter() {name="w"} : f32[2]\n%2 = assign(%1, %0) {name="w"} : f32[2]\n'
        '%3 = assign(%1, %0) {name="w"} : f32[2] after %2(effect)\nreturn %2, %3'
    )
    cse(graph)
    assert len(graph) == 4


def test_results_of_a_merged_node_keep_their_positions():
    split = "split(%0) {axis=0, sizes=(1, 1)} : f32[1,2], f32[1,2]"
    graph = parse(f"{HEAD}%2 = {split}\n%3 = {split}\n%4 = neg(%3.1) : f32[1,2]\nreturn %4, %3, %3.1")
    cse(graph)
    assert graph.ins(4) == ((2, 1),) and graph.outs == (4, 2, (2, 1))


def test_many_duplicates_that_are_all_outputs():
    graph = parse(HEAD + "return")
    graph.set_outs([graph.emit(TABLE["add"], (0, 1)) for _ in range(50_000)])
    cse(graph)
    assert len(graph) == 3 and set(graph.outs) == {2}


@pytest.mark.parametrize("limit", range(5))
def test_merges_count_towards_the_rewrite_limit(limit):
    graph = graph_of(*["exp(%0)"] * 4, outs="%3, %4, %5, %6")
    as_pipeline("cse").run(graph, limit=limit)
    assert len(names(graph)) == 4 - max(limit - 1, 0), "the first step is that the pass begins"
