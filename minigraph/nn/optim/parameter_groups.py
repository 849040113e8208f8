"""Parameter groups: Parameters with a learning rate and a weight decay of their own."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from minigraph.core.errors import ArgRuntimeError, ArgTypeError, ArgValueError, UnknownNameError, did_you_mean
from minigraph.core.tensor import Parameter
from minigraph.nn.cell import Cell

KEYS = ("params", "lr", "weight_decay", "order_params", "grad_centralization")


class Group(NamedTuple):
    """Parameters with a rate and a decay of their own (``None``: the optimizer's), and gradient centralization."""

    parameters: list[Parameter]
    lr: Any = None
    weight_decay: Any = None
    centralized: bool = False


class ParameterGroups(NamedTuple):
    """All Parameters in the order of the gradients, and their groups; ``is_flat`` if passed without groups."""

    parameters: list[Parameter]
    groups: list[Group]
    is_flat: bool

    def group_of(self, parameter: Parameter) -> Group:
        """The group of a Parameter."""
        return next(group for group in self.groups if any(p is parameter for p in group.parameters))


def group_parameters(parameters: object) -> ParameterGroups:
    """The Parameters of an optimizer: passed one by one, or in dicts with ``KEYS``.

    Raises ``ValueError`` for none or for equal names, ``LookupError`` for another key, ``RuntimeError`` for a repeated
    Parameter, ``TypeError`` for other types.

    >>> w, b = (Parameter(1.0, name) for name in "wb")
    >>> groups = group_parameters([{"params": [w], "lr": 0.1}, {"params": [b]}, {"order_params": [b, w]}])
    >>> [p.name for p in groups.parameters]
    ['b', 'w']
    """
    if isinstance(parameters, Cell) or not isinstance(parameters, Iterable):
        hint = "; pass net.trainable_params()" if isinstance(parameters, Cell) else ""
        raise ArgTypeError(
            f"For 'Optimizer', the argument parameters must be Iterable type, but got {type(parameters)}{hint or '.'}"
        )
    items = list(parameters)
    if not items:
        raise ArgValueError("For 'Optimizer', the argument parameters must not be empty.")
    is_flat = not isinstance(items[0], Mapping)
    if not all(isinstance(item, Parameter if is_flat else Mapping) for item in items):
        raise ArgTypeError(
            "For 'Optimizer', all elements of the argument 'parameters' must be 'Parameter' or 'dict', "
            "please check the 'parameters'."
        )
    groups = ParameterGroups(items, [Group(items)], is_flat) if is_flat else _from_dicts(items)
    _check_names(groups.parameters)
    return groups


def _from_dicts(dicts: Sequence[Mapping[str, object]]) -> ParameterGroups:
    groups = [_group(fields) for fields in dicts if "order_params" not in fields]
    parameters = [parameter for group in groups for parameter in group.parameters]
    seen: set[int] = set()
    for parameter in parameters:
        if id(parameter) in seen:
            raise ArgRuntimeError(
                f"For 'Optimizer', the {parameter.name} parameter already exists, it does not support repeated "
                "setting. Please check whether the optimizer parameter has been set multiple times."
            )
        seen.add(id(parameter))
    orders = [fields for fields in dicts if "order_params" in fields]
    return ParameterGroups(_order_parameters(orders[-1], parameters) if orders else parameters, groups, is_flat=False)


def _group(fields: Mapping[str, Any]) -> Group:
    wrong = [key for key in fields if key not in KEYS]
    if wrong or "params" not in fields:
        reason = f"no '{wrong[0]}'{did_you_mean(wrong[0], KEYS)}" if wrong else f"no 'params' among {list(fields)}"
        raise UnknownNameError(f"For 'Optimizer', the key in group params must be one of in {list(KEYS)}: {reason}")
    parameters, centralized = list(fields["params"]), fields.get("grad_centralization", False)
    if not parameters:
        raise ArgValueError("For 'Optimizer', the argument group `params` must not be empty.")
    for i, parameter in enumerate(parameters):
        if not isinstance(parameter, Parameter):
            kind = type(parameter)
            raise ArgTypeError(
                f"For 'Optimizer', the element in group parameters must be Parameter type, but got {kind} at index {i}."
            )
    if not isinstance(centralized, bool):
        raise ArgTypeError(
            f"For 'Optimizer', the 'gradients_centralization' must be bool type, but got {type(centralized)}."
        )
    return Group(parameters, fields.get("lr"), fields.get("weight_decay"), centralized)


def _order_parameters(fields: Mapping[str, Any], parameters: Sequence[Parameter]) -> list[Parameter]:
    """The Parameters of all groups in the order of ``order_params``."""
    if len(fields) > 1:
        raise ArgValueError(
            "For 'Optimizer', the order params dict in group parameters should only include the 'order_params' key, "
            f"but got {fields.keys()}."
        )
    order = list(fields["order_params"])
    if len(order) != len(parameters):
        raise ArgValueError(
            "For 'Optimizer',the length of order parameters must be the same as the length of group parameters, "
            f"but got order parameters' length {len(order)}, group parameters' length {len(parameters)}."
        )
    unmatched = {id(p) for p in order} ^ {id(p) for p in parameters}
    if unmatched:
        names = [p.name for p in (*order, *parameters) if id(p) in unmatched]
        raise ArgValueError(f"For 'Optimizer', the order parameters must be those of the groups, but {names} are not.")
    return order


def _check_names(parameters: Sequence[Parameter]) -> None:
    names: set[str] = set()
    for parameter in parameters:
        if parameter.name in names:
            raise ArgValueError(
                f"The value {parameter!r} , its name '{parameter.name}' already exists. "
                "Please set a unique name for the parameter."
            )
        names.add(parameter.name)
