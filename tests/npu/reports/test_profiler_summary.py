"""``op_summary.csv``: exactly the profiler's columns."""

import csv
import io

import pytest

from minigraph import ops
from minigraph.npu import op_summary, simulate
from tests.npu.graphs import chain, matmul_add

# The header that the vendor's profiler writes for chips with separate cube and vector cores, independent of the code.
VENDOR_HEADER = (
    "Device_id,Model ID,Task ID,Stream ID,Op Name,OP Type,OP State,Task Type,Task Start Time(us),"
    "Task Duration(us),Task Wait Time(us),Block Dim,Mix Block Dim,HF32 Eligible,Input Shapes,"
    "Input Data Types,Input Formats,Output Shapes,Output Data Types,Output Formats,Context ID,"
    "aicore_time(us),aic_total_cycles,aic_mac_time(us),aic_mac_ratio,aic_scalar_time(us),"
    "aic_scalar_ratio,aic_mte1_time(us),aic_mte1_ratio,aic_mte2_time(us),aic_mte2_ratio,"
    "aic_fixpipe_time(us),aic_fixpipe_ratio,aic_icache_miss_rate,aiv_time(us),aiv_total_cycles,"
    "aiv_vec_time(us),aiv_vec_ratio,aiv_scalar_time(us),aiv_scalar_ratio,aiv_mte2_time(us),"
    "aiv_mte2_ratio,aiv_mte3_time(us),aiv_mte3_ratio,aiv_icache_miss_rate,cube_utilization(%)"
)
VENDOR_COUPLED_HEADER = (
    "aicore_time(us),total_cycles,vec_time(us),vec_ratio,mac_time(us),mac_ratio,scalar_time(us),scalar_ratio,"
    "mte1_time(us),mte1_ratio,mte2_time(us),mte2_ratio,mte3_time(us),mte3_ratio,icache_miss_rate,memory_bound"
)
REPORT = simulate(matmul_add())
TABLE = list(csv.DictReader(io.StringIO(op_summary(REPORT))))


def test_the_header_is_the_vendors_and_every_row_has_every_column():
    assert op_summary(REPORT).encode().split(b"\n")[0] == VENDOR_HEADER.encode()
    lines = list(csv.reader(io.StringIO(op_summary(simulate(chain(20))))))
    assert ({len(line) for line in lines}, len(lines)) == ({46}, 21)


def test_a_product_and_an_addition():
    product, addition = TABLE
    assert (product["Task Type"], addition["Task Type"]) == ("AI_CORE", "AI_VECTOR_CORE")
    assert product["Input Shapes"] == "512,512;512,512"
    assert product["Output Data Types"] == "FLOAT16"
    assert float(addition["Task Start Time(us)"]) == pytest.approx(float(product["Task Duration(us)"]), abs=1e-2)
    assert float(product["aic_mac_time(us)"]) > 0 == float(product["aiv_vec_time(us)"])
    assert float(addition["aiv_vec_time(us)"]) > 0 == float(addition["aic_mac_time(us)"])
    assert product["aic_icache_miss_rate"] == "N/A"


def test_task_types_of_fused_kernels_by_chip():
    x = ops.ones((256, 256))
    for chip, kind, cores in (("ascend310p3", "AI_CORE", "0"), ("ascend910b1", "MIX_AIC", "48")):
        report = simulate(lambda x: ops.gelu(x @ x), x, chip=chip, pipeline="cann")
        (row,) = csv.DictReader(io.StringIO(op_summary(report)))
        assert (row["Task Type"], row["Mix Block Dim"], report.rows[0].kind) == (kind, cores, kind)
    assert {row.kind for row in simulate(chain(2), chip="ascend910a").rows} == {"AI_CORE"}


def test_ratios_are_at_most_1_and_occupancy_is_not_cube_utilisation():
    for row in TABLE:
        assert all(0 <= float(value) <= 1 for name, value in row.items() if name.endswith("_ratio"))
    product = REPORT.rows[0]
    occupancy = float(TABLE[0]["cube_utilization(%)"])
    used = product.cost.cycles / product.cycles * sum(part.cores for part in product.cost.parts) / 24
    assert occupancy == pytest.approx(100 * used * product.cost.parts[0].balance, abs=0.01)
    assert occupancy != pytest.approx(100 * product.cost.cube_utilization, abs=1)


def test_coupled_chips_have_their_own_columns():
    text = op_summary(simulate(matmul_add(), chip="ascend910a"))
    assert text.split("\n")[0] == VENDOR_HEADER[: VENDOR_HEADER.index("aicore_time")] + VENDOR_COUPLED_HEADER
    product, addition = csv.DictReader(io.StringIO(text))
    assert float(product["mac_time(us)"]) > 0
    assert float(addition["vec_time(us)"]) > 0
    bound = float(addition["mte2_ratio"]) / float(addition["vec_ratio"])
    assert float(addition["memory_bound"]) == pytest.approx(bound, rel=0.02)
