"""Pytrees: flattened to leaves and rebuilt."""

from collections import OrderedDict
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from minigraph import Parameter, ParameterTuple, Tensor
from minigraph.core.pytree import Leaf, Static, flatten, flatten_call, leaves_of, signed_zero_key, statics_of, unflatten


class Pair(NamedTuple):
    a: object
    b: object


def is_leaf(item):
    return type(item) is float


def spec_of(structure):
    return flatten(structure, is_leaf)[1]


leaf_or_static = st.one_of(st.floats(allow_nan=False), st.integers(), st.text(max_size=2), st.none(), st.booleans())
structures = st.recursive(
    leaf_or_static,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.lists(inner, max_size=3).map(tuple),
        st.dictionaries(st.text(max_size=2), inner, max_size=3),
        st.builds(Pair, inner, inner),
    ),
)


@given(structures)
def test_flatten_and_unflatten_are_inverse(structure):
    leaves, spec = flatten(structure, is_leaf)
    assert all(map(is_leaf, leaves))
    assert unflatten(spec, leaves) == structure
    assert type(unflatten(spec, leaves)) is type(structure)
    assert hash(spec) == hash(spec_of(structure))
    assert spec == spec_of(structure)


@given(st.lists(leaf_or_static, max_size=4), st.dictionaries(st.text(max_size=2), leaf_or_static, max_size=2))
def test_a_call_is_flattened_like_any_structure(args, kwargs):
    leaves, spec = flatten_call(tuple(args), kwargs, is_leaf)
    assert (leaves, spec) == flatten((tuple(args), kwargs), is_leaf)
    assert hash(spec) == hash(spec_of((tuple(args), kwargs)))


def test_the_fast_path_for_calls_with_leaves_only_and_subclasses_of_tuples_and_dicts():
    leaves, spec = flatten_call((1.0, 2.0), {}, is_leaf)
    assert (leaves, unflatten(spec, leaves)) == ([1.0, 2.0], ((1.0, 2.0), {}))
    assert spec is flatten_call((3.0, 4.0), {}, is_leaf)[1]
    weights = ParameterTuple([Parameter(Tensor(1.0), name="w")])
    leaves, spec = flatten(weights, lambda item: isinstance(item, Tensor))
    assert isinstance(unflatten(spec, leaves), ParameterTuple)
    assert unflatten(spec_of(OrderedDict(a=1.0)), [2.0]) == {"a": 2.0}


def test_leaves_and_statics_come_in_order_and_specs_are_small_records():
    assert list(leaves_of({"b": [1.0, (2.0,)], "a": 3.0}, is_leaf)) == [1.0, 2.0, 3.0]
    assert list(statics_of(spec_of({"b": [1, (2.0, "x")], "a": None}))) == [1, "x", None]
    assert spec_of((1.0, "x")).children == (Leaf(0), Static(str, "", "x"))


EQUAL = [(1, True), (1, 1.0), (0, False), (0.0, -0.0), (0j, -0j), ("1", 1), ((1,), [1]), ({"a": 1}, {"b": 1})]


def static(item):
    return flatten(item, lambda part: False)[1]


@pytest.mark.parametrize(("a", "b"), EQUAL)
def test_values_that_python_calls_equal_are_distinguished_and_nan_equals_itself(a, b):
    assert static(a) != static(b)
    assert static(float("nan")) == static(float("nan"))
    assert len({static(float("nan")) for _ in range(2)}) == 1


def test_a_spec_of_an_unhashable_static_is_unhashable():
    with pytest.raises(TypeError):
        hash(spec_of([{1, 2}]))


@pytest.mark.parametrize("number", [1.5, -1.5, float("inf"), 3, 0, True, "0"])
def test_only_zeros_and_complex_numbers_need_more_than_equality(number):
    assert signed_zero_key(number) == ""
