"""From a checkpoint into a network: every value is looked at before the first one is changed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from minigraph.errors import CheckpointError, TypeArgument
from minigraph.nn.cell import Cell
from minigraph.tensor import Parameter, Tensor


def load_param_into_net(
    net: Cell, parameter_dict: Mapping[str, Tensor], strict_load: bool = False
) -> tuple[list[str], list[str]]:
    """Give the Parameters of ``net`` the values of the same name: (names not loaded, names not used).

    Shapes and dtypes must be equal; with ``strict_load`` the names, too. ``CheckpointError`` names the first
    that differs, before anything is changed. Raises ``TypeError`` for other objects than a Cell and a dict.

    >>> from minigraph import nn
    >>> net = nn.Dense(3, 2)
    >>> load_param_into_net(net, {"weight": Parameter(Tensor([[1.0, 2.0, 3.0]] * 2)), "scale": Parameter(1.0)})
    (['bias'], ['scale'])
    >>> print(net.weight.value())
    [[1. 2. 3.]
     [1. 2. 3.]]
    """
    _check_given(net, parameter_dict)
    parameters = list(net.get_parameters())
    known = {parameter.name for parameter in parameters}
    missing = [parameter.name for parameter in parameters if parameter.name not in parameter_dict]
    unused = [name for name in parameter_dict if name not in known]
    if strict_load and (missing or unused):
        raise CheckpointError(
            f"load_param_into_net: {type(net).__name__} lacks {unused[:5]}, the checkpoint lacks {missing[:5]}; "
            "load with strict_load=False to leave them out"
        )
    pairs = [(p, parameter_dict[p.name]) for p in parameters if p.name in parameter_dict]
    for parameter, value in pairs:
        _check_fits(net, parameter, value)
    for parameter, value in pairs:
        parameter.set_data(value)
    return missing, unused


def _check_given(net: Any, parameter_dict: Any) -> None:
    if not isinstance(net, Cell):
        kind = type(net).__name__
        raise TypeArgument(f"For 'load_param_into_net', the argument 'net' should be a Cell, but got {kind}.")
    if not isinstance(parameter_dict, Mapping):
        kind = type(parameter_dict).__name__
        raise TypeArgument(f"For 'load_param_into_net', 'parameter_dict' should be a dict, but got {kind}.")
    for name, value in parameter_dict.items():
        if not isinstance(value, Tensor) or value.traced:
            raise TypeArgument(f"load_param_into_net: '{name}' is a {type(value).__name__}; wrap it in Parameter(...)")


def _check_fits(net: Cell, parameter: Parameter, value: Tensor) -> None:
    if value.type != parameter.type:
        raise CheckpointError(
            f"load_param_into_net: '{parameter.name}' of {type(net).__name__} is {parameter.type}, "
            f"the checkpoint has {value.type}; build the network of the checkpoint, or cast and reshape the value"
        )
