"""The laws of ``benchmarks.ascend.laws`` can fail: a simulator that breaks one is reported, and sizes do grow."""

import ast
import re
from types import SimpleNamespace

import pytest

from benchmarks.ascend import laws
from minigraph.npu.chips.registry import CHIPS
from minigraph.npu.tiling.cube_blocks import LARGE_BLOCKS
from minigraph.npu.tiling.schedule import DEFAULT

PAIRS_PER_CHIP = 10
MAX_UNIT = max(map(max, LARGE_BLOCKS))


def elements(graph):
    """The elements of all operands of a graph."""
    return sum(graph.types(node)[0].size for node in graph.inputs)


BROKEN_TIMES = {
    "larger job": lambda graph, chip, schedule, engine: elements(graph) ** -16.0,
    "half of the cores": lambda graph, chip, schedule, engine: chip.cores.aic,
    "fewer cores": lambda graph, chip, schedule, engine: chip.cores.aic,
    "lower clock": lambda graph, chip, schedule, engine: chip.cores.freq_mhz**2,
    "single buffers": lambda graph, chip, schedule, engine: 1 + (schedule.buffers != 1),
    "engines": lambda graph, chip, schedule, engine: 1 + 0.06 * (engine == "analytic"),
}


def simulator_of(us, bound=0.0):
    """A simulator whose reports have one task of ``us`` microseconds, with a roofline bound."""

    def simulate(graph, *, chip, schedule=DEFAULT, engine="event"):
        cycles = us(graph, chip, schedule, engine) * chip.cores.freq_mhz
        cost = SimpleNamespace(cycles=cycles, bound=bound * cycles, head_us=6.0, layout=SimpleNamespace(cube=()))
        row = SimpleNamespace(cost=cost, chip=SimpleNamespace(us=chip.us, task=SimpleNamespace(head_us=6.0)))
        return SimpleNamespace(rows=[row])

    return simulate


@pytest.mark.parametrize("law", BROKEN_TIMES)
def test_a_simulator_that_breaks_a_law_is_reported_for_every_pair(law, monkeypatch):
    monkeypatch.setattr(laws, "simulate", simulator_of(BROKEN_TIMES[law]))
    broken = [violation for violation in laws.violations(seed=3, count=2) if violation.law == law]
    assert {violation.chip for violation in broken} == set(CHIPS)
    assert len(broken) == 2 * len(CHIPS)


def test_times_under_the_roofline_are_reported_and_a_constant_time_is_not(monkeypatch):
    monkeypatch.setattr(laws, "simulate", simulator_of(lambda *_: 1.0, bound=1.001))
    assert {violation.law for violation in laws.violations(seed=3, count=1)} == {"roofline"}
    monkeypatch.setattr(laws, "simulate", simulator_of(lambda *_: 1.0, bound=1.0))
    assert list(laws.violations(seed=3, count=1)) == []


def test_every_chip_has_so_many_pairs_whose_larger_job_is_larger_than_the_rounded_one():
    chips = []
    for chip, job, graph, rounded, larger in laws.pairs(seed=5, count=PAIRS_PER_CHIP):
        chips.append(chip.name)
        assert elements(graph) <= elements(rounded) < elements(larger), job
    assert {name: chips.count(name) for name in chips} == dict.fromkeys(CHIPS, PAIRS_PER_CHIP)


def test_sizes_are_rounded_up_by_less_than_a_unit_and_one_of_them_grows_by_a_unit_or_more():
    """The unit is a cube or repeat, a block where the vendor's library takes one, or images of 16 pixels together."""
    units_by_kind = {kind.name: [unit for unit, _, _ in kind.sizes] for kind in laws.JOB_KINDS}
    most, grown = 0, 0
    for _, job, *_ in laws.pairs(seed=5, count=PAIRS_PER_CHIP):
        name = re.match(r"(.*?) (?:float|bfloat|\()", job)[1]
        sizes = [*map(ast.literal_eval, re.findall(r"\[.*?\]", job))]
        if name != "chain":
            (drawn, rounded, larger), units = sizes, units_by_kind[name]
            gaps = [after - before for before, after in zip(drawn, rounded, strict=True)]
            assert all(0 <= gap < max(unit, MAX_UNIT) for gap, unit in zip(gaps, units, strict=True)), job
            steps = [after - before for before, after in zip(rounded, larger, strict=True)]
            assert sorted(steps)[:-1] == [0] * (len(steps) - 1) and max(steps) >= units[steps.index(max(steps))], job
            most, grown = most + any(gap >= unit for gap, unit in zip(gaps, units, strict=True)), grown + 1
    assert most < 0.2 * grown, "few are rounded up to blocks, so that the law is asked of small steps, too"
