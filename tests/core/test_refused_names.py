"""Reasons for which names of MindSpore are refused, in the error and in the list of names."""

import pytest

from minigraph import ops
from minigraph.core.refused_names import reason_of_refusal
from tests.differential.grid import exists
from tests.differential.names import names_by_module


@pytest.mark.parametrize("path", ["ops.AllReduce", "nn.PipelineCell", "runtime.Stream", "ops.flash_attention_score"])
def test_a_refused_name_has_a_reason(path: str) -> None:
    assert reason_of_refusal(path)


def test_the_error_gives_the_reason() -> None:
    with pytest.raises(AttributeError, match=r"AllReduce exists in MindSpore .*; minigraph runs in one process"):
        ops.AllReduce  # noqa: B018 - the look-up raises


def test_no_supported_name_is_listed_as_refused() -> None:
    supported = {
        f"{module}.{name}" for module, names in names_by_module().items() for name in names if exists(module, name)
    }
    unavailable = "MindSpore has no kernel for it on a CPU"
    assert not [path for path in supported if reason_of_refusal(path) == unavailable]
