"""Further files of the profiler: exact headers, sums that agree with the report."""

import csv
import io

import numpy as np
import pytest

import minigraph as ms
from minigraph import Tensor, ops
from minigraph.npu.reports.profiler import fusion_op, op_statistic, task_time
from minigraph.npu.simulator import simulate
from tests.npu.graphs import chain, empty_graph, matmul_add

# The headers that the vendor's profiler writes, independent of the code.
VENDOR = {
    op_statistic: "Model Name,OP Type,Core Type,Count,Total Time(us),Min Time(us),Avg Time(us),Max Time(us),Ratio(%)",
    fusion_op: "Model Name,Model ID,Fusion Op,Original Ops,Memory Input(KB),Memory Output(KB),Memory Weight(KB),"
    "Memory Workspace(KB),Memory Total(KB)",
    task_time: "kernel_name,kernel_type,stream_id,task_id,task_time(us),task_start(us),task_stop(us)",
}
REPORT = simulate(matmul_add())
WEIGHT = ms.Parameter(Tensor(np.ones((1024, 256), np.float32)), name="weight")


def read_rows(text):
    """A file's rows as dictionaries."""
    return list(csv.DictReader(io.StringIO(text)))


@pytest.mark.parametrize("write", VENDOR, ids=lambda write: write.__name__)
def test_headers_are_exactly_the_vendors(write):
    assert write(REPORT).encode().split(b"\n")[0] == VENDOR[write].encode()
    assert write(REPORT).endswith("\n")
    assert len({len(row) for row in csv.reader(io.StringIO(write(REPORT)))}) == 1


def test_statistics_add_up_and_tasks_follow_each_other():
    report = simulate(chain(7))
    (row,) = read_rows(op_statistic(report))
    assert (row["OP Type"], row["Core Type"], row["Count"]) == ("test add", "AI_VECTOR_CORE", "7")
    assert float(row["Total Time(us)"]) == pytest.approx(report.us, abs=1e-2)
    assert float(row["Min Time(us)"]) <= float(row["Avg Time(us)"]) <= float(row["Max Time(us)"])
    assert sum(float(row["Ratio(%)"]) for row in read_rows(op_statistic(REPORT))) == pytest.approx(100, abs=0.01)
    first, second = read_rows(task_time(REPORT))
    assert (first["task_id"], second["task_id"]) == ("0", "1")
    assert first["task_stop(us)"] == second["task_start(us)"]
    assert float(second["task_stop(us)"]) == pytest.approx(REPORT.us, abs=1e-2)


def test_a_fused_node_names_its_operators_and_its_bytes():
    report = simulate(lambda x: ops.exp(x * WEIGHT) + 1, Tensor(np.ones((1024, 256), np.float32)))
    (row,) = read_rows(fusion_op(report))
    names = [name.rpartition("_")[0] for name in row["Original Ops"].split(";")]
    assert names == ["mul", "exp", "add"]
    assert float(row["Memory Input(KB)"]) == pytest.approx(1024, abs=0.01)
    assert float(row["Memory Weight(KB)"]) == pytest.approx(1024, abs=0.01)
    assert float(row["Memory Output(KB)"]) == 1024
    assert float(row["Memory Total(KB)"]) == pytest.approx(3072, abs=0.01)


def test_an_empty_graph_has_headers_only():
    for write, header in VENDOR.items():
        assert write(simulate(empty_graph())) == header + "\n"
