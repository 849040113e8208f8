"""Names in programs: one for each thing, none that the user chooses."""

import numpy as np

from minigraph import Tensor, trace
from minigraph.run.names import Names
from minigraph.run.plan import planned


def test_what_programs_use_and_constants_are_in_the_namespace():
    plan = planned(trace(lambda x: x * Tensor([3.0, 4.0]), Tensor([1.0, 2.0])))
    names = Names(plan)
    (constant,) = (source for source in plan.sources if source.role == "const")
    assert names.namespace[f"v{constant.value}"].tolist() == [3.0, 4.0]
    assert {"own", "empty", "map", "zip", "repeat"} <= names.namespace.keys()
    assert names.namespace["empty"] is np.empty


def test_an_operator_named_like_what_programs_use_gets_a_number():
    names = Names(planned(trace(lambda x: x * x, Tensor([1.0, 2.0]))))
    assert (names._free_name("add"), names._free_name("zip"), names._free_name("v1")) == ("add", "zip_0", "operator")
