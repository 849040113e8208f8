import pytest

from minigraph import Tensor, ops, set_context
from minigraph.compilation import jit
from minigraph.core.errors import UnknownNameError, UsageError
from minigraph.npu import chip_named
from minigraph.npu.simulator import jobs_of
from minigraph.npu.sweeps import models as module
from minigraph.npu.sweeps.models import ModelCache, ModelJobs, as_pass_pipeline
from minigraph.npu.sweeps.space import Point
from passes import graph_pass
from tests.npu.sweeps.designs import MODELS, X, chain, fails

B1, OLD = chip_named("ascend910b1"), chip_named("ascend310")


def jobs_at(models, model, pipeline, chip=B1):
    return models.jobs_at(Point(model, pipeline, chip.name), chip)


@pytest.mark.parametrize("pipeline", ["default", "", "cse,dce"])
@pytest.mark.parametrize("chip", [B1, OLD], ids=lambda chip: chip.name)
@pytest.mark.parametrize("model", MODELS)
def test_the_jobs_come_from_the_optimised_graph(model, pipeline, chip):
    function, *arguments = MODELS[model]
    graph = jit(function).graph(*arguments, pipeline=pipeline)
    model_jobs = jobs_at(ModelCache(MODELS, {pipeline: pipeline}), model, pipeline, chip)
    assert [job for _, job in model_jobs.jobs] == [job for _, job in jobs_of(graph, chip)]


def test_equal_jobs_are_one_object_and_jobs_depend_on_the_size_of_l2():
    jobs = jobs_at(ModelCache({"f": (lambda x: ops.exp(ops.exp(ops.exp(x))), X)}, {"": ""}), "f", "").jobs
    assert len(jobs) == 3 and len({id(job) for _, job in jobs[1:]}) == 1
    big = Tensor([[0.0] * 4096] * 1024)
    models = ModelCache({"f": (lambda x: ops.exp(x) + ops.tanh(x), big)}, {"": ""})
    assert jobs_at(models, "f", "").jobs != jobs_at(models, "f", "", B1.replace(buf_l2=1 << 20)).jobs


@pytest.fixture
def captures(monkeypatch):
    """The models captured, in order."""
    captured, real = [], module._capture
    monkeypatch.setattr(module, "_capture", lambda model: captured.append(model) or real(model))
    return captured


def test_a_model_runs_once_and_a_pipeline_once_for_each_model(captures):
    passed = []

    def step(graph):
        passed.append(graph)

    models = ModelCache({"f": (chain, X)}, {"one": [step], "two": [step]})
    for pipeline in ("one", "two"):
        for chip in (B1, OLD, B1.replace(mte2_lat=9)):
            jobs_at(models, "f", pipeline, chip)
    assert (len(captures), len(passed)) == (1, 2)


def test_a_graph_is_used_as_it_is_and_not_modified():
    graph = jit(chain).graph(X, pipeline=())
    before = str(graph)
    fused = jobs_at(ModelCache({"f": graph}, {"default": "default"}), "f", "default").jobs
    assert len(fused) < len(jobs_at(ModelCache({"f": graph}, {"": ""}), "f", "").jobs)
    assert str(graph) == before


def test_a_model_that_fails_has_an_error_and_is_not_retried(captures):
    models = ModelCache({"f": (fails, X)}, {"": "", "default": "default"})
    results = {jobs_at(models, "f", pipeline, chip) for pipeline in ("", "default") for chip in (B1, OLD)}
    assert len(results) == 1 and results.pop().error.startswith("KeyError: ")
    assert len(captures) == 1


def test_a_pass_that_fails_affects_its_pipeline_only():
    @graph_pass
    def stumbles(graph):
        raise RuntimeError("the pass stumbles")

    models = ModelCache(MODELS, {"stumbles": "stumbles", "": ""})
    assert "the pass stumbles" in jobs_at(models, "dense", "stumbles").error
    assert jobs_at(models, "dense", "").error == ""


def test_an_error_in_jobs_of_is_recorded(monkeypatch):
    def raise_arithmetic_error(*_):
        raise ArithmeticError("negative work")

    monkeypatch.setattr(module, "jobs_of", raise_arithmetic_error)
    assert jobs_at(ModelCache(MODELS, {"": ""}), "dense", "") == ModelJobs(error="ArithmeticError: negative work")


def test_a_branch_is_chosen_for_every_chip():
    def branch(x):
        return ops.cond(x.sum() > 0, lambda v: ops.exp(v @ v), lambda v: ops.tanh(v) * 2.0, x)

    models = ModelCache({"f": (branch, X)}, {"": ""})
    for chip in (B1, OLD, B1.replace(cores_aic=1)):
        graph = jit(branch).graph(X, pipeline=())
        assert [j for _, j in jobs_at(models, "f", "", chip).jobs] == [j for _, j in jobs_of(graph, chip)]


@pytest.mark.parametrize("model", [chain, (), (1, 2), "net.py:f", None])
def test_an_invalid_model_raises_and_pipelines_are_those_of_the_pass_manager(model):
    with pytest.raises(UsageError, match="model 'm' is a"):
        ModelCache({"m": model}, {"": ""})
    assert str(as_pass_pipeline("cse,dce")) == "cse,dce"
    with pytest.raises(UnknownNameError, match="did you mean 'cse'"):
        as_pass_pipeline("csee")


def test_the_contexts_mode_makes_no_difference():
    results = []
    for mode in (0, 1):
        set_context(mode=mode)
        results.append(jobs_at(ModelCache(MODELS, {"": ""}), "chain", ""))
    assert results[0] == results[1]


def test_a_lack_of_memory_during_a_capture_is_raised_not_the_row_of_a_model():
    def exhausts(x):
        raise MemoryError("for 1 TB")

    with pytest.raises(MemoryError, match="for 1 TB"):
        jobs_at(ModelCache({"m": (exhausts, X)}, {"default": "default"}), "m", "default")
