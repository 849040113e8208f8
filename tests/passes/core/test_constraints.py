"""What passes ask of each other is checked when a pipeline is built, and every error shows both sides."""

import pytest

from minigraph.core.errors import UsageError
from passes import DEFAULT, PIPELINES, Fix, Pipeline, as_pipeline, graph_pass
from passes.core.constraints import check_order, constraints


def made(name, **order):
    """A pass that does nothing, with what it asks for."""
    return graph_pass(name, **order)(lambda graph: None)


def test_after_is_a_matter_of_passes_that_are_there():
    first, late = made("first"), made("late", after=("first", "absent"))
    assert str(Pipeline([late])) == "late"
    assert str(Pipeline([first, late, first, late])) == "first,late,first,late"
    with pytest.raises(UsageError) as caught:
        Pipeline([late, first])
    told = str(caught.value)
    assert "'late' runs after 'first' (test_constraints.py:" in told
    assert "but stands before 'first' (test_constraints.py:" in told
    assert told.endswith("write ...,first,...,late")


def test_what_is_required_has_to_be_provided_before():
    giver, taker = made("giver", provides=("tidy",)), made("taker", requires=("tidy",))
    Pipeline([giver, taker])
    with pytest.raises(UsageError, match=r"'taker' requires 'tidy' \(.*\), which nothing before it provides; 'giver' "):
        Pipeline([taker, giver])
    with pytest.raises(UsageError, match=r"'giver' provides it \(test_constraints.py:\d+\), put it before"):
        as_pipeline("taker")
    made("lonely", requires=("gold",))
    with pytest.raises(UsageError, match="'lonely' requires 'gold' .*; no pass provides it$"):
        as_pipeline("lonely")


def test_groups_are_looked_into():
    giver, taker = made("giver", provides=("tidy",)), made("taker", requires=("tidy",))
    Pipeline([Fix((giver, taker))])
    with pytest.raises(UsageError, match="'taker' requires 'tidy'"):
        Pipeline([Fix((taker, giver))])


def test_a_circle_may_mix_both_kinds():
    told = r"'one' runs after 'two' .*, and 'two' requires 'a', which 'one' provides"
    with pytest.raises(UsageError, match=told):
        Pipeline([made("one", after=("two",), provides=("a",)), made("two", requires=("a",))])


def test_a_circle_shows_all_of_its_constraints():
    one, two, three = made("one", after=("three",)), made("two", after=("one",)), made("three", after=("two",))
    with pytest.raises(UsageError, match="no order suits all of its passes") as caught:
        Pipeline([one, two, three])
    for constraint in ("'one' runs after 'three'", "'two' runs after 'one'", "'three' runs after 'two'"):
        assert constraint in str(caught.value)
    Pipeline([one, two])


def test_a_pass_outside_of_the_circle_is_not_blamed():
    circle = [made("one", after=("two", "head")), made("two", after=("one",))]
    with pytest.raises(UsageError, match="no order suits") as caught:
        check_order([made("head"), *circle, made("tail", after=("two",))])
    assert "'tail'" not in str(caught.value) and "'head'" not in str(caught.value)


def test_where_several_provide_a_fact_any_of_them_will_do():
    one, other = made("one", provides=("a",)), made("other", provides=("a",))
    taker = made("taker", requires=("a",))
    assert not list(constraints([one, other, taker]))
    Pipeline([other, taker, one])


@pytest.mark.parametrize("name", PIPELINES)
def test_the_shipped_pipelines_are_in_order(name):
    check_order(as_pipeline(name).passes)
    assert DEFAULT
