"""Parameter groups: Parameters with a learning rate and a weight decay of their own."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from minigraph.core.errors import RuntimeArgument, TypeArgument, UnknownName, ValueArgument, did_you_mean
from minigraph.core.tensor import Parameter
from minigraph.nn.cell import Cell

KEYS = ("params", "lr", "weight_decay", "order_params", "grad_centralization")


class Group(NamedTuple):
    """Parameters with a rate and a decay of their own (``None``: the optimizer's), their gradients centred or not."""

    parameters: list[Parameter]
    lr: Any = None
    weight_decay: Any = None
    centred: bool = False


class Grouped(NamedTuple):
    """All Parameters in the order of the gradients, and their groups; ``plain`` when they were given without."""

    parameters: list[Parameter]
    groups: list[Group]
    plain: bool

    def of(self, parameter: Parameter) -> Group:
        """The group of a Parameter."""
        return next(group for group in self.groups if any(p is parameter for p in group.parameters))


def grouped(parameters: Any) -> Grouped:
    """The Parameters an optimizer was given: one after the other, or in dicts of ``KEYS``.

    Raises ``ValueError`` for none or for equal names, ``LookupError`` for another key, ``RuntimeError`` for a
    Parameter given twice, ``TypeError`` for other things.

    >>> w, b = (Parameter(1.0, name) for name in "wb")
    >>> [p.name for p in grouped([{"params": [w], "lr": 0.1}, {"params": [b]}, {"order_params": [b, w]}]).parameters]
    ['b', 'w']
    """
    if isinstance(parameters, Cell) or not isinstance(parameters, Iterable):
        hint = "; pass net.trainable_params()" if isinstance(parameters, Cell) else ""
        raise TypeArgument(
            f"For 'Optimizer', the argument parameters must be Iterable type, but got {type(parameters)}{hint or '.'}"
        )
    listed = list(parameters)
    if not listed:
        raise ValueArgument("For 'Optimizer', the argument parameters must not be empty.")
    plain = not isinstance(listed[0], Mapping)
    if not all(isinstance(item, Parameter if plain else Mapping) for item in listed):
        raise TypeArgument(
            "For 'Optimizer', all elements of the argument 'parameters' must be 'Parameter' or 'dict', "
            "please check the 'parameters'."
        )
    found = Grouped(listed, [Group(listed)], plain) if plain else _from_dicts(listed)
    _check_names(found.parameters)
    return found


def _from_dicts(dicts: Sequence[Mapping[str, Any]]) -> Grouped:
    groups = [_group(fields) for fields in dicts if "order_params" not in fields]
    together = [parameter for group in groups for parameter in group.parameters]
    seen: set[int] = set()
    for parameter in together:
        if id(parameter) in seen:
            raise RuntimeArgument(
                f"For 'Optimizer', the {parameter.name} parameter already exists, it does not support repeated "
                "setting. Please check whether the optimizer parameter has been set multiple times."
            )
        seen.add(id(parameter))
    orders = [fields for fields in dicts if "order_params" in fields]
    return Grouped(_in_order(orders[-1], together) if orders else together, groups, plain=False)


def _group(fields: Mapping[str, Any]) -> Group:
    wrong = [key for key in fields if key not in KEYS]
    if wrong or "params" not in fields:
        told = f"no '{wrong[0]}'{did_you_mean(wrong[0], KEYS)}" if wrong else f"no 'params' among {list(fields)}"
        raise UnknownName(f"For 'Optimizer', the key in group params must be one of in {list(KEYS)}: {told}")
    parameters, centred = list(fields["params"]), fields.get("grad_centralization", False)
    if not parameters:
        raise ValueArgument("For 'Optimizer', the argument group `params` must not be empty.")
    for i, parameter in enumerate(parameters):
        if not isinstance(parameter, Parameter):
            kind = type(parameter)
            raise TypeArgument(
                f"For 'Optimizer', the element in group parameters must be Parameter type, but got {kind} at index {i}."
            )
    if not isinstance(centred, bool):
        raise TypeArgument(
            f"For 'Optimizer', the 'gradients_centralization' must be bool type, but got {type(centred)}."
        )
    return Group(parameters, fields.get("lr"), fields.get("weight_decay"), centred)


def _in_order(fields: Mapping[str, Any], together: Sequence[Parameter]) -> list[Parameter]:
    """The Parameters of all groups in the order that is asked for."""
    if len(fields) > 1:
        raise ValueArgument(
            "For 'Optimizer', the order params dict in group parameters should only include the 'order_params' key, "
            f"but got {fields.keys()}."
        )
    order = list(fields["order_params"])
    if len(order) != len(together):
        raise ValueArgument(
            "For 'Optimizer',the length of order parameters must be the same as the length of group parameters, "
            f"but got order parameters' length {len(order)}, group parameters' length {len(together)}."
        )
    strange = {id(p) for p in order} ^ {id(p) for p in together}
    if strange:
        names = [p.name for p in (*order, *together) if id(p) in strange]
        raise ValueArgument(f"For 'Optimizer', the order parameters must be those of the groups, but {names} are not.")
    return order


def _check_names(parameters: Sequence[Parameter]) -> None:
    names: set[str] = set()
    for parameter in parameters:
        if parameter.name in names:
            raise ValueArgument(
                f"The value {parameter!r} , its name '{parameter.name}' already exists. "
                "Please set a unique name for the parameter."
            )
        names.add(parameter.name)
