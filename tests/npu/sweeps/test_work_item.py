import pickle
from dataclasses import replace

import numpy as np
import pytest

from minigraph import Tensor, nn, simulate
from minigraph.compilation import jit
from minigraph.core.errors import UsageError
from minigraph.npu import CHIPS, DEFAULT_HOST, chip_named, host_named
from minigraph.npu.sweeps import work_item as module
from minigraph.npu.sweeps.models import ModelCache
from minigraph.npu.sweeps.space import Point
from minigraph.npu.sweeps.work_item import MAX_ERROR_CHARACTERS, Metrics, WorkItem, error_text, evaluate, peak_tflops
from tests.npu.sweeps.designs import MODELS

HOST, B1 = host_named(DEFAULT_HOST), chip_named("ascend910b1")


def work_item_of(chip, model="dense", engine="event"):
    return work_item_for(
        ModelCache(MODELS, {"default": "default"}).jobs_at(Point(model, "default", chip.name), chip), chip, engine
    )


def work_item_for(model_jobs, chip, engine="event"):
    return WorkItem(model_jobs.jobs, model_jobs.eager_jobs, model_jobs.digest, chip, HOST, engine, "calibrated")


@pytest.mark.parametrize("engine", ["event", "analytic"])
@pytest.mark.parametrize("name", sorted(CHIPS))
def test_a_point_has_the_metrics_of_a_simulation(name, engine):
    metrics = evaluate(work_item_of(chip_named(name), engine=engine))
    function, *arguments = MODELS["dense"]
    report = simulate(function, *arguments, chip=name, engine=engine)
    assert metrics[:6] == (len(report.rows), report.cycles, report.us, report.bound_us, report.graph_us,
                           report.eager_us)  # fmt: skip
    assert (metrics.gm_bytes, metrics.l2_bytes) == (report.bytes["GM"], report.bytes["L2"])
    assert (metrics.standing, metrics.error) == ("calibrated", "")
    assert metrics.notes == sum(bool(row.cost.layout.notes) for row in report.rows)


def test_work_items_survive_pickling_and_a_worker_of_another_version_raises():
    work_item = work_item_of(B1)
    arrived = pickle.loads(pickle.dumps(work_item))
    assert (arrived.digest, evaluate(arrived)) == (work_item.digest, evaluate(work_item))
    with pytest.raises(UsageError, match=r"a worker has minigraph .*, not 0\.0\.0; install the same"):
        evaluate(work_item._replace(version="0.0.0"))


def test_an_error_becomes_metrics_and_a_function_without_tasks_has_metrics_too():
    steam = Metrics(error="UnknownNameError: no engine 'steam'; known: analytic, event")
    assert evaluate(work_item_of(B1, engine="steam")) == steam
    graph = jit(lambda x: x).graph(Tensor([1.0]))
    model_jobs = ModelCache({"same": graph}, {"": ""}).jobs_at(Point("same", "", B1.name), B1)
    assert evaluate(work_item_for(model_jobs, B1))[:3] == (0, 0, 0.0)


def test_the_size_of_a_work_item_does_not_grow_with_weights_or_equal_layers():
    def size(width, layers):
        net = nn.SequentialCell([nn.Dense(width, width) for _ in range(layers)])
        models = {"net": (net, Tensor(np.zeros((32, width), np.float32)))}
        return len(pickle.dumps(ModelCache(models, {"": ""}).jobs_at(Point("net", "", B1.name), B1).jobs))

    assert abs(size(512, 2) - size(8, 2)) < 200
    assert size(8, 40) - size(8, 20) < 20 * 2 * 100
    assert len(pickle.dumps(B1)) < 12_000


def test_the_digest_depends_on_the_whole_work_item():
    base = work_item_of(B1)
    changes = {"engine": "analytic", "host": host_named("torch_npu-x86"), "version": "0.0.0", "standing": "what-if"}
    others = [work_item_of(B1.replace(mte2_lat=99)), work_item_of(B1, "chain")]
    others += [base._replace(**{name: value}) for name, value in changes.items()]
    assert len({work_item.digest for work_item in (base, *others)}) == 7
    assert work_item_of(B1).digest == base._replace(chip=replace(B1, title="another title")).digest == base.digest


def test_a_memory_error_is_raised(monkeypatch):
    def full(*_):
        raise MemoryError

    monkeypatch.setattr(module, "cost_of", full)
    full.cache_clear = lambda: None
    with pytest.raises(MemoryError):
        evaluate(work_item_of(B1))


def test_an_error_is_one_line_the_cache_is_cleared_and_the_peak_follows_cores_and_clock():
    assert error_text(KeyError("no such\nkey")) == "KeyError: 'no such\\nkey'"
    assert error_text(RuntimeError("a\n  b")) == "RuntimeError: a b"
    assert error_text(RuntimeError("a\ud800")) == "RuntimeError: a\\ud800"
    unprintable = type("Err\nor", (Exception,), {"__str__": lambda self: 1 / 0})
    assert error_text(unprintable()) == "Err or: its text cannot be made"
    assert error_text(RuntimeError("x" * 200_000)) == "RuntimeError: " + "x" * (MAX_ERROR_CHARACTERS - 14)
    evaluate(work_item_of(B1))
    assert module.cost_of.cache_info().currsize == 0, "the chip is not used again"
    assert peak_tflops(B1.replace(cores_aic=12)) == peak_tflops(B1) / 2
    assert peak_tflops(B1.replace(cores_freq_mhz=3700)) == peak_tflops(B1) * 2
