"""Values of training in event files: which values are written, with a writer that records the calls."""

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import minigraph as ms
from minigraph import Tensor, nn
from minigraph.dataset import NumpySlicesDataset
from minigraph.train import SummaryCollector, SummaryRecord
from minigraph.train.callback import summary
from tests.inspection import run_program
from tests.tables import error_cases


def train(epochs: int, *callbacks: ms.train.Callback) -> nn.Cell:
    net = nn.Dense(2, 1, "ones", "zeros")
    columns = {"x": np.eye(4, 2).astype(np.float32), "y": np.ones((4, 1), np.float32)}
    data = NumpySlicesDataset(columns, shuffle=False).batch(2)
    model = ms.train.Model(net, nn.MSELoss(), nn.SGD(net.trainable_params(), 0.1))
    model.train(epochs, data, callbacks=list(callbacks))
    return net


class Writer:
    """Records calls as (method, tag, step)."""

    def __init__(self) -> None:
        self.calls: list[tuple[object, ...]] = []

    def __getattr__(self, name: str) -> Any:
        return lambda *args: self.calls.append((name, *args[::2])) if args else None


@pytest.fixture
def writer(monkeypatch):
    recorder = Writer()
    monkeypatch.setattr(summary, "writer_of", lambda folder, suffix: recorder)
    return recorder


def test_values_are_written_when_they_are_recorded(writer):
    with SummaryRecord("folder") as record:
        record.add_value("scalar", "loss", Tensor(0.5))
        record.add_value("image", "x", Tensor(np.ones((1, 1, 2, 2), np.float32)))
        assert writer.calls == []
        assert record.record(3)
        record.set_mode("eval")
        record.add_value("histogram", "w", Tensor([1.0]))
        record.record(4)
    assert writer.calls == [("add_scalar", "loss", 3), ("add_images", "x", 3), ("add_histogram", "eval/w", 4)]


def test_a_callback_writes_the_loss_and_chosen_parameters(writer):
    collector = SummaryCollector("folder", 2, collect_specified_data={"histogram_regular": "weight"})
    train(2, collector)
    assert writer.calls == [
        ("add_scalar", "loss", 1), ("add_histogram", "weight", 1), ("add_scalar", "loss", 3),
        ("add_histogram", "weight", 3),
    ]  # fmt: skip


def test_by_default_histograms_are_those_of_the_first_parameters(writer):
    train(1, SummaryCollector("folder"))
    assert writer.calls == [("add_scalar", "loss", 1), ("add_histogram", "weight", 1), ("add_histogram", "bias", 1)]
    del writer.calls[:]
    train(1, SummaryCollector("folder", keep_default_action=False, collect_specified_data={"collect_metric": True}))
    assert writer.calls == [("add_scalar", "loss", 1)]


def test_a_file_of_tensorboard(tmp_path):
    pytest.importorskip("tensorboardX")
    train(1, SummaryCollector(str(tmp_path)))
    assert any("tfevents" in path.name for path in tmp_path.iterdir())


test_errors = error_cases(
    (lambda: SummaryCollector("x", 0), ValueError, "greater than 0"),
    (lambda: SummaryCollector("x", collect_specified_data={"a": 1}), ValueError, "are not in"),
    (lambda: SummaryRecord("x", export_options={"a": 1}), ValueError, "not supported"),
)


ON_FULL_DISK = """
import resource, signal, sys
from minigraph import Tensor
from minigraph.train import SummaryRecord
record = SummaryRecord(sys.argv[1])
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (200, 200))
for step in range(40):
    record.add_value("scalar", "loss", Tensor(0.5))
    try:
        record.record(step)
        record.flush()
    except OSError as error:
        print(type(error).__name__, error.filename)
record.close()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no limits on files here")
def test_a_full_disk_is_an_error_that_names_the_file_at_every_later_record_and_nothing_waits(tmp_path):
    pytest.importorskip("tensorboardX")
    first, *others = run_program(ON_FULL_DISK, str(tmp_path)).splitlines()
    kind, _, path = first.partition(" ")
    assert (kind, Path(path)) == ("OSError", next(tmp_path.iterdir()))
    assert len(others) >= 20 and {*others} == {first}


def test_a_record_that_is_closed_writes_no_more(tmp_path):
    pytest.importorskip("tensorboardX")
    record = SummaryRecord(str(tmp_path))
    record.add_value("scalar", "loss", Tensor(0.5))
    assert record.record(1)
    record.close()
    record.close()
    record.add_value("scalar", "loss", Tensor(0.5))
    assert not record.record(2) and len([*tmp_path.iterdir()]) == 1
