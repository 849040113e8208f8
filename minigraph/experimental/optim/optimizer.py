"""The base class of these optimizers: settings by parameter group."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from minigraph import ops
from minigraph.core.errors import ArgValueError, UnknownNameError, did_you_mean
from minigraph.core.tensor import Parameter, ParameterTuple, Tensor
from minigraph.core.types import float32
from minigraph.nn.optim import optimizer as nn_optimizer
from minigraph.nn.optim.optimizer import Parameters

Rate = float | Tensor
INHERITED = ("lr", "weight_decay", "grad_centralization")  # settings that the base class applies
REPR_DEFAULTS = {"grad_centralization": False}  # without a default in the optimizers


class Group(dict[str, Any]):
    """The settings of a group. ``lr`` is a Parameter f32[]; assigning a number to ``lr`` sets its value."""

    def __init__(self, fields: Mapping[str, Any], changed: Callable[[], None]) -> None:
        super().__init__(fields)
        self._changed = changed

    def __setitem__(self, key: str, value: Any) -> None:
        if key == "lr":
            ops.assign(self["lr"], value)
        else:
            super().__setitem__(key, value)
            self._changed()


class Optimizer(nn_optimizer.Optimizer):
    """The base class: ``params`` are Parameters or dicts of ``params`` and settings; ``defaults`` has all settings.

    Subclasses define ``update(i, parameter, gradient, step)``, as those of ``nn.Optimizer``. ``maximize`` inverts the
    gradients. Raises ``ValueError`` for no Parameters and negative numbers, ``LookupError`` for an unknown setting.

    >>> w, b = (Parameter(Tensor([1.0]), name=name) for name in "wb")
    >>> from minigraph.experimental import optim
    >>> optimizer = optim.SGD([{"params": [w], "lr": 0.5}, {"params": [b]}], lr=0.25)
    >>> optimizer.param_groups[1]["lr"] = 0.125
    >>> print(optimizer((Tensor([1.0]), Tensor([1.0]))), w.value(), b.value())
    True [0.5] [0.875]
    """

    def __init__(self, params: Parameters, defaults: Mapping[str, Any]) -> None:
        items: list[Any] = list(params)
        if not items:
            raise ArgValueError("For 'Optimizer', the argument params must not be empty.")
        group_dicts = items if isinstance(items[0], Mapping) else [{"params": items}]
        groups = [{**defaults, **_check_group(group, defaults)} for group in group_dicts]
        super().__init__(0.0, [{key: group[key] for key in ("params", *INHERITED) if key in group} for group in groups])
        self.defaults = dict(defaults)
        self.param_groups = [
            Group({"params": group.pop("params"), **group}, self._settings_changed) for group in groups
        ]
        for group in self.param_groups:
            dict.__setitem__(group, "lr", self.get_lr_parameter(group["params"][0]))
        by_parameter = {id(p): group for group in self.param_groups for p in group["params"]}
        self._group_of = tuple(by_parameter[id(p)] for p in self.parameters)

    def _settings_changed(self) -> None:
        vars(self)["_version"] += 1  # compiled code is guarded by it

    def __call__(self, gradients: tuple[Tensor, ...]) -> Any:
        """Updates every Parameter, and returns ``True``; while tracing, tensors that depend on the update."""
        results = super().__call__(gradients)
        return True if all(result is True for result in results) else results

    def construct(self, gradients: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
        """One ``True`` per Parameter, which depends on its update."""
        signed = (
            -gradient if group.get("maximize") else gradient
            for gradient, group in zip(gradients, self._group_of, strict=True)
        )
        return super().construct(tuple(signed))

    def setting(self, i: int, name: str) -> Any:
        """A setting of the group of Parameter ``i``."""
        return self._group_of[i][name]

    def shared_values(self) -> Any:
        """The count of this step: f32[]."""
        return (self.global_step + 1).astype(float32).reshape(())

    def scalars(self, prefix: str, value: float) -> ParameterTuple:
        """One state Parameter f32[] per Parameter."""
        names = (f"{prefix}.{p.name}" for p in self.parameters)
        return ParameterTuple(Parameter(Tensor(value, float32), name, requires_grad=False) for name in names)

    def __repr__(self) -> str:
        groups = "\n".join(_group_text(i, group) for i, group in enumerate(self.param_groups))
        return f"{type(self).__name__} (\n{groups})"


def _group_text(i: int, group: Group) -> str:
    """The number of a group, and its settings but for the Parameters."""
    settings = {**group, "lr": group["lr"].value()}
    lines = (f"    {key}: {settings[key]}\n" for key in sorted(settings) if key != "params")
    return f"Parameter Group {i}\n" + "".join(lines)


def _check_group(group: Mapping[str, Any], defaults: Mapping[str, Any]) -> dict[str, Any]:
    """The settings of a group, with a list of its Parameters."""
    for key in group:
        if key not in ("params", *defaults, *REPR_DEFAULTS):
            hint = did_you_mean(key, list(defaults))
            raise UnknownNameError(f"For 'Optimizer', a group has no setting '{key}'{hint}; it has {list(defaults)}")
    if "params" not in group:
        raise UnknownNameError(f"For 'Optimizer', a group needs 'params', got {list(group)}")
    params = group["params"]
    is_one = isinstance(params, Parameter) or not isinstance(params, Iterable)
    return {**group, "params": [params] if is_one else list(params)}


def check_at_least(caller: str, minimum: float = 0.0, **values: Any) -> None:
    """Raises ``ValueError`` for a number below ``minimum``."""
    for name, value in values.items():
        if not minimum <= value:
            raise ArgValueError(f"For '{caller}', the '{name}' must be at least {minimum}, but got {value}.")


def check_betas(betas: tuple[float, float]) -> None:
    """Raises ``ValueError`` unless both are in [0, 1)."""
    for i, beta in enumerate(betas):
        if not 0.0 <= beta < 1.0:
            raise ArgValueError(f"Invalid beta parameter at index {i}: {beta}")
