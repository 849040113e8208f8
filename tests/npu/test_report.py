"""Reports: totals, text for terminals and notebooks, timeline."""

from dataclasses import replace

import pytest

from minigraph import simulate
from minigraph.core.errors import MinigraphError
from minigraph.npu.chips.registry import chip_named
from minigraph.npu.engine.program import QUEUES
from minigraph.npu.job_cost import ENGINES
from minigraph.npu.report import SHOWN_TASKS, Report
from tests.npu.graphs import chain, empty_graph, matmul_add, reports
from tests.tables import cases

REPORTS = reports(matmul_add(), chain(40), matmul_add(4096, 4096, 4096), engines=ENGINES)


@pytest.mark.parametrize("report", REPORTS, ids=repr)
def test_cycles_of_every_queue_add_up_to_the_run_and_totals_are_sums(report):
    for core in ("aic", "aiv"):
        for queue in QUEUES:
            assert sum(report.queues[core, queue]) == report.cycles
            assert min(report.queues[core, queue]) >= 0
    assert report.busy == {q: report.queues["aic", q].busy + report.queues["aiv", q].busy for q in QUEUES}
    assert report.cycles == sum(row.cycles for row in report.rows)
    assert report.us == pytest.approx(report.cycles / report.mhz)
    assert 0 < report.bound_us <= report.us
    assert all(report.bytes[level] == sum(row.cost.bytes[level] for row in report.rows) for level in report.bytes)


def test_the_critical_path_of_the_event_engine_covers_the_run_and_cycles_that_do_not_add_up_raise():
    for report in REPORTS[::2]:
        assert sum(report.critical.values()) == pytest.approx(report.cycles)
        assert list(report.critical.values()) == sorted(report.critical.values(), reverse=True)
    assert next(iter(REPORTS[2].critical)) == "head"
    row = REPORTS[0].rows[0]
    broken = replace(row.cost.parts[0], busy={**row.cost.parts[0].busy, "M": 10**9})
    with pytest.raises(MinigraphError, match="aic M accounts for"):
        Report("t", row.chip, REPORTS[0].host_preset, "event", (replace(row, cost=replace(row.cost, parts=(broken,))),))


@pytest.mark.parametrize("report", REPORTS, ids=repr)
def test_graph_mode_is_faster_than_eager_mode(report):
    assert report.graph_us <= report.eager_us
    assert set(report.times) == {(start, mode) for start in ("cold", "warm") for mode in ("eager", "graph")}
    assert all(band.lo <= band.us <= band.hi for band in report.times.values())
    assert len(report.host("eager")) == len(report.rows)
    assert report.host("graph")[-1].end == pytest.approx(report.us)


def test_tiny_operators_gain_most_from_graph_mode_and_long_loops_have_extrapolated_stretches():
    tiny, large = simulate(chain(200)), simulate(matmul_add(8192, 8192, 8192))
    assert tiny.eager_us / tiny.graph_us > 5 > 1.2 > large.eager_us / large.graph_us
    assert large.skips and len(large.spans) < 20_000
    assert all(0 <= skip.start < skip.end <= large.cycles and skip.times > 0 for skip in large.skips)


@pytest.mark.parametrize("report", REPORTS, ids=repr)
def test_the_timeline_is_inside_the_run_and_queues_overlap_only_by_outstanding_transfers(report):
    ends = {}
    for span in report.spans:
        assert 0 <= span.start <= span.end <= report.cycles
        if span.queue != "MTE2":
            assert span.start >= ends.get((span.core, span.queue), 0)
            ends[span.core, span.queue] = span.end


@pytest.mark.parametrize("report", REPORTS, ids=repr)
def test_a_report_has_text_and_html(report):
    text = str(report)
    for line in report.summary():
        assert line in text
    columns, rows = report.table()
    assert len(rows) == len(report.rows)
    assert all(len(row) == len(columns) for row in rows)
    html = report._repr_html_()
    assert html.count("<tr>") == len(rows) + 1
    assert repr(report).startswith("<report ")


def test_long_tables_are_truncated_with_a_note():
    report = simulate(chain(SHOWN_TASKS + 1000))
    assert len(report.table()[1]) == SHOWN_TASKS + 1000
    assert str(report).splitlines()[-1] == "and 1,000 more; report.table() has all"
    html = report._repr_html_()
    assert html.count("<tr>") == SHOWN_TASKS + 1 and "and 1,000 more" in html
    assert not any("more; report" in str(other) + other._repr_html_() for other in REPORTS)


def test_only_one_task_is_singular_notes_are_listed_once_and_names_are_escaped():
    assert [repr(simulate(chain(n))).split(": ")[1].split(",")[0] for n in (1, 2)] == ["1 task", "2 tasks"]
    (note,) = REPORTS[2].notes
    assert note.endswith("and 34 more)")
    empty = simulate(empty_graph("<b>"))
    assert (empty.cycles, empty.spans, empty.rows) == (0, (), ())
    assert "0 tasks" in str(empty) and "<b>" not in empty._repr_html_()


@cases((True, "is calibrated on published measurements: "), (False, "is nominal: "))
def test_every_report_states_whether_its_chip_is_calibrated(calibrated, calibration):
    chip = replace(chip_named("ascend910b1"), calibrated=calibrated)
    report = simulate(matmul_add(), chip=chip)
    assert report.calibration == f"{chip.title} {calibration}{chip.note}"
    assert report.calibration in str(report) and report.calibration in report._repr_html_()
    with pytest.deprecated_call(match="calibration"):
        assert (report.standing, chip.standing) == (report.calibration, chip.calibration)


def test_the_repr_of_a_report_names_the_grade_of_the_chip_and_changed_parameters():
    report = simulate(chain(3), chip=chip_named("ascend910b1").replace(mte2_lat=100))
    assert f"on {report.label}: " in repr(report) and "(what-if: mte2.lat 190 -> 100" in repr(report)
