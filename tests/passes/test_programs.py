"""Effects survive every pass list: random programs before and after random pipelines, compared by bits."""

import pytest

from minigraph.ir.text import parse, to_text
from passes import as_pipeline
from tests.passes.fixtures import assert_preserves_results, outcome
from tests.passes.programs import BUILT_IN, pass_list, program
from tests.passes.small_graphs import graph_of
from tests.tables import every


@every(pipeline=["default", "any"], seed=range(150))
def test_the_default_pipeline_and_any_pass_list_keep_every_bit(pipeline, seed):
    chosen = pass_list(seed) if pipeline == "any" else as_pipeline(pipeline)
    assert_preserves_results(chosen.run, program(seed), seed, str(chosen))


@pytest.mark.parametrize("seed", range(60))
def test_text_keeps_the_program(seed):
    graph = program(seed)
    as_pipeline("default").run(graph)
    again = parse(to_text(graph))
    assert graph.same_as(again)
    again.params = graph.params  # the text has their keys only
    assert outcome(again, seed) == outcome(graph, seed)


@pytest.mark.parametrize("seed", range(60))
def test_without_auto_depend_effects_behind_a_depend_survive_and_the_outputs_stay(seed):
    graph = program(seed, auto_depend=False)
    tied = effects_behind_depends(graph)
    before = outcome(graph, seed).outs
    as_pipeline("default").run(graph)
    assert tied <= effects(graph)
    if not tied:  # the order of independent effects is unspecified
        assert outcome(graph, seed).outs == before


def effects(graph):
    """The nodes that write."""
    return {node for node in graph if graph.op(node).writes}


def effects_behind_depends(graph):
    """The nodes that write and on which an output depends by operands, as captured (depends are nodes there)."""
    needed = set()
    stack = [ref if isinstance(ref, int) else ref[0] for ref in graph.outs]
    while stack:
        node = stack.pop()
        if node not in needed:
            needed.add(node)
            stack += [ref if isinstance(ref, int) else ref[0] for ref in graph.ins(node)]
    return needed & effects(graph)


# ---- planted faults: the comparison above must see each of them ---------------------------------------


def merge_across_writes(graph):
    """CSE that ignores effects: merges equal assignments and prints."""
    seen = {}
    for node in graph.topological():
        key = (graph.op(node), graph.ins(node))
        if graph.op(node).effects and not graph.op(node).is_leaf and seen.setdefault(key, node) != node:
            graph.replace_uses({node: seen[key]} if graph.types(node) else {})
            graph.discard(node)


def drop_prints(graph):
    """DCE that ignores effects without a result."""
    for node in [node for node in graph if not graph.types(node)]:
        graph.discard(node)


def drop_assigns(graph):
    """DCE that ignores assignments without users."""
    for node in [node for node in effects(graph) if graph.types(node) and not graph.use_count(node)]:
        graph.discard(node)


def read_stale_value(graph):
    """A value read after an assignment becomes the value before it."""
    for node in [node for node in graph if graph.op(node).stores]:
        graph.replace_uses({node: graph.ins(node)[0]})


def duplicate_effects(graph):
    """An effect is duplicated."""
    for node in [node for node in graph if not graph.types(node)]:
        graph.emit(graph.op(node), graph.ins(node), graph.attrs(node), graph.types(node))


def swap_operands(graph):
    """A subtraction is treated as commutative."""
    for node in [node for node in graph if len(graph.ins(node)) == 2 and graph.op(node).name == "sub"]:
        graph.set_operands(node, graph.ins(node)[::-1])


def reverse_prints(graph):
    """The order of prints is reversed."""
    prints = [node for node in graph if not graph.types(node)]
    operands = [(graph.ins(node), graph.attrs(node)) for node in prints]
    for node, (ins, _) in zip(prints, reversed(operands), strict=True):
        if all(ref in graph.inputs for ref in ins):
            graph.set_operands(node, ins)


FAULTS = (
    merge_across_writes,
    drop_prints,
    drop_assigns,
    read_stale_value,
    duplicate_effects,
    swap_operands,
    reverse_prints,
)


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.__name__)
def test_some_program_detects_an_injected_fault(fault):
    def differs(seed):
        graph = program(seed)
        before = outcome(graph, seed)
        fault(graph)
        return outcome(graph, seed) != before

    assert any(map(differs, range(60)))


def test_a_lost_depend_is_detected():
    assert any(effects_behind_depends(without_depends(seed)) != expected_effects(seed) for seed in range(60))


def without_depends(seed):
    """A program whose depends are replaced by their value."""
    graph = program(seed, auto_depend=False)
    for node in [node for node in graph if graph.op(node).role == "depend"]:
        graph.set_operands(node, graph.ins(node)[:1])
    return graph


def expected_effects(seed):
    """The effects that must survive in the correct program."""
    return effects_behind_depends(program(seed, auto_depend=False))


# ---- size --------------------------------------------------------------------------------------------


CHAIN = {
    "neg": "neg(%0)", "depend": "depend(%0, %0)", "transpose": "transpose(%0) {axes=(1, 0)}",
    "matmul": "matmul(%0, %0)", "add": "add(%0, %0)", "cast": "cast(%0) {dtype=f32}",
}  # fmt: skip


@every(op=CHAIN, name=BUILT_IN)
def test_chains_of_fifty_thousand_operators(name, op):
    graph, first = graph_of(outs="%0"), graph_of(CHAIN[op])
    count, record, attrs = len(first.ins(3)), first.op(3), first.attrs(3)
    value = 0
    for _ in range(50_000):
        value = graph.emit(record, (value,) * count, attrs, [graph.type(0)])
    graph.set_outs([value])
    as_pipeline([name]).run(graph)
