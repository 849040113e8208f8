"""The table of a foreign format: operator -> a function of Tensors, by version, with clear refusals."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, TypeAlias

import numpy as np

from minigraph.core.aliases import Attrs, AttrValue, CallResult, Function
from minigraph.core.errors import AxisError, ModelError, UnknownNameError, UsageError, did_you_mean
from minigraph.core.tensor import Parameter, Tensor
from minigraph.importers.model import Model, all_steps, printable, refs_in
from minigraph.operators.families import normalize_axis

KnownValue: TypeAlias = Any  # an attribute, or the value of an operand that must be known: an array or numbers


def node_axis(axis: Any, rank: int) -> int:
    """An axis that a node names, as a non-negative index; raises ``ModelError`` if there is none such.

    >>> node_axis(-1, 3)
    2
    """
    try:
        return normalize_axis("it", axis, rank)
    except (AxisError, UsageError) as error:
        raise ModelError(str(error).removeprefix("it: ")) from None


class DeferredResult:
    """A result that is computed only if the file names it."""

    def __init__(self, compute: Callable[[], Any]) -> None:
        self.compute = compute


class Converter:
    """Converts an operator, from one version on: ``converter(*operands, **attrs)`` computes it with our operators.

    ``known`` names the operands whose values must be known before the graph runs, such as a new shape: the function
    gets them as numpy arrays. ``untrained`` names operands that are statistics, not weights.
    """

    def __init__(self, function: Function, known: str = "", untrained: str = "") -> None:
        parameters = inspect.signature(function).parameters.values()
        operands = [p for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD]
        kinds = {p.kind for p in parameters}
        self.function = function
        self.operands = [p.name for p in operands]
        self.required_operands = sum(p.default is p.empty for p in operands)
        self.attributes = {p.name: p.default for p in parameters if p.kind is p.KEYWORD_ONLY}
        self.takes_more_operands = inspect.Parameter.VAR_POSITIONAL in kinds
        self.takes_more_attributes = inspect.Parameter.VAR_KEYWORD in kinds
        self.known_positions = self.positions(known.split())
        self.untrained_positions = self.positions(untrained.split())

    def positions(self, names: Iterable[str]) -> set[int]:
        """The positions of operands with these names."""
        return {position for position, name in enumerate(self.operands) if name in names}

    @property
    def takes_outputs(self) -> bool:
        """Whether the function has an attribute ``outputs``: how many results the file names."""
        return "outputs" in self.attributes

    def check(self, title: str, operands: int, attrs: Attrs) -> None:
        """Raise ``ModelError`` for attributes or a number of operands that the function does not take."""
        for name in attrs.keys() - self.attributes.keys() if not self.takes_more_attributes else ():
            hint = did_you_mean(name, self.attributes)
            raise ModelError(f"{title}: the attribute '{printable(name)}' is not supported{hint}")
        missing = [name for name, default in self.attributes.items() if default is inspect.Parameter.empty]
        for name in (name for name in missing if name not in attrs):
            raise ModelError(f"{title}: the attribute '{name}' is missing; set it")
        if operands < self.required_operands:
            raise ModelError(f"{title}: takes {self.required_operands} operands, got {operands}; connect the others")
        if operands > len(self.operands) and not self.takes_more_operands:
            raise ModelError(f"{title}: takes {len(self.operands)} operands, got {operands}; remove the last ones")

    def __call__(self, *operands: object, **attrs: AttrValue) -> CallResult:
        """The result of the operator; raises ``ModelError`` for an operand that must be known and is not."""
        if self.known_positions:
            operands = tuple(
                known_value(operand, self.operands[at]) if at in self.known_positions else operand
                for at, operand in enumerate(operands)
            )
        return self.function(*operands, **attrs)


Converters = Mapping[str, Function | Converter]  # "Softmax", or "Softmax@13" for versions from 13 on


class OperatorTable:
    """The operators of a format: ``{"Softmax": function, "Softmax@13": function from version 13 on}``.

    A value is a function or a ``Converter``.

    >>> table = OperatorTable("ONNX", {"Neg": lambda x: -x, "Sum": lambda *xs: xs[0], "Sum@8": lambda *xs: sum(xs)})
    >>> table.converter("Sum", 13)(1, 2), table.converter("Sum", 7)(1, 2)
    (3, 1)
    """

    def __init__(self, format: str, converters: Converters) -> None:
        self.format = format
        self._converters = dict[str, list[tuple[int, Converter]]]()
        for key, converter in converters.items():
            name, _, since = key.partition("@")
            converter = converter if isinstance(converter, Converter) else Converter(converter)
            self._converters.setdefault(name, []).append((int(since or 0), converter))
        for versions in self._converters.values():
            versions.sort(key=lambda version: -version[0])

    def __iter__(self) -> Iterator[str]:
        return iter(self._converters)

    @property
    def names(self) -> list[str]:
        """The names of all operators."""
        return list(self._converters)

    def versions(self, name: str) -> list[int]:
        """The versions from which the converters of an operator are valid, oldest first."""
        return sorted(since for since, _ in self._converters[name])

    def find(self, name: str, version: int) -> Converter | None:
        """The newest converter of an operator up to a version, or ``None``."""
        return next((converter for since, converter in self._converters.get(name, ()) if since <= version), None)

    def converter(self, name: str, version: int, title: str = "") -> Converter:
        """The newest converter of an operator up to a version.

        Raises ``UnknownNameError`` with the nearest operator; ``title`` is the node in the message.
        """
        converter = self.find(name, version)
        if converter is None:
            at = f" at {title}" if title else ""
            hint = did_you_mean(name[:80], self._converters)
            raise UnknownNameError(f"no {self.format} operator '{printable(name)}'{at}{hint}")
        return converter


def known_value(operand: object, name: str) -> KnownValue:
    """The value of an operand as an array (``None`` without one); raises ``ModelError`` if it is not known yet."""
    if isinstance(operand, Tensor):
        if operand.is_traced:
            text = f"the value of the operand '{name}' is known only when the graph runs"
            raise ModelError(f"{text}; give it as a tuple, or call the network outside of @jit")
        return operand.array if isinstance(operand, Parameter) else operand.concrete_array()
    return operand if operand is None else np.asarray(operand)


def used_as(model: Model) -> tuple[set[str], set[str]]:
    """The names of values that converters need before the graph runs, and of values that they use as statistics."""
    known, untrained = set[str](), set[str]()
    for step in all_steps(model):
        if isinstance(step.function, Converter):
            for position, arg in enumerate(step.args):
                names = [ref.name for ref in refs_in([arg])]
                known.update(names if position in step.function.known_positions else ())
                untrained.update(names if position in step.function.untrained_positions else ())
    return known, untrained
