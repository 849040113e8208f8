"""What passes ask of each other is checked when a pipeline is built, and every error shows both sides."""

import pytest

from minigraph.core.errors import UsageError
from passes import DEFAULT, PIPELINES, Fix, Pipeline, as_pipeline, graph_pass
from passes.core.constraints import check_order, constraints
from tests.tables import refusals


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
    assert "but comes before 'first' (test_constraints.py:" in told
    assert told.endswith("write ...,first,...,late")


def tidying():
    """A pass that another one needs, and that one."""
    return made("giver", provides=("tidy",)), made("taker", requires=("tidy",))


def test_what_is_required_has_to_be_provided_before_also_inside_of_groups():
    giver, taker = tidying()
    Pipeline([giver, taker])
    Pipeline([Fix((giver, taker))])


test_what_is_required_and_not_provided_is_told = refusals(
    (lambda: Pipeline(tidying()[::-1]), r"'taker' requires 'tidy' \(.*\), which no earlier pass provides; 'giver' "),
    (lambda: tidying() and as_pipeline("taker"), r"'giver' provides it \(test_constraints.py:\d+\), put it before"),
    (lambda: as_pipeline((made("lonely", requires=("gold",)),)), "'lonely' requires 'gold' .*; no pass provides it$"),
    (lambda: Pipeline([Fix(tidying()[::-1])]), "'taker' requires 'tidy'"),
    (
        lambda: Pipeline([made("one", after=("two",), provides=("a",)), made("two", requires=("a",))]),
        r"'one' runs after 'two' .*, and 'two' requires 'a', which 'one' provides",
    ),
    error=UsageError,
    ids=["stands behind", "is left out", "is not there", "stands behind in a group", "a circle of both kinds"],
)


def test_a_circle_shows_all_of_its_constraints():
    one, two, three = made("one", after=("three",)), made("two", after=("one",)), made("three", after=("two",))
    with pytest.raises(UsageError, match="no order of its passes satisfies") as caught:
        Pipeline([one, two, three])
    for constraint in ("'one' runs after 'three'", "'two' runs after 'one'", "'three' runs after 'two'"):
        assert constraint in str(caught.value)
    Pipeline([one, two])


def test_a_pass_outside_of_the_circle_is_not_blamed():
    circle = [made("one", after=("two", "head")), made("two", after=("one",))]
    with pytest.raises(UsageError, match="no order of its passes") as caught:
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
