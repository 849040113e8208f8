import sys
from types import SimpleNamespace

import minigraph as ms
import viz
from minigraph.lessons import numbers
from minigraph.npu.host import HostRow
from tests.viz.graphs import parse_svg
from viz.machine.timeline import tracks_of


def test_the_device_waits_for_the_host_in_eager_mode_only():
    report = ms.simulate(lambda x: ms.ops.relu(x @ x), numbers(0, 64, 64))
    picture = viz.launches(report)
    parse_svg(picture)
    for track in ("eager host", "eager device", "graph device"):
        assert f">{track}<" in picture
    assert ">graph host<" not in picture


def test_tracks_are_as_long_as_the_host_model_says(monkeypatch):
    rows = {"eager": [HostRow(3, 10.0, 10.0, 10.0, 12.0), HostRow(4, 20.0, 8.0, 20.0, 21.0)], "graph": []}
    report = SimpleNamespace(host=rows.__getitem__, mhz=100.0, title="two")
    reports = []
    module = sys.modules["viz.machine.launches"]
    monkeypatch.setattr(module, "timeline", lambda report, width: reports.append(report) or "<svg/>")
    assert viz.launches(report) == "<svg/>"
    busy = {(track.core, track.queue): track.busy for track in tracks_of(reports[0].spans)}
    assert busy == {("eager", "host"): 2000.0, ("eager", "device"): 300.0}
    assert "cannot draw this picture" in viz.launches(None), "it never raises"
