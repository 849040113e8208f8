"""The table of a foreign format: operator -> a function of Tensors, by version, with clear refusals."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, TypeAlias

import numpy as np

from minigraph.core.aliases import Attrs, AttrValue, CallResult, Function
from minigraph.core.errors import ModelError, UnknownName, did_you_mean
from minigraph.core.tensor import Parameter, Tensor
from minigraph.importers.model import Model, all_steps, printable, refs_in

KnownValue: TypeAlias = Any  # an attribute, or the value of an operand that must be known: an array or numbers


class DeferredResult:
    """A result that is computed only if the file names it."""

    def __init__(self, compute: Callable[[], Any]) -> None:
        self.compute = compute


class Row:
    """One operator from one version on: ``row(*operands, **attrs)`` computes it with our operators.

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


Rows = Mapping[str, Function | Row]  # "Softmax", or "Softmax@13" for versions from 13 on


class OperatorTable:
    """The operators of a format: ``{"Softmax": function, "Softmax@13": function from version 13 on}``.

    A value is a function or a ``Row``.

    >>> table = OperatorTable("ONNX", {"Neg": lambda x: -x, "Sum": lambda *xs: xs[0], "Sum@8": lambda *xs: sum(xs)})
    >>> table.row("Sum", 13)(1, 2), table.row("Sum", 7)(1, 2)
    (3, 1)
    """

    def __init__(self, format: str, rows: Rows) -> None:
        self.format = format
        self._rows = dict[str, list[tuple[int, Row]]]()
        for key, row in rows.items():
            name, _, since = key.partition("@")
            self._rows.setdefault(name, []).append((int(since or 0), row if isinstance(row, Row) else Row(row)))
        for versions in self._rows.values():
            versions.sort(key=lambda version: -version[0])

    def __iter__(self) -> Iterator[str]:
        return iter(self._rows)

    @property
    def names(self) -> list[str]:
        """The names of all operators."""
        return list(self._rows)

    def versions(self, name: str) -> list[int]:
        """The versions from which the rows of an operator are valid, oldest first."""
        return sorted(since for since, _ in self._rows[name])

    def find(self, name: str, version: int) -> Row | None:
        """The newest row of an operator up to a version, or ``None``."""
        return next((row for since, row in self._rows.get(name, ()) if since <= version), None)

    def row(self, name: str, version: int, title: str = "") -> Row:
        """The newest row of an operator up to a version.

        Raises ``UnknownName`` with the nearest operator; ``title`` is the node in the message.
        """
        row = self.find(name, version)
        if row is None:
            at = f" at {title}" if title else ""
            raise UnknownName(f"no {self.format} operator '{printable(name)}'{at}{did_you_mean(name[:80], self._rows)}")
        return row


def known_value(operand: object, name: str) -> KnownValue:
    """The value of an operand as an array (``None`` without one); raises ``ModelError`` if it is not known yet."""
    if isinstance(operand, Tensor):
        if operand.is_traced:
            text = f"the value of the operand '{name}' is known only when the graph runs"
            raise ModelError(f"{text}; give it as a tuple, or call the network outside of @jit")
        return operand.array if isinstance(operand, Parameter) else operand.concrete_array()
    return operand if operand is None else np.asarray(operand)


def used_as(model: Model) -> tuple[set[str], set[str]]:
    """The names of values that rows need before the graph runs, and of values that they use as statistics."""
    known, untrained = set[str](), set[str]()
    for step in all_steps(model):
        if isinstance(step.function, Row):
            for position, arg in enumerate(step.args):
                names = [ref.name for ref in refs_in([arg])]
                known.update(names if position in step.function.known_positions else ())
                untrained.update(names if position in step.function.untrained_positions else ())
    return known, untrained
