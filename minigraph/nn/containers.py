"""Cells made of other Cells in a row."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Iterator
from typing import Any, Self, overload

from minigraph.errors import RangeError, TypeArgument
from minigraph.nn.cell import Cell


class CellList(Cell):
    """Cells held like a Python list, so that their Parameters are found; it computes nothing itself.

    >>> from minigraph import nn
    >>> layers = CellList([nn.Dense(2, 3), nn.ReLU()])
    >>> len(layers), [p.name for p in layers.get_parameters()]
    (2, ['0.weight', '0.bias'])
    """

    def __init__(self, *cells: Any, auto_prefix: bool = True) -> None:
        super().__init__(auto_prefix)
        for name, cell in _named(cells):
            self._add(name, cell)

    def _add(self, name: str, cell: Any) -> None:
        if not isinstance(cell, Cell):
            kind = type(self).__name__
            raise TypeArgument(f"{kind}: item {name} must be a Cell, got {type(cell).__name__}; wrap it in a Cell")
        setattr(self, name, cell)

    def append(self, cell: Cell) -> Self:
        """Add a Cell at the end; returns the container."""
        self._add(str(len(self)), cell)
        return self

    def extend(self, cells: Iterable[Cell]) -> Self:
        """Add Cells at the end; returns the container."""
        for cell in cells:
            self.append(cell)
        return self

    def __len__(self) -> int:
        return len(self._cells)

    def __iter__(self) -> Iterator[Cell]:
        return iter(list(self._cells.values()))

    @overload
    def __getitem__(self, index: int) -> Cell: ...

    @overload
    def __getitem__(self, index: slice) -> Self: ...

    def __getitem__(self, index: int | slice) -> Cell | Self:
        if isinstance(index, slice):
            part = type(self)(auto_prefix=False)
            for name, cell in list(self._cells.items())[index]:
                part._add(name, cell)
            return part
        return self._cells[self._name_at(index)]

    def __setitem__(self, index: int, cell: Cell) -> None:
        self._add(self._name_at(index), cell)

    def _name_at(self, index: int) -> str:
        names = list(self._cells)
        if not -len(names) <= index < len(names):
            raise RangeError(
                f"{type(self).__name__}: no item {index} among {len(names)}; use {-len(names)} to {len(names) - 1}"
            )
        return names[index]


class SequentialCell(CellList):
    """Cells called one after the other, each on what the one before returned.

    Takes Cells, a list of Cells, or an OrderedDict of names and Cells.

    >>> from minigraph import nn
    >>> SequentialCell(nn.Dense(2, 3), nn.ReLU())
    SequentialCell(
      (0): Dense(input_channels=2, output_channels=3, has_bias=True)
      (1): ReLU()
    )
    """

    def construct(self, input_data: Any) -> Any:
        """The output of the last Cell."""
        for cell in self._cells.values():
            input_data = cell(input_data)
        return input_data


def _named(cells: tuple[Any, ...]) -> Iterable[tuple[str, Any]]:
    """Names for the Cells a container was given: the dict's, or their positions."""
    if len(cells) == 1 and isinstance(cells[0], OrderedDict | dict):
        return cells[0].items()
    if len(cells) == 1 and isinstance(cells[0], list | tuple | CellList):
        cells = tuple(cells[0])
    return [(str(i), cell) for i, cell in enumerate(cells)]
