"""Graphs in the syntax of MindSpore's ``.ir`` files: complete texts, and that they contain the whole graph."""

import re

import pytest

from minigraph import Tensor, jit, ops
from minigraph.capture.trace import trace
from minigraph.core.location import Loc
from minigraph.ir.graph_reader import producer, result_index
from minigraph.ir.structural_ops import CONST, Literal
from tests.tables import cases, results
from tests.viz.graphs import EXP, SPLIT, chain, f32, fused_step, hostile, one_input, op, random_dag, step
from tests.viz.ir_programs import FOLDER, PROGRAMS, STAGES, text_of
from viz.dump.ir_text import ir_text

UPDATE_HINT = "if the new text is correct, run: python -m tests.viz.ir_programs"
CALL = re.compile(
    r"  %(?P<name>\S+)\((CNode|ValueNode)_(?P=name)\) = "
    r"(?P<callee>(call @)?[^(]+)\((?P<operands>.*?)\)(?P<attrs> primitive_attrs: .*)?$"
)
OTHER = ("# ", "%para", "Node", "Total", "subgraph @", "      : (", "      # ", "}", "  Return(")
VALUE = re.compile(r"%([\w.#-]+)")


@pytest.mark.parametrize("stage", STAGES)
@pytest.mark.parametrize("program", PROGRAMS)
def test_whole_texts(program, stage):
    assert text_of(program, stage) == (FOLDER / f"{program}_{stage}.txt").read_text("utf-8"), UPDATE_HINT


def test_every_text_belongs_to_a_program():
    assert {path.stem for path in FOLDER.iterdir()} == {f"{name}_{stage}" for name in PROGRAMS for stage in STAGES}


# ---- the graph can be read off the text ------------------------------------------------------------


def entry_lines(graph):
    """The lines of the first subgraph that call something."""
    text = ir_text(graph)
    inside = text[text.index("subgraph @") : text.index("\n}")]
    matches = [CALL.match(row) for row in inside.splitlines() if re.match(r"  %", row)]
    assert all(matches)
    return {match["name"]: match for match in matches}


def value_name(graph, ref):
    """The name of a value that is not a constant."""
    node, several = producer(ref), len(graph.types(producer(ref))) > 1
    if graph.op(node).role in ("input", "parameter"):
        return "para"
    return f"{node}.{result_index(ref)}" if several else str(node)


def values(operands):
    return ["para" if name.startswith("para") else name for name in VALUE.findall(operands)]


@pytest.mark.parametrize("graph", [step(), fused_step(), chain(20), random_dag(60), random_dag(200, seed=3)], ids=repr)
def test_every_operator_every_operand_and_every_order_edge_is_in_the_text(graph):
    lines = entry_lines(graph)
    operators = [node for node in graph if not graph.op(node).is_leaf]
    assert {str(node) for node in operators} == {name for name in lines if name.isdigit()}
    for node in operators:
        expected = [value_name(graph, ref) for ref in graph.ins(node) if graph.op(producer(ref)).role != "const"]
        waits = [str(other) for other in graph.before(node)]
        assert values(lines[str(node)]["operands"]) == expected + [f"{node}.state"] * bool(waits)
        if waits:
            assert values(lines[f"{node}.state"]["operands"]) == waits


def test_every_line_of_the_programs_has_the_syntax():
    for path in FOLDER.iterdir():
        for row in path.read_text("utf-8").splitlines():
            assert not row or row.startswith(OTHER) or CALL.match(row), row


def test_operators_in_order_as_mindspore_users_look_for_them():
    text = ir_text(jit(lambda x: x + ops.sin(x)).graph(Tensor([1.0])))
    assert re.findall(r"= PrimFunc_(\w+)\(", text) == ["Sin", "Add"]


# ---- one by one ------------------------------------------------------------------------------------


def one(*emitted, outs=None):
    """A graph of an input and nodes by their ``emit`` arguments."""
    graph = one_input()
    for args in emitted:
        graph.emit(*args)
    graph.set_outs([graph.next_id - 1] if outs is None else outs)
    return graph


def return_text(graph):
    return ir_text(graph).partition("  Return(")[2].partition(")\n")[0]


test_what_is_returned = results(
    lambda nodes, outs: return_text(one(*nodes, outs=outs)),
    ([], None, "%para1_x"),
    ([], [], "None"),
    ([(EXP, (0,))], None, "%1"),
    ([(EXP, (0,))], [1, 1], "%results"),
    ([(CONST, (), {"value": Literal(1.5)})], None, "Tensor(shape=[], dtype=Float64, value=1.5)"),
)


def test_only_results_that_are_used_are_taken_out():
    graph = one((SPLIT, (0,), {}, [f32(1), f32(1), f32(1)]), (EXP, ((1, 1),)))
    assert [name for name in entry_lines(graph) if "." in name] == ["1.1"]
    assert "%2(CNode_2) = PrimFunc_Exp(%1.1)" in ir_text(graph)


SAY = op("say", effects=("io",))


def test_writes_without_users_are_kept_by_the_return():
    graph = one((SAY, (0,), {}, []), (EXP, (0,)))
    assert "UpdateState(IOMonad[IO], %1)" in ir_text(graph)
    assert "  %1(CNode_1) = Say(%para1_x) primitive_attrs: {side_effect_io: Bool(1)}" in ir_text(graph)
    assert return_text(graph) == "%kept"
    graph.keep_effects = False
    assert return_text(graph) == "%2"


def test_a_write_before_a_later_write_is_not_listed_twice():
    graph = one((SAY, (0,), {}, []), (SAY, (0,), {}, []), outs=[0])
    graph.order(1, 2, "effect")
    assert "%state(ValueNode_state) = UpdateState(IOMonad[IO], %2)" in ir_text(graph)
    assert "      # Order: %2 after %1 (effect)" in ir_text(graph)


def test_lines_of_the_user():
    locs = tuple(Loc("net.py", number, 4 * (number == 1), 9 * (number == 1)) for number in range(1, 12))
    graph = one()
    graph.set_outs([graph.emit(EXP, (0,), loc=locs)])
    rows = [row.strip() for row in ir_text(graph).splitlines() if row.strip().startswith("# In ")]
    assert rows[:2] == ["# In file net.py:1, 4~9//", "# In file net.py:2//"]
    assert rows[8:] == ["# In 3 more lines"]


@cases(
    ("capture", "Default/Exp-op1"),
    ("gradient", "Gradients/Default/Exp-op1"),
    ("my pass", "Default/my_pass/Exp-op1"),
)
def test_the_creator_of_a_node_is_its_scope(by, scope):
    graph = one()
    graph.by = by
    graph.set_outs([graph.emit(EXP, (0,), sources=(0,))])
    expected = [(scope, f"Made by {by.replace(' ', '_')} of %0")]
    assert re.findall(r"scope: \((.*)\)\n      # (.*)\n", ir_text(graph)) == expected


def test_notes_are_comments_at_the_end():
    assert ir_text(one(), ["one", "  two", ""]).endswith("}\n\n# one\n#   two\n#\n")


def test_hostile_text_makes_no_lines_of_its_own():
    rows = ir_text(hostile()).split("\n")
    assert all(row.isprintable() for row in rows)
    assert len(rows) == len(ir_text(hostile()).splitlines()) + 1
    assert sum(CALL.match(row) is not None for row in rows) == 3


def test_a_chain_of_50_000_operators_needs_no_recursion():
    assert ir_text(chain(50_000)).count("PrimFunc_Exp") == 50_000


def test_real_graphs_keep_their_numbers_from_stage_to_stage():
    fn = jit(lambda x: ops.exp(x @ x) * 2.0 + 1.0)
    x = Tensor([[1.0, 2.0], [3.0, 4.0]])
    first, last = (ir_text(fn.graph(x, pipeline=passes)) for passes in ((), None))
    for text in (first, last):
        assert "  %1(CNode_1) = PrimFunc_MatMul(%para1_x, %para1_x)" in text
    assert ir_text(trace(fn.fn, x)).partition("\n")[2] == first.partition("\n")[2].replace("@<lambda>", "@lambda")
