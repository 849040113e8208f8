"""MindSpore's schedule."""

import pytest

from minigraph import profiler
from tests.tables import cases


# the rows are MindSpore's
@cases(
    ({"wait": 1, "active": 1}, "NONE RECORD_AND_SAVE NONE RECORD_AND_SAVE"),
    ({"wait": 1, "warmup": 1, "active": 2, "repeat": 1, "skip_first": 1},
     "NONE NONE WARM_UP RECORD RECORD_AND_SAVE NONE NONE"),
    ({"wait": 0, "warmup": 1, "active": 3, "repeat": 2, "skip_first": 1},
     "NONE WARM_UP RECORD RECORD RECORD_AND_SAVE WARM_UP RECORD RECORD RECORD_AND_SAVE NONE NONE NONE"),
    ({"wait": -1, "active": 1}, "RECORD_AND_SAVE RECORD_AND_SAVE"),
    ({"wait": 1, "active": 0}, "NONE RECORD_AND_SAVE NONE"),
    ({"wait": True, "active": 1.5, "repeat": -1}, "RECORD_AND_SAVE RECORD_AND_SAVE"),
)  # fmt: skip
def test_a_schedule_gives_the_action_of_each_step(arguments, actions):
    steps = profiler.schedule(**arguments)
    assert [steps(step).name for step in range(len(actions.split()))] == actions.split()


def test_a_schedule_prints_its_numbers_and_refuses_negative_steps():
    steps = profiler.schedule(wait=1, active=1)
    assert repr(steps) == "Schedule(wait=1, active=1, warmup=0, repeat=0, skip_first=0)"
    with pytest.raises(ValueError, match="step, which must be not less than 0"):
        steps(-1)
