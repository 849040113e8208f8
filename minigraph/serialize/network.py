"""Loading a checkpoint into a network; every value is checked before the first Parameter is changed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from minigraph.core.errors import ArgTypeError, CheckpointError
from minigraph.core.tensor import Parameter, Tensor
from minigraph.nn.arguments import check_bool
from minigraph.nn.cell import Cell


def load_param_into_net(
    net: Cell, parameter_dict: Mapping[str, Any], strict_load: bool = False, remove_redundancy: bool = False
) -> tuple[list[str], list[str]]:
    """Load values into the Parameters of ``net`` by name; returns (names not loaded, names not used).

    Shapes must be equal; floats are cast to the Parameter's float dtype, ints to its int dtype if that keeps the
    value. With ``strict_load`` dtypes and names must be equal, too. ``CheckpointError`` names the first difference,
    before anything changes. Strings, which ``append_dict`` may contain, are ignored; names are never guessed.
    ``remove_redundancy`` has no effect on one device. Raises ``TypeError`` for objects other than a Cell and a dict.

    >>> from minigraph import nn
    >>> net = nn.Dense(3, 2)
    >>> load_param_into_net(net, {"weight": Parameter(Tensor([[1.0, 2.0, 3.0]] * 2)), "scale": Parameter(1.0)})
    (['bias'], ['scale'])
    >>> print(net.weight.value())
    [[1. 2. 3.]
     [1. 2. 3.]]
    """
    _check_arguments(net, parameter_dict, strict_load)
    parameters = list(net.get_parameters())
    parameter_names = {parameter.name for parameter in parameters}
    missing = [parameter.name for parameter in parameters if parameter.name not in parameter_dict]
    unused = [
        name for name, value in parameter_dict.items() if name not in parameter_names and not isinstance(value, str)
    ]
    if strict_load and (missing or unused):
        raise CheckpointError(
            f"load_param_into_net: {type(net).__name__} lacks {unused[:5]}, the checkpoint lacks {missing[:5]}; "
            "load with strict_load=False to leave them out"
        )
    pairs = [(p, parameter_dict[p.name]) for p in parameters if p.name in parameter_dict]
    for parameter, value in pairs:
        _check_fits(net, parameter, value, strict_load)
    for parameter, value in pairs:
        parameter.set_data(value)
    return missing, unused


def _check_arguments(net: object, parameter_dict: object, strict_load: bool) -> None:
    check_bool("load_param_into_net", "strict_load", strict_load)
    if not isinstance(net, Cell):
        raise ArgTypeError(f"For 'load_param_into_net', the argument 'net' should be a Cell, but got {type(net)}.")
    if not isinstance(parameter_dict, Mapping):
        kind = type(parameter_dict).__name__
        raise ArgTypeError(f"For 'load_param_into_net', 'parameter_dict' should be a dict, but got {kind}.")
    parameter_names = {parameter.name for parameter in net.get_parameters()}
    for name, value in parameter_dict.items():
        if isinstance(value, str) and name not in parameter_names:
            continue
        if not isinstance(value, Tensor) or value.is_traced:
            raise ArgTypeError(f"load_param_into_net: '{name}' is a {type(value).__name__}; wrap it in Parameter(...)")


def _check_fits(net: Cell, parameter: Parameter, value: Tensor, strictly: bool) -> None:
    if value.type != parameter.type and (strictly or not _can_cast(parameter, value)):
        raise CheckpointError(
            f"load_param_into_net: '{parameter.name}' of {type(net).__name__} is {parameter.type}, "
            f"the checkpoint has {value.type}; build the network of the checkpoint, or cast and reshape the value"
        )


def _can_cast(parameter: Parameter, value: Tensor) -> bool:
    """Whether a value may be cast: a float to any float, an int to an int that can represent it."""
    if value.shape != parameter.shape or value.dtype.kind != parameter.dtype.kind or value.dtype.kind not in "fi":
        return False
    return value.dtype.is_float or bool((value.array.astype(parameter.dtype.numpy) == value.array).all())
