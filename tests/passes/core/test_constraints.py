"""Ordering constraints of passes are checked when a pipeline is built; errors name both passes."""

import pytest

from minigraph.core.errors import UsageError
from passes import DEFAULT, PIPELINES, FixedPoint, Pipeline, as_pipeline, graph_pass
from passes.core.constraints import check_order, constraints
from tests.tables import error_cases


def stub(name, **order):
    """A pass without effect, with constraints."""
    return graph_pass(name, **order)(lambda graph: None)


def test_after_concerns_only_passes_of_the_pipeline():
    first, late = stub("first"), stub("late", after=("first", "absent"))
    assert str(Pipeline([late])) == "late"
    assert str(Pipeline([first, late, first, late])) == "first,late,first,late"
    with pytest.raises(UsageError) as caught:
        Pipeline([late, first])
    message = str(caught.value)
    assert "'late' runs after 'first' (test_constraints.py:" in message
    assert "but comes before 'first' (test_constraints.py:" in message
    assert message.endswith("write ...,first,...,late")


def two_passes():
    """A pass that provides a fact, and a pass that requires it."""
    return stub("giver", provides=("tidy",)), stub("taker", requires=("tidy",))


def test_requirements_must_be_provided_before_also_inside_groups():
    giver, taker = two_passes()
    Pipeline([giver, taker])
    Pipeline([FixedPoint((giver, taker))])


test_a_missing_requirement_is_an_error = error_cases(
    (lambda: Pipeline(two_passes()[::-1]), r"'taker' requires 'tidy' \(.*\), which no earlier pass provides; 'giver' "),
    (lambda: two_passes() and as_pipeline("taker"), r"'giver' provides it \(test_constraints.py:\d+\), put it before"),
    (lambda: as_pipeline((stub("lonely", requires=("gold",)),)), "'lonely' requires 'gold' .*; no pass provides it$"),
    (lambda: Pipeline([FixedPoint(two_passes()[::-1])]), "'taker' requires 'tidy'"),
    (
        lambda: Pipeline([stub("one", after=("two",), provides=("a",)), stub("two", requires=("a",))]),
        r"'one' runs after 'two' .*, and 'two' requires 'a', which 'one' provides",
    ),
    error=UsageError,
    ids=["stands behind", "is left out", "is not there", "stands behind in a group", "a circle of both kinds"],
)


def test_the_error_of_a_cycle_has_all_of_its_constraints():
    one, two, three = stub("one", after=("three",)), stub("two", after=("one",)), stub("three", after=("two",))
    with pytest.raises(UsageError, match="no order of its passes satisfies") as caught:
        Pipeline([one, two, three])
    for constraint in ("'one' runs after 'three'", "'two' runs after 'one'", "'three' runs after 'two'"):
        assert constraint in str(caught.value)
    Pipeline([one, two])


def test_a_pass_outside_the_cycle_is_not_named():
    circle = [stub("one", after=("two", "head")), stub("two", after=("one",))]
    with pytest.raises(UsageError, match="no order of its passes") as caught:
        check_order([stub("head"), *circle, stub("tail", after=("two",))])
    assert "'tail'" not in str(caught.value) and "'head'" not in str(caught.value)


def test_any_provider_of_a_fact_satisfies_a_requirement():
    one, other = stub("one", provides=("a",)), stub("other", provides=("a",))
    taker = stub("taker", requires=("a",))
    assert not list(constraints([one, other, taker]))
    Pipeline([other, taker, one])


@pytest.mark.parametrize("name", PIPELINES)
def test_the_shipped_pipelines_are_in_order(name):
    check_order(as_pipeline(name).passes)
    assert DEFAULT
