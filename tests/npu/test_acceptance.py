"""What the simulator was to do, point by point.

Points 1, 2 and 5, and that the engines agree, are in ``test_published.py``; headers of files in ``reports``.
"""

import json
import tomllib

import pytest

from benchmarks.ascend.jobs import ALL, B1, lanes, matmul
from minigraph.core.errors import ChipError, UsageError
from minigraph.npu import CHIPS, Schedule, chrome_trace, cycles, measure, simulate
from minigraph.npu.chips.chip import SECTIONS
from minigraph.npu.chips.chip_file import load_chip
from minigraph.npu.engine import queues
from minigraph.npu.engine.account import level_bytes
from minigraph.npu.engine.lower import program_of
from minigraph.npu.engine.program import QUEUES, length
from minigraph.npu.measure import cost_of
from minigraph.npu.tiling import analytic
from minigraph.npu.tiling.layout import layout_of
from tests.npu.graphs import chain, matmul_add


@pytest.mark.parametrize("better", [
    {"pool_gm": 3.0, "pool_gm_write": 3.2, "pool_gm_roof": 3.6}, {"pool_l2": 12.0, "pool_l2_roof": 16.0},
    {"buf_l2": 1 << 29}, {"cores_aic": 48, "cores_aiv": 96}, {"buf_l1": 1 << 20, "buf_ub": 1 << 19},
    {"buf_l0c": 1 << 18},
])  # fmt: skip
def test_3_a_better_chip_is_never_slower(better):
    """Within 2 %: tiles are whole, and the ones that fit a larger buffer may not divide the work as evenly."""
    chip = B1.changed(**better)
    head = B1.task.head_us * B1.cores.freq_mhz
    for _, job in ALL:
        assert cost_of(job, chip, "analytic").cycles + head <= 1.02 * (cost_of(job, B1, "analytic").cycles + head), job


def test_4_bytes_and_cycles_are_conserved():
    for _, job in ALL:
        cost = cost_of(job, B1)
        levels = [level_bytes(part.program) for part in cost.parts]
        assert cost.bytes == {level: sum(one[level] for one in levels) for level in cost.bytes}
        for part in cost.parts:
            assert all(part.busy[q] + part.wait[q] + part.idle[q] == part.cycles for q in QUEUES)


def test_4_an_addition_moves_its_operands_and_its_result_once():
    n = 1 << 27
    (part,) = cost_of(lanes(n, 2, 1, {"simple": 1}), B1).parts
    assert level_bytes(part.program)["GM"] == pytest.approx(3 * 2 * n, rel=1e-3)
    assert level_bytes(part.program)["UB"] == pytest.approx(3 * 2 * n, rel=1e-3)


def test_6_a_trace_is_events_of_the_known_kinds():
    found = json.loads(chrome_trace(simulate(matmul_add())))
    assert {event["ph"] for event in found["traceEvents"]} == {"X", "M", "C", "s", "f"}
    assert found["displayTimeUnit"] in ("ms", "ns")


def test_7_both_engines_say_the_same_every_time():
    for engine in measure.ENGINES:
        for _, job in ALL[::4]:
            first = cost_of(job, B1, engine)
            cost_of.cache_clear(), layout_of.cache_clear()
            assert cost_of(job, B1, engine) == first


def test_8_a_mapping_that_idles_the_cube_is_refused_and_an_idle_shape_is_noted():
    with pytest.raises(UsageError, match="leaves the cube idle"):
        cost_of(matmul(512, 512, 512), B1, schedule=Schedule(base=(1, 1, 16)))
    notes = cost_of(matmul(1, 512, 512), B1).layout.notes
    assert any("6 % of the cube works along m: 1 padded to 16" in note for note in notes)


def test_9_the_fast_path_steps_no_instruction_and_prices_equal_kernels_once(monkeypatch):
    """How fast both engines are is measured by ``python -m benchmarks.ascend --speed``: tests look at no clock."""
    priced = []
    monkeypatch.setattr(queues, "run", lambda *args: pytest.fail("the analytic path stepped instructions"))
    monkeypatch.setattr(measure, "layout_of", lambda *args: priced.append(args) or layout_of(*args))
    cost_of.cache_clear()
    assert simulate(chain(500), engine="analytic").cycles > 0
    assert len(priced) <= 3  # the first one may be cold
    assert cycles(chain(500)) > 0


def test_9_long_loops_are_carried_forward_so_that_memory_is_bounded():
    program = program_of(layout_of(lanes(1 << 32, 2, 1, {"simple": 1}), B1).plans[0], B1)
    assert length(program.items) > 20_000
    assert len(queues.run(program, B1).spans) < 2_000
    assert analytic.vector_cycles(layout_of(lanes(1 << 32, 2, 1, {"simple": 1}), B1).vector, B1) > 0


@pytest.mark.parametrize("section", SECTIONS)
def test_10_every_figure_has_a_source_and_one_without_is_refused(tmp_path, section):
    text = CHIPS["ascend910b1"].read_text("utf-8")
    assert all(entry["src"].strip() for entry in tomllib.loads(text)[section].values())
    key = next(iter(tomllib.loads(text)[section]))
    lines, inside = [], ""
    for line in text.splitlines():
        inside = line.strip("[]") if line.startswith("[") else inside
        wrong = inside == section and line.startswith(f"{key} = ")
        lines.append(line.replace('src = "', 'src = "" # "', 1).split(" # ")[0] + ', grade = "S"}' if wrong else line)
    file = tmp_path / "mine.toml"
    file.write_text("\n".join(lines))
    with pytest.raises(ChipError, match=rf"mine.toml: {section}\.{key} has no src"):
        load_chip(file)
