import pytest

import minigraph.errors
import minigraph.lessons
import minigraph.npu
import minigraph.npu.sweeps
import minigraph.op
import passes
import viz
from minigraph import ops
from minigraph.accel.loops import numba_kernels
from minigraph.capture import side_effects
from minigraph.compilation import op_by_op
from minigraph.npu.chips.registry import chip_named
from minigraph.npu.tiling.schedule import Schedule
from minigraph.train import Metric
from passes.core.registry import RENAMED as RENAMED_PASSES
from passes.core.registry import RENAMED_OPTIONS
from passes.rewrite.match import Match
from passes.validate.check import Report
from tests.passes.small_graphs import graph_of
from tests.tables import cases

EXP_TANH = passes.fuse("ExpTanh", lambda x: ops.tanh(ops.exp(x)))

RENAMED = [
    (minigraph.op, "computing_now", "is_eager"),
    (minigraph.op, "interpreting", "use_interpreter"),
    (minigraph.op, "listening", "record_on"),
    (minigraph.errors, "EndlessCapture", "InfiniteCaptureError"),
    (minigraph.errors, "EndlessLoop", "IterationLimitError"),
    (minigraph.npu, "Figure", "HardwareParameter"),
    (minigraph.npu.sweeps, "Serial", "SerialExecutor"),
    (minigraph.lessons, "Ran", "CellRun"),
    (passes, "Tally", "Statistics"),
    (passes, "examined", "examine"),
    (passes, "again", "reapply"),
    (passes, "Fix", "FixedPoint"),
    (viz, "miss", "partial_match"),
    (viz, "Dot", "ScatterPoint"),
    (viz, "film", "pass_animation"),
    (side_effects, "SideEffect", "SideEffectWarning"),
    (op_by_op, "RunsOpByOp", "OpByOpWarning"),
    (numba_kernels, "NoKernel", "KernelFallbackWarning"),
]
ATTRIBUTES = [
    (passes.PASSES["dce"], "having", "with_options"),
    (passes.Options(), "tally", "statistics"),
    (passes.RuleStats(), "refused", "rejected"),
    (Report(passes.rules_named("ConvBias")[0]), "tries", "trials"),
    (passes.RuleStats(), "near", "nodes_by_reason"),
    (passes.rules_named("ConvBias")[0], "outlines", "is_fusion"),
    (chip_named("ascend910b1"), "changed", "replace"),
    (chip_named("ascend910b1"), "figures", "parameters"),
    (Metric(), "measured", "measure"),
    (passes.fuse_groups(passes.is_cheap), "fits", "predicate"),
    (passes.fuse_groups(passes.is_cheap), "on", "examples"),
    (passes.rules_named("ConvBias")[0], "on", "examples"),
    (Match(graph_of("exp(%0)"), (3,), {}, {}), "walks", "paths"),
    (Schedule(buffers=1), "fixed", "non_default_fields"),
    (Schedule(), "together", "shared_loads"),
]


@cases(*RENAMED)
def test_an_old_name_works_and_names_the_new_one(module, old, new):
    with pytest.warns(DeprecationWarning, match=f"{module.__name__}.{old} was renamed to {module.__name__}.{new};"):
        assert getattr(module, old) is getattr(module, new)


@cases(*ATTRIBUTES)
def test_an_old_attribute_works_and_names_the_new_one(instance, old, new):
    owner = type(instance).__name__
    with pytest.warns(DeprecationWarning, match=f"{owner}.{old} was renamed to {owner}.{new};"):
        assert getattr(instance, old) == getattr(instance, new)


@cases(*RENAMED_PASSES.items())
def test_a_pass_has_its_old_name_too(old, new):
    with pytest.warns(DeprecationWarning, match=f"the pass '{old}' was renamed to '{new}';"):
        assert passes.pass_named(old) is passes.PASSES[new]


def test_rules_and_rule_sets_have_their_old_names_too():
    with pytest.warns(DeprecationWarning, match="the rule set 'spelled' was renamed to 'recognize';"):
        assert tuple(passes.rules_named("spelled")) == passes.RULES["recognize"]
    with pytest.warns(DeprecationWarning, match="the rule 'FlashAttentionGradTurned' was renamed"):
        assert passes.rules_named("FlashAttentionGradTurned") == passes.rules_named("FlashAttentionGradTransposed")


@cases(*((name, old) for name, renamed in RENAMED_OPTIONS.items() for old in renamed))
def test_options_of_passes_have_their_old_names_too(name, old):
    new = RENAMED_OPTIONS[name][old]
    with pytest.warns(DeprecationWarning, match=f"pass '{name}': the option '{old}' was renamed to '{new}';"):
        assert passes.as_pipeline(f"{name}{{{old}=7}}").passes[0].options[new] == 7


def test_an_old_keyword_works_and_names_the_new_one():
    statistics = passes.Statistics()
    with pytest.warns(DeprecationWarning, match="apply_rules: the argument 'tally' was renamed to 'statistics';"):
        passes.apply_rules(graph_of("exp(%0)", "tanh(%3)"), [EXP_TANH], tally=statistics)
    assert statistics["ExpTanh"].rewrites == 1
    with pytest.warns(DeprecationWarning, match="fuse_groups: the argument 'fits' was renamed to 'predicate';"):
        assert passes.fuse_groups(fits=passes.is_cheap).predicate is passes.is_cheap
    with pytest.warns(DeprecationWarning, match="fuse: the argument 'on' was renamed to 'examples';"):
        assert passes.fuse("Exp", lambda x: ops.exp(ops.abs(x)), on=list).examples is list
    with pytest.warns(DeprecationWarning, match="Schedule: the argument 'together' was renamed to 'shared_loads';"):
        assert Schedule(together=True).shared_loads
    with pytest.warns(DeprecationWarning, match="run: the argument 'built' was renamed to 'verified';"):
        assert len(passes.as_pipeline("dce").run(graph_of("exp(%0)"), built=True)) == 1


def test_a_subclass_may_define_a_method_by_its_old_name():
    with pytest.warns(DeprecationWarning, match="Count.measured was renamed to Count.measure;"):

        class Count(Metric):
            def measured(self, *arrays):
                return len(arrays), 1

    metric = Count()
    metric.update([1], [2])
    assert metric.eval() == 2


def test_other_names_are_missing():
    with pytest.raises(AttributeError, match="has no attribute 'computing'"):
        minigraph.op.computing  # noqa: B018
