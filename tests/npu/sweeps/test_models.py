import pytest

from minigraph import Tensor, ops, set_context
from minigraph.compilation import jit
from minigraph.core.errors import UnknownName, UsageError
from minigraph.npu import chip_named
from minigraph.npu.simulator import jobs_of
from minigraph.npu.sweeps import models as module
from minigraph.npu.sweeps.models import Prepared, Programs, as_pass_pipeline
from minigraph.npu.sweeps.space import Point
from passes import graph_pass
from tests.npu.sweeps.designs import MODELS, X, chain, fails

B1, OLD = chip_named("ascend910b1"), chip_named("ascend310")


def at(programs, model, pipeline, chip=B1):
    return programs.at(Point(model, pipeline, chip.name), chip)


@pytest.mark.parametrize("pipeline", ["default", "", "cse,dce"])
@pytest.mark.parametrize("chip", [B1, OLD], ids=lambda chip: chip.name)
@pytest.mark.parametrize("model", MODELS)
def test_the_jobs_are_those_of_the_optimised_graph(model, pipeline, chip):
    function, *arguments = MODELS[model]
    graph = jit(function).graph(*arguments, pipeline=pipeline)
    found = at(Programs(MODELS, {pipeline: pipeline}), model, pipeline, chip)
    assert [job for _, job in found.jobs] == [job for _, job in jobs_of(graph, chip)]


def test_equal_jobs_are_one_object_and_another_size_of_l2_is_another_question():
    jobs = at(Programs({"f": (lambda x: ops.exp(ops.exp(ops.exp(x))), X)}, {"": ""}), "f", "").jobs
    assert len(jobs) == 3 and len({id(job) for _, job in jobs[1:]}) == 1
    big = Tensor([[0.0] * 4096] * 1024)
    programs = Programs({"f": (lambda x: ops.exp(x) + ops.tanh(x), big)}, {"": ""})
    assert at(programs, "f", "").jobs != at(programs, "f", "", B1.changed(buf_l2=1 << 20)).jobs


@pytest.fixture
def captures(monkeypatch):
    """The models captured, in order."""
    found, real = [], module._captured
    monkeypatch.setattr(module, "_captured", lambda model: found.append(model) or real(model))
    return found


def test_a_model_runs_once_and_a_pipeline_once_for_each_model(captures):
    passed = []

    def step(graph):
        passed.append(graph)

    programs = Programs({"f": (chain, X)}, {"one": [step], "two": [step]})
    for pipeline in ("one", "two"):
        for chip in (B1, OLD, B1.changed(mte2_lat=9)):
            at(programs, "f", pipeline, chip)
    assert (len(captures), len(passed)) == (1, 2)


def test_a_graph_is_taken_as_it_is_and_stays_so():
    graph = jit(chain).graph(X, pipeline=())
    before = str(graph)
    fused = at(Programs({"f": graph}, {"default": "default"}), "f", "default").jobs
    assert len(fused) < len(at(Programs({"f": graph}, {"": ""}), "f", "").jobs)
    assert str(graph) == before


def test_a_model_that_fails_has_a_reason_and_is_not_tried_again(captures):
    programs = Programs({"f": (fails, X)}, {"": "", "default": "default"})
    found = {at(programs, "f", pipeline, chip) for pipeline in ("", "default") for chip in (B1, OLD)}
    assert len(found) == 1 and found.pop().error.startswith("KeyError: ")
    assert len(captures) == 1


def test_a_pass_that_fails_concerns_its_pipeline_alone():
    @graph_pass
    def stumbles(graph):
        raise RuntimeError("the pass stumbles")

    programs = Programs(MODELS, {"stumbles": "stumbles", "": ""})
    assert "the pass stumbles" in at(programs, "dense", "stumbles").error
    assert at(programs, "dense", "").error == ""


def test_jobs_that_cannot_be_made_have_a_reason(monkeypatch):
    def broken(*_):
        raise ArithmeticError("negative work")

    monkeypatch.setattr(module, "jobs_of", broken)
    assert at(Programs(MODELS, {"": ""}), "dense", "") == Prepared(error="ArithmeticError: negative work")


def test_a_branch_is_chosen_anew_for_every_chip():
    def branching(x):
        return ops.cond(x.sum() > 0, lambda v: ops.exp(v @ v), lambda v: ops.tanh(v) * 2.0, x)

    programs = Programs({"f": (branching, X)}, {"": ""})
    for chip in (B1, OLD, B1.changed(cores_aic=1)):
        graph = jit(branching).graph(X, pipeline=())
        assert [j for _, j in at(programs, "f", "", chip).jobs] == [j for _, j in jobs_of(graph, chip)]


@pytest.mark.parametrize("model", [chain, (), (1, 2), "net.py:f", None])
def test_what_is_no_model_is_refused_by_name_and_pipelines_are_those_of_the_pass_manager(model):
    with pytest.raises(UsageError, match="model 'm' is a"):
        Programs({"m": model}, {"": ""})
    assert str(as_pass_pipeline("cse,dce")) == "cse,dce"
    with pytest.raises(UnknownName, match="did you mean 'cse'"):
        as_pass_pipeline("csee")


def test_the_contexts_mode_makes_no_difference():
    found = []
    for mode in (0, 1):
        set_context(mode=mode)
        found.append(at(Programs(MODELS, {"": ""}), "chain", ""))
    assert found[0] == found[1]
