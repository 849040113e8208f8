"""Simulating graphs and functions: jobs depend on work records, never on operator names."""

import re
from dataclasses import replace

import numpy as np
import pytest

from minigraph import Graph, Tensor, jit, ops, trace
from minigraph.core.errors import UnknownNameError, UsageError, VerifyError
from minigraph.core.op import TABLE, Op, apply
from minigraph.core.types import TensorType, bfloat16, float16, float32
from minigraph.ir.outline import outline
from minigraph.ir.text import parse
from minigraph.npu import CHIPS, Schedule, chip_named
from minigraph.npu.simulator import cycles, graph_of, job_of, jobs_of, simulate
from minigraph.npu.tiling.layout import ESTIMATE_NOTE
from minigraph.npu.trip_counts import BRANCH_NOTE
from tests.npu.graphs import ADD, MATMUL, VIEW, chain, matmul_add
from tests.npu.graphs import graph_of as inputs_of
from tests.tables import error_cases

SMALL_BUFFER_CHIP = chip_named("ascend310").replace(buf_ub=4096, buf_l1=8192, buf_l0c=2048, buf_l0a=4096, buf_l0b=4096)


def zeros_of(type):
    """A tensor of zeros of a type."""
    return Tensor(np.zeros(type.shape, type.dtype.numpy))


@pytest.mark.parametrize("chip", CHIPS)
@pytest.mark.parametrize("engine", ["event", "analytic"])
def test_every_chip_runs_every_engine_and_cycles_is_the_analytic_report(chip, engine):
    graph = matmul_add()
    report = simulate(graph, chip=chip, engine=engine)
    assert (len(report.rows), report.chip) == (2, chip_named(chip))
    assert report.cycles > 0
    tolerance = {"abs": 2} if engine == "analytic" else {"rel": 0.05}
    assert cycles(graph) == pytest.approx(simulate(graph, engine=engine).cycles, **tolerance)
    assert cycles(graph, warm=False) > cycles(graph)


def test_operator_names_do_not_matter():
    graph = matmul_add()
    renamed = graph.clone()
    for node in renamed:
        renamed.nodes[node]["op"] = replace(renamed.op(node), name="something else")
    assert cycles(renamed) == cycles(graph)


test_wrong_arguments_raise = error_cases(
    (lambda: simulate(3), UsageError, "int is neither a graph nor a function"),
    (lambda: simulate(matmul_add(), chip="ascend910"), UnknownNameError, "no chip 'ascend910'"),
    (lambda: simulate(matmul_add(), engine="x"), UnknownNameError, "no engine"),
    (lambda: simulate(matmul_add(), host="x"), UnknownNameError, "no host preset"),
)


def test_views_and_leaves_are_free_equal_nodes_equal_jobs_and_long_chains_simulate():
    graph, (x,) = inputs_of((64,))
    graph.set_outs([graph.emit(VIEW, [x])])
    assert cycles(graph) == 0 and graph_of(graph) is graph
    assert isinstance(graph_of(lambda x: x + 1, Tensor([1.0])), Graph)
    jobs = [job for _, job in jobs_of(chain(100), chip_named("ascend910b1"))]
    assert (len(jobs), len(set(jobs))) == (100, 1)
    assert len(simulate(chain(50_000, n=16), engine="analytic").rows) == 50_000


def test_fusing_saves_heads_and_traffic():
    separate, fused = chain(8, n=1 << 20), chain(8, n=1 << 20)
    outline(fused, [node for node in fused if fused.ins(node)], {"name": "all"})
    a, b = simulate(separate), simulate(fused)
    assert (len(a.rows), len(b.rows)) == (8, 1)
    assert a.us - b.us > 7 * 6
    assert b.bytes["L2"] < a.bytes["L2"] / 4


def with_bodies(attrs, *bodies):
    """A graph of one node with bodies."""
    graph, (x,) = inputs_of((64,))
    region = replace(ADD, name="test region", role="compute", family="region", unit="scalar")
    graph.set_outs([graph.emit(region, [x], attrs, [graph.type(x)], regions=bodies)])
    return graph


def test_a_loop_costs_its_bodies_times_their_trip_counts():
    body = chain(2, n=64)
    graph = with_bodies({"length": 10}, body)
    assert cycles(graph) == 10 * cycles(body)
    assert simulate(graph).rows[0].cost.layout.vector is None
    assert simulate(graph).cycles == pytest.approx(10 * simulate(body).cycles, rel=0.01)


def test_a_loop_with_an_unknown_trip_count_notes_the_assumption():
    graph = with_bodies({"carries": 1}, chain(1, n=64), chain(1, n=64))
    assert any("1 iteration assumed" in note for note in simulate(graph).notes)
    assert simulate(graph, rounds=5).cycles > 3 * simulate(graph, rounds=1).cycles


def test_the_most_expensive_branch_is_counted():
    graph = with_bodies({}, chain(1, n=64), chain(5, n=64))
    assert cycles(graph) == cycles(chain(5, n=64))
    assert BRANCH_NOTE in simulate(graph).rows[0].cost.layout.notes


def test_the_dtype_is_the_cubes_operands_or_the_widest_and_a_record_without_work_an_estimate():
    graph, (x, w) = inputs_of((16, 16), (16, 16))
    for op, ins, dtype in ((MATMUL, [x, w], float16), (ADD, [x], float32)):
        node = graph.emit(op, ins, types=[TensorType((16, 16), float32)])
        assert job_of(graph, node, 0.0).dtype is dtype
    silent = replace(ADD, name="test silent", work=Op.__dataclass_fields__["work"].default)
    graph, (x,) = inputs_of((1024,))
    graph.set_outs([graph.emit(silent, [x])])
    (row,) = simulate(graph).rows
    assert ESTIMATE_NOTE in row.cost.layout.notes
    assert row.cost.bytes["L2"] == pytest.approx(2 * 2048, rel=0.05)


def test_bfloat16_takes_the_time_of_float16():
    def time_of(dtype):
        x = zeros_of(TensorType((256, 256), dtype))
        return simulate(jit(lambda a, b: (a @ b + b).sum()).graph(x, x)).cycles

    assert time_of(bfloat16) == time_of(float16) < time_of(float32)


def test_a_transposition_is_a_task_unless_only_the_cube_reads_it_and_a_broadcast_is_read_once():
    def captured_graph(fn, *types):
        return jit(fn).graph(*map(zeros_of, types), pipeline=())

    x, row = TensorType((256, 256), float32), TensorType((1, 256), float32)
    assert [row.kind for row in simulate(captured_graph(lambda x, w: x.T @ w, x, x)).rows] == ["AI_CORE"]
    assert len(simulate(captured_graph(lambda x, w: x.T + w, x, x)).rows) == 2
    assert len(simulate(captured_graph(lambda x: x.reshape((64, 1024)) + 1, x)).rows) == 1
    graph = captured_graph(lambda x, row: x * ops.broadcast_to(row, (256, 256)), x, row)
    ((node, job),) = jobs_of(graph, chip_named("ascend910b1"))
    assert graph.op(node).unit == "vector"
    assert job.work.read == x.nbytes + row.nbytes


def test_a_function_is_captured_and_optimised_and_a_jitted_one_has_a_graph():
    x, w = Tensor([[1.0, 2.0]]), Tensor([[3.0], [4.0]])
    report = simulate(lambda x, w: (x @ w).tanh() + (x @ w).tanh(), x, w)
    assert len(report.rows) < 5  # one product, one fused node; not two products, two tanh and an addition
    step = jit(lambda x: x * x + x)
    assert cycles(step.graph(x)) == cycles(graph_of(step, x))
    assert simulate(step, x).cycles == simulate(step.graph(x)).cycles


def test_a_pipeline_optimises_a_copy_of_a_graph():
    graph = trace(lambda x, w: ops.relu(x @ w), ops.ones((64, 64)), ops.ones((64, 64)))
    text = str(graph)
    as_it_is, fused, copied = (simulate(graph, pipeline=pipeline) for pipeline in (None, "cann", ()))
    assert [len(report.rows) for report in (as_it_is, fused, copied)] == [2, 1, 2] and str(graph) == text
    assert fused.eager_us == copied.eager_us == as_it_is.eager_us > 0, "eager mode launches the operators of the graph"


def test_a_schedule_is_applied():
    graph = matmul_add()
    assert simulate(graph, schedule=Schedule(buffers=1)).cycles > simulate(graph).cycles
    with pytest.raises(UsageError, match="leaves the cube idle"):
        simulate(graph, schedule=Schedule(base=(1, 1, 16)))


@pytest.mark.parametrize("engine", ["event", "analytic"])
@pytest.mark.parametrize("chip", [chip_named("ascend910b1"), chip_named("ascend310"), SMALL_BUFFER_CHIP], ids=str)
def test_every_operator_can_be_simulated(chip, engine):
    """Samples include empty tensors, which make no tasks. Small buffers get small tiles."""
    rng = np.random.default_rng(0)
    for name, op in TABLE.items():
        for sample in op.samples(rng) if op.samples else ():
            args = [Tensor(np.asarray(arg)) for arg in sample.args]
            graph = trace(lambda *operands, name=name, attrs=sample.attrs: apply(name, *operands, **attrs), *args)
            report = simulate(graph, chip=chip, engine=engine)
            assert report.bound_us <= report.us, name
            assert all(row.cost.cycles > 0 for row in report.rows), name


def test_operands_that_only_the_cube_reads_are_transposed_by_no_task():
    x, w = (Tensor(np.ones((64, 64), np.float32)) for _ in range(2))
    report = simulate(lambda x, w: x @ w.T + 1.0, x, w, pipeline="cann")
    assert len(report.rows) == 1
    report = simulate(lambda x, w: x @ w.T + w.T, x, w, pipeline="cann")
    assert [row.type for row in report.rows].count("transpose") == 1


def test_a_kernel_of_additions_reads_pairs_and_one_with_an_exponential_does_not():
    x, y = (Tensor(np.ones(64, np.float32)) for _ in range(2))
    kernels = (lambda x, y: x + y, lambda x, y: x + y + y, lambda x, y: (x + y).exp(), lambda x, y: x + 2.0)
    graphs = [graph_of(kernel, x, y, pipeline="default") for kernel in kernels]
    pairs = [[job.reads_pairs for _, job in jobs_of(graph, chip_named("ascend910b1"))] for graph in graphs]
    assert pairs == [[True], [True], [False], [False]]


def test_rows_that_are_reduced_and_read_again_take_two_passes():
    x = Tensor(np.ones((4, 64), np.float32))
    graph = graph_of(lambda x: x / ops.abs(x).sum(1, keepdims=True), x, pipeline="graph_kernel")
    (_, job), = jobs_of(graph, chip_named("ascend910b1"))  # fmt: skip
    assert job.work.rows == (4, 64) and job.work.passes == 2


MALFORMED = {
    " %1 = matmul(%0) : f32[2]\n return %1": "%1 = matmul takes 2 operands, got 1",
    " %1 = relu(%0.1) : f32[2]\n return %1": "%1 = relu uses result 1 of %0",
    " %1 = relu(%0) : f32[3]\n return %1": "%1 = relu has types f32[3]",
    ' %1 = fused(%0) {name="x"} : f32[2]\n return %1': "a fused node with 0 bodies",
    " return %0.1": "output 0 is result 1 of %0",
}


@pytest.mark.parametrize("text", MALFORMED)
def test_a_malformed_graph_is_refused(text):
    graph = parse('graph f(%0)\n %0 = input() {name="x"} : f32[2]\n' + text, check=False)
    with pytest.raises(VerifyError, match=re.escape(MALFORMED[text])):
        simulate(graph)
