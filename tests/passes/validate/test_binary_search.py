"""Binary search finds the first bad step with few calls."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from passes.validate.binary_search import first_bad


@given(st.integers(1, 5000), st.data())
def test_the_first_bad_step_is_found_in_log2_calls(count, data):
    first = data.draw(st.integers(1, count))
    calls = []
    assert first_bad(count, lambda k: calls.append(k) or k >= first) == first
    assert len(calls) <= math.ceil(math.log2(count))
    assert 0 not in calls and count not in calls


@pytest.mark.parametrize("count", [1, 2])
def test_few_steps_need_few_calls(count):
    calls = []
    assert first_bad(count, lambda k: calls.append(k) or True) == 1
    assert len(calls) == count - 1


@given(st.sets(st.integers(1, 100), min_size=1))
def test_in_a_run_that_alternates_a_step_from_good_to_bad_is_found(bad):
    """100 is bad; for any answers between, the result is bad and the step before it is not."""
    bad = bad | {100}
    step = first_bad(100, lambda k: k in bad)
    assert step in bad and step - 1 not in bad
