"""The state of a Cell as a dict: its Parameters, its persistent buffers, and the result of ``get_extra_state``."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from typing import Any, NamedTuple

from minigraph.core.errors import RuntimeArgument, TypeArgument
from minigraph.core.tensor import Parameter, Tensor
from minigraph.nn.cell_settings import BUFFERS

EXTRA = "_extra_state"  # the key of the result of ``get_extra_state``


class IncompatibleKeys(NamedTuple):
    """The names missing in a ``state_dict``, and those that the Cell lacks."""

    missing_keys: list[str]
    unexpected_keys: list[str]


class StateCell:
    """The methods of a Cell that read and write its state."""

    def get_extra_state(self) -> Any:
        """State other than Parameters and buffers; subclasses define it to add it to ``state_dict``."""
        raise RuntimeArgument(f"{type(self).__name__}: get_extra_state is not defined; define it in the subclass")

    def set_extra_state(self, state: object) -> None:
        """Restores the state that ``get_extra_state`` returned; subclasses define it."""
        raise RuntimeArgument(f"{type(self).__name__}: set_extra_state is not defined; define it in the subclass")

    def state_dict(
        self, *args: object, destination: dict[str, Any] | None = None, prefix: str = "", keep_vars: bool = False
    ) -> dict[str, Any]:
        """Parameters and persistent buffers by path, as Tensors that share memory; with ``keep_vars`` themselves.

        >>> from minigraph import nn
        >>> list(nn.SequentialCell(nn.Dense(2, 2), nn.ReLU()).state_dict())
        ['0.weight', '0.bias']
        """
        state: dict[str, Any] = OrderedDict() if destination is None else destination
        for path, owner, name in self._state_entries():
            value = getattr(owner, name)
            state[prefix + path] = value if keep_vars else value.value() if isinstance(value, Parameter) else value
        for path, cell in self.cells_and_names():  # type: ignore[attr-defined]
            if type(cell).get_extra_state is not StateCell.get_extra_state:
                state[prefix + ".".join(filter(None, (path, EXTRA)))] = cell.get_extra_state()
        return state

    def _state_entries(self) -> list[tuple[str, Any, str]]:
        """(path, owner, name) of every Parameter and persistent buffer."""
        entries = []
        for path, cell in self.cells_and_names():  # type: ignore[attr-defined]
            parameters = [name for name in cell._params if isinstance(getattr(cell, name, None), Parameter)]
            buffers = [name for name, persistent in vars(cell).get(BUFFERS, {}).items() if persistent]
            names = parameters + [name for name in buffers if isinstance(getattr(cell, name, None), Tensor)]
            entries += [(".".join(filter(None, (path, name))), cell, name) for name in names]
        return entries

    def load_state_dict(self, state_dict: Mapping[str, Any], strict: bool = True) -> IncompatibleKeys:
        """Copies the values of a ``state_dict``, all of them or none; returns the names that did not fit.

        Raises ``RuntimeError`` for other shapes and, if ``strict``, for missing and unexpected names, ``TypeError`` for
        an argument that is not a dict.

        >>> from minigraph import nn
        >>> first, second = nn.Dense(2, 2), nn.Dense(2, 2)
        >>> second.load_state_dict(first.state_dict())
        IncompatibleKeys(missing_keys=[], unexpected_keys=[])
        """
        if not isinstance(state_dict, Mapping):
            raise TypeArgument(f"Expected state_dict to be dict-like, got {type(state_dict)}.")
        places = {path: (owner, name) for path, owner, name in self._state_entries()}
        extras = {path: cell for path, cell in self._extra_places() if path in state_dict}
        missing = [path for path in places if path not in state_dict]
        unexpected = [path for path in state_dict if path not in places and path not in extras]
        problems = [f"size mismatch for {path}" for path, (owner, name) in places.items()
                    if path in state_dict and tuple(state_dict[path].shape) != getattr(owner, name).shape]  # fmt: skip
        if strict and missing:
            problems.append("Missing key(s) in state_dict: " + ", ".join(f'"{one}"' for one in missing))
        if strict and unexpected:
            problems.append("Unexpected key(s) in state_dict: " + ", ".join(f'"{one}"' for one in unexpected))
        if problems:
            kind = type(self).__name__
            raise RuntimeArgument(f"Error(s) in loading state_dict for {kind}:\n\t" + "; ".join(problems) + ".")
        for path, (owner, name) in places.items():
            if path in state_dict:
                getattr(owner, name)[...] = state_dict[path]
        for path, cell in extras.items():
            cell.set_extra_state(state_dict[path])
        return IncompatibleKeys(missing, unexpected)

    def _extra_places(self) -> list[tuple[str, Any]]:
        """(path, Cell) of every Cell that defines ``set_extra_state``."""
        cells = self.cells_and_names()  # type: ignore[attr-defined]
        overriding = (
            (path, cell) for path, cell in cells if type(cell).set_extra_state is not StateCell.set_extra_state
        )
        return [(".".join(filter(None, (path, EXTRA))), cell) for path, cell in overriding]
