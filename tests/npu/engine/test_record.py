"""The record of a run: its critical path accounts for every cycle."""

import pytest

from benchmarks.ascend.jobs import ALL_JOBS, B1, IDS
from minigraph.npu.engine.lower import program_of
from minigraph.npu.engine.program import QUEUES, Instr
from minigraph.npu.engine.queues import run
from minigraph.npu.engine.record import Run, Skip, Span
from minigraph.npu.tiling.layout import layout_of


def span(queue, start, end, bound_by="issue", after=-1, slowed=False):
    """One span of a hand-written run."""
    return Span(Instr(queue, queue, end - start), start, end, bound_by, 0, after, slowed)


def test_the_path_is_traced_back_from_the_last_span_and_extrapolated_stretches_scale_it():
    spans = (span("MTE2", 10, 110, slowed=True), span("S", 10, 11), span("V", 135, 155, "flag", 0))
    assert Run(155, {}, spans, ()).critical == {"V": 20, "bandwidth": 100, "flag": 25, "issue": 10}
    spans = (span("V", 0, 100), span("V", 900, 1000, "queue", 0))
    assert Run(1000, {}, spans, (Skip(100, 900, 8),)).critical == {"V": 1000}
    assert Run(0, {}, (), ()).critical == {}


@pytest.mark.parametrize("name, job", ALL_JOBS, ids=IDS)
def test_the_critical_path_covers_the_whole_run(name, job):
    for plan in layout_of(job, B1).plans:
        result = run(program_of(plan, B1), B1)
        assert sum(result.critical.values()) == pytest.approx(result.cycles)
        assert set(result.critical) <= {"queue", "issue", "flag", "buffer", "bandwidth", *QUEUES}
