"""Containers among the arguments: a compiled call changes them as an eager call does."""

import copy

import pytest

from minigraph import Tensor, grad, jit
from minigraph.capture.argument_mutation import (
    ArgRef,
    Changed,
    NewContents,
    apply_changes,
    set_contents,
    with_argument_changes,
)
from tests.inspection import to_lists as plain

X = Tensor([1.0, 2.0])


def appends(x, given):
    given.append(x * 2)
    return x


def inserts_and_pops(x, given):
    given.insert(0, x)
    last = given.pop()
    given[1:1] = [3, "text", None]
    return last


def swaps(x, given):
    given[0], given[1] = given[1], given[0]
    return x


def changes_a_dict(x, given):
    given["new"] = x + 1
    given["old"] = given.pop("old")
    given["list"].append(given["old"])
    return given["new"]


def goes_deep(x, given):
    given[0]["a"][0].append(x)
    given.append(given[0])
    return x


def empties(x, given):
    given.clear()
    return x


def keyword(x, *, given):
    given.extend([x, [x]])
    return x


def depends(x, given):
    if x.sum() > 0:
        x = x * 2
    given.append(x)
    return x


def leaves_alone(x, given):
    return x + len(given)


CASES = [
    (appends, [Tensor([0.0])]),
    (inserts_and_pops, [X, Tensor([5.0])]),
    (swaps, [Tensor([1.0]), Tensor([2.0]), 3]),
    (changes_a_dict, {"old": X, "more": 1, "list": []}),
    (goes_deep, [{"a": ([],)}]),
    (empties, [X]),
    (keyword, []),
    (depends, []),
    (leaves_alone, [1]),
]


@pytest.mark.filterwarnings(
    "ignore:the result is a list that existed before", "ignore:an argument holds a tensor that may"
)
@pytest.mark.parametrize("mode", ["ast", "trace"])
@pytest.mark.parametrize(("program", "given"), CASES, ids=lambda item: getattr(item, "__name__", None))
def test_the_callers_containers_have_the_contents_of_eager_mode(program, given, mode):
    if program is depends and mode == "trace":
        program = appends
    compiled = jit(program, capture_mode=mode)
    for x in (X, -X):
        changed, expected = copy.copy(given), copy.copy(given)
        if isinstance(given, dict) or program is goes_deep:
            changed, expected = copy.deepcopy(given), copy.deepcopy(given)
        assert plain(compiled(x, given=changed)) == plain(program(x, given=expected))
        assert plain(changed) == plain(expected)
        assert not isinstance(changed, dict) or list(changed) == list(expected)
    runs_op_by_op = program in (keyword, depends)  # one returns its argument, one appends ``x`` itself or another
    assert compiled.cache_info().misses == (not runs_op_by_op)


def test_existing_items_stay_the_same_objects():
    first, second, inner = Tensor([1.0]), Tensor([2.0]), [1]
    given = [first, second, inner]
    jit(swaps)(X, given)
    assert [given[k] is item for k, item in enumerate((second, first, inner))] == [True] * 3
    deep = [{"a": ([],)}]
    outer = deep[0]
    jit(goes_deep)(X, deep)
    assert deep[0] is outer is deep[1]


def test_growing_containers_are_new_structures_also_under_a_gradient_and_inside_of_another_function():
    compiled, given, inner = jit(appends), [], jit(appends)
    compiled.graph(X, given)
    assert given == [], "looking at the graph changes nothing"
    for _ in range(3):
        compiled(X, given)
    assert (plain(given), compiled.cache_info().misses) == ([[2.0, 4.0]] * 3, 3)
    given.clear()
    assert grad(jit(appends))(X, given).tolist() == [1.0, 1.0]
    assert plain(given) == [[2.0, 4.0]]
    assert jit(lambda x, given: inner(x, given) + given[-1])(X, given).tolist() == [3.0, 6.0]
    assert len(given) == 2


def test_changes_as_records_and_setting_the_contents_of_containers():
    item, given = Tensor(1.0), [Tensor(2.0)]
    changed = with_argument_changes(appends)(item, given)
    assert changed == Changed(item, (NewContents(3, (), (ArgRef(4), given[1])),))
    other = [Tensor(5.0)]
    apply_changes(changed, ((item, other), {}))
    assert plain(other) == [5.0, 2.0]
    assert with_argument_changes(leaves_alone)(item, [1]).item() == 2.0
    items, table = [1, 2], {"a": 1, "b": 2}
    set_contents(items, (), (3,))
    set_contents(table, table, table.values())
    assert (items, table) == ([3], {"a": 1, "b": 2})
    set_contents(table, ("c",), (3,))
    assert table == {"c": 3}
