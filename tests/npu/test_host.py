"""The host model: in eager mode the device waits for the host, in graph mode it does not; parameters have bands."""

from dataclasses import fields, replace

import pytest

from minigraph.core.errors import ChipError, UnknownNameError
from minigraph.npu import DEFAULT_HOST, HOSTS, host_named
from minigraph.npu.chips.hardware_parameter import GRADES, HardwareParameter
from minigraph.npu.host import (
    MODES,
    Band,
    Host,
    Task,
    host_of,
    host_rows,
    kernels_to_compile,
    wall_time,
)

PARAMETERS = [field.name for field in fields(Host) if field.name not in ("name", "note")]
HOST = HOSTS["torch_npu-aarch64"]
SHORT_TASKS = [Task(i, Band(6.0, 3.0, 20.0)) for i in range(10)]
LONG_TASKS = [Task(i, Band(500.0, 490.0, 520.0)) for i in range(10)]


@pytest.mark.parametrize("name", HOSTS)
def test_every_preset_is_sourced_and_has_bands(name):
    host = HOSTS[name]
    for parameter in (getattr(host, name) for name in PARAMETERS):
        assert parameter.src.strip()
        assert parameter.grade in GRADES
        assert 0 < parameter.lo <= parameter.v <= parameter.hi
    assert host.note


def test_short_tasks_are_host_bound_long_tasks_hide_the_host_and_graph_mode_runs_back_to_back():
    short, long = (host_rows(tasks, HOST, "eager") for tasks in (SHORT_TASKS, LONG_TASKS))
    graph = host_rows(SHORT_TASKS, HOST, "graph")
    assert short[-1].end == pytest.approx(10 * HOST.issue_us.v + 6)
    assert all(row.wait > 0 for row in short)
    assert long[-1].end == pytest.approx(HOST.issue_us.v + 5000)
    assert not any(row.wait for row in long[1:])
    assert ([row.wait for row in graph], graph[-1].end) == ([0] * 10, 60)


@pytest.mark.parametrize("name", HOSTS)
@pytest.mark.parametrize("mode", MODES)
def test_bands_contain_the_estimate_and_cold_runs_are_slower(name, mode):
    warm, cold = wall_time(SHORT_TASKS, HOSTS[name], mode), wall_time(SHORT_TASKS, HOSTS[name], mode, cold=True)
    assert warm.lo <= warm.us <= warm.hi
    assert cold.lo <= cold.us <= cold.hi
    assert cold.us > 100 * warm.us


def test_the_launch_queue_limits_how_far_the_host_runs_ahead():
    short_queue = replace(HOST, ahead=HardwareParameter(2, "a test", "U", 2, 2))
    rows = host_rows(LONG_TASKS, short_queue, "eager")
    assert rows[5].issued == pytest.approx(rows[3].start + HOST.issue_us.v)
    assert rows[-1].end == pytest.approx(host_rows(LONG_TASKS, HOST, "eager")[-1].end)


@pytest.mark.parametrize(("mode", "end"), [("eager", 100 * HOST.issue_us.v + 6), ("graph", 600)])
def test_a_loop_is_issued_iteration_by_iteration(mode, end):
    (row,) = host_rows([Task(1, Band(600.0, 300.0, 2000.0), runs=100)], HOST, mode)
    assert row.end == pytest.approx(end)


def test_each_kernel_is_compiled_once():
    tasks = [Task(i, Band(6.0, 3.0, 20.0), kind) for i, kind in enumerate(("a", "b", "a", ""))]
    assert kernels_to_compile(tasks) == 2
    plain = [task._replace(kind="") for task in tasks]
    for mode in MODES:
        difference_us = wall_time(tasks, HOST, mode, cold=True).us - wall_time(plain, HOST, mode, cold=True).us
        assert difference_us == pytest.approx(2 * HOST.compile_us.v)
        assert wall_time(tasks, HOST, mode).us == wall_time(plain, HOST, mode).us


WRONG = [
    ({"isue_us": {}}, "hosts.toml: unknown key 'mine.isue_us'; did you mean 'issue_us'"),
    ({"issue_us": None}, "'mine.issue_us' is missing"),
    ({"launch_us": {"v": 23, "grade": "P"}}, "mine.launch_us has no src"),
    ({"launch_us": {"v": -1, "src": "x", "grade": "P"}}, "mine.launch_us is -1"),
]


@pytest.mark.parametrize("change, message", WRONG)
def test_an_invalid_preset_raises(change, message):
    parameters = {name: HOSTS[DEFAULT_HOST].__dict__[name]._asdict() for name in PARAMETERS} | {"note": "mine"}
    entries = {key: value for key, value in (parameters | change).items() if value is not None}
    with pytest.raises(ChipError, match=message):
        host_of("hosts.toml", "mine", entries)


def test_wall_times_include_one_launch_and_names_are_looked_up():
    assert wall_time(SHORT_TASKS, HOST, "graph").us == 60 + HOST.launch_us.v
    assert wall_time([], HOST, "graph").us == HOST.launch_us.v
    assert host_named(DEFAULT_HOST) is HOSTS[DEFAULT_HOST] and host_named(HOST) is HOST
    with pytest.raises(UnknownNameError, match="did you mean 'torch_npu-x86'"):
        host_named("torch-npu-x86")
    with pytest.raises(UnknownNameError, match="no mode 'graphs'; did you mean 'graph'"):
        wall_time(SHORT_TASKS, HOST, "graphs")
    assert str(Band(1234.56, 1000, 2000)) == "1,234.6 us (1,000.0 to 2,000.0)"


@pytest.mark.parametrize("name, source", [
    (DEFAULT_HOST, DEFAULT_HOST), ("torch_npu-x86", "torch_npu-x86"), ("torch_npu-x86", "torch_npu-aarch64"),
    ("mine", DEFAULT_HOST),
])  # fmt: skip
def test_a_changed_entry_of_the_registry_is_a_what_if(monkeypatch, name, source):
    """Shipped parameters are compared, not those of the registry."""
    changed = replace(HOSTS[source], issue_us=HOSTS[source].issue_us._replace(v=1.0, lo=1.0))
    monkeypatch.setitem(HOSTS, name, changed)
    assert "issue_us" in host_named(name).what_if and host_named(name).name == name


def test_another_preset_under_a_shipped_name_is_a_what_if(monkeypatch):
    monkeypatch.setitem(HOSTS, DEFAULT_HOST, HOSTS["raw-launch-310p"])
    assert "issue_us" in host_named(DEFAULT_HOST).what_if


def test_a_preset_changed_in_place_is_a_what_if():
    host, shipped = HOSTS[DEFAULT_HOST], HOSTS[DEFAULT_HOST].issue_us
    try:
        object.__setattr__(host, "issue_us", shipped._replace(v=1.0, lo=1.0))
        assert host.what_if.startswith("issue_us")
    finally:
        object.__setattr__(host, "issue_us", shipped)
    assert not host.what_if
