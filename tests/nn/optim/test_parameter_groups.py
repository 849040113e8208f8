"""The Parameters of an optimizer, one by one or in groups."""

import re

import pytest

from minigraph import Parameter, ParameterTuple, Tensor, nn
from minigraph.nn.optim.parameter_groups import KEYS, group_parameters
from tests.nn.cells import names
from tests.tables import error_cases


def parameters(names):
    return [Parameter(Tensor([1.0]), name=name) for name in names]


def test_parameters_without_groups_are_one_group():
    for values in (
        parameters("abc"),
        tuple(parameters("abc")),
        iter(parameters("abc")),
        ParameterTuple(parameters("abc")),
    ):
        result = group_parameters(values)
        assert names(result.parameters) == ["a", "b", "c"]
        assert result.is_flat
        assert result.groups == [(result.parameters, None, None, False)]


def test_groups_are_in_their_order_or_in_order_params():
    a, b, c = parameters("abc")
    groups = [{"params": [c], "lr": 0.1, "weight_decay": 0.2}, {"params": iter((a, b)), "grad_centralization": True}]
    result = group_parameters(groups)
    assert names(result.parameters) == ["c", "a", "b"]
    assert not result.is_flat
    assert result.group_of(c)[1:] == (0.1, 0.2, False)
    assert result.group_of(a)[1:] == result.group_of(b)[1:] == (None, None, True)
    groups[1]["params"] = [a, b]
    assert names(group_parameters([*groups, {"order_params": [a, b, c]}]).parameters) == ["a", "b", "c"]


A, B, C = parameters("abc")


test_invalid_arguments_raise = error_cases(
    ([], ValueError, "the argument parameters must not be empty"),
    (nn.Dense(2, 1), TypeError, "must be Iterable type, but got <class .*Dense'>; pass net"),
    (3, TypeError, "must be Iterable type, but got <class 'int'>.$"),
    (A, TypeError, "must be 'Parameter' or 'dict'"),
    ([A, {"params": [B]}], TypeError, "must be 'Parameter' or 'dict'"),
    ([A, *parameters("a")], ValueError, "its name 'a' already exists"),
    ([{"params": [A]}, {"params": parameters("a")}], ValueError, "its name 'a' already exists"),
    ([{"params": [A, B]}, {"params": [A]}], RuntimeError, "the a parameter already exists"),
    ([{"params": []}], ValueError, "the argument group `params` must not be empty"),
    ([{"params": A}], TypeError, "Parameter type, but got <class .minigraph.core.*.Tensor.> at index 0"),
    ([{"lr": 0.1}], LookupError, "no 'params' among .'lr'.$"),
    ([{"params": [A], "weight_deacy": 0.1}], LookupError, "no 'weight_deacy'; did you mean 'weight_decay'?"),
    ([{"params": [A], "grad_centralization": 1}], TypeError, "must be bool type, but got <class 'int'>"),
    ([{"params": [A], "order_params": [A]}], ValueError, "should only include the 'order_params' key"),
    ([{"params": [A]}, {"params": [B], "order_params": [A]}], ValueError, "should only include"),
    ([{"params": [A]}, {"order_params": [A, B]}], ValueError, "order parameters' length 2, group parameters' leng"),
    ([{"params": [A, B]}, {"order_params": [A, C]}], ValueError, "must be those of the groups, but .'c', 'b'. are"),
    by=group_parameters,
)


def test_an_unknown_key_lists_the_known_ones():
    with pytest.raises(LookupError, match=re.escape(str(list(KEYS)))):
        group_parameters([{"parameters": [A]}])
