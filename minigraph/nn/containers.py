"""Containers of Cells: lists, sequences and dicts."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import ItemsView, Iterable, Iterator, KeysView, Mapping, ValuesView
from typing import Any, Self, overload

from minigraph.core.errors import ArgKeyError, ArgTypeError, ArgValueError, RangeError
from minigraph.core.tensor import Tensor
from minigraph.nn.cell import Cell

Item = tuple[str, Cell]


class Container(Cell):
    """The base class of containers: members by name, whose Parameters are named after the container and the member."""

    def _add_member(self, name: str, cell: object) -> None:
        self._register_member(name, cell, self._prefix())

    def _register_member(self, name: str, cell: object, prefix: str) -> None:
        if not isinstance(cell, Cell):
            kind = type(self).__name__
            raise ArgTypeError(f"{kind}: item {name} must be a Cell, got {type(cell).__name__}; wrap it in a Cell")
        setattr(self, name, cell)
        if prefix and self._auto_prefix:
            cell.update_parameters_name(f"{prefix}{name}.")

    def _prefix(self) -> str:
        """The prefix of a member's Parameter names: the path that the enclosing Cell gave to the container.

        It is derived as in MindSpore, so that checkpoints have the same names: from the first Parameter of the first
        member, up to the member's own name; of several such positions, the one that matches the next member, or the
        last one. (So if the first member of a list is itself a list, the next appended member is named ``0.1``.)
        """
        firsts = ((name, next(cell.get_parameters(), None)) for name, cell in self._cells.items())
        named = [(name, parameter.name.split(".")) for name, parameter in firsts if parameter is not None][:2]
        (key, parts), (second, others) = (*named, ("", []), ("", []))[:2]
        positions = [position for position, part in enumerate(parts) if part == key]
        matching = [position for position in positions if others[position : position + 1] == [second]]
        end = (matching[:1] or positions[-1:] or [0])[0]
        return "".join(f"{part}." for part in parts[:end])

    def __len__(self) -> int:
        return len(self._cells)


class CellList(Container):
    """A list of Cells whose Parameters are registered; it computes nothing itself.

    >>> from minigraph import nn
    >>> layers = CellList([nn.Dense(2, 3), nn.ReLU()])
    >>> len(layers), [p.name for p in layers.get_parameters()]
    (2, ['0.weight', '0.bias'])
    """

    def __init__(self, *cells: object, auto_prefix: bool = True) -> None:
        super().__init__(auto_prefix)
        for name, cell in _name_members(cells):
            self._add_member(name, cell)

    def append(self, cell: Cell) -> Self:
        """Appends a Cell; returns the container."""
        self._add_member(str(len(self)), cell)
        return self

    def extend(self, cells: Iterable[Cell]) -> Self:
        """Appends Cells; returns the container."""
        for cell in cells:
            self.append(cell)
        return self

    def insert(self, index: int, cell: Cell) -> None:
        """Inserts a Cell before the one at ``index``; the members after it, and their Parameters, are renamed.

        Raises ``IndexError`` for an index out of range and ``TypeError`` unless it is a Cell.
        """
        self._check_index(index, len(self) + 1)
        if not isinstance(cell, Cell):
            raise ArgTypeError(f"{type(self).__name__}: insert expects a Cell, got {type(cell).__name__}; wrap it")
        members = list(self._cells.items())
        members.insert(index, ("0", cell))
        self._replace_members(members)

    def _replace_members(self, members: Iterable[Item]) -> None:
        """Replaces the members; those named by index are renamed."""
        prefix = self._prefix()
        for name in list(self._cells):
            delattr(self, name)
        for index, (name, cell) in enumerate(members):
            self._register_member(str(index) if name.isdigit() else name, cell, prefix)

    def __iadd__(self, cells: Iterable[Cell]) -> Self:
        return self.extend(cells)

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
                part._add_member(name, cell)
            return part
        return self._cells[self._name_of_index(index)]

    def __setitem__(self, index: int, cell: Cell) -> None:
        self._add_member(self._name_of_index(index), cell)

    def __delitem__(self, index: int | slice) -> None:
        if isinstance(index, int):
            self._check_index(index, len(self))
        members = list(self._cells.items())
        del members[index]
        self._replace_members(members)

    def _name_of_index(self, index: int) -> str:
        self._check_index(index, len(self))
        return list(self._cells)[index]

    def _check_index(self, index: int, size: int) -> None:
        first, last = -len(self), size - 1
        if not first <= index <= last:
            raise RangeError(f"{type(self).__name__}: no item {index} among {len(self)}; use {first} to {last}")


class SequentialCell(CellList):
    """Cells called in sequence, each on the result of the one before.

    Accepts Cells, a list of Cells, or an OrderedDict of names and Cells.

    >>> from minigraph import nn
    >>> SequentialCell(nn.Dense(2, 3), nn.ReLU())
    SequentialCell(
      (0): Dense(input_channels=2, output_channels=3, has_bias=True)
      (1): ReLU()
    )
    """

    def construct(self, input_data: Tensor) -> Tensor:
        """The output of the last Cell."""
        for cell in self._cells.values():
            input_data = cell(input_data)
        return input_data


class CellDict(Container):
    """A dict of Cells whose Parameters are registered; it computes nothing itself. Names have no dots.

    Accepts a mapping, or pairs of a name and a Cell. A member must not be a container.

    >>> from minigraph import nn
    >>> layers = CellDict({"dense": nn.Dense(2, 3), "relu": nn.ReLU()})
    >>> list(layers), "relu" in layers, [p.name for p in layers.get_parameters()]
    (['dense', 'relu'], True, ['dense.weight', 'dense.bias'])
    """

    def __init__(self, cells: object = (), *, auto_prefix: bool = True) -> None:
        super().__init__(auto_prefix)
        self.update(cells)

    def update(self, cells: object) -> None:
        """Adds or replaces members; if it raises, nothing has changed."""
        pairs = list(cells.items()) if isinstance(cells, Mapping | CellDict) else _pairs(cells)
        for name, cell in pairs:
            self._check(name, cell)
        for name, cell in pairs:
            self._add_member(name, cell)

    def pop(self, key: str) -> Cell:
        """Removes and returns a member; raises ``KeyError``."""
        cell = self[key]
        del self[key]
        return cell

    def clear(self) -> None:
        """Removes all members."""
        for name in list(self._cells):
            delattr(self, name)

    def keys(self) -> KeysView[str]:
        """The names."""
        return self._cells.keys()

    def values(self) -> ValuesView[Cell]:
        """The members."""
        return self._cells.values()

    def items(self) -> ItemsView[str, Cell]:
        """The names with their members."""
        return self._cells.items()

    def __iter__(self) -> Iterator[str]:
        return iter(list(self._cells))

    def __contains__(self, key: object) -> bool:
        return key in self._cells

    def __getitem__(self, key: str) -> Cell:
        if key not in self._cells:
            raise ArgKeyError(f"CellDict: no member {key!r}; the names are {list(self._cells)}")
        return self._cells[key]

    def __setitem__(self, key: str, cell: Cell) -> None:
        self.update([(key, cell)])

    def __delitem__(self, key: str) -> None:
        self[key]
        delattr(self, key)

    def _check(self, name: str, cell: object) -> None:
        if not isinstance(name, str):
            raise ArgTypeError(f"CellDict: names must be strings, got {type(name).__name__}")
        if not name or "." in name or (hasattr(self, name) and name not in self._cells):
            raise ArgKeyError(f"CellDict: {name!r} is not a valid name; use one without dots that no Cell defines")
        if not isinstance(cell, Cell) or isinstance(cell, Container):
            raise ArgTypeError(f"CellDict: member {name!r} must be a Cell and no container, got {type(cell).__name__}")


def _pairs(cells: object) -> list[Item]:
    if not isinstance(cells, Iterable):
        raise ArgTypeError(f"CellDict: expected pairs of a name and a Cell, got {type(cells).__name__}")
    pairs = list(cells)
    for index, pair in enumerate(pairs):
        if not isinstance(pair, Iterable):
            raise ArgTypeError(f"CellDict: item {index} must be a name and a Cell, got {type(pair).__name__}")
        if len(tuple(pair)) != 2:
            raise ArgValueError(f"CellDict: item {index} must be a name and a Cell, got {len(tuple(pair))} items")
    return pairs


def _name_members(cells: tuple[Any, ...]) -> Iterable[Item]:
    """The names of a container's Cells: the keys of a dict, or their indices."""
    if len(cells) == 1 and isinstance(cells[0], OrderedDict | dict):
        return cells[0].items()
    if len(cells) == 1 and isinstance(cells[0], list | tuple | CellList):
        cells = tuple(cells[0])
    return [(str(i), cell) for i, cell in enumerate(cells)]
