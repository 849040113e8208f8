import pickle
from dataclasses import replace

import numpy as np
import pytest

from minigraph import Tensor, nn, simulate
from minigraph.compilation import jit
from minigraph.core.errors import UsageError
from minigraph.npu import CHIPS, DEFAULT_HOST, chip_named, host_named
from minigraph.npu.sweeps import work_item as module
from minigraph.npu.sweeps.models import Programs
from minigraph.npu.sweeps.space import Point
from minigraph.npu.sweeps.work_item import Figures, Parcel, measured, peak_tflops, told
from tests.npu.sweeps.designs import MODELS

HOST, B1 = host_named(DEFAULT_HOST), chip_named("ascend910b1")


def parcel_of(chip, model="dense", engine="event"):
    return sent(Programs(MODELS, {"default": "default"}).at(Point(model, "default", chip.name), chip), chip, engine)


def sent(prepared, chip, engine="event"):
    return Parcel(prepared.jobs, prepared.digest, chip, HOST, engine, "calibrated")


@pytest.mark.parametrize("engine", ["event", "analytic"])
@pytest.mark.parametrize("name", sorted(CHIPS))
def test_a_point_has_the_figures_of_a_simulation(name, engine):
    figures = measured(parcel_of(chip_named(name), engine=engine))
    function, *arguments = MODELS["dense"]
    report = simulate(function, *arguments, chip=name, engine=engine)
    assert figures[:6] == (len(report.rows), report.cycles, report.us, report.bound_us, report.graph_us,
                           report.eager_us)  # fmt: skip
    assert (figures.gm_bytes, figures.l2_bytes) == (report.bytes["GM"], report.bytes["L2"])
    assert (figures.standing, figures.error) == ("calibrated", "")
    assert figures.notes == sum(bool(row.cost.layout.notes) for row in report.rows)


def test_what_arrives_is_what_was_sent_and_a_worker_of_another_version_computes_nothing():
    parcel = parcel_of(B1)
    arrived = pickle.loads(pickle.dumps(parcel))
    assert (arrived.digest, measured(arrived)) == (parcel.digest, measured(parcel))
    with pytest.raises(UsageError, match=r"a worker has minigraph .*, not 0\.0\.0; install the same"):
        measured(parcel._replace(version="0.0.0"))


def test_an_error_becomes_figures_with_a_reason_and_a_function_without_any_task_has_figures_too():
    steam = Figures(error="UnknownName: no engine 'steam'; known: analytic, event")
    assert measured(parcel_of(B1, engine="steam")) == steam
    graph = jit(lambda x: x).graph(Tensor([1.0]))
    prepared = Programs({"same": graph}, {"": ""}).at(Point("same", "", B1.name), B1)
    assert measured(sent(prepared, B1))[:3] == (0, 0, 0.0)


def test_what_is_sent_does_not_grow_with_weights_nor_with_layers_that_are_alike():
    def size(width, layers):
        net = nn.SequentialCell([nn.Dense(width, width) for _ in range(layers)])
        models = {"net": (net, Tensor(np.zeros((32, width), np.float32)))}
        return len(pickle.dumps(Programs(models, {"": ""}).at(Point("net", "", B1.name), B1).jobs))

    assert abs(size(512, 2) - size(8, 2)) < 200
    assert size(8, 40) - size(8, 20) < 20 * 2 * 100
    assert len(pickle.dumps(B1)) < 12_000


def test_the_digest_changes_with_anything_sent():
    base = parcel_of(B1)
    changes = {"engine": "analytic", "host": host_named("torch_npu-x86"), "version": "0.0.0", "standing": "what-if"}
    others = [parcel_of(B1.changed(mte2_lat=99)), parcel_of(B1, "chain")]
    others += [base._replace(**{name: value}) for name, value in changes.items()]
    assert len({parcel.digest for parcel in (base, *others)}) == 7
    assert parcel_of(B1).digest == base._replace(chip=replace(B1, title="another title")).digest == base.digest


def test_a_lack_of_memory_is_not_the_points_fault(monkeypatch):
    def full(*_):
        raise MemoryError

    monkeypatch.setattr(module, "cost_of", full)
    full.cache_clear = lambda: None
    with pytest.raises(MemoryError):
        measured(parcel_of(B1))


def test_an_error_is_told_in_one_line_costs_are_let_go_and_the_peak_follows_cores_and_clock():
    assert told(KeyError("no such\nkey")) == "KeyError: 'no such\\nkey'"
    assert told(RuntimeError("a\n  b")) == "RuntimeError: a b"
    measured(parcel_of(B1))
    assert module.cost_of.cache_info().currsize == 0, "the chip does not come again"
    assert peak_tflops(B1.changed(cores_aic=12)) == peak_tflops(B1) / 2
    assert peak_tflops(B1.changed(cores_freq_mhz=3700)) == peak_tflops(B1) * 2
