"""Cost functions by name: registered ones, and the simulated chips."""

import pytest

from minigraph.core.errors import DuplicateNameError, UnknownNameError, UsageError
from minigraph.npu import CHIPS, cycles
from passes import add_cost, as_pipeline, cost_named
from passes.rewrite.costs import COST_FUNCTIONS
from tests.passes.small_graphs import chain_graph


@pytest.mark.parametrize("chip", CHIPS)
def test_every_chip_has_a_cost_function(chip):
    cost = cost_named(chip)
    assert cost is not None and cost(chain_graph("exp")) == cycles(chain_graph("exp"), chip=chip) > 0


def test_a_registered_function_has_its_name():
    assert cost_named("") is None
    assert add_cost("nodes", len) is len and cost_named("nodes") is len and "nodes" in COST_FUNCTIONS
    assert str(as_pipeline("fuse{cost=nodes}")) == "fuse{cost=nodes}"
    with pytest.raises(DuplicateNameError, match="cost 'nodes' is already registered"):
        add_cost("nodes", len)
    with pytest.raises(UsageError, match="add_cost 'three': 3 is not a function; give a function of a graph"):
        add_cost("three", 3)


def test_an_unknown_name_is_an_error_when_the_pipeline_is_built():
    with pytest.raises(UnknownNameError, match="ascend910b"):
        as_pipeline("fuse{cost=ascend910bb}")
