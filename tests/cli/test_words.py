import pytest

from minigraph.cli.words import counted, spelled
from passes import as_pipeline


@pytest.mark.parametrize("number, told", [(0, "0 tasks"), (1, "1 task"), (2, "2 tasks"), (50_000, "50,000 tasks")])
def test_only_one_is_singular(number, told):
    assert counted(number, "task") == told


@pytest.mark.parametrize("pipeline, told", [
    (as_pipeline("lower_depend,cse,dce"), "lower_depend, cse, dce"),
    (as_pipeline(()), "no passes"),
])  # fmt: skip
def test_a_pipeline_in_a_sentence(pipeline, told):
    assert spelled(pipeline) == told
