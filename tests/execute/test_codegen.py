"""The source of a program: one line per operator with node and location, unique names."""

import pytest

from minigraph import jit, ops, trace
from minigraph.core.op import TABLE
from minigraph.execute.codegen import SourceText
from minigraph.execute.compile import compile_graph
from tests.execute.texts import NAMES, X, check_buffers, check_hostile_names, check_operator_name, lines


def source_text(fn, *args):
    return SourceText(plan_of(fn, *args))


def plan_of(fn, *args):
    return compile_graph(trace(fn, *args)).plan


def test_a_line_calls_a_kernel_and_names_node_and_place():
    source = source_text(lambda x: (x * x + x).tanh(), X)
    position = f"test_codegen.py:{test_a_line_calls_a_kernel_and_names_node_and_place.__code__.co_firstlineno + 1}"
    assert lines(source) == [
        f"v1 = mul(v0, v0, b0)  # %1 {position}",
        f"v2 = add(v1, v0, b0)  # %2 {position}",
        f"v3 = tanh(v2)  # %3 {position}",
    ]
    assert [source.step_at(k).op.name for k in (4, 5, 6)] == ["mul", "add", "tanh"]


def test_one_kernel_has_one_name_and_a_slot_is_a_buffer_viewed_as_a_type():
    source = source_text(lambda x: ((x * x) * x + x * x).sum(0), X)
    assert all(" = mul(" in line for line in lines(source)[:2])
    assert len(source.slots) == len(set(source.slots)) == 2


def test_the_text_computes_in_its_buffers_and_nodes_of_a_fused_node_have_both_numbers():
    check_buffers(source_text(lambda x: (x * x) + x, X))
    program = jit(lambda x: (x * x + x).tanh()).program(X)
    assert [line.split()[-2].count("%") for line in program.source.splitlines() if "# " in line] == [2, 2, 2]


def test_no_user_text_is_compiled_as_code():
    check_hostile_names(plan_of, SourceText)


@pytest.mark.parametrize("name", NAMES)
def test_operators_of_any_name_get_unique_names(name):
    check_operator_name(name, plan_of, SourceText)


def test_every_step_is_one_line_for_any_number_of_results():
    def fn(x):
        ops.Print()(x)
        first, second = TABLE["split"](x * 2.0, sizes=1, axis=0)
        return first * second

    source = source_text(fn, X)
    assert len(lines(source)) == len(source.plan.steps)
    assert any("v3, v4, = split(v2)" in line for line in lines(source)), source.text
    assert any(line.startswith("print(v0)") for line in lines(source)), source.text


def test_text_has_one_line_for_each_step_of_fused_bodies_and_nothing_else():
    program = jit(lambda x, y: ((x * y + x).tanh().sum(), x.T @ y)).program(X[None], X[None])
    headers = (" = inputs", " = buffers")
    _, *body, last = (line for line in program.source.splitlines() if not line.endswith(headers))
    assert [line.partition("# ")[2].split()[0] for line in body] == [step.node for step in program.plan.steps]
    assert last.startswith("    return ")
