"""Named pipelines fuse into the kernels that a chip's library has, wherever a pipeline and a chip meet."""

import pytest

from minigraph import float16, ops
from minigraph.core.errors import UnknownNameError
from minigraph.npu import autotune, chip_named, simulate
from minigraph.npu.chips.registry import CHIPS
from minigraph.npu.library import KERNELS, passes_without_kernel, pipeline_for
from minigraph.npu.sweeps.models import ModelCache
from minigraph.npu.sweeps.space import Point
from passes import PIPELINES, as_pipeline, pass_named

B1, OLD = chip_named("ascend910b1"), chip_named("ascend310p3")
X = ops.ones((2, 64, 32), float16)


def attention(q, k, v):
    return ops.softmax(q @ k.swapaxes(-1, -2), -1) @ v


def tasks(chip, pipeline="cann"):
    return [row.type for row in simulate(attention, X, X, X, chip=chip, pipeline=pipeline).rows]


def test_attention_is_one_kernel_only_on_chips_whose_library_has_it():
    assert {name: len(tasks(name)) for name in CHIPS} == {
        name: 3 if name in ("ascend310", "ascend310p3", "ascend910a") else 1 for name in CHIPS
    }
    assert len(tasks("ascend910a", "graph_kernel")) == len(tasks("ascend910a", "cann,dce")) == 3
    report = simulate(attention, X, X, X, chip=OLD.replace(library_attention=1), pipeline="cann")
    assert len(report.rows) == 1 and "library.attention 0 -> 1" in report.what_if


def test_passes_that_the_caller_names_or_gives_are_kept():
    own = ["fuse_attention,dce", "cann,fuse_attention", PIPELINES["cann"], as_pipeline("cann"), ["fuse_attention"]]
    assert [len(tasks(OLD, pipeline)) for pipeline in own] == [1, 1, 1, 1, 1]
    assert all(passes_without_kernel(pipeline, OLD) == set() for pipeline in own)
    assert pipeline_for("default", OLD) == as_pipeline("default") and pipeline_for("cann", B1) == as_pipeline("cann")
    with pytest.raises(UnknownNameError, match="did you mean 'cann'"):
        pipeline_for("cannn", OLD)


def test_every_kernel_is_of_a_pass_and_a_parameter():
    assert all(pass_named(name).name == name and key in B1.parameters for name, key in KERNELS.items())


def test_sweeps_and_the_tuner_fuse_alike():
    models = ModelCache({"attention": (attention, X, X, X)}, {"cann": "cann"})
    chips = (B1, OLD, B1.replace(library_attention=0), OLD.replace(library_attention=1))
    jobs = [models.jobs_at(Point("attention", "cann", chip.name), chip).jobs for chip in chips]
    assert [len(some) for some in jobs] == [1, 3, 3, 1]
    names = [autotune(attention, X, X, X, chip=chip, pipeline="cann").task for chip in (B1, OLD)]
    assert "FlashAttention" in names[0] and "FlashAttention" not in names[1]
