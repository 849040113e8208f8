"""Host and device: eager waits for the host, a graph for nobody; every figure has a band."""

from dataclasses import fields, replace

import pytest

from minigraph.core.errors import ChipError, UnknownName
from minigraph.npu import DEFAULT_HOST, HOSTS, host_named
from minigraph.npu.chips.figure import GRADES, Figure
from minigraph.npu.host import MODES, Band, Host, Task, bubbles, compiled, host_of, host_rows, total

FIGURES = [field.name for field in fields(Host) if field.name not in ("name", "note")]
HOST = HOSTS["torch_npu-aarch64"]
SHORT = [Task(i, Band(6.0, 3.0, 20.0)) for i in range(10)]
LONG = [Task(i, Band(500.0, 490.0, 520.0)) for i in range(10)]


@pytest.mark.parametrize("name", HOSTS)
def test_every_preset_is_sourced_and_has_bands(name):
    host = HOSTS[name]
    for figure in (getattr(host, name) for name in FIGURES):
        assert figure.src.strip()
        assert figure.grade in GRADES
        assert 0 < figure.lo <= figure.v <= figure.hi
    assert host.note


def test_short_tasks_wait_for_the_host_long_ones_hide_it_and_a_graph_runs_back_to_back():
    short, long = (host_rows(tasks, HOST, "eager") for tasks in (SHORT, LONG))
    graph = host_rows(SHORT, HOST, "graph")
    assert short[-1].end == pytest.approx(10 * HOST.issue_us.v + 6)
    assert all(row.wait > 0 for row in short) and bubbles(short) > 0.8
    assert long[-1].end == pytest.approx(HOST.issue_us.v + 5000)
    assert bubbles(long) == bubbles([]) == 0
    assert ([row.wait for row in graph], graph[-1].end) == ([0] * 10, 60)


@pytest.mark.parametrize("name", HOSTS)
@pytest.mark.parametrize("mode", MODES)
def test_bands_hold_the_estimate_and_cold_is_dearer(name, mode):
    warm, cold = total(SHORT, HOSTS[name], mode), total(SHORT, HOSTS[name], mode, cold=True)
    assert warm.lo <= warm.us <= warm.hi
    assert cold.lo <= cold.us <= cold.hi
    assert cold.us > 100 * warm.us


def test_the_host_runs_ahead_only_so_far():
    short_queue = replace(HOST, ahead=Figure(2, "a test", "U", 2, 2))
    rows = host_rows(LONG, short_queue, "eager")
    assert rows[5].issued == pytest.approx(rows[3].start + HOST.issue_us.v)
    assert rows[-1].end == pytest.approx(host_rows(LONG, HOST, "eager")[-1].end)


@pytest.mark.parametrize(("mode", "end"), [("eager", 100 * HOST.issue_us.v + 6), ("graph", 600)])
def test_a_loop_is_issued_round_by_round(mode, end):
    (row,) = host_rows([Task(1, Band(600.0, 300.0, 2000.0), runs=100)], HOST, mode)
    assert row.end == pytest.approx(end)


def test_operators_are_compiled_once_each():
    tasks = [Task(i, Band(6.0, 3.0, 20.0), kind) for i, kind in enumerate(("a", "b", "a", ""))]
    assert compiled(tasks) == 2
    plain = [task._replace(kind="") for task in tasks]
    for mode in MODES:
        more = total(tasks, HOST, mode, cold=True).us - total(plain, HOST, mode, cold=True).us
        assert more == pytest.approx(2 * HOST.compile_us.v)
        assert total(tasks, HOST, mode).us == total(plain, HOST, mode).us


WRONG = [
    ({"isue_us": {}}, "hosts.toml: unknown key 'mine.isue_us'; did you mean 'issue_us'"),
    ({"issue_us": None}, "'mine.issue_us' is missing"),
    ({"launch_us": {"v": 23, "grade": "P"}}, "mine.launch_us has no src"),
    ({"launch_us": {"v": -1, "src": "x", "grade": "P"}}, "mine.launch_us is -1"),
]


@pytest.mark.parametrize("change, said", WRONG)
def test_a_preset_with_something_wrong_is_refused(change, said):
    whole = {name: HOSTS[DEFAULT_HOST].__dict__[name]._asdict() for name in FIGURES} | {"note": "mine"}
    entries = {key: value for key, value in (whole | change).items() if value is not None}
    with pytest.raises(ChipError, match=said):
        host_of("hosts.toml", "mine", entries)


def test_totals_add_one_launch_and_names_are_looked_up():
    assert total(SHORT, HOST, "graph").us == 60 + HOST.launch_us.v
    assert total([], HOST, "graph").us == HOST.launch_us.v
    assert host_named(DEFAULT_HOST) is HOSTS[DEFAULT_HOST] and host_named(HOST) is HOST
    with pytest.raises(UnknownName, match="did you mean 'torch_npu-x86'"):
        host_named("torch-npu-x86")
    with pytest.raises(UnknownName, match="no mode 'graphs'; did you mean 'graph'"):
        total(SHORT, HOST, "graphs")
    assert str(Band(1234.56, 1000, 2000)) == "1,234.6 us (1,000.0 to 2,000.0)"
