"""Pictures of a network's Parameters."""

import numpy as np
import pytest

from minigraph import Parameter, Tensor, nn
from minigraph.core.errors import RenderError
from tests.viz.graphs import HOSTILE, SVG, parse_svg, texts
from viz.drawing.cells import MAX_BAR_WIDTH, MAX_TEXT_LINES, cell_svg
from viz.output.render import render, save, svg


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.scale = Parameter(Tensor(np.ones((4, 2), np.float32)))
        self.body = nn.SequentialCell(nn.ReLU(), Inner())

    def construct(self, x):
        return self.body(x * self.scale)


class Inner(nn.Cell):
    def __init__(self):
        super().__init__()
        self.count = Parameter(Tensor([0, 0]), requires_grad=False)

    def extend_repr(self):
        return "size=2"


def bars(picture):
    return [float(rect.get("width")) for rect in parse_svg(picture).iter(f"{SVG}rect")]


def test_every_cell_and_every_parameter_has_a_line():
    assert texts(cell_svg(Net())) == [
        "Net: 2 Parameters, 10 elements, 8 trainable",
        "scale", "f32[4,2]", "8",
        "body: SequentialCell",
        "0: ReLU",
        "1: Inner(size=2)",
        "count", "i64[2]", "2",
    ]  # fmt: skip


def test_bars_show_sizes_and_parameters_that_are_not_trainable_look_different():
    assert bars(cell_svg(Net())) == [MAX_BAR_WIDTH, MAX_BAR_WIDTH / 4]
    assert len({rect.get("fill") for rect in parse_svg(cell_svg(Net())).iter(f"{SVG}rect")}) == 2


def test_cells_show_themselves_without_graphviz(tmp_path):
    net = Net()
    assert net._repr_svg_() == svg(net) == render(net).decode() == cell_svg(net)
    assert texts(save(net, tmp_path / "net.svg").read_text("utf-8"))[1] == "scale"
    with pytest.raises(RenderError, match="render: Net is drawn without Graphviz; use svg, png or pdf"):
        save(net, tmp_path / "net.dot")


def test_a_cell_without_parameters_and_long_networks_are_counted():
    empty, net = nn.ReLU(), nn.SequentialCell(*[nn.ReLU() for _ in range(MAX_TEXT_LINES + 30)])
    assert texts(cell_svg(empty)) == ["ReLU: 0 Parameters, 0 elements"]
    empty.nothing = Parameter(Tensor(np.zeros((0, 3), np.float32)))
    assert bars(cell_svg(empty)) == [1.0]
    assert texts(cell_svg(net))[-1] == "and 30 more lines; parameters_and_names() lists all"
    assert len(texts(cell_svg(net))) == MAX_TEXT_LINES + 2


def test_hostile_names_stay_text(monkeypatch):
    net = Net()
    net.insert_param_to_cell("other", Parameter(Tensor([1.0]), name=HOSTILE))
    monkeypatch.setattr(Inner, "extend_repr", lambda self: HOSTILE)
    assert parse_svg(cell_svg(net)) is not None
    assert "<script>" not in cell_svg(net)
