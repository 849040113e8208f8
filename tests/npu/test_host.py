"""Host and device: eager waits for the host, a graph for nobody; every figure has a band."""

import pytest

from minigraph.errors import UnknownName
from minigraph.npu.chip import GRADES
from minigraph.npu.host import DEFAULT_HOST, HOSTS, MODES, Band, Task, bubbles, host_named, host_rows, total

HOST = HOSTS["torch_npu-aarch64"]
SHORT = [Task(i, Band(6.0, 3.0, 20.0)) for i in range(10)]
LONG = [Task(i, Band(500.0, 490.0, 520.0)) for i in range(10)]


@pytest.mark.parametrize("name", HOSTS)
def test_every_preset_is_sourced_and_has_bands(name):
    host = HOSTS[name]
    for figure in (host.issue_us, host.launch_us, host.first_eager_us, host.first_graph_us):
        assert figure.src.strip()
        assert figure.grade in GRADES
        assert 0 < figure.lo <= figure.v <= figure.hi
    assert host.note


def test_short_tasks_wait_for_the_host():
    rows = host_rows(SHORT, HOST, "eager")
    assert rows[-1].end == pytest.approx(10 * HOST.issue_us.v + 6)
    assert all(row.wait > 0 for row in rows)
    assert bubbles(rows) > 0.8


def test_long_tasks_hide_the_host():
    rows = host_rows(LONG, HOST, "eager")
    assert rows[-1].end == pytest.approx(HOST.issue_us.v + 5000)
    assert bubbles(rows) == 0


def test_a_graph_runs_back_to_back():
    rows = host_rows(SHORT, HOST, "graph")
    assert [row.wait for row in rows] == [0] * 10
    assert rows[-1].end == 60


@pytest.mark.parametrize("name", HOSTS)
@pytest.mark.parametrize("mode", MODES)
def test_bands_hold_the_estimate_and_cold_is_dearer(name, mode):
    warm, cold = total(SHORT, HOSTS[name], mode), total(SHORT, HOSTS[name], mode, cold=True)
    assert warm.lo <= warm.us <= warm.hi
    assert cold.lo <= cold.us <= cold.hi
    assert cold.us > 100 * warm.us


def test_totals_add_one_launch():
    assert total(SHORT, HOST, "graph").us == 60 + HOST.launch_us.v
    assert total([], HOST, "graph").us == HOST.launch_us.v
    assert bubbles([]) == 0.0


def test_names():
    assert host_named(DEFAULT_HOST) is HOSTS[DEFAULT_HOST]
    assert host_named(HOST) is HOST
    with pytest.raises(UnknownName, match="did you mean 'torch_npu-x86'"):
        host_named("torch-npu-x86")
    with pytest.raises(UnknownName, match="no mode 'graphs'; did you mean 'graph'"):
        total(SHORT, HOST, "graphs")


def test_a_band_reads_as_text():
    assert str(Band(1234.56, 1000, 2000)) == "1,234.6 us (1,000.0 to 2,000.0)"
